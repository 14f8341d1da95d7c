// The cells of a pair of ranks: memory through which each hands bytes to the other, and which change hands with them.
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
// are; returned_cells do so for those that come back. Each end is one rank's, own thread only. A cell begins with a
// page and ends with one: prefetchers stop there, and fetch no lines that the other end is writing.
#pragma once

#include <atomic>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "layout/layout.hpp"

namespace pure::core {

inline constexpr std::size_t cell_bytes = 16384;
inline constexpr std::uint32_t cells_of_a_pair = 16;
/// So many has an end to begin with; more no message takes.
inline constexpr std::uint32_t cells_of_an_end = cells_of_a_pair / 2;

constexpr std::uint32_t cells_for(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>((bytes + cell_bytes - 1) / cell_bytes);
}

/// The cells that the other end has given back to an end, a bit each: all that the two see of whose cells are whose. So
/// the ends may be threads or processes (net_shm/pair_cells.hpp).
template <template <class> class Atomic = std::atomic>
struct alignas(pair_bytes) returned_cells {
  Atomic<std::uint32_t> bits{0};

  /// By the other end: these have been read.
  void add(std::uint32_t which) noexcept {
    // release: they have been read; pairs with accept_returned()
    bits.fetch_or(which, std::memory_order_release);
  }
};

/// Writes to each of these lines, which were read: their next writer need not ask for each of them (D-take-lines).
inline void take_lines(std::byte* lines, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += line_bytes) lines[at] = std::byte{0};
}

/// Which cells one end has. `of_an_end`: how many to begin with.
template <std::uint32_t of_an_end = cells_of_an_end, template <class> class Atomic = std::atomic>
class cell_numbers {
 public:
  using number = std::uint8_t;
  static constexpr std::uint32_t of_a_pair = 2 * of_an_end;

  /// Has the cells first..first+of_an_end-1. `own`: what is given back to this end; `other`: and by it.
  cell_numbers(number first, returned_cells<Atomic>& own, returned_cells<Atomic>& other) noexcept
      : returned_(&own), given_back_(&other) {
    for (std::uint32_t i = 0; i < of_an_end; ++i) had_[i] = static_cast<number>(first + i);
  }

  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] number at(std::uint32_t index) const noexcept { return had_[index]; }

  /// Takes `wanted` <= of_an_end of them, last read first; false, and nothing has changed: it has not so many.
  bool take(std::uint32_t wanted, number* taken) noexcept {
    assert(wanted <= of_an_end);
    if (count_ < wanted && !gather(wanted)) [[unlikely]]
      return false;
    for (std::uint32_t i = 0; i < wanted; ++i) taken[i] = had_[--count_];
    return true;
  }
  /// Gets as many as take() needs, of those that have come back. False: there are not so many.
  [[nodiscard]] bool gather(std::uint32_t wanted) noexcept {
    if (count_ < wanted) accept_returned();
    if (count_ < wanted) [[unlikely]]
      take_back();
    return count_ >= wanted;
  }
  /// Has those, too, that the other end has given back.
  void accept_returned() noexcept {
    // acquire: the other end has read them; pairs with returned_cells::add()
    accept(returned_->bits, std::memory_order_acquire);
  }
  /// Takes it, if it has not got enough already. False: it belongs to the other end, by its returned_cells.
  bool keep(number read) noexcept {
    if (count_ >= of_an_end) return false;
    had_[count_++] = read;
    return true;
  }

 private:
  /// And those that it has given back, and that the other end has not looked for: that one may have kept all others,
  /// and send nothing for long.
  void take_back() noexcept {
    accept(given_back_->bits, std::memory_order_relaxed);  // relaxed: none but this end has used them since
  }
  void accept(Atomic<std::uint32_t>& from, std::memory_order order) noexcept {
    if (from.load(std::memory_order_relaxed) == 0) return;  // a look costs nothing until the other end writes it
    for (std::uint32_t bits = from.exchange(0, order); bits != 0; bits &= bits - 1) {
      assert(count_ < of_a_pair);
      had_[count_++] = static_cast<number>(std::countr_zero(bits));
    }
  }

  returned_cells<Atomic>* returned_;
  returned_cells<Atomic>* given_back_;
  std::uint32_t count_ = of_an_end;
  number had_[of_a_pair];
};

class cell_pair;

/// One end of a pair of ranks. Own thread of its rank only.
class cell_end {
 public:
  using number = cell_numbers<>::number;

  cell_end(cell_pair& both, number first, cell_end& other) noexcept
      : numbers_(first, returned_, other.returned_), both_(both) {}

  /// Copies `bytes` <= cells_of_an_end * cell_bytes bytes into cells, and says into which; false: it has too few.
  bool put(const std::byte* data, std::size_t bytes, number* into) noexcept;
  /// Gets cells for so many, of those that have come back. False: there are too few.
  [[nodiscard]] bool gather_room(std::size_t bytes) noexcept { return numbers_.gather(cells_for(bytes)); }
  /// Copies a part of bytes that are laid out, which begins at `at`; there is room for it.
  void put(const laid_out_source& from, std::size_t at, std::size_t bytes, number* into) noexcept;
  /// Copies the first `wanted` of the `bytes` bytes in these cells to `target`, from `at` on, and has read them.
  void get(const number* cells, std::size_t bytes, const laid_out_target& target, std::size_t at,
           std::size_t wanted) noexcept;
  [[nodiscard]] cell_end& other() const noexcept;

  /// Now and then: gives the memory of the cells that it has to the kernel, if none was used since the last call. True
  /// if it has.
  bool give_back_unused() noexcept;

 private:
  void has_read(const number* cells, std::size_t bytes) noexcept;

  // --- own ---
  cell_numbers<> numbers_;
  cell_pair& both_;
  bool is_used_ = false;     // since the last give_back_unused()
  bool has_memory_ = false;  // some cell may: nothing has been given back since it was used
  // --- written by the other end, and taken by this one ---
  returned_cells<> returned_;
};

class cell_pair {
 public:
  static constexpr std::size_t bytes = cells_of_a_pair * cell_bytes;

  struct manner {
    bool takes_lines;    // an end writes to lines that it has read, of a cell that it gives back (takes_lines())
    bool are_own_pages;  // of the kernel's: else a cell's memory is not its alone, and stays
  };
  static constexpr std::size_t alignment = 4096;

  /// `memory`: `bytes` of it, aligned, longer than this lives.
  cell_pair(std::byte* memory, manner how) noexcept
      : memory_(memory), how_(how), ends_{{*this, 0, ends_[1]}, {*this, cells_of_an_end, ends_[0]}} {}
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
