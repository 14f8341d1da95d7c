// What the machine can do at best: two threads, loads and stores, no library.
//
// bench: systems=limit; unit=us; better=lower; distance=yes; ranks=2
// bench: cases=8 B, 64 B, flags on two lines, flag on one line
// bench: cases=copy own 1 KB, copy own 8 KB, copy own 64 KB, copy own 256 KB, copy own 1 MB, copy own 16 MB
// bench: cases=copy exchanged 64 KB, copy exchanged 256 KB, copy exchanged 1 MB, copy exchanged 16 MB
// bench: cases=copy fresh 1 KB, copy fresh 8 KB, copy fresh 64 KB, copy fresh 256 KB, copy fresh 1 MB, copy fresh 16 MB
//
// 8 B, 64 B          half a round trip through a ring of records with the payload and the ready mark in line
// flags              half a round trip of a flag: one line for each direction, or one line for both
// copy own           memcpy of data that this core wrote and copied before
// copy exchanged     half a round trip of a block, copied to and fro between a buffer of each thread; by both at once
// copy fresh         memcpy of data that the other core has just written: what a receive costs when one core copies
#include "limits.hpp"

namespace limits = bench::limits;

namespace {

/// The seconds of `trips` round trips of a counter: first odd values, second even ones.
template <int Pauses>
double flag_round_trips(const bench::session& s, long trips, bool shared_line) {
  struct alignas(128) line {  // lines are fetched in pairs
    std::atomic<std::uint32_t> mark{0};
  };
  line lines[2];
  auto& there = lines[0].mark;
  auto& back = lines[shared_line ? 0 : 1].mark;
  const auto last = static_cast<std::uint32_t>(2 * trips);
  return limits::run_pair(
      s,
      [&] {
        for (std::uint32_t i = 0; i < last; i += 2) {
          there.store(i + 1, std::memory_order_release);
          limits::await_mark<Pauses>(back, i + 2);
        }
      },
      [&] {
        for (std::uint32_t i = 0; i < last; i += 2) {
          limits::await_mark<Pauses>(there, i + 1);
          back.store(i + 2, std::memory_order_release);
        }
      });
}

void measure_flags(bench::session& s, const std::string& name, bool shared_line) {
  s.measure_best(
      name, 8, bench::us_per(2), [&](long n) { return flag_round_trips<0>(s, n, shared_line); },
      [&](long n) { return flag_round_trips<1>(s, n, shared_line); },
      [&](long n) { return flag_round_trips<4>(s, n, shared_line); });
}

void measure_own_copy(bench::session& s, std::size_t bytes) {
  bench::buffer from(bytes);
  bench::buffer to(bytes);
  const std::size_t last = to.size() - 1;
  s.measure(
      "copy own " + bench::size_name(bytes), bytes,
      [&](long copies) {
        for (long i = 0; i < copies; ++i) {
          from[last] = i;
          std::memcpy(to.data(), from.data(), bytes);
          bench::check(to[last] == i, "copy", bytes, i, to[last]);
        }
      },
      bench::us_per());
}

/// What reading the clock twice costs; it is taken off each short copy.
double clock_seconds() {
  const double start = bench::now();
  for (int i = 0; i < 1000; ++i) (void)bench::now();
  return (bench::now() - start) / 1001;
}

void measure_fresh_copy(bench::session& s, std::size_t bytes) {
  bench::buffer from(bytes);
  bench::buffer to(bytes);
  const std::size_t last = to.size() - 1;
  const double clock = clock_seconds();
  auto body = [&](long copies) {
    std::atomic<std::uint32_t> written{0};
    alignas(64) std::atomic<std::uint32_t> copied{0};
    const auto n = static_cast<std::uint32_t>(copies);
    return limits::run_pair(
        s,
        [&] {
          double seconds = 0;
          for (std::uint32_t i = 1; i <= n; ++i) {
            limits::await_mark<1>(written, i);
            const double start = bench::now();
            std::memcpy(to.data(), from.data(), bytes);
            seconds += bench::now() - start - clock;
            const long expected = i + static_cast<long>(last);
            bench::check(to[last] == expected, "copy", bytes, expected, to[last]);
            copied.store(i, std::memory_order_release);  // lets the writer go on; pairs with its await_mark
          }
          return seconds;
        },
        [&] {
          for (std::uint32_t i = 1; i <= n; ++i) {
            limits::await_mark<1>(copied, i - 1);
            from.fill(i);
            written.store(i, std::memory_order_release);  // publishes the data; pairs with the copier's await_mark
          }
        });
  };
  s.measure("copy fresh " + bench::size_name(bytes), bytes, body, bench::us_per());
}

}  // namespace

int main(int argc, char** argv) {
  bench::session session(argc, argv);
  limits::measure_ring<8>(session);
  limits::measure_ring<64>(session);
  measure_flags(session, "flags on two lines", false);
  measure_flags(session, "flag on one line", true);
  const auto copies = {bench::KB, 8 * bench::KB, 64 * bench::KB, 256 * bench::KB, bench::MB, 16 * bench::MB};
  for (std::size_t bytes : copies) measure_own_copy(session, bytes);
  for (std::size_t bytes : copies) measure_fresh_copy(session, bytes);
  for (std::size_t bytes : bench::sizes{64 * bench::KB, 256 * bench::KB, bench::MB, 16 * bench::MB}) {
    limits::measure_exchanged_copy(session, bytes, "copy exchanged ");
  }
}
