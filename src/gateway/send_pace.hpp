// How long the network takes to send a message, measured as it goes, and what follows from that.
//
// Over TCP a send is a system call of some microseconds. There it pays that messages travel together which are sent one
// after the other, and that a larger payload travels beside its envelope. Through shared memory a send takes a third of
// a microsecond, and neither does.
//
// Written by the holder of the network lock, read by any thread, which may act on what was true a moment ago.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/clock.hpp"

namespace pure::core {

class alignas(pair_bytes) send_pace {
 public:
  /// Sends so many bytes, and measures some: a look at the clock before a send delays it.
  template <class Send>
  bool measured(std::size_t bytes, Send&& send) {
    if (never_waits_) return send();
    const bool was_slow = is_slow();
    const bool is_sampled = count_++ % (was_slow ? sampled_if_slow : sampled) == 0;
    if (!is_sampled && !was_slow) return send();
    const std::int64_t start = is_sampled ? now_ns() : 0;
    const bool is_done = send();
    const std::int64_t end = now_ns();
    if (is_sampled) {
      // One that was interrupted says little, and so does the first, which may have had to connect.
      const std::int64_t took = std::clamp<std::int64_t>(end - start - longest_copy_ns(bytes), 1, longest_believed_ns);
      cost_ns_ = cost_ns_ == 0 ? std::min(took, fast_ns) : cost_ns_ + (took - cost_ns_) / 8;
      is_slow_.store(cost_ns_ > fast_ns, std::memory_order_relaxed);
    }
    // Less than the time until an answer to it could be sent.
    soon_until_ns_.store(end + cost_ns_ / 4, std::memory_order_relaxed);
    polls_in_vain_ = 0;
    return is_done;
  }

  /// A poll of the network has found nothing. After a few of them the last send is not just now any more, and whoever
  /// sends next need not look at the clock (D-no-clock).
  void has_polled_in_vain() noexcept {
    if (polls_in_vain_ <= few_polls && ++polls_in_vain_ > few_polls) {
      soon_until_ns_.store(0, std::memory_order_relaxed);
    }
  }

  /// A message has come: what is sent next may answer it, and belongs to no burst.
  void has_heard() noexcept { soon_until_ns_.store(0, std::memory_order_relaxed); }

  [[nodiscard]] bool is_slow() const noexcept { return is_slow_.load(std::memory_order_relaxed); }

  /// Sends count as fast then, nothing waits for others, and nothing depends on the clock. Before the first send.
  void never_waits() noexcept { never_waits_ = true; }

  /// Whether sends are slow, and the last one was just now: what is left together with others costs less.
  [[nodiscard]] bool is_too_soon() const noexcept {
    if (never_waits_) return false;
    const std::int64_t until_ns = soon_until_ns_.load(std::memory_order_relaxed);
    return until_ns != 0 && is_slow() && now_ns() < until_ns;
  }

 private:
  static constexpr std::uint32_t sampled = 32, sampled_if_slow = 8;  // one of so many
  static constexpr std::int64_t fast_ns = 1500;
  static constexpr std::uint32_t few_polls = 2;
  static constexpr std::int64_t longest_believed_ns = 20'000;

  /// What the bytes take, where the network copies them to memory that another core has in its cache: messages that
  /// travel together save none of it, and their packets may be longer than what an MPI sends at once
  /// (D-bytes-do-not-count). Over TCP 4 KB take twice as long as that at least, and longer ones, too.
  static constexpr std::int64_t longest_copy_ns(std::size_t bytes) noexcept {
    return static_cast<std::int64_t>(std::min<std::size_t>(bytes, 4096) / 2);
  }

  bool never_waits_ = false;
  std::atomic<bool> is_slow_{false};
  std::atomic<std::int64_t> soon_until_ns_{0};
  std::int64_t cost_ns_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t polls_in_vain_ = 0;  // since the last send
};

}  // namespace pure::core
