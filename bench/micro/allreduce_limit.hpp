// The system limit of allreduce.cpp: the reads and writes of an all-reduce, without any synchronisation within it.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "team.hpp"

namespace {

/// Thread i's part of all vectors is added and written to all results.
class plain_sums {
 public:
  plain_sums(int threads, std::size_t bytes)
      : threads_(static_cast<std::size_t>(threads)), count_(bytes / sizeof(double)), done_(threads) {
    for (std::size_t t = 0; t < threads_; ++t) {
      in_.emplace_back(count_);
      out_.emplace_back(count_);
    }
  }

  void prepare(int me, long rep) {
    bench::write_words(in_[static_cast<std::size_t>(me)].data(), count_, bench::first_word(rep, me));
  }
  void run(int me, long) {
    const auto [first, last] = part(me);
    if (threads_ == 2) return add_two(first, last);
    constexpr std::size_t piece = 256;
    double sums[piece];
    for (std::size_t at = first; at < last; at += piece) {
      const std::size_t n = std::min(piece, last - at);
      std::copy_n(in_[0].data() + at, n, sums);
      for (std::size_t t = 1; t < threads_; ++t) {
        const double* other = in_[t].data() + at;
        for (std::size_t i = 0; i < n; ++i) sums[i] += other[i];
      }
      for (std::size_t t = 0; t < threads_; ++t) std::copy_n(sums, n, out_[t].data() + at);
    }
  }
  void consume(int me, long rep) {
    done_.meet();  // not timed: run() itself waits for nobody
    const int n = static_cast<int>(threads_);
    const double first = bench::first_word_of_sum(rep, 0, n - 1);
    bench::check_words(out_[static_cast<std::size_t>(me)].data(), count_, first, n, "sum");
  }

 protected:
  std::pair<std::size_t, std::size_t> part(int me) const {
    const auto i = static_cast<std::size_t>(me);
    return {count_ * i / threads_, count_ * (i + 1) / threads_};
  }
  void add_two(std::size_t first, std::size_t last) {
    const double* __restrict a = in_[0].data();
    const double* __restrict b = in_[1].data();
    double* __restrict x = out_[0].data();
    double* __restrict y = out_[1].data();
    for (std::size_t i = first; i < last; ++i) {
      const double sum = a[i] + b[i];
      x[i] = sum;
      y[i] = sum;
    }
  }

  std::size_t threads_;
  std::size_t count_;
  std::vector<bench::doubles> in_;
  std::vector<bench::doubles> out_;
  bench::meeting_point done_;
};

#if defined(__SSE2__)

/// The same for two threads with stores that go past the caches, so that no line is read because it is written.
class streamed_sums : public plain_sums {
 public:
  using plain_sums::plain_sums;

  void run(int me, long rep) {
    if (threads_ != 2) return plain_sums::run(me, rep);
    const auto [first, last] = part(me);  // whole lines: the least vector that is measured has 64 KB
    const double* a = in_[0].data();
    const double* b = in_[1].data();
    for (std::size_t i = first; i < last; i += 2) {
      const __m128d sum = _mm_add_pd(_mm_load_pd(a + i), _mm_load_pd(b + i));
      _mm_stream_pd(out_[0].data() + i, sum);
      _mm_stream_pd(out_[1].data() + i, sum);
    }
    _mm_sfence();
  }
};

#else
using streamed_sums = plain_sums;
#endif

template <class Sums>
auto seconds_of(const bench::session& s, Sums& sums, long& next) {
  return [&s, &sums, &next](long count) {
    const double seconds = bench::team_seconds(s, sums, next, count, true);
    next += count;
    return seconds;
  };
}

void measure(bench::session& s, std::size_t bytes) {
  if (bytes < 64 * bench::KB) return;
  plain_sums plain(s.threads(), bytes);
  streamed_sums streamed(s.threads(), bytes);
  long next = 0;
  s.measure_best(bench::size_name(bytes), bytes, bench::us_per(), seconds_of(s, plain, next),
                 seconds_of(s, streamed, next));
}

}  // namespace
