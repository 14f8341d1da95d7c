// The limits of the rows that are of messages: two bare threads that hand over the same bytes, of buffers in the same
// state, and do nothing else. The fastest way to do so is the limit:
//
//   ring     payload and mark lie in lines of their own for each message (limits.hpp)
//   block    both ends copy, the sender into a block, the receiver out of it. Who has read a block sends in it next:
//   its
//            lines cross once for a message
//   buffer   the receiver copies from the sender's buffer. Lines that the sender has written since then cross, and are
//            asked for again when it writes them the next time
//
// Memory orders: as in limits.hpp, a payload is published by a release store of a mark, which pairs with the acquire
// load in await_mark(); and so is what has been read, and may be written again.
#pragma once

#include <cstring>

#include "limits.hpp"
#include "word_sum.hpp"

namespace bench::limits {

enum class way { block, buffer };

/// Memory for messages, one after the other: of each a mark, which says which message it is, and the payload, in one
/// line if both fit.
class blocks {
 public:
  explicit blocks(std::size_t bytes, std::size_t count = 1)
      : payload_at_(bytes + sizeof(long) <= line ? 1 : line / sizeof(long)),
        apart_(payload_at_ + (bytes + line - 1) / line * (line / sizeof(long))),
        memory_(count * apart_ * sizeof(long)) {
    for (std::size_t i = 0; i < count; ++i) ::new (memory_.data() + i * apart_) std::atomic<std::uint32_t>(0);
  }
  std::atomic<std::uint32_t>& mark(std::size_t i = 0) {
    return *reinterpret_cast<std::atomic<std::uint32_t>*>(memory_.data() + i * apart_);
  }
  long* payload(std::size_t i = 0) { return memory_.data() + i * apart_ + payload_at_; }

