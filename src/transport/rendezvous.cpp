#include "transport/rendezvous.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/job.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

/// Copies pieces until none is left to claim. Returns how many it copied.
std::uint32_t rendezvous::copy_pieces(const shared_copy& copy, bool from_front) noexcept {
  std::uint32_t mine = 0;
  // relaxed: the counter only hands out numbers; the bytes are published by give_back() and by the sender's report
  while (claimed_.fetch_add(1, std::memory_order_relaxed) < copy.pieces) {
    const std::size_t piece = from_front ? mine : copy.pieces - 1 - mine;
    const std::size_t at = piece * copy.piece_bytes;
    std::memcpy(copy.target + at, data_ + at, std::min(copy.piece_bytes, copy.bytes - at));
    ++mine;
  }
  return mine;
}

void rendezvous::take(rank_context& receiver, void* target, std::size_t wanted) {
  auto* const to = static_cast<std::byte*>(target);
  if (wanted >= receiver.owner().values().shared_copy_min_bytes && sender_ != &receiver) {
    take_shared(receiver, to, wanted);
  } else {
    if (wanted > 0) std::memcpy(to, data_, wanted);
    give_back();
  }
}

void rendezvous::take_shared(rank_context& receiver, std::byte* target, std::size_t wanted) {
  // Pieces small enough that the ends finish together, large enough that claiming one is nothing.
  const std::size_t largest = receiver.owner().values().copy_piece_bytes;
  const std::size_t piece = std::clamp(wanted / 8, std::min<std::size_t>(8 * 1024, largest), largest);
  alignas(pair_bytes) std::atomic<bool> sender_is_done{false};
  copy_ = {target, wanted, piece, static_cast<std::uint32_t>((wanted + piece - 1) / piece), &receiver, &sender_is_done};
  claimed_.store(0, std::memory_order_relaxed);
  state_.store(state::shared, std::memory_order_release);  // release: publishes copy_; pairs with help_and_test()
  sender_->notify();

  const std::uint32_t pieces = copy_.pieces;
  const std::uint32_t mine = copy_pieces(copy_, receiver.number() < sender_->number());
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
  if (copy_pieces(copy, sender_->number() < copy.receiver->number()) > 0) {
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
