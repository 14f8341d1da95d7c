// All-reduce as OpenMP programs write it, inside one parallel region. See allreduce.cpp.
#pragma once

#include "team.hpp"

namespace {

/// A reduction clause on a loop with one iteration for each thread. The sum is added to what the shared variable held,
/// so it must be zeroed before; three variables in turn make that possible without a barrier more: the one that a
/// repetition zeroes was read two repetitions ago, and is needed in the next.
class with_clause {
 public:
  with_clause(int threads, std::size_t bytes) : threads_(threads), count_(bytes / sizeof(double)) {
    for (int t = 0; t < threads; ++t) in_.emplace_back(count_);
    for (int k = 0; k < 3; ++k) {
      shared_.emplace_back(count_);
      sums_[k] = shared_.back().data();
    }
  }

  void prepare(int me, long rep) {
    bench::write_words(in_[static_cast<std::size_t>(me)].data(), count_, bench::first_word(rep, me));
    if (me == 0) std::fill_n(sums_[(rep + 1) % 3], count_, 0.0);
  }
  void run(int, long rep) {
    double*& sums = sums_[rep % 3];
    if (count_ == 1) {
      double& sum = *sums;
#pragma omp for schedule(static, 1) reduction(+ : sum)
      for (int t = 0; t < threads_; ++t) sum += *in_[static_cast<std::size_t>(t)].data();
    } else {
#pragma omp for schedule(static, 1) reduction(+ : sums[:count_])
      for (int t = 0; t < threads_; ++t) {
        const double* mine = in_[static_cast<std::size_t>(t)].data();
        for (std::size_t i = 0; i < count_; ++i) sums[i] += mine[i];
      }
    }
  }
  void consume(int, long rep) {
    bench::check_words(sums_[rep % 3], count_, bench::first_word_of_sum(rep, 0, threads_ - 1), threads_, "sum");
  }

 private:
  int threads_;
  std::size_t count_;
  std::vector<bench::doubles> in_;
  std::vector<bench::doubles> shared_;
  double* sums_[3];
};

/// A loop over the elements, shared between the threads, each of which adds the vectors of all.
class with_loop {
 public:
  with_loop(int threads, std::size_t bytes) : threads_(threads), count_(bytes / sizeof(double)), sums_(count_) {
    for (int t = 0; t < threads; ++t) in_.emplace_back(count_);
  }

  void prepare(int me, long rep) {
    bench::write_words(in_[static_cast<std::size_t>(me)].data(), count_, bench::first_word(rep, me));
  }
  void run(int, long) {
#pragma omp barrier
    const double* first = in_[0].data();
    const double* second = in_[threads_ > 1 ? 1 : 0].data();
    double* sums = sums_.data();
    if (threads_ == 2) {
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < count_; ++i) sums[i] = first[i] + second[i];
    } else {
#pragma omp for schedule(static)
      for (std::size_t i = 0; i < count_; ++i) {
        double sum = first[i];
        for (int t = 1; t < threads_; ++t) sum += in_[static_cast<std::size_t>(t)].data()[i];
        sums[i] = sum;
      }
    }
  }
  void consume(int, long rep) {
    bench::check_words(sums_.data(), count_, bench::first_word_of_sum(rep, 0, threads_ - 1), threads_, "sum");
  }

 private:
  int threads_;
  std::size_t count_;
  std::vector<bench::doubles> in_;
  bench::doubles sums_;
};

template <class Way>
auto seconds_of(const bench::session& s, Way& way, long& next, std::size_t bytes) {
  return [&s, &way, &next, bytes](long count) {
    const double seconds = bench::team_seconds(s, way, next, count, bytes > bench::largest_in_a_loop);
    next += count;
    return seconds;
  };
}

void measure(bench::session& s, std::size_t bytes) {
  long next = 0;
  const std::string name = bench::size_name(bytes);
  with_loop loop(s.threads(), bytes);
  if (bytes > bench::MB) {  // the clause would need the vector on each thread's stack
    return s.measure(name, bytes, seconds_of(s, loop, next, bytes), bench::us_per());
  }
  with_clause clause(s.threads(), bytes);
  s.measure_best(name, bytes, bench::us_per(), seconds_of(s, clause, next, bytes), seconds_of(s, loop, next, bytes));
}

}  // namespace
