// pure/tasks.h as part of pure.h: loops, reductions and tasks that waiting ranks take over. In C programs of mpi.h:
// tests/mpi_abi/tasks.c.
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

namespace {

/// Rank 0 runs `work` while the others wait for its message.
template <class Work>
void with_receiving_ranks(int ranks, const Work& work) {
  pure::run(ranks, [&](pure::comm world) {
    if (world.rank() != 0) return (void)world.recv<int>(0);
    work();
    for (int other = 1; other < ranks; ++other) world.send(7, other);
  });
}

struct noted_indices {
  explicit noted_indices(std::size_t size) : times(size) {}
  static void note(std::size_t first, std::size_t last, void* of) {
    auto& all = *static_cast<noted_indices*>(of);
    EXPECT_LT(first, last);
    if (all.chunk != 0) {
      EXPECT_EQ(first % all.chunk, 0U);
      EXPECT_LE(last - first, all.chunk);
    }
    if (all.data != nullptr && first != 0) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.data + first) % 64, 0U);
    }
    for (std::size_t i = first; i < last; ++i) all.times.at(i).fetch_add(1, std::memory_order_relaxed);
  }
  [[nodiscard]] bool all_once() const {
    for (const auto& each : times) {
      if (each != 1) return false;
    }
    return true;
  }
  std::vector<std::atomic<int>> times;
  std::size_t chunk = 0;
  const double* data = nullptr;
};

/// More than a measured loop counts (adaptive_loop::most_iterations), and one less; as many as there may be.
TEST(tasks_h, loops_of_any_length) {
  for (const std::size_t count : {(std::size_t{1} << 48) - 1, std::size_t{1} << 48, SIZE_MAX / 2}) {
    with_receiving_ranks(2, [&] {
      struct {
        std::atomic<std::size_t> done{0}, last{0};
      } seen;
      const auto body = [](std::size_t first, std::size_t last, void* of) {
        auto& all = *static_cast<decltype(seen)*>(of);
        all.done += last - first;
        for (std::size_t before = all.last; before < last && !all.last.compare_exchange_weak(before, last);) {
        }
      };
      EXPECT_EQ(pure_parallel_for(count, body, &seen, nullptr), PURE_SUCCESS);
      EXPECT_EQ(seen.done, count);
      EXPECT_EQ(seen.last, count);
    });
  }
}

TEST(tasks_h, each_index_is_done_once) {
  std::vector<double> data(3000);
  for (const int ranks : {1, 2, 3, 5}) {
    with_receiving_ranks(ranks, [&] {
      for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 65U, 3000U}) {
        for (const std::size_t chunk : {std::size_t{0}, std::size_t{1}, std::size_t{13}, SIZE_MAX}) {
          noted_indices seen(count);
          seen.chunk = chunk;
          const pure_loop_options options{chunk, nullptr, 0};
          EXPECT_EQ(pure_parallel_for(count, noted_indices::note, &seen, &options), PURE_SUCCESS);
          EXPECT_TRUE(seen.all_once()) << count << ", " << chunk;
          noted_indices lines(count);
          lines.data = data.data() + 3;  // begins in the middle of a line
          const pure_loop_options aligned{chunk, lines.data, sizeof(double)};
          EXPECT_EQ(pure_parallel_for(count, noted_indices::note, &lines, &aligned), PURE_SUCCESS);
          EXPECT_TRUE(lines.all_once()) << count << ", " << chunk;
        }
      }
    });
  }
}

/// Texts, which are concatenated: that is associative, and does not commute.
struct digits_of_indices {
  char text[4000];
};

