// The packets that ranks of a process fill together (shared_items.hpp): one for each channel and next process in which
// items of several ranks, or of those that are passed on, have met.
//
// A packet enters the queue of outgoing_packets under the lock of its items, so that packets leave in the order in
// which they were filled; the transport gets it when that lock is free again. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "aggregation/aggregation_layout.hpp"
#include "aggregation/outgoing_packets.hpp"
#include "aggregation/shared_items.hpp"
#include "base/open_accounts.hpp"

namespace pure::core {

/// Items of one channel that go together: all have that tag.
struct tagged_items {
  const std::byte* first = nullptr;
  std::size_t count = 0;
  item_tag tag;
  std::size_t channel = 0;
  std::size_t item_bytes = 0;
  std::uint32_t phase = 0;
};

class shared_packets {
 public:
  shared_packets(const aggregation_layout& layout, outgoing_packets& outgoing) noexcept
      : layout_(layout), outgoing_(outgoing) {}

  /// Items for that next process. counted(n) for every n of them that are in from then on, left() for each packet that
  /// they fill, before anybody gets it. `by`: for whom these packets count; nobody: the items are passed on. Throws
  /// std::bad_alloc: those that are not counted are not in.
  template <class Counted, class Left>
  void add(const tagged_items& items, int next, int by, Counted counted, Left left) {
    const served_at_end serves{outgoing_, next};
    at(items.channel, items.item_bytes, next)
        .add(items.first, items.count, items.tag, items.phase, by == outgoing_packets::nobody, counted,
             [&](packet_writer& full, const items_in_runs& head) { outgoing_.queue_from(full, head, next, by, left); });
  }

  /// Pushes what ranks have left for each other process, or only where something is to be passed on. Returns how many
  /// packets that made. Throws std::bad_alloc: what is not pushed is still there.
  std::uint64_t push(bool only_passed_on = false);
  /// The same of one channel for one next process. True if there was something.
  bool push(std::size_t channel, int next, bool only_passed_on = false);

  void add_open_accounts(open_accounts& to) const {
    to.add("packets that ranks fill together", filled_.load(std::memory_order_relaxed));
  }

 private:
  struct served_at_end {  // also if something throws
    ~served_at_end() { outgoing.serve(next); }
    outgoing_packets& outgoing;
    const int next;
  };

  [[nodiscard]] shared_items& at(std::size_t channel, std::size_t item_bytes, int next);
  /// Null: nothing has been there yet. `is_last`: no channel from this one on has had anything.
  [[nodiscard]] shared_items* find(std::size_t channel, int next, bool& is_last);
  bool push(shared_items& of, int next, bool only_passed_on);

  const aggregation_layout& layout_;
  outgoing_packets& outgoing_;
  std::mutex registering_;                                      // for a moment
  std::deque<std::vector<std::unique_ptr<shared_items>>> all_;  // by channel, by next process; null: none yet
  std::atomic<std::size_t> filled_{0};                          // of these, those that have items
};

}  // namespace pure::core
