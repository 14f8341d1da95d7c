// Small items for random ranks: how each kind of program sends them. By an aggregation (Pure); by all-to-all, of many
// items at once; by a message an item. See bench.hpp.
//
// A benchmark has a run_benchmark(session, job): Pure's aggregations are made on job.world, in C++ as users write it.
#pragma once

#if defined(BENCH_PURE)
#define PURE_MAIN_RUNS_ONCE
#include <pure/pure.hpp>
#endif

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "bench.hpp"

namespace bench {

/// A good hash of any 64-bit number (Steele, Lea, Flood, 2014).
inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

inline void alltoallv(const void* in, const std::vector<std::size_t>& in_bytes, void* out,
                      const std::vector<std::size_t>& out_bytes) {
#if defined(BENCH_PURE)
  using count = std::int64_t;
#elif defined(BENCH_MPI)
  using count = int;
#endif
  const std::size_t ranks = in_bytes.size();
  std::vector<count> counts[2], starts[2];
  for (int side = 0; side < 2; ++side) {
    count next = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      counts[side].push_back(static_cast<count>((side == 0 ? in_bytes : out_bytes)[r]));
      starts[side].push_back(next);
      next += counts[side][r];
    }
  }
#if defined(BENCH_PURE)
  pure_alltoallv(in, counts[0].data(), starts[0].data(), PURE_BYTE, out, counts[1].data(), starts[1].data(), PURE_BYTE,
                 PURE_COMM_WORLD);
#else
  MPI_Alltoallv(in, counts[0].data(), starts[0].data(), MPI_BYTE, out, counts[1].data(), starts[1].data(), MPI_BYTE,
                MPI_COMM_WORLD);
#endif
}

/// Items for all ranks, which are exchanged at once: counted, packed, sent.
template <class Item>
class exchange {
 public:
  void add(const Item& item, int dest) {
    items_.push_back(item);
    dests_.push_back(dest);
  }
  /// The items for this rank, by sender. Collective.
  const std::vector<Item>& run() {
    const auto ranks = static_cast<std::size_t>(size());
    std::vector<double> mine(ranks), theirs(ranks);
    for (const int dest : dests_) ++mine[static_cast<std::size_t>(dest)];
    alltoall(mine.data(), theirs.data(), 1);
    std::vector<std::size_t> next(ranks), in(ranks), out(ranks);
    std::size_t sent = 0, received = 0;
    for (std::size_t r = 0; r < ranks; ++r) {
      next[r] = sent;
      sent += static_cast<std::size_t>(mine[r]);
      received += static_cast<std::size_t>(theirs[r]);
      in[r] = static_cast<std::size_t>(mine[r]) * sizeof(Item);
      out[r] = static_cast<std::size_t>(theirs[r]) * sizeof(Item);
    }
    packed_.resize(sent);
    got_.resize(received);
    for (std::size_t i = 0; i < items_.size(); ++i) packed_[next[static_cast<std::size_t>(dests_[i])]++] = items_[i];
    alltoallv(packed_.data(), in, got_.data(), out);
    senders_ = out;
    items_.clear();
    dests_.clear();
    return got_;
  }
  /// How many items of the last run have come from that rank.
  std::size_t from(int rank) const { return senders_[static_cast<std::size_t>(rank)] / sizeof(Item); }

 private:
  std::vector<Item> items_, packed_, got_;
  std::vector<int> dests_;
  std::vector<std::size_t> senders_;
};

/// A message for each item, in blocks: a rank sends its items of a block, and a last message to each other rank; then
/// it receives until the last message of each.
template <class Item>
class message_each {
 public:
  static constexpr std::size_t block = 1024;

  explicit message_each(const Item& last) : last_(last) {
    requests_.reserve(block + static_cast<std::size_t>(size()));
    waiting_.reserve(block);
  }
  template <class Handle>
  void add(const Item& item, int dest, Handle handle) {
    if (dest == rank()) return handle(item);
    waiting_.push_back(item);
    requests_.push_back(isend(&waiting_.back(), sizeof item, dest, tag));
  }
  bool is_full() const { return waiting_.size() == block; }
  /// All ranks do it as often.
  template <class Handle>
  void end_block(Handle handle) {
    for (int r = 0; r < size(); ++r) {
      if (r != rank()) requests_.push_back(isend(&last_, sizeof last_, r, tag));
    }
    for (int r = 0; r < size(); ++r) {
      while (r != rank()) {
        Item item;
        recv(&item, sizeof item, r, tag);
        if (std::memcmp(&item, &last_, sizeof item) == 0) break;
        handle(item);
      }
    }
    waitall(static_cast<int>(requests_.size()), requests_.data());
    requests_.clear();
    waiting_.clear();
  }

 private:
  static constexpr int tag = 11;
  const Item last_;
  std::vector<Item> waiting_;
  std::vector<request> requests_;
};

/// Of all ranks.
inline double sum(double mine) {
  double all = 0;
  allreduce(&mine, &all, 1);
  return all;
}

struct job {
#if defined(BENCH_PURE)
  pure::comm& world;
#endif
};

#if defined(BENCH_PURE)
struct named_scheme {
  const char* name;
  pure::scheme how;
};
inline constexpr named_scheme all_schemes[] = {{"WW", pure::scheme::ww},
                                               {"WPs", pure::scheme::wps},
                                               {"WsP", pure::scheme::wsp},
                                               {"PP", pure::scheme::pp},
                                               {"automatic", pure::scheme::automatic}};
#endif

/// main(): `act(session, job)` on each rank.
template <class Act>
int run_items(int argc, char** argv, Act act) {
#if defined(BENCH_PURE)
  return pure::run(argc, argv, [&](pure::comm world) {
    session here(argc, argv);
    act(here, job{world});
    return 0;
  });
#else
  session here(argc, argv);
  act(here, job{});
  return 0;
#endif
}

}  // namespace bench