TEST(tasks_h, a_reduction_is_combined_from_the_first_block_to_the_last) {
  for (const int ranks : {1, 2, 3}) {
    with_receiving_ranks(ranks, [&] {
      for (const std::size_t count : {0U, 1U, 7U, 1024U, 1025U, 3000U}) {
        for (const std::size_t chunk : {0U, 1U, 10U, 5000U}) {
          std::string expected;
          for (std::size_t i = 0; i < count; ++i) expected += static_cast<char>('0' + i % 10);
          digits_of_indices result{};
          const pure_loop_options options{chunk, nullptr, 0};
          const auto add = [](std::size_t first, std::size_t last, void* value, void*) {
            char* end = static_cast<digits_of_indices*>(value)->text;
            EXPECT_EQ(*end, '\0') << "a block begins as the result came in";
            for (std::size_t i = first; i < last; ++i) *end++ = static_cast<char>('0' + i % 10);
          };
          const auto join = [](void* left, const void* right, void*) {
            std::strcat(static_cast<digits_of_indices*>(left)->text,
                        static_cast<const digits_of_indices*>(right)->text);
          };
          EXPECT_EQ(pure_parallel_reduce(count, &result, sizeof result, add, join, nullptr, &options), PURE_SUCCESS);
          EXPECT_EQ(result.text, expected) << count << ", " << chunk;
        }
      }
    });
  }
}

TEST(tasks_h, a_reduction_has_the_bits_of_its_blocks) {
  std::vector<double> x(4097);  // as many blocks as there may be, of four, and one more: of five
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = (i % 3 == 0 ? 1e15 : 1e-3) / static_cast<double>(i + 1);
  const auto add = [](std::size_t first, std::size_t last, void* value, void* of) {
    for (std::size_t i = first; i < last; ++i)
      *static_cast<double*>(value) += (*static_cast<std::vector<double>*>(of))[i];
  };
  const auto plus = [](void* left, const void* right, void*) {
    *static_cast<double*>(left) += *static_cast<const double*>(right);
  };
  for (const std::size_t size : {x.size() - 1, x.size()}) {
    const std::size_t length = (size - 1) / 1024 + 1;
    double expected = 0;
    for (std::size_t first = 0; first < size; first += length) {
      double block = 0;
      for (std::size_t i = first; i < std::min(size, first + length); ++i) block += x[i];
      expected += block;
    }
    for (const int ranks : {1, 2, 4}) {
      with_receiving_ranks(ranks, [&] {
        double sum = 0;
        EXPECT_EQ(pure_parallel_reduce(size, &sum, sizeof sum, add, plus, &x, nullptr), PURE_SUCCESS);
        EXPECT_EQ(sum, expected);
      });
    }
  }
}

TEST(tasks_h, a_task_does_all_its_chunks) {
  for (const int ranks : {1, 2, 3}) {
    with_receiving_ranks(ranks, [&] {
      for (const std::size_t count : {0U, 1U, 8U, 65U, 5000U}) {
        for (const std::size_t bytes : {0U, 8U, 24U, 64U, 200U}) {
          struct piece {
            std::size_t count, bytes;
            std::vector<std::atomic<int>> times;
          } all{count, bytes, std::vector<std::atomic<int>>(count)};
          const pure_task task{[](unsigned first_chunk, unsigned last_chunk, void* per_execution, void* context) {
                                 auto& of = *static_cast<piece*>(per_execution);
                                 EXPECT_EQ(context, nullptr);
                                 std::size_t first = 0, last = 0;
                                 pure_task_items(of.count, of.bytes, first_chunk, last_chunk, &first, &last);
                                 if (of.bytes == 8 && first < last) {
                                   EXPECT_EQ(first % 8, 0U);
                                 }
                                 for (std::size_t i = first; i < last; ++i) ++of.times.at(i);
                               },
                               nullptr};
          EXPECT_EQ(pure_task_execute(&task, &all), PURE_SUCCESS);
          for (const auto& each : all.times) EXPECT_EQ(each, 1);
        }
      }
      EXPECT_EQ(pure_task_chunks(), 64U);
    });
  }
}

