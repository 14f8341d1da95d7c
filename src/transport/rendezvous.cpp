// Modelled by tests/model/packed.pml, rendezvous.pml.
#include "transport/rendezvous.hpp"

#include <algorithm>

#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "runtime/job.hpp"
#include "runtime/wait.hpp"
#include "task/task_service.hpp"

namespace pure::core {

namespace {

constexpr call copying{"the copy of a large message", {}};

constexpr double spread_of(const layout* form) noexcept { return form != nullptr ? form->spread() : 1; }

/// Whether packing gains: each end then fetches lines of its own only, which is worth a second copy as long as these
/// are in its own cache. So it is for bytes that were just written, and where both ends are so far apart; where lines
/// are taken, that copy costs less, but not where the message is small.
bool is_worth_packing(const layout* from, const layout* to, bool is_fresh, std::size_t bytes, const settings& values) {
  constexpr std::size_t worth_taking = 8 * 1024;
  const double sparse_from = bytes >= worth_taking && takes_lines(values) ? 1.5 : 3;  // lines, where one could be full
  const bool is_sparse = spread_of(from) >= sparse_from && spread_of(to) >= sparse_from;
  return (is_fresh || is_sparse) &&
         static_cast<double>(bytes) * spread_of(from) <= static_cast<double>(values.packed_copy_max_bytes);
}

/// A packed piece whose lines fit a core's nearest cache at either end.
std::size_t packed_piece_bytes(const layout* from, const layout* to) noexcept {
  constexpr double lines_bytes = 32 * 1024;
  const auto fits = static_cast<std::size_t>(lines_bytes / std::max(spread_of(from), spread_of(to)));
  return std::clamp(fits / line_bytes * line_bytes, line_bytes, cell_bytes);
}

/// Pieces small enough that the ends finish together, large enough that claiming one is nothing.
std::size_t piece_bytes_for(std::size_t bytes, std::size_t least, std::size_t largest) noexcept {
  return std::clamp(bytes / 8, std::min(least, largest), largest);
}

}  // namespace

void rendezvous::copy_piece(const shared_copy& copy, std::uint32_t piece) noexcept {
  const std::size_t at = piece * copy.piece_bytes;
  copy_laid_out(copy.target, data_, at, copy.bytes_of(piece));
}

/// Copies pieces of one end until none is left to claim; `at_this_end` counts them. Returns how many it copied.
std::uint32_t rendezvous::copy_pieces(const shared_copy& copy, bool from_front,
                                      std::atomic<std::uint32_t>& at_this_end) noexcept {
  std::uint32_t mine = 0;
  while (claim(copy)) {
    // relaxed: as in claim()
    const std::uint32_t number = at_this_end.fetch_add(1, std::memory_order_relaxed);
    copy_piece(copy, from_front ? number : copy.pieces - 1 - number);
    ++mine;
  }
  return mine;
}

/// The receiver's end, with the help of ranks that have nothing else to do. Returns how many pieces that were.
std::uint32_t rendezvous::copy_own_end(rank_context& receiver, const shared_copy& copy) {
  struct end {
    rendezvous& all;
    const shared_copy& copy;
    bool from_front;
    alignas(pair_bytes) std::atomic<std::uint32_t> pieces{0};
  } own{*this, copy, receiver.number() < sender_->number()};
  constexpr auto work = [](void* context, std::uint32_t, std::uint32_t) {
    auto& of = *static_cast<end*>(context);
    of.all.copy_pieces(of.copy, of.from_front, of.pieces);
  };
  const bool is_large = copy.bytes >= worth_a_task * receiver.owner().values().shared_copy_min_bytes;
  // A chunk is a permit to take part: one for each worker that is neither end.
  const auto others = static_cast<std::uint32_t>(receiver.owner().workers() - 2);
  const bool is_done = is_large && others > 0 &&
                       task_service::of(receiver).do_together(copying, {work, &own},
                                                              std::min<std::uint32_t>(others + 1, copy.pieces));
  if (!is_done) work(&own, 0, 0);
  return own.pieces.load(std::memory_order_relaxed);
}

void rendezvous::take(rank_context& receiver, const laid_out_target& target, std::size_t wanted) {
  const settings& values = receiver.owner().values();
  const std::size_t largest = values.copy_piece_bytes;
  if (sender_ == &receiver) {
    take_alone(target, wanted);
  } else if (how_.cells != nullptr && is_worth_packing(data_.form, target.form, how_.is_fresh, wanted, values)) {
    const std::size_t fits = packed_piece_bytes(data_.form, target.form);
    cut(receiver, target, wanted, piece_bytes_for(wanted, 1024, std::min(largest, fits)));
    take_packed(receiver);
  } else if (wanted >= values.shared_copy_min_bytes) {
    cut(receiver, target, wanted, piece_bytes_for(wanted, std::size_t{8} * 1024, largest));
    take_shared(receiver);
  } else {
    take_alone(target, wanted);
  }
}

void rendezvous::take_alone(const laid_out_target& target, std::size_t wanted) {
  const std::int64_t begin_ns = how_.is_timed ? now_ns() : 0;
  copy_laid_out(target, data_, 0, wanted);
  if (how_.is_timed) [[unlikely]]
    timed_ = {wanted, now_ns() - begin_ns};
  give_back();
}

void rendezvous::cut(rank_context& receiver, const laid_out_target& target, std::size_t wanted,
                     std::size_t piece) noexcept {
  copy_ = {target, wanted, piece, static_cast<std::uint32_t>((wanted + piece - 1) / piece), &receiver, nullptr};
}

/// After cut().
void rendezvous::share(state how) noexcept {
  claimed_.store(0, std::memory_order_relaxed);
  state_.store(how, std::memory_order_release);  // release: publishes copy_; pairs with help()
  sender_->notify();
}

void rendezvous::take_shared(rank_context& receiver) {
  alignas(pair_bytes) std::atomic<bool> sender_is_done{false};
  copy_.sender_is_done = &sender_is_done;
  share(state::shared);

  const std::uint32_t pieces = copy_.pieces;
  const std::int64_t begin_ns = how_.is_timed ? now_ns() : 0;
  const std::uint32_t mine = copy_own_end(receiver, copy_);
  if (how_.is_timed && mine > 0) timed_ = {std::min(mine * copy_.piece_bytes, copy_.bytes), now_ns() - begin_ns};
  give_back();
  if (mine == pieces) return;
  wait_until(
      receiver, {copying, "the sender's part"},
      // acquire: pairs with the release in copy_own_pieces(): the sender's pieces are in place
      [&] { return sender_is_done.load(std::memory_order_acquire); }, while_waiting::nothing);
}

void rendezvous::copy_own_pieces() noexcept {
  const shared_copy copy = copy_;
  std::atomic<std::uint32_t> at_this_end{0};
  if (copy_pieces(copy, sender_->number() < copy.receiver->number(), at_this_end) > 0) {
    // release: publishes the pieces; pairs with the acquire in take_shared()
    copy.sender_is_done->store(true, std::memory_order_release);
    copy.receiver->notify();
  }
}

void rendezvous::take_packed(rank_context& receiver) {
  share(state::packing);
  std::uint32_t unpacked = 0, copied = 0;
  const auto is_packed = [&] { return packed_.is_packed(unpacked); };
  const auto is_packed_now = [&] {
    receiver.services().help_receivers();  // the sender may look for this rank's pieces in the same way
    return is_packed();
  };
  // relaxed: as in claim()
  const auto is_being_packed = [&] { return claimed_.load(std::memory_order_relaxed) > unpacked + copied; };
  // A piece is packed in a third of the time in which it is copied, and then the sender need not fetch its lines back.
  // So the receiver gives it the time to begin; after a look in vain, not again before it has seen a piece. Once it has
  // begun a piece it is let finish, unless it was interrupted. A piece that its sender has just written is dear to copy
  // from there, for the sender, too, when it writes it again: then the time is about that of the whole copy.
  constexpr int looks_for_end = 256, looks_for_a_piece = 32;
  const int looks_for_start = how_.is_fresh ? looks_for_a_piece * static_cast<int>(copy_.pieces) : looks_for_a_piece;
  bool is_sender_there = true;
  while (unpacked + copied < copy_.pieces) {
    is_sender_there = is_packed() || (is_sender_there && comes_soon(is_packed_now, looks_for_start)) ||
                      (is_being_packed() && comes_soon(is_packed_now, looks_for_end));
    if (is_sender_there) {
      unpack(unpacked++);
    } else if (claim(copy_)) {
      copy_piece(copy_, copy_.pieces - 1 - copied++);
    } else {  // the sender has claimed one and packs it now
      wait_until(receiver, {copying, "the sender's part"}, is_packed, while_waiting::nothing);
    }
  }
  give_back();
}

/// By the receiver, one that is packed.
void rendezvous::unpack(std::uint32_t piece) noexcept {
  const cell_end::number cell = packed_.cell_of(piece);
  const std::size_t bytes = copy_.bytes_of(piece);
  how_.cells->other().get(&cell, bytes, copy_.target, piece * copy_.piece_bytes, bytes);
}

/// As many pieces as there are cells for: not more, for whoever has claimed a piece copies it without waiting.
void rendezvous::pack() noexcept {
  const shared_copy& copy = copy_;
  bool has_packed = false;
  while (how_.cells->gather_room(copy.piece_bytes) && claim(copy)) {
    const std::uint32_t piece = packed_.count();
    cell_end::number cell = 0;
    how_.cells->put(data_, piece * copy.piece_bytes, copy.bytes_of(piece), &cell);
    packed_.publish(cell);
    has_packed = true;
  }
  if (has_packed) copy.receiver->notify();
}

void rendezvous::give_back() noexcept {
  rank_context& sender = *sender_;
  // release: the receiver has read the buffer; pairs with the acquire in finished(). The rendezvous may be gone
  // afterwards.
  state_.store(state::taken, std::memory_order_release);
  sender.notify();
}

}  // namespace pure::core
