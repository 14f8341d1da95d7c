// pure::parallel_for: every index exactly once, however it is cut and whoever helps.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <limits>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// First, as programs write them: their names must not meet.
#include <pure.h>

#include <pure/pure.hpp>

namespace {

using namespace std::chrono_literals;

/// Rank 0 runs `work`; the others wait for its message meanwhile, or in a barrier.
template <class Work>
void with_waiting_ranks(int ranks, const Work& work) {
  pure::run(ranks, [&](pure::comm world) {
    if (world.rank() == 0) {
      work(world);
      for (int other = 1; other < ranks; ++other) {
        if (other % 2 == 1) world.send(other, other);
      }
    } else if (world.rank() % 2 == 1) {
      EXPECT_EQ(world.recv<int>(0), world.rank());
    }
    world.barrier();
  });
}

class parallel_for : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(ranks, parallel_for, testing::Values(1, 2, 3, 5));

/// How often each index came.
class visits {
 public:
  explicit visits(std::size_t size) : times_(size) {}
  void operator()(std::size_t index) { times_.at(index).fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] bool all_are(int wanted) const {
    return std::ranges::all_of(times_, [&](const auto& each) { return each.load() == wanted; });
  }

 private:
  std::vector<std::atomic<int>> times_;
};

void busy(std::chrono::nanoseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST_P(parallel_for, every_index_once) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    for (const std::size_t size : {0U, 1U, 2U, 7U, 63U, 64U, 65U, 1000U, 30'001U}) {
      visits seen(size);
      pure::parallel_for(size, [&](std::size_t i) { seen(i); });
      pure::parallel_for(std::size_t{0}, size, [&](std::size_t i) { seen(i); });
      pure::parallel_for(
          0, size, [&](std::size_t i) { seen(i); }, pure::chunk_size(1));
      pure::parallel_for(
          size, [&](std::size_t i) { seen(i); }, pure::chunk_size(13));
      pure::parallel_for(
          size, [&](std::size_t i) { seen(i); }, pure::chunk_size(1'000'000));
      pure::parallel_for(
          size, [&](std::size_t i) { seen(i); }, pure::chunk_size(std::numeric_limits<std::size_t>::max()));
      pure::parallel_for(size, [&](pure::index_range part) {
        EXPECT_FALSE(part.empty());
        for (const std::size_t i : part) seen(i);
      });
      EXPECT_TRUE(seen.all_are(7)) << size;
    }
  });
}

TEST_P(parallel_for, bodies_that_take_time) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    for (const int size : {3, 40, 500}) {
      visits seen(static_cast<std::size_t>(size));
      pure::parallel_for(size, [&](int i) {
        busy(i % 50 == 0 ? 200us : 1us);
        seen(static_cast<std::size_t>(i));
      });
      EXPECT_TRUE(seen.all_are(1)) << size;
    }
  });
}

TEST_P(parallel_for, negative_and_small_types) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    std::atomic<long> sum{0};
    std::atomic<int> calls{0};
    pure::parallel_for(-100, 51L, [&](long i) {
      sum += i;
      ++calls;
    });
    EXPECT_EQ(calls, 151);
    EXPECT_EQ(sum, -100 * 101 / 2 + 50 * 51 / 2);
    pure::parallel_for(5, -5, [](int) { FAIL() << "an empty range"; });
    pure::parallel_for(-5, [](int) { FAIL() << "an empty range"; });
    calls = 0;
    pure::parallel_for(std::int8_t{-128}, std::int8_t{127}, [&](std::int8_t) { ++calls; });
    EXPECT_EQ(calls, 255);
    EXPECT_THROW(pure::parallel_for(-1, 1, [](pure::index_range) {}), pure::Error);
  });
}

TEST_P(parallel_for, ranges_beyond_32_bits) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    constexpr std::size_t first = 17, last = (std::size_t{1} << 40) + 5, chunk = std::size_t{1} << 30;
    std::atomic<std::size_t> all{0}, parts{0};
    const auto add = [&](pure::index_range part) {
      all += part.size();
      ++parts;
      EXPECT_TRUE(part.size() == chunk || part.last() == last);
      EXPECT_EQ((part.first() - first) % chunk, 0U);
    };
    pure::parallel_for(first, last, add, pure::chunk_size(chunk));
    EXPECT_EQ(all, last - first);
    EXPECT_EQ(parts, (last - first) / chunk + 1);
    // More chunks than a task has.
    all = 0;
    pure::parallel_for(
        first, last,
        [&](pure::index_range part) {
          EXPECT_LE(part.size(), std::size_t{1} << 22);
          all += part.size();
        },
        pure::chunk_size(std::size_t{1} << 22));
    EXPECT_EQ(all, last - first);
    // By measurement: a body that does nothing is done in parts of any size.
    all = 0;
    pure::parallel_for(first, last, [&](pure::index_range part) { all += part.size(); });
    EXPECT_EQ(all, last - first);
  });
}