TEST(tasks_h, who_is_no_rank_works_alone) {
  const auto count_up = [](std::size_t first, std::size_t last, void* of) {
    *static_cast<std::size_t*>(of) += last - first;
  };
  std::size_t done = 0;
  const pure_loop_options by_threes{3, nullptr, 0};
  EXPECT_EQ(pure_parallel_for(1000, count_up, &done, nullptr), PURE_SUCCESS);
  EXPECT_EQ(pure_parallel_for(1000, count_up, &done, &by_threes), PURE_SUCCESS);
  EXPECT_EQ(done, 2000U);
  EXPECT_EQ(pure_task_chunks(), 1U);
  pure::run(2, [&] {
    std::thread other([&] {
      std::size_t own = 0;
      EXPECT_EQ(pure_parallel_for(1000, count_up, &own, nullptr), PURE_SUCCESS);
      EXPECT_EQ(own, 1000U);
    });
    other.join();
  });
}

TEST(tasks_h, a_loop_in_a_chunk_runs_in_place) {
  with_receiving_ranks(2, [] {
    std::atomic<std::size_t> all{0};
    const auto outer = [](std::size_t first, std::size_t last, void* of) {
      for (std::size_t i = first; i < last; ++i) {
        std::size_t own = 0;
        EXPECT_EQ(
            pure_parallel_for(
                10, [](std::size_t from, std::size_t to, void* sum) { *static_cast<std::size_t*>(sum) += to - from; },
                &own, nullptr),
            PURE_SUCCESS);
        *static_cast<std::atomic<std::size_t>*>(of) += own;
      }
    };
    EXPECT_EQ(pure_parallel_for(500, outer, &all, nullptr), PURE_SUCCESS);
    EXPECT_EQ(all, 5000U);
  });
}

TEST(tasks_h, what_is_wrong_is_an_error_of_its_argument) {
  pure::run(1, [] {
    pure_set_errhandler(PURE_ERRORS_RETURN);
    const auto body = [](std::size_t, std::size_t, void*) { ADD_FAILURE() << "nothing is done"; };
    const auto add = [](std::size_t, std::size_t, void*, void*) { ADD_FAILURE() << "nothing is done"; };
    const auto join = [](void*, const void*, void*) { ADD_FAILURE() << "nothing is combined"; };
    double sum = 0;
    const pure_loop_options without_bytes{0, &sum, 0};
    const pure_task none{nullptr, nullptr};
    EXPECT_EQ(pure_parallel_for(10, nullptr, nullptr, nullptr), PURE_ERR_ARG);
    EXPECT_EQ(pure_parallel_for(SIZE_MAX / 2 + 1, body, nullptr, nullptr), PURE_ERR_ARG);
    EXPECT_EQ(pure_parallel_for(10, body, nullptr, &without_bytes), PURE_ERR_ARG);
    EXPECT_EQ(pure_parallel_reduce(10, nullptr, 8, add, join, nullptr, nullptr), PURE_ERR_ARG);
    EXPECT_EQ(pure_parallel_reduce(10, &sum, 0, add, join, nullptr, nullptr), PURE_ERR_ARG);
    EXPECT_EQ(pure_parallel_reduce(10, &sum, 8, nullptr, join, nullptr, nullptr), PURE_ERR_ARG);
    EXPECT_EQ(pure_parallel_reduce(10, &sum, 8, add, nullptr, nullptr, nullptr), PURE_ERR_ARG);
    EXPECT_EQ(pure_parallel_reduce(SIZE_MAX / 2 + 1, &sum, 8, add, join, nullptr, nullptr), PURE_ERR_ARG);
    const pure_loop_options single{1, nullptr, 0};
    EXPECT_EQ(pure_parallel_reduce(SIZE_MAX / 2, &sum, 8, add, join, nullptr, &single), PURE_ERR_NO_MEM);
    EXPECT_EQ(pure_task_execute(nullptr, nullptr), PURE_ERR_ARG);
    EXPECT_EQ(pure_task_execute(&none, nullptr), PURE_ERR_ARG);
    EXPECT_EQ(sum, 0);
  });
}

}  // namespace
