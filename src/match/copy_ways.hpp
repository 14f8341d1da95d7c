// Which way the messages of one rank to another of its process go that are too long for their ring: from the sender's
// buffer, which the receiver reads, or through cells (transport/cells.hpp).
//
// A buffer whose lines the receiver has in its own cache, since it has read them before and nobody has written them,
// is copied as fast as any memory, and nothing crosses. One that its sender has just written crosses line by line, and
// costs the sender more when it writes it again: then cells are faster (D-cells). Which it is, the receiver's clock
// says, by how long it takes for a line of its own
// (transport/copy_speed.hpp, D-fresh-line). Each size has an answer of its own, for programs send fields of
// some sizes that they compute, and others that they do not.
//
// An answer changes after two slow copies in a row. Through cells nothing is learnt, so now and then one message goes
// from the buffer; less often each time that it was slow.
//
// Own thread of the sender.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "transport/copy_speed.hpp"

namespace pure::core {

class copy_ways {
 public:
  enum class way : std::uint8_t {
    buffer,
    timed_buffer,  // likewise; and note() is told how long the copy took
    cells,
  };
  /// `speed` lives longer than this.
  explicit copy_ways(const copy_speed& speed) noexcept : speed_(&speed) {}

  /// For the next message.
  way next(std::size_t bytes) noexcept {
    answer& of_size = answers_[copy_speed::index(bytes)];
    if (of_size.until_timed != 0) {
      --of_size.until_timed;
      return of_size.is_cells ? way::cells : way::buffer;
    }
    of_size.until_timed = of_size.period;  // if it is not known before
    return way::timed_buffer;
  }

  /// A copy of `copied` bytes, of a message of `bytes`.
  void note(std::size_t bytes, std::size_t copied, std::int64_t took_ns) noexcept {
    answer& of_size = answers_[copy_speed::index(bytes)];
    const bool is_slow = static_cast<double>(took_ns) * line_bytes >
                         speed_->fetched_line_ns(bytes) * static_cast<double>(copied);
    if (!is_slow) {
      of_size = {.until_timed = timed_every, .period = timed_every};
    } else if (of_size.is_cells) {
      of_size.period = static_cast<std::uint16_t>(std::min(2 * of_size.period, longest_period));
      of_size.until_timed = of_size.period;
    } else if (++of_size.slow_in_a_row == slow_enough) {
      of_size = {.is_cells = true, .until_timed = first_period, .period = first_period};
    } else {
      of_size.until_timed = 0;
    }
  }

 private:
  static constexpr int timed_every = 16;
  static constexpr int slow_enough = 2;
  static constexpr int first_period = 64;
  static constexpr int longest_period = 4096;

  struct answer {
    bool is_cells = false;
    std::uint8_t slow_in_a_row = 0;
    std::uint16_t until_timed = 0;
    std::uint16_t period = 0;
  };

  const copy_speed* speed_;
  std::array<answer, copy_speed::sizes> answers_{};
};

}  // namespace pure::core
