// pure.h, derived datatypes: lower bounds and extents, and messages of several elements at negative ones. The numbers
// are those of the standard (MPI 4.1, 5.1.2, 5.1.6, 5.1.7); random types are compared in stress.types_oracle.
#include <pure.h>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include "support/pure_h.hpp"

namespace {

using test_support::on_ranks;
using test_support::world;

struct type_bounds {
  std::int64_t lower, extent, true_lower, true_extent;

  friend bool operator==(const type_bounds&, const type_bounds&) = default;
  friend std::ostream& operator<<(std::ostream& to, const type_bounds& b) {
    return to << b.lower << ", " << b.extent << "; true " << b.true_lower << ", " << b.true_extent;
  }
};

type_bounds bounds_of(pure_datatype type) {
  type_bounds b{-1, -1, -1, -1};
  EXPECT_OK(pure_type_get_extent(type, &b.lower, &b.extent));
  EXPECT_OK(pure_type_get_true_extent(type, &b.true_lower, &b.true_extent));
  return b;
}

pure_datatype resized_type(pure_datatype of, std::int64_t lower, std::int64_t extent) {
  pure_datatype made = PURE_DATATYPE_NULL;
  EXPECT_OK(pure_type_create_resized(of, lower, extent, &made));
  return made;
}

pure_datatype row_type(std::int64_t count, pure_datatype of) {
  pure_datatype made = PURE_DATATYPE_NULL;
  EXPECT_OK(pure_type_contiguous(count, of, &made));
  return made;
}

struct struct_member {
  std::int64_t length, at;
  pure_datatype type;
};

pure_datatype struct_type(const std::vector<struct_member>& members) {
  std::vector<std::int64_t> lengths, places;
  std::vector<pure_datatype> types;
  for (const auto& [length, at, type] : members) {
    lengths.push_back(length);
    places.push_back(at);
    types.push_back(type);
  }
  pure_datatype made = PURE_DATATYPE_NULL;
  EXPECT_OK(pure_type_create_struct(static_cast<std::int64_t>(members.size()), lengths.data(), places.data(),
                                    types.data(), &made));
  return made;
}

TEST(pure_h_type_bounds, blocks_of_length_0_have_no_effect) {
  on_ranks(1, [] {
    const std::array<std::int64_t, 3> lengths{0, 2, 0}, places{-5, 8, 100};
    pure_datatype type = PURE_DATATYPE_NULL;
    EXPECT_OK(pure_type_indexed(3, lengths.data(), places.data(), PURE_INT, &type));
    EXPECT_EQ(bounds_of(type), (type_bounds{32, 8, 32, 8}));
    EXPECT_OK(pure_type_create_hindexed(3, lengths.data(), places.data(), row_type(2, PURE_INT), &type));
    EXPECT_EQ(bounds_of(type), (type_bounds{8, 16, 8, 16}));
    EXPECT_OK(pure_type_create_indexed_block(3, 0, places.data(), PURE_INT, &type));
    EXPECT_EQ(bounds_of(type), (type_bounds{0, 0, 0, 0}));
    EXPECT_OK(pure_type_vector(3, 0, 7, PURE_INT, &type));
    EXPECT_EQ(bounds_of(type), (type_bounds{0, 0, 0, 0}));
    const pure_datatype wide = resized_type(PURE_INT, -100, 1000);
    EXPECT_EQ(bounds_of(struct_type({{2, 0, PURE_INT}, {0, 800, PURE_DOUBLE}, {0, -800, wide}})),
              (type_bounds{0, 8, 0, 8}));
    EXPECT_EQ(bounds_of(row_type(0, wide)), (type_bounds{0, 0, 0, 0}));
  });
}

TEST(pure_h_type_bounds, of_an_empty_type_only_its_own_size_can_be_set) {
  on_ranks(1, [] {
    const pure_datatype empty = resized_type(row_type(0, PURE_DOUBLE), 4, 24);
    EXPECT_EQ(bounds_of(empty), (type_bounds{4, 24, 0, 0}));
    EXPECT_EQ(bounds_of(row_type(3, empty)), (type_bounds{0, 0, 0, 0}));  // as MPICH and Open MPI have it
    EXPECT_EQ(bounds_of(row_type(1, empty)), (type_bounds{0, 0, 0, 0}));
    EXPECT_EQ(bounds_of(struct_type({{1, 0, PURE_CHAR}, {1, 800, empty}})), (type_bounds{0, 1, 0, 1}));
    EXPECT_OK(pure_sendrecv_msg(nullptr, 3, empty, 0, 0, nullptr, 5, empty, 0, 0, world));
  });
}

TEST(pure_h_type_bounds, structs_have_the_extents_of_c) {
  on_ranks(1, [] {
    struct number_and_letter {
      double number;
      char letter;
    };
    const pure_datatype both = struct_type(
        {{1, offsetof(number_and_letter, number), PURE_DOUBLE}, {1, offsetof(number_and_letter, letter), PURE_CHAR}});
    EXPECT_EQ(bounds_of(both), (type_bounds{0, sizeof(number_and_letter), 0, 9}));
    EXPECT_EQ(bounds_of(row_type(3, both)), (type_bounds{0, 3 * sizeof(number_and_letter), 0, 41}));

    struct nested {
      number_and_letter first;
      char last;
    };
    EXPECT_EQ(bounds_of(struct_type({{1, 0, both}, {1, offsetof(nested, last), PURE_CHAR}})).extent, sizeof(nested));

    struct with_pair {
      struct {
        long double value;
        int index;
      } pair;
      short last;
    };
    EXPECT_EQ(bounds_of(struct_type({{1, 0, PURE_LONG_DOUBLE_INT}, {1, offsetof(with_pair, last), PURE_SHORT}})).extent,
              sizeof(with_pair));
    struct pair_of_short {
      short value;
      int index;
    };
    EXPECT_EQ(bounds_of(PURE_SHORT_INT).extent, sizeof(pair_of_short));
    EXPECT_EQ(bounds_of(struct_type({{1, 0, PURE_SHORT_INT}, {1, 8, PURE_CHAR}})).extent, 12);

    pure_datatype type = PURE_DATATYPE_NULL;
    EXPECT_OK(pure_type_create_hvector(2, 1, 5, PURE_INT, &type));  // from 0 to 9
    EXPECT_EQ(bounds_of(type), (type_bounds{0, 12, 0, 9}));
    EXPECT_OK(pure_type_create_hvector(2, 1, 9, both, &type));  // to 18, the end of the letter
    EXPECT_EQ(bounds_of(type), (type_bounds{0, 24, 0, 18}));
  });
}

TEST(pure_h_type_bounds, where_a_part_is_resized_only_such_bounds_count) {
  on_ranks(1, [] {
    const pure_datatype narrow = resized_type(PURE_INT, -4, 2);
    EXPECT_EQ(bounds_of(narrow), (type_bounds{-4, 2, 0, 4}));
    EXPECT_EQ(bounds_of(struct_type({{1, 0, narrow}, {1, 104, PURE_DOUBLE}})), (type_bounds{-4, 2, 0, 112}));
    EXPECT_EQ(bounds_of(struct_type({{1, 0, narrow}, {1, 104, narrow}})), (type_bounds{-4, 106, 0, 108}));
    EXPECT_EQ(bounds_of(row_type(2, resized_type(PURE_INT, -3, 9))),
              (type_bounds{-3, 18, 0, 13}));  // the standard's example
    EXPECT_EQ(bounds_of(resized_type(narrow, 0, 4)), (type_bounds{0, 4, 0, 4}));
    const std::array<std::int64_t, 1> size{4}, part{2}, start{1};
    pure_datatype type = PURE_DATATYPE_NULL;
    EXPECT_OK(pure_type_create_subarray(1, size.data(), part.data(), start.data(), PURE_ORDER_C, PURE_INT, &type));
    EXPECT_EQ(bounds_of(struct_type({{1, 0, type}, {1, 104, PURE_DOUBLE}})), (type_bounds{0, 16, 4, 108}));
    EXPECT_OK(pure_type_create_subarray(1, size.data(), part.data(), start.data(), PURE_ORDER_C,
                                        resized_type(PURE_INT, 0, -8), &type));
    EXPECT_EQ(bounds_of(type), (type_bounds{0, -32, -16, 12}));
  });
}

TEST(pure_h_type_bounds, extents_may_be_negative) {
  for (const int count : {3, 20'000}) {  // at once, and as a large message
    on_ranks(2, [count](int me) {
      const pure_datatype backwards = resized_type(PURE_INT, 4, -4);
      EXPECT_EQ(bounds_of(backwards), (type_bounds{4, -4, 0, 4}));
      EXPECT_EQ(bounds_of(row_type(3, backwards)), (type_bounds{-4, 4, -8, 12}));
      std::vector<int> data(static_cast<std::size_t>(count) + 2, -1);
      int* const last = &data[static_cast<std::size_t>(count)];
      if (me == 0) {
        for (int i = 0; i < count; ++i) last[-i] = i;
        EXPECT_OK(pure_send_msg(last, count, backwards, 1, 0, world));
        EXPECT_OK(pure_send_msg(last, 1, row_type(count, backwards), 1, 0, world));
        return;
      }
      EXPECT_OK(pure_recv_msg(&data[1], count, PURE_INT, 0, 0, world));
      for (int i = 0; i < count; ++i) ASSERT_EQ(data[static_cast<std::size_t>(i) + 1], i);
      EXPECT_OK(pure_recv_msg(last, count, backwards, 0, 0, world));
      for (int i = 0; i < count; ++i) ASSERT_EQ(last[-i], i);
      EXPECT_EQ(data.front(), -1);
      EXPECT_EQ(data.back(), -1);
    });
  }
}

TEST(pure_h_type_bounds, windows_know_negative_extents) {
  on_ranks(2, [](int me) {
    int* mine = nullptr;
    pure_win win = PURE_WIN_NULL;
    EXPECT_OK(pure_win_allocate(4 * sizeof(int), sizeof(int), PURE_INFO_NULL, world, &mine, &win));
    for (int i = 0; i < 4; ++i) mine[i] = -1;
    EXPECT_OK(pure_win_fence(0, win));
    const pure_datatype backwards = resized_type(PURE_INT, 0, -4);
    const std::array<int, 4> data{10, 11, 12, 13};
    if (me == 0) {
      EXPECT_OK(pure_put(data.data(), 4, PURE_INT, 1, 3, 4, backwards, win));
      EXPECT_EQ(pure_put(data.data(), 4, PURE_INT, 1, 2, 4, backwards, win), PURE_ERR_RMA_RANGE) << "one too far down";
    }
    EXPECT_OK(pure_win_fence(0, win));
    if (me == 1) {
      for (int i = 0; i < 4; ++i) EXPECT_EQ(mine[i], 13 - i);
    }
    EXPECT_OK(pure_win_free(&win));
  });
}

TEST(pure_h_type_bounds, bounds_that_no_memory_has_are_refused) {
  on_ranks(1, [] {
    pure_datatype type = PURE_DATATYPE_NULL;
    constexpr std::int64_t farthest = std::int64_t{1} << 60;
    for (const std::int64_t sign : {-1, 1}) {
      EXPECT_OK(pure_type_create_resized(PURE_INT, 0, sign * farthest, &type));
      EXPECT_EQ(bounds_of(type).extent, sign * farthest);
      test_support::expect_error(pure_type_create_resized(PURE_INT, 0, sign * (farthest + 1), &type), PURE_ERR_ARG,
                                 {"more bytes than any object"});
      test_support::expect_error(pure_type_create_resized(PURE_INT, sign * (farthest + 1), 0, &type), PURE_ERR_ARG,
                                 {"more bytes than any object"});
    }
  });
}

}  // namespace
