// pure.h, operations on windows: every type and operator against a serial model, at every place of the target; layouts
// at both ends; and that operations on one element exclude each other, whatever their lengths.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "support/collective_oracle/elements.hpp"
#include "support/pure_h.hpp"

namespace {

using namespace collective_oracle;
using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

/// A window of `bytes` bytes for each rank, with one key of info, which all ranks have locked.
struct locked_window {
  locked_window(std::int64_t bytes, int unit, const char* key = nullptr, const char* value = nullptr) {
    pure_info info = PURE_INFO_NULL;
    if (key != nullptr) {
      EXPECT_OK(pure_info_create(&info));
      EXPECT_OK(pure_info_set(info, key, value));
    }
    EXPECT_OK(pure_win_allocate(bytes, unit, info, world, &base, &win));
    if (key != nullptr) {
      EXPECT_OK(pure_info_free(&info));
    }
    EXPECT_OK(pure_win_lock_all(0, win));
  }
  locked_window(const locked_window&) = delete;
  locked_window& operator=(const locked_window&) = delete;
  ~locked_window() {
    EXPECT_OK(pure_win_unlock_all(win));
    EXPECT_OK(pure_win_free(&win));
  }
  [[nodiscard]] std::byte* part(int rank) const {
    std::int64_t size = 0;
    int unit = 0;
    std::byte* its = nullptr;
    EXPECT_OK(pure_win_shared_query(win, rank, &size, &unit, &its));
    return its;
  }
  std::byte* base = nullptr;
  pure_win win = PURE_WIN_NULL;
};

std::string text_of(pure_datatype type, pure_op op, std::size_t count, std::size_t at) {
  return "type " + std::to_string(type) + ", op " + std::to_string(op) + ", " + std::to_string(count) + " at " +
         std::to_string(at);
}

/// One get_accumulate of `count` elements at byte `at` of the part of `rank`, against the model.
void accumulate_as_the_model(const locked_window& on, int rank, std::size_t at, pure_datatype type, pure_op op,
                             std::size_t count) {
  const std::size_t element = size_of(type), bytes = count * element;
  std::vector<std::byte> origin(bytes), before(bytes), result(bytes), expected(bytes);
  const auto code = static_cast<operator_code>(op == PURE_REPLACE ? PURE_SUM : op);
  fill_operands(origin.data(), code, type, count, 17 + type);
  fill_operands(before.data(), code, type, count, 91 + op);
  std::byte* const there = on.part(rank) + at;
  std::memcpy(there, before.data(), bytes);
  expected = origin;
  if (op != PURE_REPLACE) fold(code, type, before.data(), expected.data(), count);

  const auto n = static_cast<std::int64_t>(count);
  ASSERT_EQ(pure_get_accumulate(origin.data(), n, type, result.data(), n, type, rank, static_cast<std::int64_t>(at), n,
                                type, op, on.win),
            PURE_SUCCESS)
      << pure_last_error();
  EXPECT_EQ(result, before) << text_of(type, op, count, at);
  for (std::size_t i = 0; i < bytes; i += element) {
    ASSERT_TRUE(is_same_result(code, type, there + i, expected.data() + i))
        << text_of(type, op, count, at) << ", " << i;
  }
  // The same without a result, of the first element, and by fetch_and_op.
  std::memcpy(there, before.data(), bytes);
  ASSERT_EQ(pure_accumulate(origin.data(), n, type, rank, static_cast<std::int64_t>(at), n, type, op, on.win),
            PURE_SUCCESS);
  EXPECT_TRUE(is_same_result(code, type, there, expected.data()));
  std::memcpy(there, before.data(), element);
  ASSERT_EQ(pure_fetch_and_op(origin.data(), result.data(), type, rank, static_cast<std::int64_t>(at), op, on.win),
            PURE_SUCCESS);
  EXPECT_TRUE(is_same_result(code, type, there, expected.data()));
  EXPECT_EQ(std::memcmp(result.data(), before.data(), element), 0);
}

class pure_h_rma : public testing::TestWithParam<const char*> {};

TEST_P(pure_h_rma, every_type_and_operator_does_what_the_model_does) {
  on_ranks(2, [](int me) {
    const locked_window on(64 * 1024, 1, "pure_atomics", GetParam());
    EXPECT_OK(pure_barrier(world));
    for (int turn = 0; turn < 2; ++turn) {  // one rank at a time, at itself and at the other
      if (turn == me) {
        for (int t = PURE_BYTE; t <= static_cast<int>(last_type); ++t) {
          const auto type = static_cast<pure_datatype>(t);
          for (int o = PURE_SUM; o <= static_cast<int>(PURE_REPLACE); ++o) {
            const auto op = static_cast<pure_op>(o);
            if (op != PURE_REPLACE && !is_allowed(static_cast<operator_code>(op), type)) {
              std::byte element[32] = {};
              expect_error(pure_accumulate(element, 1, type, 1, 0, 1, type, op, on.win), PURE_ERR_OP, {});
              continue;
            }
            for (const std::size_t count : {std::size_t{1}, std::size_t{700}}) {
              for (const std::size_t at : {std::size_t{0}, std::size_t{4096 - 16}, std::size_t{4096 - 5}}) {
                accumulate_as_the_model(on, (me + static_cast<int>(count)) % 2, at, type, op, count);
              }
            }
          }
        }
      }
      EXPECT_OK(pure_win_flush_all(on.win));  // the other one uses the same places as other types
      EXPECT_OK(pure_barrier(world));
    }
  });
}

TEST_P(pure_h_rma, operations_on_one_element_exclude_each_other) {
  constexpr int rounds = 3000;
  constexpr std::int64_t words = 2000;  // of several stripes
  on_ranks(4, [](int me) {
    const locked_window on(8 * words, 1, "pure_atomics", GetParam());
    EXPECT_OK(pure_barrier(world));
    const std::vector<std::int64_t> ones(words, 1);
    std::int64_t fetched = 0, sum_of_fetched = 0;
    for (int round = 0; round < rounds; ++round) {
      EXPECT_OK(pure_fetch_and_op(ones.data(), &fetched, PURE_INT64_T, 0, 8 * 600, PURE_SUM, on.win));
      sum_of_fetched += fetched;
      if (round % 50 == me) {
        EXPECT_OK(pure_accumulate(ones.data(), words, PURE_INT64_T, 0, 0, words, PURE_INT64_T, PURE_SUM, on.win));
      }
      for (std::int64_t seen = round, swapped = 0;; seen = swapped) {  // an addition by compare_and_swap
        const std::int64_t made = seen + 1;
        EXPECT_OK(pure_compare_and_swap(&made, &seen, &swapped, PURE_INT64_T, 0, 8 * 3, on.win));
        if (swapped == seen) break;
      }
      const std::int8_t one = 1;
      std::int8_t small = 0;
      EXPECT_OK(pure_fetch_and_op(&one, &small, PURE_INT8_T, 1, me, PURE_SUM, on.win));
    }
    EXPECT_OK(pure_barrier(world));
    const auto* const counted = reinterpret_cast<const std::int64_t*>(on.part(0));
    EXPECT_EQ(counted[600], 4 * rounds + 4 * rounds / 50);
    EXPECT_EQ(counted[601], 4 * rounds / 50);
    EXPECT_EQ(counted[words - 1], 4 * rounds / 50);
    EXPECT_EQ(counted[3], 4 * rounds + 4 * rounds / 50);
    EXPECT_EQ(static_cast<std::int8_t>(on.part(1)[me]), static_cast<std::int8_t>(rounds));
    EXPECT_GT(sum_of_fetched, 0);
  });
}

/// Around the ends of stripes (4096 bytes), and where their locks are used again (256 stripes); from a buffer that is
/// not aligned, and with one buffer for what is added and what was there.
TEST_P(pure_h_rma, pieces_of_any_length_at_any_place_from_any_buffer) {
  on_ranks(2, [](int me) {
    constexpr std::size_t part_bytes = std::size_t{3} << 19, stripe = 4096, margin = 8;
    const locked_window on(part_bytes, 1, "pure_atomics", GetParam());
    EXPECT_OK(pure_barrier(world));
    std::byte* const part = on.part(1);
    using word = std::int32_t;
    const auto word_at = [](const std::byte* at) {
      word value = 0;
      std::memcpy(&value, at, sizeof value);
      return value;
    };
    for (const std::size_t at : {stripe - 4, stripe, 7 * stripe - 400, 255 * stripe, 256 * stripe, 300 * stripe - 2}) {
      for (const std::size_t count : {1U, 2U, 100U, 101U, 1023U, 1024U, 1025U, 5000U}) {
        for (const std::size_t shift : {0U, 1U}) {
          for (const bool is_same_buffer : {false, true}) {
            if (me != 0) continue;
            const std::size_t bytes = count * sizeof(word);
            std::vector<std::byte> origin(bytes + shift), other(bytes + shift);
            for (std::size_t i = 0; i < count; ++i) {
              const word mine = static_cast<word>(3 * i + 1), theirs = static_cast<word>(5 * i + 2);
              std::memcpy(origin.data() + shift + i * sizeof mine, &mine, sizeof mine);
              std::memcpy(part + at + i * sizeof theirs, &theirs, sizeof theirs);
            }
            std::memset(part + at - margin, 0x55, margin);
            std::memset(part + at + bytes, 0x66, margin);
            std::byte* const result = (is_same_buffer ? origin : other).data() + shift;
            const auto n = static_cast<std::int64_t>(count);
            EXPECT_OK(pure_get_accumulate(origin.data() + shift, n, PURE_INT32_T, result, n, PURE_INT32_T, 1,
                                          static_cast<std::int64_t>(at), n, PURE_INT32_T, PURE_SUM, on.win));
            for (std::size_t i = 0; i < count; ++i) {
              ASSERT_EQ(word_at(result + i * sizeof(word)), static_cast<word>(5 * i + 2))
                  << at << ", " << count << ", " << shift << ", " << is_same_buffer << ", " << i;
              ASSERT_EQ(word_at(part + at + i * sizeof(word)), static_cast<word>(8 * i + 3))
                  << at << ", " << count << ", " << shift << ", " << is_same_buffer << ", " << i;
            }
            for (std::size_t i = 0; i < margin; ++i) {
              ASSERT_EQ(part[at - margin + i], std::byte{0x55});
              ASSERT_EQ(part[at + bytes + i], std::byte{0x66});
            }
          }
        }
      }
    }
    EXPECT_OK(pure_barrier(world));
  });
}

/// Handles of windows that are used in turn, and of one that is gone.
TEST(pure_h_rma_windows, several_in_turn) {
  on_ranks(2, [](int me) {
    constexpr std::int64_t one = 1, ten = 10;
    pure_win gone = PURE_WIN_NULL;
    {
      const locked_window first(64, 8), second(64, 8);
      gone = second.win;
      for (int i = 0; i < 100; ++i) {
        EXPECT_OK(pure_accumulate(&one, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T, PURE_SUM, first.win));
        EXPECT_OK(pure_accumulate(&ten, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T, PURE_SUM, second.win));
      }
      EXPECT_OK(pure_barrier(world));
      EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(first.part(me)), 100);
      EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(second.part(me)), 1000);
      EXPECT_OK(pure_barrier(world));
    }
    expect_error(pure_accumulate(&one, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T, PURE_SUM, gone), PURE_ERR_WIN, {});
    const locked_window next(64, 8);  // in the place of one that is gone
    expect_error(pure_accumulate(&one, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T, PURE_SUM, gone), PURE_ERR_WIN, {});
    EXPECT_OK(pure_barrier(world));
  });
}

