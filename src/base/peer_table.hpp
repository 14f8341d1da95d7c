// A table of pointers by rank number, which takes memory only for the ranks that are in it.
//
// A job of ten thousand ranks has a hundred million pairs, of which few ever talk: a pair that does not costs nothing.
// A lookup is a multiplication and, nearly always, one load. Entries are added, never removed. One thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace pure::core {

template <class T>
class peer_table {
 public:
  peer_table() = default;
  peer_table(const peer_table&) = delete;
  peer_table& operator=(const peer_table&) = delete;

  /// The rank's entry, or null. rank >= 0.
  [[nodiscard]] T* operator[](int rank) const noexcept {
    const entry& first = entries_[first_place(rank) & mask_];
    return first.rank == rank ? first.value : find_behind(first_place(rank), rank);
  }

  /// For a rank that has no entry. `value` is not null. Throws std::bad_alloc, and then nothing has changed.
  void add(int rank, T* value) {
    if (2 * (count_ + 1) > capacity()) grow();
    put({rank, value});
    ++count_;
  }

  /// How many entries there are.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }

  /// Calls visit(T&) for each entry, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t at = 0; at < capacity(); ++at) {
      if (owned_[at].rank != nobody) visit(*owned_[at].value);
    }
  }

 private:
  static constexpr int nobody = -1;
  struct entry {
    int rank = nobody;
    T* value = nullptr;
  };
  static constexpr entry none{};  // what an empty table looks at

  // Fibonacci hashing (Knuth, vol. 3, 6.4): neighbours of a grid are a power of two apart. 20 bits: as many places as a
  // table of all the ranks that a job may have in one process needs, and some more.
  [[nodiscard]] static std::uint32_t first_place(int rank) noexcept {
    return (static_cast<std::uint32_t>(rank) * 0x9e3779b9U) >> 12;
  }
  [[gnu::noinline]] T* find_behind(std::uint32_t place, int rank) const noexcept {
    for (;; ++place) {
      const entry& here = entries_[place & mask_];
      if (here.rank == rank) return here.value;
      if (here.rank == nobody) return nullptr;
    }
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return owned_ == nullptr ? 0 : std::size_t{mask_} + 1; }

  void put(const entry& added) noexcept {
    std::uint32_t at = first_place(added.rank);
    while (owned_[at & mask_].rank != nobody) ++at;
    owned_[at & mask_] = added;
  }

  void grow() {
    constexpr std::size_t smallest = 4;
    const std::size_t before = capacity();
    const std::size_t now = before == 0 ? smallest : 2 * before;
    const std::unique_ptr<entry[]> old = std::exchange(owned_, std::make_unique<entry[]>(now));
    mask_ = static_cast<std::uint32_t>(now - 1);
    entries_ = owned_.get();
    for (std::size_t at = 0; at < before; ++at) {
      if (old[at].rank != nobody) put(old[at]);
    }
  }

  const entry* entries_ = &none;
  std::uint32_t mask_ = 0;
  std::size_t count_ = 0;
  std::unique_ptr<entry[]> owned_;  // at least half of it empty, so that every search ends
};

}  // namespace pure::core
