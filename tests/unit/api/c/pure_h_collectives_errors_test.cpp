// pure.h, collectives: wrong arguments are refused by the rank that passes them, before it communicates.
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

constexpr auto no_type = static_cast<pure_datatype>(99);
constexpr std::int64_t far_too_many = std::numeric_limits<std::int64_t>::max() / 2;

/// Runs `function` on three ranks whose errors are returned; all must still be able to meet afterwards.
template <class Function>
void on_three_ranks(Function function) {
  on_ranks(3, [&](int rank) {
    function(rank);
    EXPECT_OK(pure_barrier(world));
  });
}

void add(const void* in, void* inout, std::int64_t count, pure_datatype) {
  for (std::int64_t i = 0; i < count; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

struct arguments {
  std::vector<int> x = std::vector<int>(64), y = std::vector<int>(64);
  std::vector<std::int64_t> counts = {1, 2, 1}, displs = {0, 1, 3};
  std::vector<pure_datatype> types = {PURE_INT, PURE_INT, PURE_INT};
  pure_request request = PURE_REQUEST_NULL;
};

TEST(pure_h_collectives_errors, communicators_counts_and_types) {
  on_three_ranks([](int me) {
    arguments b;
    void *const x = b.x.data(), *const y = b.y.data();
    const std::string who = "rank " + std::to_string(me) + " of world";
    expect_error(pure_barrier(PURE_COMM_NULL), PURE_ERR_COMM, {"pure_barrier", "null communicator"});
    expect_error(pure_ibarrier(PURE_COMM_NULL, &b.request), PURE_ERR_COMM, {"pure_ibarrier"});
    expect_error(pure_barrier_init(static_cast<pure_comm>(77), &b.request), PURE_ERR_COMM, {"0x4d"});
    expect_error(pure_ibarrier(world, nullptr), PURE_ERR_ARG, {"pure_ibarrier: " + who, "`request`"});
    expect_error(pure_barrier_init(world, nullptr), PURE_ERR_ARG, {"pure_barrier_init: " + who, "`request`"});

    expect_error(pure_bcast(x, -1, PURE_INT, 0, world), PURE_ERR_COUNT, {"pure_bcast: " + who, "-1"});
    expect_error(pure_bcast(x, far_too_many, PURE_DOUBLE, 0, world), PURE_ERR_COUNT, {"too many"});
    expect_error(pure_bcast(x, 1, no_type, 0, world), PURE_ERR_TYPE, {"99"});
    expect_error(pure_reduce(x, y, 1, PURE_DATATYPE_NULL, PURE_SUM, 0, world), PURE_ERR_TYPE, {"pure_reduce"});
    expect_error(pure_allreduce(x, y, -2, PURE_INT, PURE_SUM, world), PURE_ERR_COUNT, {"-2"});
    expect_error(pure_reduce_scatter_block(x, y, -3, PURE_INT, PURE_SUM, world), PURE_ERR_COUNT, {"-3"});
    expect_error(pure_reduce_scatter_block(x, y, far_too_many / 4, PURE_INT, PURE_SUM, world), PURE_ERR_COUNT,
                 {"too many"});
    expect_error(pure_gather(x, -1, PURE_INT, y, 1, PURE_INT, 0, world), PURE_ERR_COUNT, {"pure_gather: " + who});
    expect_error(pure_gather(x, 1, PURE_INT, y, -1, PURE_INT, me, world), PURE_ERR_COUNT, {"-1"});
    expect_error(pure_gather(x, 1, PURE_INT, y, 1, no_type, me, world), PURE_ERR_TYPE, {"99"});
    expect_error(pure_scatter(x, 1, PURE_INT, y, -1, PURE_INT, 0, world), PURE_ERR_COUNT, {"pure_scatter: " + who});
    expect_error(pure_scatter(x, 1, no_type, y, 1, PURE_INT, me, world), PURE_ERR_TYPE, {"99"});
    expect_error(pure_allgather(x, 1, PURE_INT, y, -5, PURE_INT, world), PURE_ERR_COUNT, {"-5"});
    expect_error(pure_alltoall(x, 1, no_type, y, 1, PURE_INT, world), PURE_ERR_TYPE, {"99"});
  });
}

TEST(pure_h_collectives_errors, arrays) {
  on_three_ranks([](int me) {
    arguments b;
    void *const x = b.x.data(), *const y = b.y.data();
    const std::int64_t *const c = b.counts.data(), *const d = b.displs.data();
    const pure_datatype* const t = b.types.data();
    std::vector<std::int64_t> negative = {1, 1, -7};
    expect_error(pure_gatherv(x, 1, PURE_INT, y, nullptr, d, PURE_INT, me, world), PURE_ERR_ARG, {"`recv_counts`"});
    expect_error(pure_gatherv(x, 1, PURE_INT, y, c, nullptr, PURE_INT, me, world), PURE_ERR_ARG, {"`displs`"});
    expect_error(pure_gatherv(x, 1, PURE_INT, y, negative.data(), d, PURE_INT, me, world), PURE_ERR_COUNT,
                 {"recv_counts[2] is -7"});
    expect_error(pure_scatterv(x, nullptr, d, PURE_INT, y, 1, PURE_INT, me, world), PURE_ERR_ARG, {"`send_counts`"});
    expect_error(pure_scatterv(x, negative.data(), d, PURE_INT, y, 1, PURE_INT, me, world), PURE_ERR_COUNT,
                 {"send_counts[2]"});
    expect_error(pure_allgatherv(x, 1, PURE_INT, y, nullptr, d, PURE_INT, world), PURE_ERR_ARG, {"pure_allgatherv"});
    expect_error(pure_reduce_scatter(x, y, nullptr, PURE_INT, PURE_SUM, world), PURE_ERR_ARG, {"`recv_counts`"});
    expect_error(pure_reduce_scatter(x, y, negative.data(), PURE_INT, PURE_SUM, world), PURE_ERR_COUNT, {"-7"});
    expect_error(pure_alltoallv(x, c, nullptr, PURE_INT, y, c, d, PURE_INT, world), PURE_ERR_ARG, {"`send_displs`"});
    expect_error(pure_alltoallv(x, c, d, PURE_INT, y, c, nullptr, PURE_INT, world), PURE_ERR_ARG, {"`recv_displs`"});
    expect_error(pure_alltoallv(x, negative.data(), d, PURE_INT, y, c, d, PURE_INT, world), PURE_ERR_COUNT, {"-7"});
    expect_error(pure_alltoallw(x, c, d, nullptr, y, c, d, t, world), PURE_ERR_ARG, {"`send_types`"});
    pure_datatype derived = PURE_DATATYPE_NULL;
    EXPECT_EQ(pure_type_contiguous(2, PURE_INT, &derived), PURE_SUCCESS);
    const pure_datatype with_derived[] = {PURE_INT, derived, PURE_INT};
    EXPECT_EQ(pure_type_free(&derived), PURE_SUCCESS);
    expect_error(pure_alltoallw(x, c, d, with_derived, y, c, d, t, world), PURE_ERR_TYPE,
                 {"send_types[1]: ", "freed already"});
    expect_error(pure_alltoallw(x, c, d, t, y, c, d, with_derived, world), PURE_ERR_TYPE,
                 {"recv_types[1]: ", "freed already"});
    b.types[1] = no_type;
    expect_error(pure_alltoallw(x, c, d, t, y, c, d, t, world), PURE_ERR_TYPE, {"_types[1]: 99 is not a datatype"});
    negative[2] = far_too_many;
    expect_error(pure_allgatherv(x, 1, PURE_INT, y, negative.data(), d, PURE_INT, world), PURE_ERR_COUNT, {"too many"});
  });
}

TEST(pure_h_collectives_errors, operators) {
  on_three_ranks([](int me) {
    arguments b;
    void *const x = b.x.data(), *const y = b.y.data();
    const auto reduce = [&](pure_op op, pure_datatype type = PURE_INT) {
      return pure_allreduce(x, y, 1, type, op, world);
    };
    expect_error(reduce(PURE_OP_NULL), PURE_ERR_OP, {"pure_allreduce: rank ", "null operator"});
    expect_error(reduce(static_cast<pure_op>(PURE_NO_OP + 1)), PURE_ERR_OP, {"0xf is no operator"});
    expect_error(reduce(PURE_REPLACE), PURE_ERR_OP, {"PURE_REPLACE is for operations on windows only"});
    expect_error(reduce(PURE_BAND, PURE_DOUBLE), PURE_ERR_OP, {"PURE_BAND", "PURE_DOUBLE", "pure_op_create"});
    expect_error(reduce(PURE_MINLOC), PURE_ERR_OP, {"PURE_MINLOC", "PURE_INT"});
    expect_error(reduce(PURE_SUM, PURE_SHORT_INT), PURE_ERR_OP, {"PURE_SUM", "PURE_SHORT_INT"});

    pure_op made = PURE_OP_NULL;
    expect_error(pure_op_create(nullptr, true, &made), PURE_ERR_ARG, {"pure_op_create", "`function`"});
    expect_error(pure_op_create(add, true, nullptr), PURE_ERR_ARG, {"`op`"});
    EXPECT_OK(pure_op_create(add, true, &made));
    pure_op copy = made;
    expect_error(pure_op_free(nullptr), PURE_ERR_ARG, {"pure_op_free"});
    EXPECT_OK(pure_op_free(&made));
    EXPECT_EQ(made, PURE_OP_NULL);
    expect_error(pure_op_free(&made), PURE_ERR_OP, {"null operator"});
    expect_error(pure_op_free(&copy), PURE_ERR_OP, {"freed already"});
    expect_error(reduce(copy), PURE_ERR_OP, {"freed already"});
    pure_op sum = PURE_SUM;
    expect_error(pure_op_free(&sum), PURE_ERR_OP, {"built-in"});
    EXPECT_EQ(sum, PURE_SUM);

    EXPECT_OK(pure_op_create(add, true, &made));
    pure_op others[3];
    EXPECT_OK(pure_allgather(&made, sizeof made, PURE_BYTE, others, sizeof made, PURE_BYTE, world));
    expect_error(reduce(others[(me + 1) % 3]), PURE_ERR_OP, {"belongs to rank " + std::to_string((me + 1) % 3)});
    EXPECT_OK(pure_op_free(&made));
  });
}

TEST(pure_h_collectives_errors, buffers_roots_and_in_place) {
  on_three_ranks([](int me) {
    arguments b;
    int *const x = b.x.data(), *const y = b.y.data();
    const int other = (me + 1) % 3;
    const auto root_is = "which is rank " + std::to_string(other);
    expect_error(pure_bcast(x, 1, PURE_INT, 3, world), PURE_ERR_ROOT, {"root 3", "0 to 2"});
    expect_error(pure_gather(PURE_IN_PLACE, 1, PURE_INT, y, 1, PURE_INT, -1, world), PURE_ERR_ROOT, {"root -1"});
    expect_error(pure_iscatter(x, 1, PURE_INT, y, 1, PURE_INT, 17, world, &b.request), PURE_ERR_ROOT, {"root 17"});
    expect_error(pure_reduce_init(x, y, 1, PURE_INT, PURE_SUM, 3, world, &b.request), PURE_ERR_ROOT, {"root 3"});

    expect_error(pure_bcast(nullptr, 1, PURE_INT, 0, world), PURE_ERR_BUFFER, {"null"});
    expect_error(pure_allreduce(nullptr, y, 1, PURE_INT, PURE_SUM, world), PURE_ERR_BUFFER, {"send", "null"});
    expect_error(pure_allreduce(x, nullptr, 1, PURE_INT, PURE_SUM, world), PURE_ERR_BUFFER, {"receive", "null"});
    expect_error(pure_gather(nullptr, 1, PURE_INT, y, 1, PURE_INT, 0, world), PURE_ERR_BUFFER, {"send", "null"});
    expect_error(pure_scatter(x, 1, PURE_INT, nullptr, 1, PURE_INT, me, world), PURE_ERR_BUFFER, {"receive", "null"});
    expect_error(pure_alltoall(nullptr, 1, PURE_INT, y, 1, PURE_INT, world), PURE_ERR_BUFFER, {"send", "null"});

    expect_error(pure_bcast(PURE_IN_PLACE, 1, PURE_INT, 0, world), PURE_ERR_BUFFER, {"PURE_IN_PLACE stands for"});
    expect_error(pure_scan(x, PURE_IN_PLACE, 1, PURE_INT, PURE_SUM, world), PURE_ERR_BUFFER, {"PURE_IN_PLACE"});
    expect_error(pure_scatter(PURE_IN_PLACE, 1, PURE_INT, y, 1, PURE_INT, me, world), PURE_ERR_BUFFER, {"not for"});
    expect_error(pure_reduce(PURE_IN_PLACE, y, 1, PURE_INT, PURE_SUM, other, world), PURE_ERR_BUFFER, {root_is});
    expect_error(pure_gather(PURE_IN_PLACE, 1, PURE_INT, y, 1, PURE_INT, other, world), PURE_ERR_BUFFER, {root_is});
    expect_error(pure_scatter(x, 1, PURE_INT, PURE_IN_PLACE, 1, PURE_INT, other, world), PURE_ERR_BUFFER, {root_is});

    expect_error(pure_allreduce(x, x, 1, PURE_INT, PURE_SUM, world), PURE_ERR_BUFFER, {"overlap", "PURE_IN_PLACE"});
    expect_error(pure_allgather(x + 2, 1, PURE_INT, x, 1, PURE_INT, world), PURE_ERR_BUFFER, {"overlap"});

    double result = 0;
    expect_error(pure_reproducible_sum(x, 1, PURE_INT, &result, world), PURE_ERR_TYPE, {"PURE_INT", "PURE_DOUBLE"});
    expect_error(pure_reproducible_sum(x, 1, no_type, &result, world), PURE_ERR_TYPE, {"99"});
    expect_error(pure_reproducible_sum(nullptr, 1, PURE_DOUBLE, &result, world), PURE_ERR_BUFFER, {"null"});
    expect_error(pure_reproducible_sum(PURE_IN_PLACE, 1, PURE_DOUBLE, &result, world), PURE_ERR_BUFFER, {"no meaning"});
    expect_error(pure_reproducible_sum(x, 1, PURE_DOUBLE, nullptr, world), PURE_ERR_ARG, {"`result`"});
    expect_error(pure_reproducible_sum(x, -1, PURE_FLOAT, &result, world), PURE_ERR_COUNT, {"-1"});
    EXPECT_EQ(b.request, PURE_REQUEST_NULL) << "no failed call gives a request";
  });
}

TEST(pure_h_collectives_errors, starts_and_frees) {
  on_three_ranks([](int) {
    pure_request barrier, null = PURE_REQUEST_NULL;
    EXPECT_OK(pure_barrier_init(world, &barrier));
    expect_error(pure_start(nullptr), PURE_ERR_ARG, {"pure_start", "`request`"});
    expect_error(pure_start(&null), PURE_ERR_REQUEST, {"null request"});
    expect_error(pure_startall(-1, &barrier), PURE_ERR_COUNT, {"-1"});
    expect_error(pure_startall(1, nullptr), PURE_ERR_ARG, {"`requests`"});
    pure_request both[] = {barrier, null};
    expect_error(pure_startall(2, both), PURE_ERR_REQUEST, {"null request"});
    EXPECT_OK(pure_startall(0, nullptr));
    EXPECT_OK(pure_start(&barrier)) << "pure_startall has started none";
    expect_error(pure_start(&barrier), PURE_ERR_REQUEST, {"pure_barrier_init at", "is active"});
    expect_error(pure_request_free(&barrier), PURE_ERR_REQUEST, {"is active", "wait or test"});
    EXPECT_OK(pure_wait(&barrier));
    EXPECT_NE(barrier, PURE_REQUEST_NULL);
    pure_request copy = barrier;
    EXPECT_OK(pure_request_free(&barrier));
    EXPECT_EQ(barrier, PURE_REQUEST_NULL);
    expect_error(pure_request_free(&barrier), PURE_ERR_REQUEST, {"null request"});
    expect_error(pure_start(&copy), PURE_ERR_REQUEST, {"freed already"});
    expect_error(pure_request_free(nullptr), PURE_ERR_ARG, {"`request`"});

    pure_request once;
    EXPECT_OK(pure_ibarrier(world, &once));
    expect_error(pure_start(&once), PURE_ERR_REQUEST, {"not persistent"});
    expect_error(pure_request_free(&once), PURE_ERR_REQUEST, {"pure_ibarrier at", "is active"});
    EXPECT_OK(pure_wait(&once));
    EXPECT_EQ(once, PURE_REQUEST_NULL);
  });
}

}  // namespace
