// pure.h, collectives of derived types, and with arrays of int: each against what a loop over plain arrays gives.
#include <pure.h>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

constexpr int gap = -1;

/// Two ints, of which the second lies `stride` further on; the next element begins behind the first int.
pure_datatype pair_apart(std::int64_t stride, std::int64_t extent) {
  pure_datatype two = PURE_DATATYPE_NULL, made = PURE_DATATYPE_NULL;
  EXPECT_OK(pure_type_vector(2, 1, stride, PURE_INT, &two));
  EXPECT_OK(pure_type_create_resized(two, 0, extent * std::int64_t{sizeof(int)}, &made));
  EXPECT_OK(pure_type_free(&two));
  return made;
}

/// Elements of two ints with one between and one behind them.
struct spread_elements {
  pure_datatype type = pair_apart(2, 4);
  std::vector<int> ints;

  explicit spread_elements(int elements) : ints(static_cast<std::size_t>(4 * elements), gap) {}
  spread_elements(const spread_elements&) = delete;
  spread_elements& operator=(const spread_elements&) = delete;
  ~spread_elements() { EXPECT_OK(pure_type_free(&type)); }

  void set(int element, int value) {
    ints[static_cast<std::size_t>(4 * element)] = value;
    ints[static_cast<std::size_t>(4 * element + 2)] = -value;
  }
  [[nodiscard]] bool has(int element, int value) const {
    const int* const at = &ints[static_cast<std::size_t>(4 * element)];
    return at[0] == value && at[1] == gap && at[2] == -value && at[3] == gap;
  }
  [[nodiscard]] bool is_untouched(int element) const {
    const int* const at = &ints[static_cast<std::size_t>(4 * element)];
    return at[0] == gap && at[1] == gap && at[2] == gap && at[3] == gap;
  }
};

template <class Function>
void on_some_ranks(Function function) {
  for (const int ranks : {1, 3}) {
    SCOPED_TRACE(ranks);
    on_ranks(ranks, [&](int me) { function(me, ranks); });
  }
}

TEST(pure_h_derived_collectives, data_goes_where_the_types_say) {
  on_some_ranks([](int me, int ranks) {
    spread_elements x(2), all(2 * ranks);
    std::vector<int> row(static_cast<std::size_t>(4 * ranks), gap);
    const int root = ranks - 1;

    x.set(1, me == root ? 5 : 6);
    EXPECT_OK(pure_bcast(&x.ints[4], 1, x.type, root, world));
    EXPECT_TRUE(x.has(1, 5) && x.is_untouched(0));

    // What one rank sends laid out, another one has in a row: two ints for an element.
    x.set(0, 10 + me);
    x.set(1, 20 + me);
    EXPECT_OK(pure_gather(x.ints.data(), 2, x.type, row.data(), 4, PURE_INT, root, world));
    for (int r = 0; r < ranks && me == root; ++r) {
      const int* const of = &row[static_cast<std::size_t>(4 * r)];
      EXPECT_TRUE(of[0] == 10 + r && of[1] == -10 - r && of[2] == 20 + r && of[3] == -20 - r);
    }
    EXPECT_OK(pure_scatter(row.data(), 4, PURE_INT, x.ints.data(), 2, x.type, root, world));
    EXPECT_TRUE(x.has(0, 10 + me) && x.has(1, 20 + me));

    EXPECT_OK(pure_allgather(x.ints.data(), 2, x.type, all.ints.data(), 2, all.type, world));
    for (int r = 0; r < ranks; ++r) EXPECT_TRUE(all.has(2 * r, 10 + r) && all.has(2 * r + 1, 20 + r));

    for (int i = 0; i < 2 * ranks; ++i) all.set(i, 100 * me + i);
    EXPECT_OK(pure_alltoall(PURE_IN_PLACE, 0, PURE_DATATYPE_NULL, all.ints.data(), 2, all.type, world));
    for (int r = 0; r < ranks; ++r)
      EXPECT_TRUE(all.has(2 * r, 100 * r + 2 * me) && all.has(2 * r + 1, 100 * r + 2 * me + 1));
  });
}

