// The round trips of pingpong and same_core. Rank i talks to rank i + size / 2; all pairs do so at the same time.
#pragma once

#include "bench.hpp"

namespace bench {

inline int partner() { return (rank() + size() / 2) % size(); }
inline bool starts() { return rank() < size() / 2; }

/// One case: half a round trip. Each rank sends from one buffer and receives into another, always the same two. The
/// first word counts the trips, so that a lost, old or reordered message is seen; the rest is compared at the end.
inline void measure_ping_pong(session& s, std::size_t bytes) {
  buffer out(bytes);
  buffer in(bytes);
  out.fill(rank() * 1000);
  const int peer = partner();
  const bool first = starts();
  auto body = [&](long trips) {
    for (long i = 0; i < trips; ++i) {
      out[0] = i;
      if (first) {
        send(out.data(), bytes, peer, 0);
        recv(in.data(), bytes, peer, 0);
      } else {
        recv(in.data(), bytes, peer, 0);
        send(out.data(), bytes, peer, 0);
      }
      check(in[0] == i, "ping-pong", bytes, i, in[0]);
    }
  };
  s.measure(size_name(bytes), bytes, body, us_per(2));
  in.verify(peer * 1000, 1);
}

}  // namespace bench
