// Which way the messages of one rank to another of its process go that are too long for their ring: from the sender's
// buffer, which the receiver reads, or through cells (transport/cells.hpp).
//
// A buffer whose lines the receiver has in its own cache, since it has read them before and nobody has written them,
// is copied as fast as any memory, and nothing crosses. One that its sender has just written crosses line by line, and
// costs the sender more when it writes it again: then cells are faster (D-cells). Both are looked at: how long copies
// take for a line (transport/copy_speed.hpp), and whether some words of both halves of a buffer have changed when it is
// sent the next time: in one alone it may be a counter, while the other lines are still in the receiver's cache.
// (Copies of many buffers that no cache holds are slow, too, and cells would make them slower: D-fresh-line.) Each size
// has an answer of its own, for programs send fields of some sizes that they compute, and others that they do not.
//
// An answer becomes cells after two slow copies in a row and a buffer that has changed. Through cells no copy is timed,
// so now and then one message goes from the buffer; less often each time that it was slow.
//
// Own thread of the sender.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

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

  /// For the next message, of more than 128 bytes.
  way next(const std::byte* data, std::size_t bytes) noexcept {
    answer& of_size = answers_[copy_speed::index(bytes)];
    if (of_size.watched == data && of_size.watched_bytes == bytes) [[unlikely]]
      look_again(of_size);
    if (of_size.until_timed != 0) {
      --of_size.until_timed;
      return of_size.is_cells ? way::cells : way::buffer;
    }
    if (of_size.watched == nullptr || --of_size.watched_for == 0) watch(of_size, data, bytes);
    of_size.until_timed = of_size.period;  // if it is not known before
    return way::timed_buffer;
  }

  /// A copy of `copied` bytes, of a message of `bytes`.
  void note(std::size_t bytes, std::size_t copied, std::int64_t took_ns) noexcept {
    answer& of_size = answers_[copy_speed::index(bytes)];
    const bool is_slow = static_cast<double>(took_ns) * line_bytes >
                         speed_->fetched_line_ns(bytes) * static_cast<double>(copied);
    if (!is_slow) {
      of_size.begin(false, timed_every);
    } else if (of_size.is_cells) {
      of_size.period = static_cast<std::uint16_t>(std::min(2 * of_size.period, longest_period));
      of_size.until_timed = of_size.period;
    } else if (!of_size.has_changed) {
      of_size.slow_in_a_row = 1;
      of_size.until_timed = timed_every;  // or as soon as the buffer is known to have changed
    } else if (++of_size.slow_in_a_row < slow_enough) {
      of_size.until_timed = 0;
    } else {
      of_size.begin(true, first_period);
    }
  }

 private:
  static constexpr int timed_every = 64;
  static constexpr int slow_enough = 2;
  static constexpr int first_period = 64;
  static constexpr int longest_period = 4096;
  static constexpr int longest_watch = 4;  // timed messages: such a buffer may never come again

  /// Some words of each half of a buffer, mixed.
  struct halves {
    std::uint64_t front, back;
  };

  struct answer {
    bool is_cells = false;
    bool has_changed = false;  // the last buffer that was watched
    std::uint8_t slow_in_a_row = 0;
    std::uint16_t until_timed = 0;
    std::uint16_t period = 0;
    std::uint16_t watched_for = 0;
    const std::byte* watched = nullptr;
    std::size_t watched_bytes = 0;
    halves content{};  // of it

    void begin(bool cells, int messages) noexcept {
      is_cells = cells;
      slow_in_a_row = 0;
      has_changed = has_changed && cells;
      until_timed = period = static_cast<std::uint16_t>(messages);
    }
  };

  static void watch(answer& of_size, const std::byte* data, std::size_t bytes) noexcept {
    of_size.watched = data;
    of_size.watched_bytes = bytes;
    of_size.watched_for = longest_watch;
    of_size.content = some_words(data, bytes);
  }
  /// The buffer that is watched is being sent again: it is there.
  static void look_again(answer& of_size) noexcept {
    const halves now = some_words(of_size.watched, of_size.watched_bytes);
    of_size.has_changed = now.front != of_size.content.front && now.back != of_size.content.back;
    of_size.watched = nullptr;
    if (!of_size.has_changed) {
      of_size.begin(false, timed_every);
    } else if (of_size.slow_in_a_row != 0) {
      of_size.until_timed = 0;
    }
  }
  /// From all parts of a buffer.
  static halves some_words(const std::byte* data, std::size_t bytes) noexcept {
    constexpr std::size_t words = 16;
    halves mixed{};
    for (std::size_t i = 0; i < words; ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, data + i * (bytes - sizeof word) / (words - 1), sizeof word);
      std::uint64_t& half = i < words / 2 ? mixed.front : mixed.back;
      half = (half ^ word) * 0x9e3779b97f4a7c15U;
    }
    return mixed;
  }

  const copy_speed* speed_;
  std::array<answer, copy_speed::sizes> answers_{};
};

}  // namespace pure::core
