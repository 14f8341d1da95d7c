// Requests by number: a table of reusable entries, and handles that tell a live entry from a freed or foreign one.
//
//   bit 63..59   58..44   43..26       25..0
//   kind         rank     generation   index       generation 0 is never live, so that small values name no entry
//
// Entries never move and are never given back to the system while the rank lives; a freed entry is the next to be
// used, so a program with few requests in flight stays in a few cache lines. Own thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/handle_kind.hpp"

namespace pure::core {

struct handle {
  static constexpr std::uint32_t index_bits = 26;
  static constexpr std::uint32_t generation_bits = 18;
  static constexpr std::uint32_t rank_bits = 15;
  static constexpr std::uint32_t kind_bits = handle_kind_bits;
  static constexpr std::uint32_t kind_at = index_bits + generation_bits + rank_bits;
  static_assert(kind_at + kind_bits == 64);

  static constexpr std::uint64_t fixed_limit = 16;

  std::uint64_t value = 0;

  static constexpr handle make(handle_kind kind, std::uint32_t rank, std::uint32_t generation, std::uint32_t index) {
    return {(static_cast<std::uint64_t>(kind) << kind_at) | (std::uint64_t{rank} << (index_bits + generation_bits)) |
            (std::uint64_t{generation} << index_bits) | index};
  }
  [[nodiscard]] constexpr handle_kind kind() const noexcept { return static_cast<handle_kind>(value >> kind_at); }
  [[nodiscard]] constexpr std::uint32_t rank() const noexcept {
    return static_cast<std::uint32_t>(value >> (index_bits + generation_bits)) & ((1U << rank_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint32_t generation() const noexcept {
    return static_cast<std::uint32_t>(value >> index_bits) & ((1U << generation_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint32_t index() const noexcept {
    return static_cast<std::uint32_t>(value) & ((1U << index_bits) - 1);
  }
  [[nodiscard]] constexpr bool is_null() const noexcept { return value == 0; }

  /// Names that need no entry: 0 is null, the others are constants of whoever uses the table.
  static constexpr handle fixed(std::uint32_t number) noexcept { return {number}; }
  [[nodiscard]] constexpr bool is_fixed() const noexcept { return value < fixed_limit; }
  bool operator==(const handle&) const = default;
};

template <class Entry>
class handle_table {
 public:
  handle_table(handle_kind kind, int rank) noexcept : kind_(kind), rank_(static_cast<std::uint32_t>(rank)) {}

  struct made {
    Entry& entry;
    handle name;
  };

  /// An entry made of `arguments`. Throws std::length_error past 2^26 requests in flight, std::bad_alloc.
  template <class... Arguments>
  made make(Arguments&&... arguments) {
    if (free_.empty()) grow();
    const std::uint32_t index = free_.back();
    free_.pop_back();
    slot& s = at(index);
    s.visited = never_visited;
    ::new (static_cast<void*>(&s.entry)) Entry(std::forward<Arguments>(arguments)...);
    return {s.entry, handle::make(kind_, rank_, s.generation, index)};
  }

  /// The live entry of that name, or null: freed, or never made here.
  [[nodiscard, gnu::always_inline]] Entry* find(handle name) noexcept {
    const std::uint32_t index = name.index();
    if (index >= size_) return nullptr;
    slot& s = at(index);
    return s.is_live() && s.generation == name.generation() ? &s.entry : nullptr;
  }

  /// The name of the live entry at that place; null: there is none.
  [[nodiscard]] handle name_at(std::uint32_t index) noexcept {
    if (index >= size_ || !at(index).is_live()) return {};
    return handle::make(kind_, rank_, at(index).generation, index);
  }

  /// The same for one name of a list, each of which is visited under one number: `again` says that the entry has been
  /// visited under this number before. Numbers are first_visit and more; they may come round.
  [[nodiscard]] Entry* visit(handle name, std::uint32_t number, bool& again) noexcept {
    const std::uint32_t index = name.index();
    if (index >= size_) return nullptr;
    slot& s = at(index);
    if (!s.is_live() || s.generation != name.generation()) return nullptr;
    again = s.visited == number;
    s.visited = number;
    return &s.entry;
  }
  static constexpr std::uint32_t first_visit = 2;

  [[gnu::always_inline]] void free(handle name) noexcept {
    slot& s = at(name.index());
    std::destroy_at(&s.entry);
    s.visited = not_live;
    s.generation = s.generation == last_generation ? 1 : s.generation + 1;
    free_.push_back(name.index());  // never allocates: grow() has reserved room for every index
  }

  /// Calls visit(entry) for every live entry.
  template <class Visit>
  void for_each(Visit visit) {
    for (std::uint32_t i = 0; i < size_; ++i) {
      if (slot& s = at(i); s.is_live()) visit(s.entry);
    }
  }

  [[nodiscard]] std::size_t live() const noexcept { return size_ - free_.size(); }

 private:
  static constexpr std::uint32_t chunk_entries = 64;
  static constexpr std::uint32_t last_generation = (1U << handle::generation_bits) - 1;

  static constexpr std::uint32_t not_live = 0;
  static constexpr std::uint32_t never_visited = 1;

  struct slot {
    union {
      Entry entry;
    };
    std::uint32_t generation = 1;
    std::uint32_t visited = not_live;  // or never_visited, or the number of the last visit
    slot() noexcept {}
    ~slot() {
      if (is_live()) std::destroy_at(&entry);
    }
    [[nodiscard]] bool is_live() const noexcept { return visited != not_live; }
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;
  };

  slot& at(std::uint32_t index) noexcept { return chunks_[index / chunk_entries][index % chunk_entries]; }

  void grow() {
    if (size_ >= (1U << handle::index_bits)) throw std::length_error("more than 2^26 requests in flight in one rank");
    chunks_.push_back(std::make_unique<slot[]>(chunk_entries));
    free_.reserve(size_ + chunk_entries);
    for (std::uint32_t i = chunk_entries; i-- > 0;) free_.push_back(size_ + i);
    size_ += chunk_entries;
  }

  const handle_kind kind_;
  const std::uint32_t rank_;
  std::uint32_t size_ = 0;
  std::vector<std::unique_ptr<slot[]>> chunks_;
  std::vector<std::uint32_t> free_;  // the last is used next
};

}  // namespace pure::core