INSTANTIATE_TEST_SUITE_P(by, pure_h_rma, testing::Values("any_type", "hardware"),
                         [](const auto& of) { return std::string(of.param); });

TEST(pure_h_rma_layouts, a_column_is_put_into_a_row_and_got_back) {
  on_ranks(2, [](int me) {
    constexpr int n = 50;
    const locked_window on(8 * n * n, 8);
    pure_datatype column;
    EXPECT_OK(pure_type_vector(n, 1, n, PURE_DOUBLE, &column));
    std::vector<double> mine(n * n);
    for (int i = 0; i < n * n; ++i) mine[static_cast<std::size_t>(i)] = me * 10'000 + i;
    const int other = 1 - me;
    EXPECT_OK(pure_put(mine.data() + 7, 1, column, other, 3 * n, n, PURE_DOUBLE, on.win));  // a column to a row
    EXPECT_OK(pure_win_flush(other, on.win));                                               // both have element 3, 5
    EXPECT_OK(pure_put(mine.data(), n, PURE_DOUBLE, other, 5, 1, column, on.win));          // a row to a column
    EXPECT_OK(pure_win_flush(other, on.win));
    EXPECT_OK(pure_barrier(world));
    const auto* const own = reinterpret_cast<const double*>(on.base);
    for (int i = 0; i < n; ++i) {
      if (i != 5) {
        EXPECT_EQ(own[3 * n + i], other * 10'000 + i * n + 7);
      }
      EXPECT_EQ(own[i * n + 5], other * 10'000 + i);
    }
    std::vector<double> back(n * n, -1);
    EXPECT_OK(pure_get(back.data() + 2, 1, column, other, 5, 1, column, on.win));
    for (int i = 0; i < n; ++i) EXPECT_EQ(back[static_cast<std::size_t>(i * n + 2)], me * 10'000 + i);
    expect_error(pure_put(mine.data(), n, PURE_DOUBLE, other, n, 1, column, on.win), PURE_ERR_RMA_RANGE,
                 {"400 bytes at displacement 50"});
    EXPECT_OK(pure_type_free(&column));
    EXPECT_OK(pure_barrier(world));
  });
}

TEST(pure_h_rma_layouts, a_column_is_added_to_a_row_and_what_was_there_goes_to_a_column) {
  on_ranks(2, [](int me) {
    constexpr std::size_t n = 600;
    const locked_window on(4 * n, 4);
    pure_datatype every_third;
    EXPECT_OK(pure_type_vector(n, 1, 3, PURE_INT, &every_third));
    std::vector<int> origin(3 * n), result(3 * n, -1);
    for (std::size_t i = 0; i < origin.size(); ++i) origin[i] = static_cast<int>(i);
    const int other = 1 - me;
    for (int round = 0; round < 3; ++round) {
      EXPECT_OK(pure_get_accumulate(origin.data(), 1, every_third, result.data(), 1, every_third, other, 0, n, PURE_INT,
                                    PURE_SUM, on.win));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(result[3 * i], round * static_cast<int>(3 * i));
        ASSERT_EQ(result[3 * i + 1], -1);
      }
    }
    // And the other way round: a row added to every third element of a part.
    EXPECT_OK(pure_barrier(world));
    expect_error(pure_accumulate(origin.data(), 200, PURE_INT, other, 0, 1, PURE_INT, PURE_SUM, on.win), PURE_ERR_COUNT,
                 {"800 bytes here, but 4 bytes there"});
    pure_datatype third;
    EXPECT_OK(pure_type_vector(200, 1, 3, PURE_INT, &third));
    EXPECT_OK(pure_accumulate(origin.data(), 200, PURE_INT, other, 0, 1, third, PURE_SUM, on.win));
    EXPECT_OK(pure_barrier(world));
    const auto* const own = reinterpret_cast<const int*>(on.base);
    for (int i = 0; i < 600; ++i) EXPECT_EQ(own[i], 3 * 3 * i + (i % 3 == 0 ? i / 3 : 0));
    const std::int64_t lengths[] = {1, 1}, places[] = {0, 8};
    const pure_datatype kinds[] = {PURE_INT, PURE_DOUBLE};
    pure_datatype mixed;
    EXPECT_OK(pure_type_create_struct(2, lengths, places, kinds, &mixed));
    expect_error(pure_accumulate(origin.data(), 1, mixed, other, 0, 1, mixed, PURE_SUM, on.win), PURE_ERR_TYPE,
                 {"a derived type of several basic types"});
    EXPECT_OK(pure_barrier(world));
  });
}

TEST(pure_h_rma_requests, are_complete) {
  on_ranks(2, [](int me) {
    const locked_window on(64, 8);
    const std::int64_t one = 1;
    std::int64_t got = 0, before = 0;
    pure_request all[4];
    EXPECT_OK(pure_rput(&one, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T, on.win, &all[0]));
    EXPECT_OK(pure_win_flush(1 - me, on.win));  // in MPI it is complete there only then
    EXPECT_OK(pure_raccumulate(&one, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T, PURE_SUM, on.win, &all[1]));
    EXPECT_OK(pure_rget_accumulate(&one, 1, PURE_INT64_T, &before, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T,
                                   PURE_SUM, on.win, &all[2]));
    EXPECT_OK(pure_win_flush(1 - me, on.win));
    EXPECT_OK(pure_rget(&got, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T, on.win, &all[3]));
    EXPECT_OK(pure_waitall(4, all));
    EXPECT_OK(pure_win_flush(1 - me, on.win));
    EXPECT_EQ(before, 2);
    EXPECT_EQ(got, 3);
    // PURE_NO_OP is an atomic read, PURE_REPLACE an atomic write.
    const std::int64_t other_value = 40;
    EXPECT_OK(pure_fetch_and_op(&other_value, &got, PURE_INT64_T, 1 - me, 0, PURE_REPLACE, on.win));
    EXPECT_EQ(got, 3);
    EXPECT_OK(pure_get_accumulate(nullptr, 0, PURE_INT64_T, &got, 1, PURE_INT64_T, 1 - me, 0, 1, PURE_INT64_T,
                                  PURE_NO_OP, on.win));
    EXPECT_EQ(got, 40);
    EXPECT_OK(pure_barrier(world));
  });
}

}  // namespace