TEST(pure_h_derived_collectives, counts_and_displacements_are_ints_or_not) {
  on_some_ranks([](int me, int ranks) {
    spread_elements mine(ranks), all(2 * ranks);
    std::vector<int> counts, displs;
    std::vector<std::int64_t> wide;
    for (int r = 0; r < ranks; ++r) {
      counts.push_back(r % 2);
      displs.push_back(2 * (ranks - 1 - r));
      wide.push_back(displs.back());
    }
    const int own = me % 2;
    mine.set(0, 7 + me);
    EXPECT_OK(pure_allgatherv(mine.ints.data(), own, mine.type, all.ints.data(), counts.data(), wide.data(), all.type,
                              world));
    for (int r = 0; r < ranks; ++r) {
      const int at = 2 * (ranks - 1 - r);
      EXPECT_TRUE(r % 2 == 1 ? all.has(at, 7 + r) : all.is_untouched(at));
    }
    // Basic types with ints; and null where nobody looks.
    std::vector<int> row(static_cast<std::size_t>(2 * ranks), gap);
    const int value = 40 + me;
    pure_request request = PURE_REQUEST_NULL;
    if (me == 0) {
      EXPECT_OK(
          pure_igatherv(&value, own, PURE_INT, row.data(), counts.data(), displs.data(), PURE_INT, 0, world, &request));
    } else {
      EXPECT_OK(pure_igatherv(&value, own, PURE_INT, nullptr, NULL, nullptr, PURE_INT, 0, world, &request));
    }
    EXPECT_OK(pure_wait(&request));
    for (int r = 0; r < ranks && me == 0; ++r)
      EXPECT_EQ(row[static_cast<std::size_t>(2 * (ranks - 1 - r))], r % 2 == 1 ? 40 + r : gap);
    expect_error(pure_allgatherv(&value, 1, PURE_INT, row.data(), static_cast<const int*>(nullptr), displs.data(),
                                 PURE_INT, world),
                 PURE_ERR_ARG, {"recv_counts"});

    // Each pair of ranks with a type of its own, in bytes.
    std::vector<pure_datatype> types(static_cast<std::size_t>(ranks), PURE_INT);
    types.back() = all.type;
    std::vector<int> sends(static_cast<std::size_t>(ranks), 2), places;
    sends.back() = 1;
    for (int r = 0; r < ranks; ++r) places.push_back(16 * r);
    spread_elements from(ranks), to(ranks);
    for (std::size_t i = 0; i < from.ints.size(); ++i) from.ints[i] = 1000 * me + static_cast<int>(i);
    EXPECT_OK(pure_alltoallw(from.ints.data(), sends.data(), places.data(), types.data(), to.ints.data(), sends.data(),
                             places.data(), types.data(), world));
    for (int r = 0; r < ranks; ++r) {
      const int first = 1000 * r + 4 * me, second = first + (me == ranks - 1 ? 2 : 1);
      const int* const at = &to.ints[static_cast<std::size_t>(4 * r)];
      EXPECT_TRUE(at[0] == first && at[r == ranks - 1 ? 2 : 1] == second && at[3] == gap);
    }
  });
}

// Where an element has its second int, and where the next one begins: for the operator, whichever rank calls it.
std::atomic<std::int64_t> second_int = 2, next_element = 4;
/// Elements are maps x -> times * x + plus, which are composed: associative, not commutative.
void compose(const void* in, void* inout, std::int64_t count, pure_datatype /*type*/) {
  for (std::int64_t i = 0; i < count; ++i) {
    const int* const from = static_cast<const int*>(in) + i * next_element;
    int* const to = static_cast<int*>(inout) + i * next_element;
    to[second_int] += to[0] * from[second_int];
    to[0] *= from[0];
  }
}
struct map {
  int times, plus;
};
map map_of(int rank, int i) { return {2 + (rank + i) % 3, 100 * rank + i}; }
/// Of ranks 0 to `last`.
map composed_maps(int last, int i) {
  map all = map_of(0, i);
  for (int r = 1; r <= last; ++r) {
    const map next = map_of(r, i);
    all = {next.times * all.times, next.times * all.plus + next.plus};
  }
  return all;
}

