// What the benchmarks of collectives share: how a repetition is timed, and the values that are sent and checked.
//
// A benchmark describes one repetition by an object with three functions, which every rank calls in this order:
//   prepare(rep)   writes anew every word that this rank contributes; values depend on repetition, rank and place
//   run(rep)       the collective
//   consume(rep)   reads and checks every word that this rank got
// So what is sent was always just written by its owner, whose cache has it, and what is received is always read.
//
// Up to 1 KB, the repetitions are one loop with nothing between them, and writing and checking are part of the time:
// some tens of nanoseconds, less than what reading a clock in each repetition would blur. A collective in which no rank
// waits for all others is then arranged so that a repetition cannot start before the one before has reached its last
// rank: see bcast.cpp, reduce.cpp and scan.cpp.
//
// From 8 KB, each repetition is timed alone, without writing and checking. The ranks meet (by messages, not timed) when
// all have prepared, and start at a moment that they have agreed on; where ranks share a core they start as soon as
// they have met. The time is from the first rank that starts to the last that returns.
#pragma once

#include <array>
#include <bit>
#include <memory>

#include "bench.hpp"

namespace bench {

inline constexpr sizes collective_sizes = {8, 64, KB, 8 * KB, 64 * KB, 256 * KB, MB, 8 * MB};
inline constexpr std::size_t largest_in_a_loop = KB;

// ---- values
// -----------------------------------------------------------------------------------------------------------

/// Page-aligned, first touched by the rank that makes them.
class doubles {
 public:
  explicit doubles(std::size_t count)
      : words_(static_cast<double*>(std::aligned_alloc(4096, (count * sizeof(double) + 4095) / 4096 * 4096))) {
    if (words_ == nullptr) {
      std::fprintf(stderr, "no memory for %zu doubles\n", count);
      abort_job();
    }
    std::fill_n(words_.get(), count, 0.0);
  }
  double* data() const { return words_.get(); }

 private:
  struct deleter {
    void operator()(double* words) const { std::free(words); }
  };
  std::unique_ptr<double[], deleter> words_;
};

/// The first word of what rank `from` contributes (for rank `to`) to a repetition. Sums stay exact: far below 2^53.
inline double first_word(long rep, int from, int to = 0) {
  return static_cast<double>(rep + 0x400'0000L * from + 0x8000'0000L * to);
}

// 0, 1, 2, ...: adding a number from a table is faster than to convert one.
inline constexpr auto ramp = [] {
  std::array<double, 128> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i);
  return numbers;
}();

/// Word i becomes first + i.
inline void write_words(double* words, std::size_t count, double first) {
  for (std::size_t at = 0; at < count; at += ramp.size()) {
    const std::size_t n = std::min(ramp.size(), count - at);
    const double start = first + static_cast<double>(at);
    for (std::size_t i = 0; i < n; ++i) words[at + i] = start + ramp[i];
  }
}

/// Aborts unless word i is first + i * slope, for every i: the sum of `slope` ranks' words has that slope.
inline void check_words(const double* words, std::size_t count, double first, int slope, const char* what) {
  for (std::size_t at = 0; at < count; at += ramp.size()) {
    const std::size_t n = std::min(ramp.size(), count - at);
    const double start = first + slope * static_cast<double>(at);
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i) {
      wrong |= std::bit_cast<std::uint64_t>(words[at + i]) ^ std::bit_cast<std::uint64_t>(start + slope * ramp[i]);
    }
    if (wrong != 0) [[unlikely]] {
      std::size_t i = 0;
      while (words[at + i] == start + slope * ramp[i]) ++i;
      fail(what, count * sizeof(double), static_cast<long>(start + slope * ramp[i]), static_cast<long>(words[at + i]));
    }
  }
}

/// The first word of the sum of what ranks first..last contribute.
inline double first_word_of_sum(long rep, int first, int last) {
  double sum = 0;
  for (int r = first; r <= last; ++r) sum += first_word(rep, r);
  return sum;
}

// ---- timing
// -----------------------------------------------------------------------------------------------------------

struct span {
  double start = 0;
  double end = 0;
};
using spans = std::vector<span>;  // one for each repetition

/// Repetitions first..first + count - 1 of one rank, each timed alone. `meet` returns when all ranks are there.
template <class Work, class Meet>
spans time_each(Work& work, long first, long count, Meet&& meet) {
  spans mine(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) {
    span& s = mine[static_cast<std::size_t>(i)];
    work.prepare(first + i);
    meet();
    s.start = now();
    work.run(first + i);
    s.end = now();
    work.consume(first + i);
  }
  return mine;
}

template <class Work>
void repeat(Work& work, long first, long count) {
  for (long rep = first; rep < first + count; ++rep) {
    work.prepare(rep);
    work.run(rep);
    work.consume(rep);
  }
}

/// The seconds of all repetitions: each from the first rank that started to the last that ended.
inline double total_seconds(const std::vector<spans>& of_ranks) {
  double sum = 0;
  for (std::size_t i = 0; i < of_ranks.front().size(); ++i) {
    span all = of_ranks.front()[i];
    for (const spans& s : of_ranks) all = {std::min(all.start, s[i].start), std::max(all.end, s[i].end)};
    sum += all.end - all.start;
  }
  return sum;
}

/// How long before it, in seconds, ranks of one process are told of a moment: enough for each to learn of it.
inline double lead_to_start(int ranks) { return 1e-6 * (ranks + 1); }
/// Waits on the clock.
inline void wait_until_moment(double moment) {
  while (now() < moment) {
  }
}

#if !defined(BENCH_NO_MESSAGES)

inline constexpr int collective_tag = 32'010;

/// `lead`: what rank 0 needs to tell the others of a moment, in seconds.
inline void meet(const session& s, double lead) {
  message_barrier(collective_tag);
  if (s.crowded()) return;  // who waits on the clock would keep others from running
  double moment = now() + lead;
  if (rank() != 0) {
    recv(&moment, sizeof moment, 0, collective_tag + 1);
  } else {
    for (int r = 1; r < size(); ++r) send(&moment, sizeof moment, r, collective_tag + 1);
  }
  wait_until_moment(moment);
}

/// On rank 0: the spans of every rank. Collective.
inline std::vector<spans> gather(const spans& mine) {
  const std::size_t bytes = mine.size() * sizeof(span);
  std::vector<spans> all;
  if (rank() != 0) {
    send(mine.data(), bytes, 0, collective_tag + 2);
    return all;
  }
  all.push_back(mine);
  for (int r = 1; r < size(); ++r) {
    all.emplace_back(mine.size());
    recv(all.back().data(), bytes, r, collective_tag + 2);
  }
  return all;
}

/// One case: the microseconds of a repetition. `bytes` decides how it is timed; see the head comment.
template <class Work>
void measure_collective(session& s, const std::string& name, std::size_t bytes, Work&& work, double lead) {
  long next = 0;  // the same on all ranks
  if (bytes <= largest_in_a_loop) {
    auto body = [&](long count) {
      repeat(work, next, count);
      next += count;
    };
    s.measure(name, bytes, body, us_per());
  } else {
    auto body = [&](long count) {
      const auto all = gather(time_each(work, next, count, [&] { meet(s, lead); }));
      next += count;
      return rank() == 0 ? total_seconds(all) : 0.0;
    };
    s.measure(name, bytes, body, us_per());
  }
}
template <class Work>
void measure_collective(session& s, std::size_t bytes, Work&& work) {
  measure_collective(s, size_name(bytes), bytes, work, lead_to_start(size()));
}

#endif

}  // namespace bench