TEST_P(parallel_for, containers_and_views) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    std::vector<int> values(10'001, 1);
    pure::parallel_for(values, [](int& x) { x += 1; });
    pure::parallel_for(
        std::span(values).subspan(1), [](int& x) { x += 1; }, pure::chunk_size(100));
    EXPECT_EQ(values.front(), 2);
    EXPECT_EQ(std::ranges::count(values, 3), 10'000);
    std::deque<long> queue(777, 5);
    pure::parallel_for(queue, [](long& x) { x *= 2; });
    EXPECT_EQ(queue, std::deque<long>(777, 10));
    std::atomic<int> sum{0};
    const std::vector<int>& constant = values;
    pure::parallel_for(constant, [&](int x) { sum += x; });
    EXPECT_EQ(sum, 2 + 3 * 10'000);
#if !defined(__clang__) || __clang_major__ >= 16  // Clang 15 and older cannot compile the views of libstdc++ 12
    sum = 0;
    pure::parallel_for(std::views::iota(0, 1000), [&](int x) { sum += x; });
    EXPECT_EQ(sum, 999 * 500);
#endif
    std::vector<std::string> texts(300, "a");
    pure::parallel_for(texts, [](std::string& text) { text += "b"; });
    EXPECT_EQ(texts, std::vector<std::string>(300, "ab"));
  });
}

TEST_P(parallel_for, boxes) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    for (const auto& shape : {std::pair{1U, 1U}, {3U, 5U}, {1U, 1000U}, {1000U, 1U}, {97U, 131U}, {0U, 4U}, {4U, 0U}}) {
      const std::size_t rows = shape.first, columns = shape.second;
      visits seen(rows * columns);
      pure::parallel_for(pure::box{rows, columns}, [&](std::size_t i, std::size_t j) { seen(i * columns + j); });
      pure::parallel_for(
          pure::box{rows, columns}, [&](std::size_t i, std::size_t j) { seen(i * columns + j); }, pure::chunk_size(11));
      pure::parallel_for(pure::box{rows, columns}, [&](std::size_t i, pure::index_range js) {
        for (const std::size_t j : js) seen(i * columns + j);
      });
      EXPECT_TRUE(seen.all_are(3)) << rows << " x " << columns;
    }
    visits inner(20 * 30);
    const int rows = 20, columns = 30;
    pure::parallel_for(pure::box{{1, rows - 1}, {2, columns - 2}}, [&](std::size_t i, std::size_t j) {
      EXPECT_TRUE(i >= 1 && i < 19 && j >= 2 && j < 28) << i << ", " << j;
      inner(i * 30 + j);
    });
    for (std::size_t i : {0U, 19U}) {
      for (std::size_t j = 0; j < 30; ++j) inner(i * 30 + j);
    }
    for (std::size_t i = 1; i < 19; ++i) {
      for (std::size_t j : {0U, 1U, 28U, 29U}) inner(i * 30 + j);
    }
    EXPECT_TRUE(inner.all_are(1));
    visits cells(7 * 11 * 13);
    pure::parallel_for(pure::box{7, 11, 13},
                       [&](std::size_t i, std::size_t j, std::size_t k) { cells((i * 11 + j) * 13 + k); });
    pure::parallel_for(
        pure::box{{0, 7}, {0, 11}, {0, 13}},
        [&](std::size_t i, std::size_t j, pure::index_range ks) {
          for (const std::size_t k : ks) cells((i * 11 + j) * 13 + k);
        },
        pure::chunk_size(5));
    EXPECT_TRUE(cells.all_are(2));
  });
}

template <std::size_t bytes>
struct element {
  char data[bytes];
};

