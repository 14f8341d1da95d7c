// What two threads of this machine can do with plain loads and stores: the floor that a message-passing library can be
// compared with. Two threads, each bound to its CPU; no library, no matching, no flow control.
//
// Memory orders: a payload is published by a release store of its mark, which pairs with the acquire load in
// await_mark(). Nothing else is shared.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>

#include "bench.hpp"
#include "pause.hpp"

namespace bench::limits {

/// Waits until `mark`, which only grows, has reached the value, with `Pauses` pauses between two looks: fewer looks
/// disturb the writer less.
template <int Pauses>
inline void await_mark(const std::atomic<std::uint32_t>& mark, std::uint32_t value) {
  while (mark.load(std::memory_order_acquire) < value) {
    for (int i = 0; i < Pauses; ++i) pause_cpu();
  }
}

/// Runs `first` and `second` at the same time on their CPUs. The seconds that `first` took, or, where it returns a
/// number, that number.
template <class First, class Second>
double run_pair(const session& s, First&& first, Second&& second) {
  std::atomic<int> ready{0};
  double seconds = 0;
  auto meet = [&] {
    ready.fetch_add(1);
    while (ready.load() < 2) pause_cpu();
  };
  std::thread other([&] {
    bind_to(s.cpu_of(s.threads() / 2));  // the CPU of rank 0's partner
    meet();
    second();
  });
  std::thread mine([&] {
    bind_to(s.cpu_of(0));
    meet();
    const double start = now();
    if constexpr (std::is_void_v<decltype(first())>) {
      first();
      seconds = now() - start;
    } else {
      seconds = first();
    }
  });
  mine.join();
  other.join();
  return seconds;
}

// ---- a ring of records ----------------------------------------------------------------------------------------------

/// One message: payload and ready mark in whole cache lines, the mark in the first. The sender writes the other lines
/// before it.
template <std::size_t Bytes>
struct alignas(64) record {
  std::atomic<std::uint32_t> mark{0};
  std::uint32_t length = 0;
  long payload[Bytes / sizeof(long)] = {};
};

template <std::size_t Bytes>
struct ring {
  static constexpr std::uint32_t slots = 64;
  record<Bytes> records[slots];

  void send(std::uint32_t number, long value) {
    auto& r = records[number % slots];
    for (std::size_t i = Bytes / sizeof(long); i-- > 0;) r.payload[i] = value;
    r.length = Bytes;
    r.mark.store(number + 1, std::memory_order_release);  // publishes the payload; pairs with await_mark
  }
  template <int Pauses>
  void receive(std::uint32_t number, long expected) {
    auto& r = records[number % slots];
    await_mark<Pauses>(r.mark, number + 1);
    for (long word : r.payload) check(word == expected, "ring", Bytes, expected, word);
  }
};

/// The seconds of `trips` round trips through two rings, one for each direction.
template <std::size_t Bytes, int Pauses>
double ring_round_trips(const session& s, long trips) {
  auto there = std::make_unique<ring<Bytes>>();
  auto back = std::make_unique<ring<Bytes>>();
  const auto n = static_cast<std::uint32_t>(trips);
  return run_pair(
      s,
      [&] {
        for (std::uint32_t i = 0; i < n; ++i) {
          there->send(i, i);
          back->template receive<Pauses>(i, i + 1L);
        }
      },
      [&] {
        for (std::uint32_t i = 0; i < n; ++i) {
          there->template receive<Pauses>(i, i);
          back->send(i, i + 1L);
        }
      });
}

/// Half a round trip of the ring, with 0, 1 or 4 pauses between two looks.
template <std::size_t Bytes>
void measure_ring(session& s) {
  s.measure_best(
      size_name(Bytes), Bytes, us_per(2), [&](long n) { return ring_round_trips<Bytes, 0>(s, n); },
      [&](long n) { return ring_round_trips<Bytes, 1>(s, n); },
      [&](long n) { return ring_round_trips<Bytes, 4>(s, n); });
}

// ---- a copy that both may do ---------------------------------------------------------------------------------------

/// The seconds of `trips` round trips of a block between a buffer of one thread and one of the other: what is copied
/// was written by the copy before. When `shared`, each thread copies one half, otherwise the receiving one copies all.
inline double exchanged_copies(const session& s, buffer& ours, buffer& theirs, long trips, bool shared) {
  const std::size_t half = ours.bytes() / 2;
  alignas(128) std::atomic<std::uint32_t> first_done{0};  // lines are fetched in pairs
  alignas(128) std::atomic<std::uint32_t> second_done{0};
  const auto transfers = static_cast<std::uint32_t>(2 * trips);
  auto side = [&](bool first, std::atomic<std::uint32_t>& my_done, const std::atomic<std::uint32_t>& other_done) {
    for (std::uint32_t i = 0; i < transfers; ++i) {
      const bool sending = (i % 2 == 0) == first;
      buffer& from = i % 2 == 0 ? ours : theirs;
      buffer& to = i % 2 == 0 ? theirs : ours;
      if (sending) {
        from[0] = i;
        my_done.store(2 * i + 1, std::memory_order_release);  // the block is ready; pairs with the wait below
      } else {
        await_mark<0>(other_done, 2 * i + 1);
      }
      auto* source = reinterpret_cast<const char*>(from.data());
      auto* target = reinterpret_cast<char*>(to.data());
      if (!shared) {
        if (!sending) std::memcpy(target, source, 2 * half);
      } else if (sending) {
        std::memcpy(target + half, source + half, half);
      } else {
        std::memcpy(target, source, half);
      }
      my_done.store(2 * i + 2, std::memory_order_release);  // my part is copied; pairs with the other's wait below
      await_mark<0>(other_done, 2 * i + 2);
      if (!sending) check(to[0] == i, "exchanged copy", to.bytes(), i, to[0]);
    }
  };
  return run_pair(
      s, [&] { side(true, first_done, second_done); }, [&] { side(false, second_done, first_done); });
}

inline void measure_exchanged_copy(session& s, std::size_t bytes, const std::string& prefix = "") {
  buffer ours(bytes);
  buffer theirs(bytes);
  s.measure_best(
      prefix + size_name(bytes), bytes, us_per(2), [&](long n) { return exchanged_copies(s, ours, theirs, n, true); },
      [&](long n) { return exchanged_copies(s, ours, theirs, n, false); });
}

}  // namespace bench::limits
