#include "transport/rendezvous.hpp"

#include <algorithm>

#include "runtime/job.hpp"
#include "runtime/wait.hpp"
#include "task/task_service.hpp"

namespace pure::core {

namespace {

/// A copy of so many times PURE_SHARED_COPY_MIN is offered to ranks that are not part of it.
constexpr std::size_t worth_a_task = 4;

}  // namespace

/// Copies pieces of one end until none is left to claim; `at_this_end` counts them. Returns how many it copied.
std::uint32_t rendezvous::copy_pieces(const shared_copy& copy, bool from_front,
                                      std::atomic<std::uint32_t>& at_this_end) noexcept {
  std::uint32_t mine = 0;
  // relaxed: the counters only hand out numbers; the bytes are published by give_back(), by the sender's report, and by
  // the end of the task
  while (claimed_.fetch_add(1, std::memory_order_relaxed) < copy.pieces) {
    const std::uint32_t number = at_this_end.fetch_add(1, std::memory_order_relaxed);
    const std::size_t piece = from_front ? number : copy.pieces - 1 - number;
    const std::size_t at = piece * copy.piece_bytes;
    copy_laid_out(copy.target, data_, at, std::min(copy.piece_bytes, copy.bytes - at));
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
                       task_service::of(receiver).do_together({"the copy of a large message", {}}, {work, &own},
                                                              std::min<std::uint32_t>(others + 1, copy.pieces));
  if (!is_done) work(&own, 0, 0);
  return own.pieces.load(std::memory_order_relaxed);
}

void rendezvous::take(rank_context& receiver, const laid_out_target& target, std::size_t wanted) {
  if (wanted >= receiver.owner().values().shared_copy_min_bytes && sender_ != &receiver) {
    take_shared(receiver, target, wanted);
  } else {
    copy_laid_out(target, data_, 0, wanted);
    give_back();
  }
}

void rendezvous::take_shared(rank_context& receiver, const laid_out_target& target, std::size_t wanted) {
  // Pieces small enough that the ends finish together, large enough that claiming one is nothing.
  const std::size_t largest = receiver.owner().values().copy_piece_bytes;
  const std::size_t piece = std::clamp(wanted / 8, std::min<std::size_t>(8 * 1024, largest), largest);
  alignas(pair_bytes) std::atomic<bool> sender_is_done{false};
  copy_ = {target, wanted, piece, static_cast<std::uint32_t>((wanted + piece - 1) / piece), &receiver, &sender_is_done};
  claimed_.store(0, std::memory_order_relaxed);
  state_.store(state::shared, std::memory_order_release);  // release: publishes copy_; pairs with help_and_test()
  sender_->notify();

  const std::uint32_t pieces = copy_.pieces;
  const std::uint32_t mine = copy_own_end(receiver, copy_);
  give_back();
  if (mine == pieces) return;
  static constexpr call copying{"the copy of a large message", {}};
  wait_until(
      receiver, {copying, "the sender's part"},
      // acquire: pairs with the release in help(): the sender's pieces are in place
      [&] { return sender_is_done.load(std::memory_order_acquire); }, while_waiting::nothing);
}

void rendezvous::help() noexcept {
  const shared_copy copy = copy_;
  std::atomic<std::uint32_t> at_this_end{0};
  if (copy_pieces(copy, sender_->number() < copy.receiver->number(), at_this_end) > 0) {
    // release: publishes the pieces; pairs with the acquire in take_shared()
    copy.sender_is_done->store(true, std::memory_order_release);
    copy.receiver->notify();
  }
}

void rendezvous::give_back() noexcept {
  rank_context& sender = *sender_;
  // release: the receiver has read the buffer; pairs with the acquire in finished(). The rendezvous may be gone
  // afterwards.
  state_.store(state::taken, std::memory_order_release);
  sender.notify();
}

}  // namespace pure::core
