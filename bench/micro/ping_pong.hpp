// The round trips of pingpong, same_core and those that send or receive in another way. Rank i talks to rank i + size /
// 2; all pairs do so at the same time.
#pragma once

#include <algorithm>
#include <cstddef>

#include "bench.hpp"

namespace bench {

inline int partner() { return (rank() + size() / 2) % size(); }
inline bool starts() { return rank() < size() / 2; }

/// One case: half a round trip. Each rank sends from one buffer and receives into another, always the same two. The
/// first word counts the trips, so that a lost, old or reordered message is seen; the rest is compared at the end.
/// out_by(data, bytes, to, tag) sends, in_by(data, bytes, from, tag) receives.
template <class OutBy, class InBy>
void measure_ping_pong(session& s, const std::string& name, std::size_t bytes, OutBy out_by, InBy in_by) {
  buffer out(bytes);
  buffer in(bytes);
  out.fill(rank() * 1000);
  const int peer = partner();
  const bool first = starts();
  auto body = [&](long trips) {
    for (long i = 0; i < trips; ++i) {
      out[0] = i;
      if (first) {
        out_by(out.data(), bytes, peer, 0);
        in_by(in.data(), bytes, peer, 0);
      } else {
        in_by(in.data(), bytes, peer, 0);
        out_by(out.data(), bytes, peer, 0);
      }
      check(in[0] == i, "ping-pong", bytes, i, in[0]);
    }
  };
  s.measure(name, bytes, body, us_per(2));
  in.verify(peer * 1000, 1);
}
inline void measure_ping_pong(session& s, std::size_t bytes) {
  measure_ping_pong(
      s, size_name(bytes), bytes, [](auto... all) { send(all...); }, [](auto... all) { recv(all...); });
}

/// One case where what is received is sent back from there. Before each send, the first, the middle and
/// the last word are increased, and the receiver checks them.
inline void measure_dirty_ping_pong(session& s, std::size_t bytes) {
  buffer data(bytes);
  const int peer = partner();
  const bool first = starts();
  const std::size_t marked[] = {0, data.size() / 2, data.size() - 1};
  const std::size_t marks = std::min<std::size_t>(data.size(), 3);  // one word has one mark
  long sent = 0;                                                    // by both together: what each marked word has grown
  auto increase = [&] {
    for (std::size_t m = 0; m < marks; ++m) ++data[marked[m]];
    ++sent;
  };
  auto expect_increased = [&] {
    for (std::size_t m = 0; m < marks; ++m) {
      const long expected = static_cast<long>(marked[m]) + sent;
      check(data[marked[m]] == expected, "marked word", bytes, expected, data[marked[m]]);
    }
  };
  auto body = [&](long trips) {
    for (long i = 0; i < trips; ++i) {
      if (first) {
        increase();
        send(data.data(), bytes, peer, 0);
        recv(data.data(), bytes, peer, 0);
        ++sent;
        expect_increased();
      } else {
        recv(data.data(), bytes, peer, 0);
        ++sent;
        expect_increased();
        increase();
        send(data.data(), bytes, peer, 0);
      }
    }
  };
  s.measure(size_name(bytes), bytes, body, us_per(2));
  for (std::size_t m = 0; m < marks; ++m) data[marked[m]] -= sent;
  data.verify(0);
}

}  // namespace bench
