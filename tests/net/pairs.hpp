// What the random programs of pairs (turns, fields) send, and how they judge what they get.
#pragma once

#include <pure.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "support/oracle/dice.hpp"

namespace net_pairs {

using oracle::dice;
using oracle::mix;
using words = std::vector<std::int64_t>;

[[noreturn]] inline void fail(const std::string& text) {
  fmt::print(stderr, "rank {}: {}\n", pure_rank(), text);
  std::exit(1);
}

inline void compute_for(std::chrono::microseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

struct message {
  int tag = 0;
  std::size_t length = 0;
  std::uint64_t key = 0;

  [[nodiscard]] std::int64_t word(std::size_t i) const noexcept {
    return static_cast<std::int64_t>((key + i) * 0x9e3779b97f4a7c15U);
  }
  [[nodiscard]] words filled() const {
    words all(length);
    for (std::size_t i = 0; i < length; ++i) all[i] = word(i);
    return all;
  }
};

inline std::int64_t count_of(const words& all) { return static_cast<std::int64_t>(all.size()); }

/// Of a message that was found or received, by a rank that expects `what` of rank `from`.
inline void check(const pure_status& status, int from, const message& what, const char* how) {
  const auto bytes = static_cast<std::int64_t>(what.length * sizeof(std::int64_t));
  if (status.source == from && status.tag == what.tag && status.bytes == bytes) return;
  fail(fmt::format("{}: {} bytes of rank {}, tag {}, not {} of rank {}, tag {}", how, status.bytes, status.source,
                   status.tag, bytes, from, what.tag));
}
/// What is behind it in `all` was 0.
inline void check(const words& all, const message& what) {
  for (std::size_t i = 0; i < what.length; ++i) {
    if (all[i] != what.word(i)) fail(fmt::format("word {} of {} with tag {} is wrong", i, what.length, what.tag));
  }
  for (std::size_t i = what.length; i < all.size(); ++i) {
    if (all[i] != 0) fail(fmt::format("word {}, behind a message of {}, has been written", i, what.length));
  }
}

/// A message that is taken back while no receive matches it. Its send may be complete before that, for its bytes may
/// have gone: then the message is there, whole, and otherwise not (MPI 5.0, 3.8.4). By both of a pair: `aside` is a
/// communicator of the two.
inline void cancel_one(bool is_mine, int partner, pure_comm aside, const message& what) {
  constexpr int outcome_tag = 99;
  const int other = pure_rank() < partner ? 1 : 0;
  words all = what.filled();
  int is_cancelled = 0;
  if (is_mine) {
    pure_request sent;
    pure_isend_msg(all.data(), count_of(all), PURE_INT64_T, partner, what.tag, PURE_COMM_WORLD, &sent);
    pure_cancel(&sent);
    pure_status status{};
    pure_wait(&sent, &status);
    is_cancelled = status.cancelled != 0 ? 1 : 0;
    pure_send_msg(&is_cancelled, 1, PURE_INT32_T, other, outcome_tag, aside);
    return;
  }
  pure_recv_msg(&is_cancelled, 1, PURE_INT32_T, other, outcome_tag, aside);
  int is_there = 0;
  pure_status status{};
  if (is_cancelled == 0) {
    pure_recv_msg(all.data(), count_of(all), PURE_INT64_T, partner, what.tag, PURE_COMM_WORLD, &status);
    check(status, partner, what, "received, though it was to be cancelled");
    check(all, what);
  }
  pure_iprobe(partner, what.tag, PURE_COMM_WORLD, &is_there, &status);
  if (is_there != 0) fail("a message that was cancelled, or received, is there");
}

/// The program `name`: FIRST_SEED ROUNDS. A round is made of its seed, the rank, its partner, the number of the pair
/// and a communicator of the two, and run.
template <class Round>
int run_rounds(const char* name, int argc, char** argv) {
  if (argc != 3 || pure_size() % 2 != 0) {
    fmt::print(stderr, "usage: {} FIRST_SEED ROUNDS, by an even number of ranks\n", name);
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const int rounds = std::atoi(argv[2]), half = pure_size() / 2, me = pure_rank();
  pure_comm pair;
  pure_comm_split(PURE_COMM_WORLD, me % half, me, &pair);
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(round);
    Round(seed, me, (me + half) % pure_size(), me % half, pair).run();
    if (seed % 5 == 0) pure_barrier(PURE_COMM_WORLD);
  }
  if (me == 0) fmt::print("{}: right\n", name);
  return 0;
}

}  // namespace net_pairs
