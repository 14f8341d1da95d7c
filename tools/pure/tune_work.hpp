// One repetition of a collective, as `pure bench tune` measures it: what is sent is written anew by its owner before,
// and what is received is read and checked after (bench/micro/collective.hpp says why).
//
// In repetitions that follow each other without a pause, rooted collectives and scans are chained: the next starts at
// a rank that has just got the last result, so that no rank runs ahead.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

#include <pure.h>

#include "coll/tuning.hpp"

namespace pure::tool {

/// What one rank sends to each other, or the vector that it contributes, in doubles, when `bytes` are compared with the
/// copied_bytes of a row; 0 if there is no such size.
std::size_t words_of(detail::collective kind, int ranks, std::size_t bytes) noexcept;

/// The bytes of buffers that all ranks together need for that.
std::size_t buffer_bytes(detail::collective kind, int ranks, std::size_t bytes) noexcept;

/// Every rank of the job makes one and calls prepare(rep), run(rep), consume(rep) for rep = 0, 1, 2, ...
class tune_work {
 public:
  /// `reversed`: all ranks in the opposite order. For a scan.
  tune_work(detail::collective kind, std::size_t bytes, pure_comm reversed);

  void prepare(long rep);
  void run(long rep);
  /// Throws std::runtime_error if a word is wrong.
  void consume(long rep);

 private:
  struct deleter {
    void operator()(double* words) const { std::free(words); }
  };
  using words = std::unique_ptr<double[], deleter>;
  static words make(std::size_t count);

  [[nodiscard]] int root(long rep) const noexcept;

  const detail::collective kind_;
  const pure_comm reversed_;
  const int ranks_;
  const int rank_;
  const std::size_t count_;  // words_of()
  words send_;
  words recv_;
};

}  // namespace pure::tool
