// Collectives on very many communicators: at once, and one after the other in constant memory.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"
#include "support/oracle/dice.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::world;

int rank_in(pure_comm comm) {
  int rank = -1;
  pure_comm_rank(comm, &rank);
  return rank;
}
int size_of(pure_comm comm) {
  int size = -1;
  pure_comm_size(comm, &size);
  return size;
}

/// Duplicates, halves, ranks in reverse, and halves of halves.
std::vector<pure_comm> make_many(int count) {
  std::vector<pure_comm> all{world};
  const int me = pure_rank();
  for (int i = 1; i < count; ++i) {
    pure_comm made = PURE_COMM_NULL;
    const pure_comm from = all[static_cast<std::size_t>(i) / 2];
    switch (i % 3) {
      case 0: pure_comm_dup(from, &made); break;
      case 1: pure_comm_split(from, 0, -rank_in(from), &made); break;
      default: pure_comm_split(from, me % 2, 0, &made); break;
    }
    all.push_back(made);
  }
  return all;
}

class many_communicators : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(ranks, many_communicators, testing::Values(2, 4, 7));

TEST_P(many_communicators, at_once) {
  constexpr std::size_t count = 200;
  pure::run(GetParam(), [&] {
    std::vector<pure_comm> all = make_many(count);
    oracle::dice dice(test_support::first_seed() + static_cast<std::uint64_t>(pure_rank()));
    for (int round = 0; round < test_support::repetitions(10); ++round) {
      // Blocking ones, on one after the other.
      for (std::size_t i = 0; i < count; ++i) {
        const long mine = static_cast<long>(i) + rank_in(all[i]);
        long sum = 0;
        pure_allreduce(&mine, &sum, 1, PURE_LONG, PURE_SUM, all[i]);
        const long n = size_of(all[i]);
        ASSERT_EQ(sum, n * static_cast<long>(i) + n * (n - 1) / 2) << "communicator " << i;
      }
      // And two on all of them in flight, completed in any order.
      std::vector<long> roots(count), sums(count);
      std::vector<pure_request> requests(2 * count, PURE_REQUEST_NULL);
      for (std::size_t i = 0; i < count; ++i) {
        const int root = static_cast<int>(i) % size_of(all[i]);
        roots[i] = rank_in(all[i]) == root ? static_cast<long>(1000 * i) + round : -1;
        sums[i] = static_cast<long>(i);
        pure_ibcast(&roots[i], 1, PURE_LONG, root, all[i], &requests[2 * i]);
        pure_iallreduce(PURE_IN_PLACE, &sums[i], 1, PURE_LONG, PURE_SUM, all[i], &requests[2 * i + 1]);
      }
      dice.shuffle(requests);
      pure_waitall(static_cast<int>(requests.size()), requests.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(roots[i], static_cast<long>(1000 * i) + round) << "communicator " << i;
        ASSERT_EQ(sums[i], static_cast<long>(i) * size_of(all[i])) << "communicator " << i;
      }
    }
    for (std::size_t i = count; --i > 0;) pure_comm_free(&all[i]);
  });
}

long resident_kib() {
  long pages = 0, resident = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  const int found = std::fscanf(file, "%ld %ld", &pages, &resident);
  std::fclose(file);
  return found == 2 ? resident * 4 : 0;
}

TEST_P(many_communicators, one_after_the_other_in_constant_memory) {
  const int cycles = test_support::repetitions(20'000) / GetParam() * 2;
  long before = 0, after = 0;
  pure::run(GetParam(), [&] {
    const int me = pure_rank();
    for (int i = 0; i < cycles; ++i) {
      if (i == cycles / 4 && me == 0) before = resident_kib();
      pure_comm made = PURE_COMM_NULL;
      if (i % 2 == 0) {
        pure_comm_dup(world, &made);
      } else {
        pure_comm_split(world, i % 3 == 0 ? me % 2 : 0, -me, &made);
      }
      pure_barrier(made);
      int one = 1, sum = 0;
      pure_allreduce(&one, &sum, 1, PURE_INT, PURE_SUM, made);
      ASSERT_EQ(sum, size_of(made));
      if (i % 16 == 0) {  // large ones need buffers of their own
        std::vector<double> mine(20'000, 1), all(mine.size());
        pure_allreduce(mine.data(), all.data(), 20'000, PURE_DOUBLE, PURE_SUM, made);
        ASSERT_EQ(all.back(), sum);
      }
      pure_comm_free(&made);
    }
    if (me == 0) after = resident_kib();
  });
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)  // they keep what is freed
  EXPECT_LT(after - before, 1024) << "KiB more after " << cycles << " cycles; " << before << " KiB before";
#endif
}

}  // namespace
