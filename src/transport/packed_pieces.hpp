// Which cells hold the pieces of a large message that its sender has packed, and its receiver unpacks (rendezvous.hpp).
//
// A queue in the sender's rendezvous, of one writer and one reader: the word of piece i names its cell from the moment
// that it is packed. No place is lacking, and nothing is given back: each piece that has not been read has a cell to
// itself, so there are never more of them than cells of the pair; the piece that had the word before has been read.
// Modelled by tests/model/packed.pml.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "transport/cells.hpp"

namespace pure::core {

class packed_pieces {
 public:
  /// Before the receiver knows of it: nothing is packed.
  void clear() noexcept {
    for (std::uint32_t i = 0; i < std::min(packed_, places); ++i) words_[i].store(0, std::memory_order_relaxed);
    packed_ = 0;
  }

  // ---- by the sender ----

  /// How many it has packed.
  [[nodiscard]] std::uint32_t count() const noexcept { return packed_; }
  /// The next piece is in this cell.
  void publish(cell_end::number cell) noexcept {
    // release: the bytes of the piece; pairs with is_packed()
    words_[packed_ % places].store(lap_of(packed_) << number_bits | cell, std::memory_order_release);
    ++packed_;
  }

  // ---- by the receiver ----

  /// Whether the piece after so many is there.
  [[nodiscard]] bool is_packed(std::uint32_t number) const noexcept {
    // acquire: its bytes; pairs with the release in publish()
    return words_[number % places].load(std::memory_order_acquire) >> number_bits == lap_of(number);
  }
  /// The cell of a piece that is.
  [[nodiscard]] cell_end::number cell_of(std::uint32_t number) const noexcept {
    return static_cast<cell_end::number>(words_[number % places].load(std::memory_order_relaxed));
  }

 private:
  static constexpr std::uint32_t places = cells_of_a_pair;
  static constexpr std::uint32_t number_bits = 8 * sizeof(cell_end::number);

  /// Tells a word from the one before it, and from none.
  static constexpr std::uint32_t lap_of(std::uint32_t number) noexcept {
    constexpr std::uint32_t laps = (1U << (32 - number_bits)) - 1;
    return number / places % laps + 1;
  }

  std::uint32_t packed_ = 0;
  alignas(line_bytes) std::atomic<std::uint32_t> words_[places] = {};
};

}  // namespace pure::core
