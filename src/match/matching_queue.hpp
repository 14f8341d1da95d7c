// A matching queue: posted receives, or unexpected messages, in their order; and the first of them that matches, in a
// time that does not grow with their number.
//
// As long as what is wanted is near its front, the queue is a list, which is walked: so it is where messages are
// received in the order in which they come, however many there are, and nothing else is kept or looked at then. A walk
// that gets past `longest_walk` entries indexes the queue: tables by context and tag (match_table.hpp) find the first
// entry, and links in both directions take any entry out. When few entries are left the index goes again. Where there
// is no memory for it, the list is walked to its end.
//
// Invariant: an indexed queue has at least two entries. So the short path, which pushes into an empty queue and takes
// the only entry out, need not know of the index.
//
// `Entry` has: next, is_indexed (false before it is first pushed), queued (queue_links), tables (how many), key(table)
// and links(table); where find() is asked for several keys, also order, which grows. Not thread-safe: each belongs to
// one rank.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "match/match_table.hpp"

namespace pure::core {

struct queue_limits {
  std::size_t longest_walk;
  std::size_t fewest_indexed;  // with fewer entries it is a list again; at least 2, at most longest_walk
  std::size_t first_slots;     // of a table
};

/// A walk of 32 entries takes as long as a look into the tables. Builds with assertions index nearly all queues.
#ifdef NDEBUG
inline constexpr queue_limits usual_queue_limits{.longest_walk = 32, .fewest_indexed = 8, .first_slots = 64};
#else
inline constexpr queue_limits usual_queue_limits{.longest_walk = 2, .fewest_indexed = 2, .first_slots = 2};
#endif

/// What an entry carries for an indexed queue, in which it has as many keys as there are `tables`.
template <class Entry, int tables>
struct queue_links {
  queue_links() noexcept {}  // NOLINT(modernize-use-equals-default): as in match_links
  queue_links(const queue_links&) noexcept {}
  queue_links& operator=(const queue_links&) noexcept { return *this; }  // NOLINT(bugprone-unhandled-self-assignment)
  ~queue_links() = default;

  Entry* before;  // in the queue
  match_links<Entry> in[tables];
};

template <class Entry, queue_limits limits = usual_queue_limits>
class matching_queue {
  static_assert(limits.fewest_indexed >= 2 && limits.fewest_indexed <= limits.longest_walk);

 public:
  /// An entry that find() has found: until the queue changes.
  struct place {
    Entry* entry = nullptr;   // null: none
    Entry* before = nullptr;  // in a list
  };

  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  /// The oldest; the others are behind its `next`.
  [[nodiscard]] Entry* front() const noexcept { return first_; }
  /// Walks through it.
  [[nodiscard]] std::size_t size() const noexcept {
    std::size_t count = 0;
    for (const Entry* each = first_; each != nullptr; each = each->next) ++count;
    return count;
  }
  [[nodiscard]] bool is_indexed() const noexcept { return index_ != nullptr; }
  /// The entries that have been looked at so far.
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }

  void push(Entry& entry) noexcept {
    entry.next = nullptr;
    if (first_ == nullptr) {
      first_ = &entry;
    } else {
      last_->next = &entry;
      if (index_ != nullptr) [[unlikely]]
        add_to_index(entry, last_);
    }
    last_ = &entry;
  }

  void pop_front() noexcept {
    Entry* const next = first_->next;
    if (next != nullptr && index_ != nullptr) [[unlikely]]
      return remove_indexed(*first_);
    first_ = next;
    if (next == nullptr) last_ = nullptr;
  }

  /// The oldest entry that matches(entry), which must be false for all that have none of the keys(), an array. It may
  /// be called more than once for an entry, and must not change the queue.
  template <class Keys, class Matches>
  [[nodiscard]] place find(Keys keys, Matches matches) noexcept {
    if (index_ != nullptr) [[unlikely]]
      return {find_indexed(keys(), matches)};
    place at{first_};
    std::size_t left = limits.longest_walk;
    while (at.entry != nullptr && !matches(*at.entry)) {
      at = {at.entry->next, at.entry};
      if (--left == 0 && at.entry != nullptr) [[unlikely]]
        return find_far_behind(at, keys(), matches);
    }
    steps_ += limits.longest_walk - left + 1;
    return at;
  }

