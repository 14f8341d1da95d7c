// Scheme pp: the items of all ranks of a process, of one channel, for one next process, until they fill a packet. Also
// of scheme automatic, for ranks that do not fill packets alone, and of items that are passed on.
//
// Ranks bring them in chunks, under a lock that is held for the copy of a chunk. (The paper's workers reserve places
// with atomic additions, one for each item or chunk; a buffer that is filled, handled and used again while a worker
// still holds an old reservation is then one more state to get right.) Any rank of the process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "aggregation/packet_writer.hpp"

namespace pure::core {

class shared_items {
 public:
  /// `filled`: counts those that have items.
  shared_items(std::size_t channel, packet_kind what, std::size_t item_bytes, std::size_t capacity,
               std::atomic<std::size_t>& filled)
      : channel_(channel), item_bytes_(item_bytes), filled_(filled), items_(what, item_bytes, capacity) {}

  /// Takes items, which all have that tag. counted(n) for every n of them that are in from then on, before anybody can
  /// push them; send(writer, head) for each packet that they fill, which it takes from the writer. Under the lock, so
  /// that packets leave in the order in which they were filled: items of one source do not overtake each other.
  /// `are_passed_on`: they have come from another process. Throws std::bad_alloc: those that are not counted are not
  /// in.
  template <class Counted, class Send>
  void add(const std::byte* items, std::size_t count, const item_tag& tag, std::uint32_t phase, bool are_passed_on,
           Counted counted, Send send) {
    change([&] {
      phase_ = phase;
      for (std::size_t added = 0; added < count;) {
        if (items_.is_full()) send(items_, head());  // nobody has had the memory for it before
        const std::size_t taken = items_.add(items + added * item_bytes_, count - added, tag);
        has_passed_on_ |= are_passed_on;
        counted(taken);
        added += taken;
      }
      if (!items_.is_full()) return;
      try {
        send(items_, head());
      } catch (const std::bad_alloc&) {  // all items are in: whoever comes next sends them
      }
    });
  }

  /// What there is; or only if some of it has come from another process, whose ranks wait for it. False: nothing.
  /// Throws std::bad_alloc: then it is still there.
  template <class Send>
  bool push_rest(bool only_passed_on, Send send) {
    bool has_any = false;
    change([&] {
      has_any = items_.size() > 0 && (has_passed_on_ || !only_passed_on);
      if (has_any) send(items_, head());
    });
    return has_any;
  }

 private:
  /// Under the lock. Items of one phase only are here at any time: the next one begins when all of them are handled.
  template <class Act>
  void change(Act act) {
    const std::lock_guard lock(guard_);
    const bool was_empty = items_.size() == 0;
    struct noted {  // also if act() throws
      ~noted() { of.note(was_empty); }
      shared_items& of;
      const bool was_empty;
    };
    const noted at_end{*this, was_empty};
    act();
  }
  void note(bool was_empty) noexcept {
    const bool is_empty = items_.size() == 0;
    if (is_empty) has_passed_on_ = false;
    if (was_empty && !is_empty) filled_.fetch_add(1, std::memory_order_relaxed);
    if (!was_empty && is_empty) filled_.fetch_sub(1, std::memory_order_relaxed);
  }
  [[nodiscard]] items_in_runs head() const noexcept {
    return {.channel = static_cast<std::uint16_t>(channel_), .phase = phase_};
  }

  const std::size_t channel_;
  const std::size_t item_bytes_;
  std::atomic<std::size_t>& filled_;
  std::mutex guard_;
  packet_writer items_;
  bool has_passed_on_ = false;
  std::uint32_t phase_ = 0;
};

}  // namespace pure::core
