// The rendezvous: how a large message is copied once, from the sender's buffer to the receiver's, by both.
//
// The sender puts a pointer to its rendezvous into the ring, in order with its other messages. The receiver that
// matches it calls take(). Under a measured size it copies alone. Above, it opens the copy: the two ends claim pieces,
// the rank with the lower number from the front, the other from the back, if the sender happens to wait (DESIGN D4).
// By number and not by role, so that each end keeps copying the same part of a buffer that goes to and fro: that part
// stays in its cache (D-copy-by-number).
//
// A copy of many pieces is a task of the receiver, too: ranks that wait for something else, and helpers, take pieces
// from the receiver's end.
//
// Where lines of the sender's buffer cost more than a second copy, the sender packs its pieces into the cells of the
// pair (cells.hpp), if it happens to wait, and the receiver unpacks them: each reads and writes memory of its own, and
// as many lines cross as the bytes fill. That is so where the bytes lie far apart at both ends, and a copy from one to
// the other would fetch a line for each few of them; and where the sender says that it has just written them
// (match/copy_ways.hpp). A receiver that waits in vain for a packed piece copies one from the back.
//
// Lifetime: the rendezvous and the buffer belong to the sender, who may reuse them when finished() is true. The
// receiver's last access is the store that makes it true. A sender that has copied pieces reports to a flag in the
// receiver's memory, and take() does not return before that report; one that has not never touches that memory.
//
// Invariants: claims are handed out once each (fetch_add); the i-th claim of one end is piece i, the i-th of the other
// piece count-1-i, so the two never meet while claims <= count; who copies at the receiver's end counts them together.
// When the claims have run out, take() knows that the sender has made the others. A sender that packs claims a piece
// only when there is a slot for it, and packs from the front; it touches no memory of the receiver. tests/model:
// rendezvous.pml, packed.pml
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "layout/layout.hpp"
#include "runtime/rank.hpp"
#include "transport/packed_pieces.hpp"

namespace pure::core {

class alignas(pair_bytes) rendezvous {
 public:
  /// The sender knows this of its buffer.
  struct manner {
    cell_end* cells = nullptr;  // its own, of its pair with the receiver; null: nothing is packed
    bool is_fresh = false;      // it packs, in a row, too
    bool is_timed = false;      // the receiver says how long its copy has taken
  };

  /// A copy of so many times PURE_SHARED_COPY_MIN is offered to ranks that are not part of it.
  static constexpr std::size_t worth_a_task = 4;

  /// `data`, laid out as `form` says (null: in a row), stays valid and unchanged until finished(). Own thread of the
  /// sender.
  void open(rank_context& sender, const void* data, std::size_t bytes, const layout* form, manner how) noexcept {
    packed_.clear();
    data_ = {static_cast<const std::byte*>(data), form};
    bytes_ = bytes;
    sender_ = &sender;
    how_ = how;
    timed_ = {};
    state_.store(state::offered, std::memory_order_relaxed);
  }
  void open(rank_context& sender, const void* data, std::size_t bytes) noexcept {
    open(sender, data, bytes, nullptr, {});
  }

  // ---- the sender's side ----

  /// Copies what the receiver has offered to share, if anything.
  void help() noexcept {
    // acquire: pairs with the release in share(): what to copy
    const state now = state_.load(std::memory_order_acquire);
    if (now == state::shared) copy_own_pieces();
    if (now == state::packing) pack();
  }
  /// Helps; then says whether the buffer is free again.
  bool help_and_test() noexcept {
    help();
    return finished();
  }
  /// The same without helping.
  [[nodiscard]] bool finished() const noexcept {
    // acquire: pairs with the release in give_back(); the buffer may be reused
    return state_.load(std::memory_order_acquire) == state::taken;
  }

  struct copy_time {
    std::size_t bytes;  // that the receiver has copied in that time
    std::int64_t ns;
  };
  /// How many pieces the sender has packed. Its own thread.
  [[nodiscard]] std::uint32_t packed() const noexcept { return packed_.count(); }
  /// After finished(): 0 bytes if it was not asked for, or if pieces were packed.
  [[nodiscard]] const copy_time& timed() const noexcept { return timed_; }

  // ---- the receiver's side ----

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Copies the first `wanted` <= bytes() bytes to `target`, with the sender's help if they are many, and gives the
  /// buffer back to the sender. May wait, without making progress, for the sender's last piece.
  void take(rank_context& receiver, const laid_out_target& target, std::size_t wanted);

  /// For who sends the bytes to another process, instead of take(): what has to be sent, and the end of it.
  [[nodiscard]] const laid_out_source& data() const noexcept { return data_; }
  void give_back() noexcept;

 private:
  enum class state : std::uint32_t { offered, shared, packing, taken };

  struct shared_copy {  // what the receiver tells a sender that helps
    laid_out_target target;
    std::size_t bytes;
    std::size_t piece_bytes;
    std::uint32_t pieces;
    rank_context* receiver;
    std::atomic<bool>* sender_is_done;

    [[nodiscard]] std::size_t bytes_of(std::uint32_t piece) const noexcept {
      return std::min(piece_bytes, bytes - piece * piece_bytes);
    }
  };

  /// A piece for the caller; false if none is left.
  bool claim(const shared_copy& copy) noexcept {
    // relaxed: the counter only hands out numbers; the bytes are published by give_back(), by the sender's report, by
    // packed_pieces, and by the end of the task. First a look, for a sender that tests in vain does so often.
    return claimed_.load(std::memory_order_relaxed) < copy.pieces &&
           claimed_.fetch_add(1, std::memory_order_relaxed) < copy.pieces;
  }

  void copy_piece(const shared_copy& copy, std::uint32_t piece) noexcept;
  void copy_own_pieces() noexcept;
  void pack() noexcept;
  std::uint32_t copy_pieces(const shared_copy& copy, bool from_front, std::atomic<std::uint32_t>& mine) noexcept;
  std::uint32_t copy_own_end(rank_context& receiver, const shared_copy& copy);
  void take_alone(const laid_out_target& target, std::size_t wanted);
  void cut(rank_context& receiver, const laid_out_target& target, std::size_t wanted, std::size_t piece) noexcept;
  void share(state how) noexcept;
  void take_shared(rank_context& receiver);
  void take_packed(rank_context& receiver);
  void unpack(std::uint32_t piece) noexcept;

  // --- written by the sender, before the rendezvous is published through the ring ---
  laid_out_source data_{nullptr, nullptr};
  std::size_t bytes_ = 0;
  rank_context* sender_ = nullptr;
  manner how_{};
  packed_pieces packed_;  // later: while the copy is shared
  // --- written by the receiver ---
  alignas(pair_bytes) std::atomic<state> state_{state::taken};
  copy_time timed_{};  // in the line of state_
  shared_copy copy_{};
  // --- written by both while they share the copy ---
  alignas(pair_bytes) std::atomic<std::uint32_t> claimed_{0};
};

}  // namespace pure::core
