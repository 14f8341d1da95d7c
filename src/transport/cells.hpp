// The cells of a pair of ranks: pages through which each hands bytes to the other, and which change hands with them.
//
// A sender copies a message into cells that it has, and says in the record which. The receiver copies it out, and has
// the cells from then on: what it sends next goes into the one that it has read last. So in an exchange, and in a
// ping-pong, the same few cells go to and fro, and each of their lines crosses once for a message. A line that is only
// read by the other end, of a ring or of the sender's buffer, crosses when it is read, and is asked for again when it
// is next written, one after the other (D-cells).
//
// Where one end sends more than the other, the receiver gives back what it would have beyond half of them.
//
// Invariants: each cell is had by one end, or named by a record that is on its way, or in the word of what is given
// back to an end. Who has it may write to it. A record's mark orders what is in its cells, and with them whose they
// are; returned_ does so for those that come back. Each end is one rank's, own thread only. A cell is a page:
// prefetchers stop at its end, and fetch no lines that the other end is writing.
#pragma once

#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"

namespace pure::core {

inline constexpr std::size_t cell_bytes = 4096;
inline constexpr std::uint32_t cells_of_a_pair = 16;
/// So many has an end to begin with; more no message takes.
inline constexpr std::uint32_t cells_of_an_end = cells_of_a_pair / 2;

constexpr std::uint32_t cells_for(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>((bytes + cell_bytes - 1) / cell_bytes);
}

/// Which cells one end has.
template <template <class> class Atomic = std::atomic>
class cell_numbers {
 public:
  using number = std::uint8_t;

  /// Has the cells first..first+cells_of_an_end-1.
  explicit cell_numbers(number first) noexcept {
    for (std::uint32_t i = 0; i < cells_of_an_end; ++i) had_[i] = static_cast<number>(first + i);
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] number at(std::uint32_t index) const noexcept { return had_[index]; }

  /// Takes `wanted` <= cells_of_an_end of them, last read first; false, and nothing has changed: it has not so many.
  bool take(std::uint32_t wanted, number* taken) noexcept {
    assert(wanted <= cells_of_an_end);
    if (count_ < wanted) [[unlikely]] {
      accept_returned();
      if (count_ < wanted) return false;
    }
    for (std::uint32_t i = 0; i < wanted; ++i) taken[i] = had_[--count_];
    return true;
  }
  /// Has those, too, that the other end has given back.
  void accept_returned() noexcept {
    if (returned_.load(std::memory_order_relaxed) == 0) return;  // a look costs nothing until the other end writes it
    // acquire: the other end has read them; pairs with give_back()
    for (std::uint32_t bits = returned_.exchange(0, std::memory_order_acquire); bits != 0; bits &= bits - 1) {
      assert(count_ < cells_of_a_pair);
      had_[count_++] = static_cast<number>(std::countr_zero(bits));
    }
  }
  /// Takes it, if it has not got enough already. False: it belongs to the other end, by give_back().
  bool keep(number read) noexcept {
    if (count_ >= cells_of_an_end) return false;
    had_[count_++] = read;
    return true;
  }
  /// To the end that `other` is: the cells of these bits.
  static void give_back(cell_numbers& other, std::uint32_t bits) noexcept {
    // release: they have been read; pairs with accept_returned()
    other.returned_.fetch_or(bits, std::memory_order_release);
  }

 private:
  // --- own ---
  std::uint32_t count_ = cells_of_an_end;
  number had_[cells_of_a_pair];
  // --- written by the other end, and taken by this one ---
  alignas(pair_bytes) Atomic<std::uint32_t> returned_{0};
};

class cell_pair;

/// One end of a pair of ranks. Own thread of its rank only.
class cell_end {
 public:
  using number = cell_numbers<>::number;

  cell_end(cell_pair& both, number first) noexcept : numbers_(first), both_(both) {}

  /// Copies `bytes` <= cells_of_an_end * cell_bytes bytes into cells, and says into which; false: it has too few.
  bool put(const std::byte* data, std::size_t bytes, number* into) noexcept;
  /// Where a piece of a message is.
  [[nodiscard]] const std::byte* cell(number which) const noexcept;
  /// The cells of a message of so many bytes have been read.
  void has_read(const number* cells, std::size_t bytes) noexcept;
  [[nodiscard]] cell_end& other() const noexcept;

  /// Now and then: gives the memory of the cells that it has to the kernel, if none was used since the last call. True
  /// if it has.
  bool give_back_unused() noexcept;

 private:
  cell_numbers<> numbers_;
  cell_pair& both_;
  bool is_used_ = false;     // since the last give_back_unused()
  bool has_memory_ = false;  // some cell may: nothing has been given back since it was used
};

class cell_pair {
 public:
  static constexpr std::size_t bytes = cells_of_a_pair * cell_bytes;

  struct manner {
    bool takes_lines;    // an end writes to lines that it has read, of a cell that it gives back (takes_lines())
    bool are_own_pages;  // of the kernel's: else a cell's memory is not its alone, and stays
  };

  /// `memory`: `bytes` of it, aligned to a cell, longer than this lives.
  cell_pair(std::byte* memory, manner how) noexcept
      : memory_(memory), how_(how), ends_{{*this, 0}, {*this, cells_of_an_end}} {}
  cell_pair(const cell_pair&) = delete;
  cell_pair& operator=(const cell_pair&) = delete;

  /// 0 or 1.
  [[nodiscard]] cell_end& end(int which) noexcept { return ends_[which]; }

 private:
  friend class cell_end;

  std::byte* const memory_;
  const manner how_;
  alignas(pair_bytes) cell_end ends_[2];
};

/// The payload of a record whose message is in cells.
struct message_in_cells {
  cell_end* receiver;
  cell_end::number cells[cells_of_an_end];
};

inline constexpr std::size_t most_bytes_in_cells = cells_of_an_end * cell_bytes;

}  // namespace pure::core