TEST(pure_h_derived_collectives, programs_operators_combine_them) {
  on_some_ranks([](int me, int ranks) {
    second_int = 2, next_element = 4;
    pure_op op = PURE_OP_NULL;
    EXPECT_OK(pure_op_create(compose, false, &op));
    spread_elements x(2 * ranks), got(2 * ranks);
    const auto set = [&](int element, int i) {
      const map its = map_of(me, i);
      x.ints[static_cast<std::size_t>(4 * element)] = its.times;
      x.ints[static_cast<std::size_t>(4 * element + 2)] = its.plus;
    };
    for (int i = 0; i < 2 * ranks; ++i) set(i, i);
    const auto is_of = [&](int element, int last, int i) {
      const map all = composed_maps(last, i);
      const int* const at = &got.ints[static_cast<std::size_t>(4 * element)];
      return at[0] == all.times && at[2] == all.plus && at[1] == gap && at[3] == gap;
    };
    EXPECT_OK(pure_allreduce(x.ints.data(), got.ints.data(), 2, x.type, op, world));
    EXPECT_TRUE(is_of(0, ranks - 1, 0) && is_of(1, ranks - 1, 1) && (ranks == 1 || got.is_untouched(2)));
    EXPECT_OK(pure_scan(x.ints.data(), got.ints.data(), 2, x.type, op, world));
    EXPECT_TRUE(is_of(1, me, 1));
    EXPECT_OK(pure_reduce_scatter_block(x.ints.data(), got.ints.data(), 2, x.type, op, world));
    EXPECT_TRUE(is_of(0, ranks - 1, 2 * me) && is_of(1, ranks - 1, 2 * me + 1));
    pure_request request = PURE_REQUEST_NULL;
    EXPECT_OK(pure_reduce_init(x.ints.data(), got.ints.data(), 1, x.type, op, 0, world, &request));
    for (const int more : {0, 3}) {
      set(0, more);
      EXPECT_OK(pure_start(&request));
      EXPECT_OK(pure_wait(&request));
      EXPECT_TRUE(me != 0 || is_of(0, ranks - 1, more));
    }
    EXPECT_OK(pure_request_free(&request));
    EXPECT_OK(pure_op_free(&op));
    expect_error(pure_allreduce(x.ints.data(), got.ints.data(), 1, x.type, PURE_SUM, world), PURE_ERR_OP,
                 {"PURE_SUM", "derived types", "pure_op_create"});
    expect_error(pure_bcast(x.ints.data(), 1, static_cast<pure_datatype>(99), 0, world), PURE_ERR_TYPE, {});
  });
}

TEST(pure_h_derived_collectives, elements_may_lie_inside_each_other) {
  on_some_ranks([](int me, int ranks) {
    const int all = 2 * ranks;  // the first ints of all, then their second ones
    pure_datatype type = pair_apart(all, 1);
    second_int = all, next_element = 1;
    pure_op op = PURE_OP_NULL;
    EXPECT_OK(pure_op_create(compose, false, &op));
    std::vector<int> x(static_cast<std::size_t>(2 * all)), got(x.size(), gap);
    for (int i = 0; i < all; ++i) {
      x[static_cast<std::size_t>(i)] = map_of(me, i).times;
      x[static_cast<std::size_t>(i + all)] = map_of(me, i).plus;
    }
    EXPECT_OK(pure_barrier(world));
    EXPECT_OK(pure_reduce_scatter_block(x.data(), got.data(), 2, type, op, world));
    for (int k = 0; k < 2; ++k) {
      const map expected = composed_maps(ranks - 1, 2 * me + k);
      EXPECT_EQ(got[static_cast<std::size_t>(k)], expected.times);
      EXPECT_EQ(got[static_cast<std::size_t>(k + all)], expected.plus);
    }
    EXPECT_OK(pure_op_free(&op));
    EXPECT_OK(pure_type_free(&type));
  });
}

TEST(pure_h_derived_collectives, addresses_in_place_of_a_buffer) {
  on_ranks(2, [](int me) {
    int first = 10 * me + 1, second = 10 * me + 2;
    std::int64_t places[2] = {0, 0};
    EXPECT_OK(pure_get_address(&first, &places[0]));
    EXPECT_OK(pure_get_address(&second, &places[1]));
    const int lengths[2] = {1, 1};
    const pure_datatype types[2] = {PURE_INT, PURE_INT};
    pure_datatype type = PURE_DATATYPE_NULL;
    EXPECT_OK(pure_type_create_struct(2, lengths, places, types, &type));
    EXPECT_OK(pure_bcast(PURE_BOTTOM, 1, type, 1, world));
    EXPECT_TRUE(first == 11 && second == 12);
    if (me == 0) {
      const int more[2] = {5, 6};
      EXPECT_OK(pure_send_msg(more, 2, PURE_INT, 1, 0, world));
    } else {
      EXPECT_OK(pure_recv_msg(PURE_BOTTOM, 1, type, 0, 0, world));
      EXPECT_TRUE(first == 5 && second == 6);
    }
    // A type that counts from a buffer has to have one.
    spread_elements x(1);
    expect_error(pure_send_msg(nullptr, 1, x.type, 1 - me, 0, world), PURE_ERR_BUFFER, {});
    EXPECT_OK(pure_type_free(&type));
  });
}

}  // namespace
