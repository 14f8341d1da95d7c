// Barriers one after the other, nothing between them, for barrier and net_collectives.
//
// Checked before: in 64 barriers a rank in turn comes late, and nobody may leave before the last has entered.
#pragma once

#include "collective.hpp"

namespace bench {

inline constexpr long checked_barriers = 64;

/// Enters late if it is this rank's turn.
inline void delay_barrier(long rep, int me, int ranks) {
  if (rep % ranks == me) wait_until_moment(now() + 20e-6);
}

/// The barriers that are checked: when each rank entered and left.
template <class Barrier>
spans checked_barrier_spans(int me, int ranks, Barrier&& barrier) {
  spans mine(checked_barriers);
  for (long i = 0; i < checked_barriers; ++i) {
    delay_barrier(i, me, ranks);
    span& s = mine[static_cast<std::size_t>(i)];
    s.start = now();
    barrier();
    s.end = now();
  }
  return mine;
}

inline void check_nobody_left_early(const std::vector<spans>& all) {
  for (long i = 0; i < checked_barriers; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double last_entered = 0;
    for (const spans& each : all) last_entered = std::max(last_entered, each[at].start);
    for (const spans& each : all) {
      // In nanoseconds since the machine started.
      check(each[at].end >= last_entered, "left a barrier too early", 0, static_cast<long>(1e9 * last_entered),
            static_cast<long>(1e9 * each[at].end));
    }
  }
}

#if !defined(BENCH_NO_MESSAGES)

/// The case "barrier".
inline void measure_barrier(session& s) {
  message_barrier(collective_tag);
  const auto all = gather(checked_barrier_spans(rank(), size(), [] { barrier(); }));
  check_nobody_left_early(all);
  auto body = [](long count) {
    for (long i = 0; i < count; ++i) barrier();
  };
  s.measure("barrier", 0, body, us_per());
}

#endif

}  // namespace bench
