// PureTask and its index ranges, as the paper uses them (PPoPP '24, 3.2 and Listing 2).
#include <pure.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/environment.hpp"

namespace {

using test_support::environment;

struct cache_line {
  alignas(64) char bytes[64];
};
struct three_lines {
  char bytes[192];
};

/// How often each index of an array is in the range of some chunk.
template <class T, bool aligned>
std::vector<int> covered(std::size_t size) {
  std::vector<int> times(size, 0);
  PureTask task = [&](chunk_id_t start_chunk, chunk_id_t end_chunk, std::optional<void*>) {
    const auto [min_idx, max_idx] = aligned ? pure_aligned_idx_range<T>(size, start_chunk, end_chunk)
                                            : pure_unaligned_idx_range<T>(size, start_chunk, end_chunk);
    for (auto i = min_idx; i <= max_idx; ++i) ++times[static_cast<std::size_t>(i)];
    if (min_idx > max_idx) {
      EXPECT_EQ(min_idx, 0);
      EXPECT_EQ(max_idx, -1) << "an empty range";
    } else if (aligned) {
      EXPECT_EQ(static_cast<std::size_t>(min_idx) * sizeof(T) % 64, 0U) << "chunks begin with a cache line";
    }
  };
  task.execute();
  return times;
}

TEST(paper_task, every_index_is_in_one_chunk) {
  for (const char* const chunks : {"1", "2", "7", "64", "4096"}) {
    const environment setting{{"PURE_MAX_TASK_CHUNKS", chunks}};
    pure::run(1, [] {
      for (const std::size_t size : {0U, 1U, 7U, 8U, 9U, 100U, 1000U, 5001U}) {
        const std::vector<int> once(size, 1);
        EXPECT_EQ((covered<double, true>(size)), once) << size;
        EXPECT_EQ((covered<double, false>(size)), once) << size;
        EXPECT_EQ((covered<char, true>(size)), once) << size;
        EXPECT_EQ((covered<cache_line, true>(size)), once) << size;
        EXPECT_EQ((covered<three_lines, true>(size)), once) << size;
      }
    });
  }
}

TEST(paper_task, the_slides_form_of_the_ranges) {
  pure::run(1, [] {
    std::vector<int> times(1000, 0), times_unaligned(1000, 0);
    PureTask task = [&](chunk_id_t chunk) {
      const auto [first, last] = pure_aligned_idx_range<int>(1000, chunk);
      for (auto i = first; i <= last; ++i) ++times[static_cast<std::size_t>(i)];
      const auto [from, to] = pure_unaligned_idx_range<int>(1000, chunk);
      for (auto i = from; i <= to; ++i) ++times_unaligned[static_cast<std::size_t>(i)];
    };
    task.execute();
    EXPECT_EQ(times, std::vector<int>(1000, 1));
    EXPECT_EQ(times_unaligned, std::vector<int>(1000, 1));
  });
}

TEST(paper_task, bodies_of_all_three_forms) {
  pure::run(2, [] {
    std::vector<int> chunks(64, 0);
    const auto count = [&](chunk_id_t start, chunk_id_t end) {
      EXPECT_LE(start, end);
      for (chunk_id_t chunk = start; chunk <= end; ++chunk) ++chunks.at(chunk);
    };
    PureTask full([&](chunk_id_t start, chunk_id_t end, std::optional<void*> args) {
      EXPECT_FALSE(args.has_value());
      count(start, end);
    });
    PureTask two = [&](chunk_id_t start, chunk_id_t end) { count(start, end); };
    PureTask one = [&](chunk_id_t chunk) { count(chunk, chunk); };
    full.execute();
    two.execute();
    one.execute();
    EXPECT_EQ(chunks, std::vector<int>(64, 3)) << "each chunk once per task";
    two.execute();
    EXPECT_EQ(chunks, std::vector<int>(64, 4)) << "a task may be executed again";
  });
}

TEST(paper_task, arguments_of_one_execution) {
  pure::run(1, [] {
    struct arguments {
      double factor;
      double sum;
    };
    std::vector<double> values(100);
    std::iota(values.begin(), values.end(), 0.0);
    PureTask task = [&values](chunk_id_t start_chunk, chunk_id_t end_chunk, std::optional<void*> per_exe_args) {
      ASSERT_TRUE(per_exe_args.has_value());
      auto& args = *static_cast<arguments*>(per_exe_args.value());
      const auto [min_idx, max_idx] = pure_aligned_idx_range<double>(values.size(), start_chunk, end_chunk);
      for (auto i = min_idx; i <= max_idx; ++i) args.sum += args.factor * values[static_cast<std::size_t>(i)];
    };
    for (const double factor : {1.0, 2.0}) {
      arguments args{factor, 0};
      task.execute(&args);
      EXPECT_EQ(args.sum, factor * 4950);
    }
    void* const null = nullptr;
    bool seen = false;
    PureTask takes_null = [&](chunk_id_t, chunk_id_t, std::optional<void*> args) { seen = args == null; };
    takes_null.execute(null);
    EXPECT_TRUE(seen) << "a null argument is an argument";
  });
}

TEST(paper_task, exceptions_leave_execute) {
  pure::run(1, [] {
    int runs = 0;
    PureTask task = [&](chunk_id_t chunk) {
      ++runs;
      if (chunk == 3) throw std::domain_error("in chunk 3");
    };
    EXPECT_THROW(task.execute(), std::domain_error);
    const int before = runs;
    EXPECT_THROW(task.execute(), std::domain_error);
    EXPECT_GT(runs, before) << "and the task can be executed again";
  });
}

TEST(paper_task, a_nested_task_runs_in_place) {
  pure::run(1, [] {
    int inner_chunks = 0;
    PureTask outer = [&](chunk_id_t chunk) {
      if (chunk > 1) return;
      PureTask inner = [&](chunk_id_t) { ++inner_chunks; };
      inner.execute();
    };
    outer.execute();
    EXPECT_EQ(inner_chunks, 2 * 64);
  });
}

TEST(paper_task, outside_a_rank_is_an_error) {
  PureTask task = [](chunk_id_t) { FAIL() << "a chunk ran"; };
  try {
    task.execute();
    FAIL() << "nothing was thrown";
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::state);
    EXPECT_NE(std::string(error.what()).find("outside a rank"), std::string::npos) << error.what();
  }
}

