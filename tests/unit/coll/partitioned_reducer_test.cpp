// Reductions of data that is lent: all ranks combine pieces of it, in every one of many that follow one another.
#include "coll/partitioned_reducer.hpp"

#include <pure.h>

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "support/pure_h.hpp"

namespace pure::core {
namespace {

constexpr int elements = 20'000;  // too many to be copied

/// Element i is first + i.
std::vector<int> counted_from(int first) {
  std::vector<int> all(elements);
  std::iota(all.begin(), all.end(), first);
  return all;
}

/// The sum of those of `ranks` ranks, each of which begins one later.
std::vector<int> sums_from(int first, int ranks) {
  std::vector<int> all = counted_from(first);
  for (int& each : all) each = each * ranks + ranks * (ranks - 1) / 2;
  return all;
}

TEST(partitioned_reducer, every_piece_is_combined_in_each_of_many_calls) {
  for (const int ranks : {2, 3}) {
    test_support::on_ranks(ranks, [ranks](int me) {
      for (int round = 0; round < 3 * static_cast<int>(dropbox::slots); ++round) {
        const std::vector<int> in = counted_from(round + me);
        std::vector<int> sum(elements, -1), before(elements, -1);
        EXPECT_OK(pure_allreduce(in.data(), sum.data(), elements, PURE_INT, PURE_SUM, PURE_COMM_WORLD));
        EXPECT_TRUE(sum == sums_from(round, ranks)) << round;
        EXPECT_OK(pure_scan(in.data(), before.data(), elements, PURE_INT, PURE_SUM, PURE_COMM_WORLD));
        EXPECT_TRUE(before == sums_from(round, me + 1)) << round;
      }
    });
  }
}

}  // namespace
}  // namespace pure::core
