// The sum of a buffer's words, for rows in which whoever has got a block reads all of it.
#pragma once

#include <cstddef>

#include "bench.hpp"

namespace bench {

/// Reads all words; aborts if their sum is not that of fill(key).
inline void check_sum(buffer& of, long key) {
  const long n = static_cast<long>(of.size());
  const long expected = n * key + n * (n - 1) / 2;
  const long* const words = of.data();
  long sum = 0;
  for (long i = 0; i < n; ++i) sum += words[i];
  check(sum == expected, "sum of the words", of.bytes(), expected, sum);
}

}  // namespace bench