/// Chunks begin at elements that begin a line; if there are none, nothing is lost.
template <std::size_t bytes>
void expect_line_chunks(std::size_t offset_elements, bool exact) {
  alignas(64) static element<bytes> data[1000];
  for (const pure::chunking& how :
       {pure::cache_aligned(std::span(data)), pure::cache_aligned(std::span(data)).size(10)}) {
    visits seen(1000);
    pure::parallel_for(
        offset_elements, std::size_t{1000},
        [&](pure::index_range part) {
          for (const std::size_t i : part) seen(i);
          if (!exact || part.first() == offset_elements) return;
          EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&data[part.first()]) % 64, 0U) << bytes << ", " << part.first();
        },
        how);
    for (std::size_t i = 0; i < offset_elements; ++i) seen(i);
    EXPECT_TRUE(seen.all_are(1));
  }
}

TEST_P(parallel_for, chunks_begin_at_cache_lines) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    for (const std::size_t first : {0U, 1U, 9U, 100U}) {
      expect_line_chunks<1>(first, true);
      expect_line_chunks<8>(first, true);
      expect_line_chunks<24>(first, true);
      expect_line_chunks<64>(first, true);
      expect_line_chunks<192>(first, true);
      expect_line_chunks<100>(first, true);
    }
    // The address counts, not the index.
    alignas(64) static double values[500];
    const std::span part = std::span(values).subspan(3);
    std::atomic<std::size_t> all{0};
    pure::parallel_for(
        part.size(),
        [&](pure::index_range indices) {
          all += indices.size();
          if (indices.first() != 0) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&part[indices.first()]) % 64, 0U);
          }
        },
        pure::cache_aligned(part).size(20));
    EXPECT_EQ(all, part.size());
    static_assert(pure::aligned<double>.shape(100, 0).unit == 8 && pure::aligned<double>.shape(100, 3).lead == 3);
  });
}

TEST_P(parallel_for, exceptions_reach_the_caller) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    for (const int size : {1, 10, 100'000}) {
      for (const pure::chunking& how : {pure::chunking(), pure::chunk_size(3)}) {
        std::atomic<int> calls{0};
        const auto body = [&](int i) {
          ++calls;
          if (i == size / 2) throw std::domain_error("half way");
        };
        EXPECT_THROW(pure::parallel_for(size, body, how), std::domain_error) << size;
        EXPECT_LE(calls, size);
        EXPECT_GE(calls, 1);
      }
    }
    visits seen(1000);
    pure::parallel_for(1000, [&](int i) { seen(static_cast<std::size_t>(i)); });
    EXPECT_TRUE(seen.all_are(1)) << "the next loop is whole";
  });
}

TEST_P(parallel_for, nested_loops_run_in_place) {
  with_waiting_ranks(GetParam(), [](pure::comm) {
    visits seen(40 * 50);
    pure::parallel_for(40, [&](std::size_t i) {
      const auto outer = std::this_thread::get_id();
      const auto inner = [&](std::size_t j) {
        EXPECT_EQ(std::this_thread::get_id(), outer);
        seen(i * 50 + j);
      };
      pure::parallel_for(50, inner);
      pure::parallel_for(50, inner, pure::chunk_size(7));
    });
    EXPECT_TRUE(seen.all_are(2));
  });
}

TEST(parallel_for_errors, no_messages_in_the_body) {
  for (const int ranks : {1, 2}) {
    with_waiting_ranks(ranks, [](pure::comm world) {
      for (const int size : {1, 10, 10'000}) {
        try {
          pure::parallel_for(size, [&](int) { world.send(1, 0); });
          ADD_FAILURE() << "nothing was thrown";
        } catch (const pure::Error& error) {
          EXPECT_EQ(error.code(), pure::errc::state) << error.what();
        }
      }
    });
  }
}

TEST(parallel_for_errors, outside_a_rank) {
  for (const int size : {0, 1, 1000}) {
    for (const pure::chunking& how : {pure::chunking(), pure::chunk_size(10)}) {
      try {
        pure::parallel_for(
            size, [](int) { ADD_FAILURE() << "an iteration ran"; }, how);
        ADD_FAILURE() << "nothing was thrown";
      } catch (const pure::Error& error) {
        EXPECT_EQ(error.code(), pure::errc::state);
        EXPECT_NE(std::string(error.what()).find("parallel_for: called outside a rank"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find("parallel_for_test.cpp:"), std::string::npos) << error.what();
      }
    }
  }
}

}  // namespace
