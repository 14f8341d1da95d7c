// Chunks: whatever the numbers, every index is in exactly one chunk, and chunks are as equal as they can be.
#include "task/chunks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/oracle/dice.hpp"

namespace pure::core {
namespace {

struct plan {
  std::size_t size, per_unit, chunks;
};

void check(const plan& p) {
  SCOPED_TRACE(testing::Message() << p.size << " items, units of " << p.per_unit << ", " << p.chunks << " chunks");
  std::size_t next = 0, smallest = p.size, largest = 0;
  for (std::size_t chunk = 0; chunk < p.chunks; ++chunk) {
    const index_span span = items_of_chunks(p.size, p.per_unit, chunk, chunk, p.chunks);
    ASSERT_EQ(span.first, std::min(next, p.size)) << "chunk " << chunk << " begins where the one before it ends";
    next = span.first + span.count;
    if (span.count > 0) {
      ASSERT_EQ(span.first % p.per_unit, 0U) << "no unit is parted";
    }
    const std::size_t units = (span.count + p.per_unit - 1) / p.per_unit;
    smallest = std::min(smallest, units);
    largest = std::max(largest, units);
  }
  ASSERT_EQ(next, p.size) << "the last chunk ends with the array";
  ASSERT_LE(largest - std::min(smallest, largest), 1U) << "chunks differ by at most one unit";
}

TEST(chunks, cover_everything_once) {
  for (const std::size_t size : {0U, 1U, 2U, 7U, 8U, 9U, 63U, 64U, 65U, 1000U}) {
    for (const std::size_t per_unit : {1U, 3U, 8U, 64U}) {
      for (const std::size_t chunks : {1U, 2U, 3U, 7U, 64U, 1000U}) check({size, per_unit, chunks});
    }
  }
}

TEST(chunks, cover_random_sizes) {
  oracle::dice dice(1);
  for (int i = 0; i < 2000; ++i) {
    check({dice.below<std::size_t>(i % 2 == 0 ? 200 : 10'000'000), 1 + dice.below<std::size_t>(70),
           1 + dice.below<std::size_t>(300)});
  }
  check({std::size_t{1} << 60, 8, 4096});
}

TEST(chunks, remainders_are_spread_evenly) {
  for (std::size_t size = 1; size < 200; ++size) {
    for (const std::size_t chunks : {2U, 3U, 7U, 64U}) {
      for (std::size_t end = 0; end < chunks; ++end) {
        const double share = static_cast<double>(size) * static_cast<double>(end + 1) / static_cast<double>(chunks);
        const std::size_t found = items_of_chunks(size, 1, 0, end, chunks).count;
        ASSERT_LT(std::abs(static_cast<double>(found) - share), 1)
            << size << " in chunks 0.." << end << " of " << chunks;
      }
    }
  }
}

TEST(chunks, a_range_of_chunks_is_the_union_of_its_chunks) {
  oracle::dice dice(2);
  for (int i = 0; i < 2000; ++i) {
    const std::size_t size = dice.below<std::size_t>(5000), per_unit = 1 + dice.below<std::size_t>(20);
    const std::size_t chunks = 1 + dice.below<std::size_t>(100);
    const std::size_t start = dice.below(chunks), end = start + dice.below(chunks - start);
    std::size_t count = 0;
    for (std::size_t chunk = start; chunk <= end; ++chunk)
      count += items_of_chunks(size, per_unit, chunk, chunk, chunks).count;
    const index_span whole = items_of_chunks(size, per_unit, start, end, chunks);
    EXPECT_EQ(whole.count, count);
    EXPECT_EQ(whole.first, items_of_chunks(size, per_unit, start, start, chunks).first);
  }
}

}  // namespace
}  // namespace pure::core
