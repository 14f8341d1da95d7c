// A table of the entries of a long matching queue (matching_queue.hpp): those with the same context and tag are a list
// of their own, in the order of the queue, and a hash of the two leads to it.
//
// All links lie in the entries. Only the slots are allocated; where there is no memory for more, the ways become
// longer, and nothing fails. Of each list the first entry stands in the table, so a list that empties leaves nothing
// behind. Not thread-safe: each belongs to one rank.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace pure::core {

/// What an entry is found by. The tag of a receive may be any_tag, which is here a tag like others.
struct match_key {
  std::uint32_t context = 0;
  std::int32_t tag = 0;
  bool operator==(const match_key&) const = default;
};

/// What an entry carries for one table: nothing that means anything outside it, so a copy of an entry has none of it.
template <class Entry>
struct match_links {
  match_links() noexcept {}  // NOLINT(modernize-use-equals-default): an entry that is in no table costs no stores
  match_links(const match_links&) noexcept {}
  match_links& operator=(const match_links&) noexcept { return *this; }  // NOLINT(bugprone-unhandled-self-assignment)
  ~match_links() = default;

  Entry* next;        // of the same key; null: it is the last
  Entry* before;      // of the same key; of the first entry: the last
  Entry* next_first;  // of the first entry: the first of another list in the same slot
};

/// `Entry` has links(which), for each table that it may be in, and key(which).
template <class Entry>
class match_table {
 public:
  /// `which` of its entries' links it uses.
  explicit match_table(int which) noexcept : which_(which) {}

  /// Makes it ready for entries; false if there is no memory. `slots`: a power of two, at least 2.
  [[nodiscard]] bool start(std::size_t slots) noexcept {
    slots_.reset(new (std::nothrow) Entry* [slots] {});
    count_ = slots_ == nullptr ? 0 : slots;
    return count_ > 0;
  }

  /// The oldest entry with that key, or null; `steps` grows by the entries that have been looked at.
  [[nodiscard]] Entry* first_of(const match_key& key, std::uint64_t& steps) const noexcept {
    Entry* at = slots_[slot_of(key)];
    while (at != nullptr && at->key(which_) != key) {
      ++steps;
      at = links(*at).next_first;
    }
    ++steps;
    return at;
  }
  /// The next one with the same key, or null.
  [[nodiscard]] Entry* next_of(Entry& entry) const noexcept { return links(entry).next; }

  /// An entry that is younger than all of its key.
  void add(Entry& youngest, std::uint64_t& steps) noexcept {
    const match_key key = youngest.key(which_);
    if (Entry* const first = first_of(key, steps)) {
      Entry* const last = std::exchange(links(*first).before, &youngest);
      links(*last).next = &youngest;
      links(youngest).before = last;
      links(youngest).next = nullptr;
      return;
    }
    if (++lists_ > count_) grow();
    Entry*& slot = slots_[slot_of(key)];
    links(youngest).before = &youngest;
    links(youngest).next = nullptr;
    links(youngest).next_first = std::exchange(slot, &youngest);
  }

  void remove(Entry& entry, std::uint64_t& steps) noexcept {
    const match_links<Entry>& its = links(entry);
    const bool is_first = links(*its.before).next == nullptr;  // what is before the first one is the last
    if (is_first) return remove_first(entry, steps);
    links(*its.before).next = its.next;
    Entry& after = its.next != nullptr ? *its.next : *first_of(entry.key(which_), steps);
    links(after).before = its.before;
  }

 private:
  [[nodiscard]] match_links<Entry>& links(Entry& entry) const noexcept { return entry.links(which_); }

  /// By the upper bits of a product with 2^64 / golden ratio: neighbouring tags go to slots that are far apart.
  [[nodiscard]] std::size_t slot_of(const match_key& key) const noexcept {
    const std::uint64_t both = (std::uint64_t{key.context} << 32U) | static_cast<std::uint32_t>(key.tag);
    return static_cast<std::size_t>((both * 0x9e3779b97f4a7c15U) >> (64 - std::countr_zero(count_)));
  }

  void remove_first(Entry& first, std::uint64_t& steps) noexcept {
    const match_links<Entry>& its = links(first);
    Entry** place = &slots_[slot_of(first.key(which_))];
    for (; *place != &first; ++steps) place = &links(**place).next_first;
    if (its.next == nullptr) {
      *place = its.next_first;
      --lists_;
      return;
    }
    *place = its.next;
    links(*its.next).next_first = its.next_first;
    links(*its.next).before = its.before;
  }

  /// Twice the slots, if there is memory for them.
  void grow() noexcept {
    const std::size_t before = count_;
    std::unique_ptr<Entry*[]> more(new (std::nothrow) Entry* [2 * before] {});
    if (more == nullptr) return;
    std::swap(slots_, more);
    count_ = 2 * before;
    for (std::size_t i = 0; i < before; ++i) {
      for (Entry* first = more[i]; first != nullptr;) {
        Entry*& slot = slots_[slot_of(first->key(which_))];
        Entry* const next = std::exchange(links(*first).next_first, slot);
        slot = std::exchange(first, next);
      }
    }
  }

  const int which_;
  std::unique_ptr<Entry*[]> slots_;
  std::size_t count_ = 0;  // of the slots
  std::size_t lists_ = 0;
};

}  // namespace pure::core