 private:
  static constexpr std::size_t line = 64;
  std::size_t payload_at_, apart_;  // in words
  bench::buffer memory_;
};

/// What a thread sends from, and receives into: two buffers, or one.
struct message_end {
  bench::buffer* out;
  bench::buffer* in;
};

/// The seconds of `trips` round trips; `Pauses` as await_mark() has them.
template <way By, int Pauses>
double message_round_trips(const session& s, message_end first, message_end second, long trips) {
  const std::size_t bytes = first.out->bytes();
  blocks between(bytes);
  const auto put = [&](const message_end& from, std::uint32_t number) {
    (*from.out)[0] = number;
    if constexpr (By == way::block) std::memcpy(between.payload(), from.out->data(), bytes);
    between.mark().store(number, std::memory_order_release);
  };
  const auto get = [&](const message_end& from, const message_end& to, std::uint32_t number) {
    await_mark<Pauses>(between.mark(), number);
    std::memcpy(to.in->data(), By == way::block ? between.payload() : from.out->data(), bytes);
    check((*to.in)[0] == number, "message", bytes, number, (*to.in)[0]);
  };
  const auto n = static_cast<std::uint32_t>(trips);
  return run_pair(
      s,
      [&] {
        for (std::uint32_t i = 0; i < n; ++i) {
          put(first, 2 * i + 1);
          get(second, first, 2 * i + 2);
        }
      },
      [&] {
        for (std::uint32_t i = 0; i < n; ++i) {
          get(first, second, 2 * i + 1);
          put(second, 2 * i + 2);
        }
      });
}

/// Half a round trip between these ends, or in one of `others`.
template <class... Others>
void measure_half_round_trip(session& s, std::size_t bytes, message_end first, message_end second, Others... others) {
  s.measure_best(
      size_name(bytes), bytes, us_per(2),
      [&](long n) { return message_round_trips<way::block, 1>(s, first, second, n); },
      [&](long n) { return message_round_trips<way::block, 4>(s, first, second, n); },
      [&](long n) { return message_round_trips<way::buffer, 1>(s, first, second, n); },
      [&](long n) { return message_round_trips<way::buffer, 4>(s, first, second, n); }, others...);
}
template <std::size_t Bytes>
void measure_half_round_trip_or_ring(session& s, message_end first, message_end second) {
  measure_half_round_trip(
      s, Bytes, first, second, [&](long n) { return ring_round_trips<Bytes, 0>(s, n); },
      [&](long n) { return ring_round_trips<Bytes, 1>(s, n); },
      [&](long n) { return ring_round_trips<Bytes, 4>(s, n); });
}
inline void measure_any(session& s, std::size_t bytes, message_end first, message_end second) {
  switch (bytes) {
    case 8: return measure_half_round_trip_or_ring<8>(s, first, second);
    case 64: return measure_half_round_trip_or_ring<64>(s, first, second);
    default: return measure_half_round_trip(s, bytes, first, second);
  }
}

/// Buffers as ping_pong_buffers has them: nobody writes more than the first word.
inline void measure_message(session& s, std::size_t bytes) {
  bench::buffer out(bytes), in(bytes), other_out(bytes), other_in(bytes);
  measure_any(s, bytes, {&out, &in}, {&other_out, &other_in});
}

/// Buffers as in dirty_ping_pong_buffer: a message is received into the buffer that is sent back.
inline void measure_message_sent_back(session& s, std::size_t bytes) {
  bench::buffer data(bytes), other(bytes);
  measure_any(s, bytes, {&data, &data}, {&other, &other});
}

// ---- both at once, of data that is new each time
// ---------------------------------------------------------------------

/// The seconds of `exchanges`: each thread writes its block, they exchange them, and each reads what it has got.
template <way By>
double fresh_exchanges(const session& s, std::size_t bytes, long exchanges) {
  struct side {
    explicit side(std::size_t size) : handed(size), out(size), in(size) {}
    blocks handed;  // its mark: which exchange the data is of
    bench::buffer out, in;
    alignas(128) std::atomic<std::uint32_t> read{0};  // lines are fetched in pairs
  };
  side sides[] = {side(bytes), side(bytes)};
  blocks* const all[] = {&sides[0].handed, &sides[1].handed};
  const auto n = static_cast<std::uint32_t>(exchanges);
  const auto go = [&](std::uint32_t me) {
    side& mine = sides[me];
    side& other = sides[1 - me];
    for (std::uint32_t i = 1; i <= n; ++i) {
      mine.out.fill(i + me);
      // A block that was read is written by its reader next.
      blocks& to = By == way::block ? *all[(me + i) % 2] : mine.handed;
      blocks& from = By == way::block ? *all[(1 - me + i) % 2] : other.handed;
      if constexpr (By == way::block) std::memcpy(to.payload(), mine.out.data(), bytes);
      to.mark().store(i, std::memory_order_release);
      await_mark<1>(from.mark(), i);
      std::memcpy(mine.in.data(), By == way::block ? from.payload() : other.out.data(), bytes);
      if constexpr (By == way::buffer) mine.read.store(i, std::memory_order_release);
      check_sum(mine.in, i + 1L - me);
      if constexpr (By == way::buffer) await_mark<1>(other.read, i);
    }
  };
  return run_pair(
      s, [&] { go(0); }, [&] { go(1); });
}

inline void measure_fresh_exchange(session& s, std::size_t bytes) {
  s.measure_best(
      size_name(bytes), bytes, us_per(), [&](long n) { return fresh_exchanges<way::block>(s, bytes, n); },
      [&](long n) { return fresh_exchanges<way::buffer>(s, bytes, n); });
}

// ---- a stream
// --------------------------------------------------------------------------------------------------------

/// The seconds of `windows` windows of 64 messages as in flood.hpp, each of which has its own buffer at either end, and
/// is handed over before the next one is begun; the receiver acknowledges a window. By way::block each message has a
/// block of its own, which its sender keeps; by way::buffer one counter is the mark of all.
template <way By>
double streamed_windows(const session& s, std::size_t bytes, long windows) {
  constexpr std::uint32_t window = 64;
  const std::size_t words = bytes / sizeof(long);
  bench::buffer out(window * bytes), in(window * bytes);
  blocks between(bytes, window);
  alignas(128) std::atomic<std::uint32_t> sent{0};  // lines are fetched in pairs
  alignas(128) std::atomic<std::uint32_t> acknowledged{0};
  const auto n = static_cast<std::uint32_t>(windows);
  return run_pair(
      s,
      [&] {
        for (std::uint32_t i = 0; i < n; ++i) {
          for (std::uint32_t k = 0; k < window; ++k) {
            long* const slot = out.data() + k * words;
            const std::uint32_t number = i * window + k + 1;
            *slot = number;
            if constexpr (By == way::block) std::memcpy(between.payload(k), slot, bytes);
            (By == way::block ? between.mark(k) : sent).store(number, std::memory_order_release);
          }
          await_mark<1>(acknowledged, i + 1);
        }
      },
      [&] {
        for (std::uint32_t i = 0; i < n; ++i) {
          for (std::uint32_t k = 0; k < window; ++k) {
            long* const slot = in.data() + k * words;
            const std::uint32_t number = i * window + k + 1;
            await_mark<1>(By == way::block ? between.mark(k) : sent, number);
            std::memcpy(slot, By == way::block ? between.payload(k) : out.data() + k * words, bytes);
            check(*slot == number, "message of a stream", bytes, number, *slot);
          }
          acknowledged.store(i + 1, std::memory_order_release);
        }
      });
}

inline void measure_stream(session& s, std::size_t bytes) {
  s.measure_best(
      size_name(bytes), bytes, millions_per_second(64),
      [&](long n) { return streamed_windows<way::block>(s, bytes, n); },
      [&](long n) { return streamed_windows<way::buffer>(s, bytes, n); });
}

}  // namespace bench::limits