  void remove(const place& found) noexcept {
    if (index_ != nullptr) [[unlikely]]
      return remove_indexed(*found.entry);
    (found.before == nullptr ? first_ : found.before->next) = found.entry->next;
    if (last_ == found.entry) last_ = found.before;
  }

  /// Takes out `entry` wherever it is; false if it is not in the queue.
  bool remove(Entry& entry) noexcept {
    const auto no_key = [] { return std::array<match_key, 0>(); };
    const place found = find(no_key, [&](const Entry& each) { return &each == &entry; });
    if (index_ != nullptr) {  // it may have been made just now, and finds nothing without a key
      if (!entry.is_indexed) return false;
      remove_indexed(entry);
    } else if (found.entry != nullptr) {
      remove(found);
    } else {
      return false;
    }
    return true;
  }

  /// Forgets all entries.
  void clear() noexcept {
    drop_index();
    first_ = last_ = nullptr;
  }

 private:
  // What has to do with the index is apart from the calls, which stay short enough to be inline.

  struct index {
    std::array<match_table<Entry>, Entry::tables> tables = made(std::make_integer_sequence<int, Entry::tables>());
    std::size_t entries = 0;

   private:
    template <int... which>
    static std::array<match_table<Entry>, Entry::tables> made(std::integer_sequence<int, which...>) noexcept {
      return {match_table<Entry>(which)...};
    }
  };

  /// From there on, or in an index that is made now.
  template <std::size_t some, class Matches>
  [[gnu::noinline]] place find_far_behind(place at, const std::array<match_key, some>& keys, Matches matches) noexcept {
    steps_ += limits.longest_walk;
    if (make_index()) return {find_indexed(keys, matches)};
    for (; at.entry != nullptr && !matches(*at.entry); ++steps_) at = {at.entry->next, at.entry};
    return at;
  }

  template <std::size_t some, class Matches>
  [[gnu::noinline]] Entry* find_indexed(const std::array<match_key, some>& keys, Matches matches) noexcept {
    Entry* found = nullptr;
    for (const match_key& key : keys) {
      const match_table<Entry>& table = index_->tables[Entry::table_of(key)];
      Entry* at = table.first_of(key, steps_);
      while (at != nullptr && !matches(*at)) {
        ++steps_;
        at = table.next_of(*at);
      }
      if constexpr (some == 1) {
        found = at;
      } else if (at != nullptr && (found == nullptr || at->order < found->order)) {
        found = at;
      }
    }
    return found;
  }

  /// Of all entries; false if there is no memory for it.
  bool make_index() noexcept {
    std::unique_ptr<index> made(new (std::nothrow) index);
    if (made == nullptr) return false;
    for (match_table<Entry>& each : made->tables) {
      if (!each.start(limits.first_slots)) return false;
    }
    index_ = std::move(made);
    Entry* before = nullptr;
    for (Entry* at = first_; at != nullptr; at = at->next) add_to_index(*at, std::exchange(before, at));
    return true;
  }

  [[gnu::noinline]] void add_to_index(Entry& youngest, Entry* before) noexcept {
    youngest.queued.before = before;
    youngest.is_indexed = true;
    ++index_->entries;
    for (match_table<Entry>& each : index_->tables) each.add(youngest, steps_);
  }

  [[gnu::noinline]] void remove_indexed(Entry& entry) noexcept {
    for (match_table<Entry>& each : index_->tables) each.remove(entry, steps_);
    Entry* const before = entry.queued.before;
    (before == nullptr ? first_ : before->next) = entry.next;
    (entry.next == nullptr ? last_ : entry.next->queued.before) = before;
    entry.is_indexed = false;
    if (--index_->entries < limits.fewest_indexed) drop_index();
  }

  void drop_index() noexcept {
    if (index_ == nullptr) return;
    for (Entry* at = first_; at != nullptr; at = at->next) at->is_indexed = false;
    index_.reset();
  }

  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  std::unique_ptr<index> index_;  // null: it is a list
  std::uint64_t steps_ = 0;
};

}  // namespace pure::core