// Listing 2's shape: a one-dimensional stencil whose work is a task, against the same computed serially.
TEST(paper_task, listing_2) {
  constexpr std::size_t per_rank = 200;
  constexpr int iterations = 5, ranks = 4;
  const auto work = [](double x) { return std::sin(x) + 1; };

  std::vector<double> serial(per_rank * ranks);
  std::iota(serial.begin(), serial.end(), 0.0);
  for (int it = 0; it < iterations; ++it) {
    std::vector<double> temp(serial.size());
    for (std::size_t i = 0; i < temp.size(); ++i) temp[i] = work(serial[i]);
    for (std::size_t i = 1; i + 1 < temp.size(); ++i) serial[i] = (temp[i - 1] + temp[i] + temp[i + 1]) / 3.0;
  }

  std::vector<double> parallel(serial.size());
  pure::run(ranks, [&] {
    const int my_rank = pure_rank(), n_ranks = pure_size();
    std::vector<double> a(per_rank), temp(per_rank);
    std::iota(a.begin(), a.end(), static_cast<double>(my_rank) * per_rank);
    PureTask rand_work_task = [&a, &temp, &work](chunk_id_t start_chunk, chunk_id_t end_chunk, std::optional<void*>) {
      auto [min_idx, max_idx] = pure_aligned_idx_range<double>(a.size(), start_chunk, end_chunk);
      for (auto i = min_idx; i <= max_idx; i++)
        temp[static_cast<std::size_t>(i)] = work(a[static_cast<std::size_t>(i)]);
    };
    for (int it = 0; it < iterations; ++it) {
      rand_work_task.execute();
      for (std::size_t i = 1; i < per_rank - 1; ++i) a[i] = (temp[i - 1] + temp[i] + temp[i + 1]) / 3.0;
      if (my_rank > 0) {
        pure_send_msg(&temp[0], 1, PURE_DOUBLE, my_rank - 1, 0, PURE_COMM_WORLD);
        double neighbor_hi_val = 0;
        pure_recv_msg(&neighbor_hi_val, 1, PURE_DOUBLE, my_rank - 1, 0, PURE_COMM_WORLD);
        a[0] = (neighbor_hi_val + temp[0] + temp[1]) / 3.0;
      }
      if (my_rank < n_ranks - 1) {
        pure_send_msg(&temp[per_rank - 1], 1, PURE_DOUBLE, my_rank + 1, 0, PURE_COMM_WORLD);
        double neighbor_lo_val = 0;
        pure_recv_msg(&neighbor_lo_val, 1, PURE_DOUBLE, my_rank + 1, 0, PURE_COMM_WORLD);
        a[per_rank - 1] = (temp[per_rank - 2] + temp[per_rank - 1] + neighbor_lo_val) / 3.0;
      }
    }
    std::copy(a.begin(), a.end(), parallel.begin() + my_rank * static_cast<std::ptrdiff_t>(per_rank));
  });
  EXPECT_EQ(parallel, serial);
}

}  // namespace
