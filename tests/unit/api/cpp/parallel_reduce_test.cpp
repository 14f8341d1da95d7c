// pure::parallel_reduce: compared with its definition, computed serially; the same bits for any number of ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

namespace {

template <class Work>
void on_rank_0(int ranks, const Work& work) {
  pure::run(ranks, [&](pure::comm world) {
    if (world.rank() == 0) work();
    world.barrier();
  });
}

double term(std::size_t i) { return std::sin(static_cast<double>(i)) * std::pow(10.0, static_cast<double>(i % 17)); }

/// The definition.
double bracketed_sum(std::size_t size, std::size_t block) {
  double sum = 0.25;
  for (std::size_t first = 0; first < size; first += block) {
    double part = term(first);
    for (std::size_t i = first + 1; i < std::min(size, first + block); ++i) part += term(i);
    sum += part;
  }
  return sum;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

TEST(parallel_reduce, the_same_bits_for_any_number_of_ranks) {
  for (const int ranks : {1, 2, 3, 5}) {
    on_rank_0(ranks, [] {
      for (const std::size_t size : {0U, 1U, 2U, 1023U, 1024U, 1025U, 20'001U}) {
        for (int repetition = 0; repetition < 5; ++repetition) {
          EXPECT_EQ(bits(pure::parallel_reduce(0, size, 0.25, term, std::plus{})),
                    bits(bracketed_sum(size, size / 1024 + (size % 1024 != 0 ? 1 : 0) + (size == 0 ? 1 : 0))))
              << size;
          EXPECT_EQ(bits(pure::parallel_reduce(0, size, 0.25, term, std::plus{}, pure::chunk_size(7))),
                    bits(bracketed_sum(size, 7)));
          EXPECT_EQ(bits(pure::parallel_reduce(0, size, 0.25, term, std::plus{}, pure::chunk_size(1'000'000))),
                    bits(bracketed_sum(size, 1'000'000)));
        }
      }
    });
  }
}

TEST(parallel_reduce, timing_does_not_matter) {
  on_rank_0(3, [] {
    for (int repetition = 0; repetition < 20; ++repetition) {
      const auto slow = [&](std::size_t i) {
        if ((i + static_cast<std::size_t>(repetition)) % 97 == 0) std::this_thread::yield();
        return term(i);
      };
      EXPECT_EQ(bits(pure::parallel_reduce(0, std::size_t{3000}, 0.25, slow, std::plus{})),
                bits(bracketed_sum(3000, 3)));
    }
  });
}

TEST(parallel_reduce, order_is_kept) {
  for (const int ranks : {1, 2, 5}) {
    on_rank_0(ranks, [] {
      const auto letter = [](int i) { return std::string(1, static_cast<char>('a' + (i + 26 * 9) % 26)); };
      std::string wanted = ">";
      for (int i = -50; i < 3000; ++i) wanted += letter(i);
      EXPECT_EQ(pure::parallel_reduce(-50, 3000, std::string(">"), letter, std::plus{}), wanted);
    });
  }
}

TEST(parallel_reduce, containers_minimum_and_types_without_default) {
  struct largest {
    explicit largest(int x) : value(x) {}
    int value;
  };
  for (const int ranks : {1, 3}) {
    on_rank_0(ranks, [] {
      std::vector<int> values(9999);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7919 % 10007);
      EXPECT_EQ(pure::parallel_reduce(
                    values, 0L, [](int x) { return x; }, std::plus{}),
                std::accumulate(values.begin(), values.end(), 0L));
      EXPECT_EQ(pure::parallel_reduce(values, 1 << 30, std::identity{}, [](int a, int b) { return std::min(a, b); }),
                *std::ranges::min_element(values));
      const largest most = pure::parallel_reduce(
          values, largest(-1), [](int x) { return largest(x); },
          [](const largest& a, const largest& b) { return a.value < b.value ? b : a; });
      EXPECT_EQ(most.value, *std::ranges::max_element(values));
      EXPECT_TRUE(pure::parallel_reduce(
          values, true, [](int x) { return x >= 0; }, std::logical_and{}));
      EXPECT_EQ(pure::parallel_reduce(
                    3, 3, 42, [](int) { return 1; }, std::plus{}),
                42);
      EXPECT_EQ(pure::parallel_reduce(
                    3, -3, 42, [](int) { return 1; }, std::plus{}),
                42);
    });
  }
}

TEST(parallel_reduce, exceptions_of_the_body_and_of_combine) {
  for (const int ranks : {1, 3}) {
    on_rank_0(ranks, [] {
      const auto one = [](int) { return 1; };
      const auto bad = [](int i) { return i == 5000 ? throw std::domain_error("5000") : 1; };
      EXPECT_THROW((void)pure::parallel_reduce(0, 10'000, 0, bad, std::plus{}), std::domain_error);
      const auto limited = [](int a, int b) { return a + b > 5 ? throw std::range_error("more than 5") : a + b; };
      EXPECT_THROW((void)pure::parallel_reduce(0, 10'000, 0, one, limited), std::range_error);
      EXPECT_EQ(pure::parallel_reduce(0, 10'000, 0, one, std::plus{}), 10'000);
    });
  }
}

TEST(parallel_reduce, nested) {
  on_rank_0(2, [] {
    const auto row = [](long i) {
      return pure::parallel_reduce(
          0L, 100L, 0L, [&](long j) { return i * j; }, std::plus{});
    };
    EXPECT_EQ(pure::parallel_reduce(0L, 100L, 0L, row, std::plus{}), 4950L * 4950L);
  });
}

TEST(parallel_reduce, outside_a_rank) {
  for (const int size : {0, 10}) {
    try {
      (void)pure::parallel_reduce(
          0, size, 0, [](int) { return 1; }, std::plus{});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const pure::Error& error) {
      EXPECT_EQ(error.code(), pure::errc::state);
      EXPECT_NE(std::string(error.what()).find("parallel_reduce: called outside a rank"), std::string::npos);
    }
  }
}

}  // namespace
