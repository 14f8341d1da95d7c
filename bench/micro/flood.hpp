// The windows of messages of flood and net_flood: rank i sends to rank i + size / 2, all pairs at the same time. Each
// message has a buffer of its own; the receiver acknowledges each window.
//
// The first word of each message is its number: the receiver checks every one of them.
#pragma once

#include "ping_pong.hpp"

namespace bench {

/// One case: millions of messages a second, of all pairs together.
inline void measure_flood(session& s, std::size_t bytes) {
  constexpr int window = 64;
  const int peer = partner();
  const bool first = starts();
  const std::size_t words = bytes / sizeof(long);
  buffer data(window * bytes);
  request requests[window];
  auto slot = [&](int k) { return data.data() + static_cast<std::size_t>(k) * words; };
  auto body = [&](long windows) {
    for (long i = 0; i < windows; ++i) {
      long acknowledged = i;
      if (first) {
        for (int k = 0; k < window; ++k) {
          *slot(k) = i * window + k;
          requests[k] = isend(slot(k), bytes, peer, 0);
        }
        waitall(window, requests);
        recv(&acknowledged, sizeof acknowledged, peer, 1);
        check(acknowledged == i, "acknowledgement", bytes, i, acknowledged);
      } else {
        for (int k = 0; k < window; ++k) requests[k] = irecv(slot(k), bytes, peer, 0);
        waitall(window, requests);
        for (int k = 0; k < window; ++k) {
          check(*slot(k) == i * window + k, "number of the message", bytes, i * window + k, *slot(k));
        }
        send(&acknowledged, sizeof acknowledged, peer, 1);
      }
    }
  };
  const int pairs = size() / 2;
  s.measure(size_name(bytes), bytes, body, millions_per_second(window * pairs));
  for (int k = 0; k < window; ++k) {
    for (std::size_t w = 1; w < words; ++w) {
      const long expected = static_cast<long>(static_cast<std::size_t>(k) * words + w);
      check(slot(k)[w] == expected, "contents", bytes, expected, slot(k)[w]);
    }
  }
}

}  // namespace bench
