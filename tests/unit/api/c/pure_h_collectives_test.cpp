// pure.h, collectives: what the C interface adds to the core. In-place forms, arguments that do not matter, empty
// buffers at null, operators that are freed early, and requests of collectives among others. (That results are right
// for all kinds, types and sizes is tested in tests/stress.)
#include <pure.h>

#include <gtest/gtest.h>

#include <malloc.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_h.hpp"

namespace {

using test_support::world;

using numbers = std::vector<int>;
using counts = std::vector<std::int64_t>;

/// Runs function(rank, ranks) at 1 to 4 ranks and at 7.
template <class Function>
void on_any_ranks(Function function) {
  for (const int ranks : {1, 2, 3, 4, 7}) {
    SCOPED_TRACE(ranks);
    pure::run(ranks, [&] {
      EXPECT_OK(pure_set_errhandler(PURE_ERRORS_RETURN));
      function(pure_rank(), ranks);
    });
  }
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }
int sum_to(int n) { return n * (n + 1) / 2; }  // 1 + ... + n

TEST(pure_h_collectives, in_place_reductions) {
  on_any_ranks([](int me, int ranks) {
    int x = me + 1;
    EXPECT_OK(pure_allreduce(PURE_IN_PLACE, &x, 1, PURE_INT, PURE_SUM, world));
    EXPECT_EQ(x, sum_to(ranks));
    for (int root = 0; root < ranks; ++root) {
      x = me + 1;
      int unused = 77;
      EXPECT_OK(me == root ? pure_reduce(PURE_IN_PLACE, &x, 1, PURE_INT, PURE_SUM, root, world)
                           : pure_reduce(&x, me % 2 == 0 ? nullptr : &unused, 1, PURE_INT, PURE_SUM, root, world));
      EXPECT_EQ(x, me == root ? sum_to(ranks) : me + 1);
      EXPECT_EQ(unused, 77);
    }
    x = me + 1;
    EXPECT_OK(pure_scan(PURE_IN_PLACE, &x, 1, PURE_INT, PURE_SUM, world));
    EXPECT_EQ(x, sum_to(me + 1));
    x = me + 1;
    EXPECT_OK(pure_exscan(PURE_IN_PLACE, &x, 1, PURE_INT, PURE_SUM, world));
    EXPECT_EQ(x, me == 0 ? 1 : sum_to(me));

    numbers all(at(ranks));
    std::iota(all.begin(), all.end(), me);
    EXPECT_OK(pure_reduce_scatter_block(PURE_IN_PLACE, all.data(), 1, PURE_INT, PURE_SUM, world));
    EXPECT_EQ(all[0], sum_to(ranks - 1) + ranks * me);
    std::iota(all.begin(), all.end(), me);
    const counts ones(at(ranks), 1);
    EXPECT_OK(pure_reduce_scatter(PURE_IN_PLACE, all.data(), ones.data(), PURE_INT, PURE_SUM, world));
    EXPECT_EQ(all[0], sum_to(ranks - 1) + ranks * me);
  });
}

TEST(pure_h_collectives, in_place_blocks) {
  on_any_ranks([](int me, int ranks) {
    numbers expected(at(ranks));
    std::iota(expected.begin(), expected.end(), 0);
    counts ones(at(ranks), 1), places(at(ranks));
    std::iota(places.begin(), places.end(), 0);
    const auto own_only = [&] {
      numbers all(at(ranks), -1);
      all[at(me)] = me;
      return all;
    };
    const auto no_type = static_cast<pure_datatype>(99);  // in place, the arguments of the send buffer do not matter
    numbers all = own_only();
    EXPECT_OK(pure_allgather(PURE_IN_PLACE, -1, no_type, all.data(), 1, PURE_INT, world));
    EXPECT_EQ(all, expected);
    all = own_only();
    EXPECT_OK(pure_allgatherv(PURE_IN_PLACE, -1, no_type, all.data(), ones.data(), places.data(), PURE_INT, world));
    EXPECT_EQ(all, expected);

    for (int root = 0; root < ranks; ++root) {
      const bool is_root = me == root;
      all = own_only();  // at other ranks the arguments of the receive buffer do not matter
      EXPECT_OK(is_root ? pure_gather(PURE_IN_PLACE, -1, no_type, all.data(), 1, PURE_INT, root, world)
                        : pure_gather(&me, 1, PURE_INT, nullptr, -1, no_type, root, world));
      EXPECT_EQ(all, is_root ? expected : own_only());
      all = own_only();
      EXPECT_OK(is_root ? pure_gatherv(PURE_IN_PLACE, -1, no_type, all.data(), ones.data(), places.data(), PURE_INT,
                                       root, world)
                        : pure_gatherv(&me, 1, PURE_INT, nullptr, nullptr, nullptr, no_type, root, world));
      EXPECT_EQ(all, is_root ? expected : own_only());

      int got = -1;
      EXPECT_OK(is_root ? pure_scatter(expected.data(), 1, PURE_INT, PURE_IN_PLACE, -1, no_type, root, world)
                        : pure_scatter(nullptr, -1, no_type, &got, 1, PURE_INT, root, world));
      EXPECT_EQ(got, is_root ? -1 : me);
      got = -1;
      EXPECT_OK(is_root ? pure_scatterv(expected.data(), ones.data(), places.data(), PURE_INT, PURE_IN_PLACE, -1,
                                        no_type, root, world)
                        : pure_scatterv(nullptr, nullptr, nullptr, no_type, &got, 1, PURE_INT, root, world));
      EXPECT_EQ(got, is_root ? -1 : me);
    }

    numbers from_all(at(ranks));
    for (int q = 0; q < ranks; ++q) from_all[at(q)] = q * 100 + me;
    const auto to_all = [&] {
      numbers mine(at(ranks));
      for (int q = 0; q < ranks; ++q) mine[at(q)] = me * 100 + q;
      return mine;
    };
    numbers mine = to_all();
    EXPECT_OK(pure_alltoall(PURE_IN_PLACE, -1, no_type, mine.data(), 1, PURE_INT, world));
    EXPECT_EQ(mine, from_all);
    mine = to_all();
    EXPECT_OK(pure_alltoallv(PURE_IN_PLACE, nullptr, nullptr, no_type, mine.data(), ones.data(), places.data(),
                             PURE_INT, world));
    EXPECT_EQ(mine, from_all);
    mine = to_all();
    for (std::int64_t& each : places) each *= sizeof(int);  // in bytes
    const std::vector<pure_datatype> types(at(ranks), PURE_INT);
    EXPECT_OK(pure_alltoallw(PURE_IN_PLACE, nullptr, nullptr, nullptr, mine.data(), ones.data(), places.data(),
                             types.data(), world));
    EXPECT_EQ(mine, from_all);
  });
}

TEST(pure_h_collectives, empty_buffers_may_be_null) {
  on_any_ranks([](int me, int ranks) {
    EXPECT_OK(pure_bcast(nullptr, 0, PURE_INT, 0, world));
    EXPECT_OK(pure_allreduce(nullptr, nullptr, 0, PURE_INT, PURE_SUM, world));
    EXPECT_OK(pure_gather(nullptr, 0, PURE_INT, nullptr, 0, PURE_INT, 0, world));
    EXPECT_OK(pure_scatter(nullptr, 0, PURE_INT, nullptr, 0, PURE_INT, 0, world));
    EXPECT_OK(pure_alltoall(nullptr, 0, PURE_INT, nullptr, 0, PURE_INT, world));

    // All others send to rank 0, which sends nothing, from null: this is not "in place".
    counts none(at(ranks), 0), to_0 = none, from_others(at(ranks), 1), places(at(ranks));
    std::iota(places.begin(), places.end(), 0);
    to_0[0] = 1;
    from_others[0] = 0;
    numbers in(at(ranks), -1);
    const int value = me + 10;
    EXPECT_OK(me == 0 ? pure_alltoallv(nullptr, none.data(), none.data(), PURE_INT, in.data(), from_others.data(),
                                       places.data(), PURE_INT, world)
                      : pure_alltoallv(&value, to_0.data(), none.data(), PURE_INT, nullptr, none.data(), places.data(),
                                       PURE_INT, world));
    for (int q = 0; q < ranks; ++q) EXPECT_EQ(in[at(q)], me == 0 && q != 0 ? q + 10 : -1);

    // Only the last rank has something to give.
    counts only_last(at(ranks), 0);
    only_last.back() = 1;
    int got = -1;
    const bool is_last = me == ranks - 1;
    EXPECT_OK(pure_allgatherv(is_last ? &value : nullptr, is_last ? 1 : 0, PURE_INT, &got, only_last.data(),
                              none.data(), PURE_INT, world));
    EXPECT_EQ(got, ranks + 9);
  });
}

void affine(const void* in, void* inout, std::int64_t count, pure_datatype) {  // f(x) = ax + b: not commutative
  const int* const f = static_cast<const int*>(in);
  int* const g = static_cast<int*>(inout);
  for (std::int64_t i = 0; i + 1 < count; i += 2) {
    g[i + 1] += g[i] * f[i + 1];
    g[i] *= f[i];
  }
}

TEST(pure_h_collectives, an_operator_may_be_freed_while_it_is_used) {
  on_any_ranks([](int me, int ranks) {
    int a = 1, b = 0;
    for (int r = 0; r < ranks; ++r) {
      b = (r + 2) * b + r;
      a *= r + 2;
    }
    const int own[] = {me + 2, me};
    int results[3][2] = {};
    pure_request requests[3];
    for (int i = 0; i < 3; ++i) {
      pure_op op;
      EXPECT_OK(pure_op_create(affine, false, &op));
      EXPECT_OK(i == 0 ? pure_allreduce_init(own, results[i], 2, PURE_INT, op, world, &requests[i])
                       : pure_iallreduce(own, results[i], 2, PURE_INT, op, world, &requests[i]));
      EXPECT_OK(pure_op_free(&op));
    }
    EXPECT_OK(pure_start(&requests[0]));
    EXPECT_OK(pure_waitall(3, requests));
    for (const auto& each : results) {
      EXPECT_EQ(each[0], a);
      EXPECT_EQ(each[1], b);
    }
    EXPECT_OK(pure_request_free(&requests[0]));
  });
}

TEST(pure_h_collectives, operators_do_not_use_up_memory) {
  pure::run(1, [] {
    std::size_t before = 0;
    for (int i = 0; i < 200'000; ++i) {
      if (i == 1000) before = mallinfo2().uordblks;
      pure_op op;
      ASSERT_EQ(pure_op_create(affine, false, &op), PURE_SUCCESS);
      ASSERT_EQ(pure_op_free(&op), PURE_SUCCESS);
    }
    EXPECT_LT(mallinfo2().uordblks, before + 10'000);
  });
}

TEST(pure_h_collectives, the_reproducible_sum_is_the_same_for_any_distribution) {
  const std::vector<double> all = {1e300, 1, -1e300, 1e-300, 3, 1e17, -1e17, -1e-300};
  on_any_ranks([&](int me, int ranks) {
    std::vector<double> own;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (static_cast<int>(i * 5) % ranks == me) own.push_back(all[i]);
    }
    double sum = 0;
    EXPECT_OK(pure_reproducible_sum(own.empty() ? nullptr : own.data(), static_cast<std::int64_t>(own.size()),
                                    PURE_DOUBLE, &sum, world));
    EXPECT_EQ(sum, 4);
    const float tenth = 0.1F;
    float total = 0;
    EXPECT_OK(pure_reproducible_sum(&tenth, 1, PURE_FLOAT, &total, world));
    EXPECT_EQ(total, static_cast<float>(static_cast<double>(tenth) * ranks));
  });
}

// ---- completion -----------------------------------------------------------------------------------------------

TEST(pure_h_collectives, requests_of_collectives_among_others) {
  on_any_ranks([](int me, int ranks) {
    int sum = 0, token = -1;
    const int one = 1, to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
    pure_request requests[5] = {};
    pure_status statuses[5];
    EXPECT_OK(pure_barrier_init(world, &requests[4]));
    for (int round = 0; round < 20; ++round) {
      EXPECT_OK(pure_irecv_msg(&token, 1, PURE_INT, from, 3, world, &requests[0]));
      EXPECT_OK(pure_isend_msg(&round, 1, PURE_INT, to, 3, world, &requests[1]));
      EXPECT_OK(pure_iallreduce(&one, &sum, 1, PURE_INT, PURE_SUM, world, &requests[2]));
      EXPECT_OK(pure_start(&requests[4]));
      EXPECT_OK(pure_waitall(5, requests, statuses));
      EXPECT_EQ(token, round);
      EXPECT_EQ(sum, ranks);
      EXPECT_EQ(statuses[0].source, from);
      EXPECT_EQ(statuses[2].source, PURE_ANY_SOURCE);
      EXPECT_EQ(statuses[4].error, PURE_SUCCESS);
      for (int i = 0; i < 4; ++i) EXPECT_EQ(requests[i], PURE_REQUEST_NULL);
      EXPECT_NE(requests[4], PURE_REQUEST_NULL);
    }
    EXPECT_OK(pure_request_free(&requests[4]));
  });
}

TEST(pure_h_collectives, inactive_requests_count_as_null) {
  on_any_ranks([](int, int) {
    pure_request all[] = {PURE_REQUEST_NULL, PURE_REQUEST_NULL};
    EXPECT_OK(pure_barrier_init(world, &all[1]));
    pure_status status{.source = 7, .tag = 7, .error = 7, .bytes = 7};
    int index = 7, flag = 0, count = 7, indices[2];
    EXPECT_OK(pure_wait(&all[1], &status));
    EXPECT_EQ(status.source, PURE_ANY_SOURCE);
    EXPECT_OK(pure_test(&all[1], &flag));
    EXPECT_EQ(flag, 1);
    EXPECT_OK(pure_waitall(2, all));
    EXPECT_OK(pure_testall(2, all, &flag));
    EXPECT_EQ(flag, 1);
    EXPECT_OK(pure_waitany(2, all, &index));
    EXPECT_EQ(index, PURE_UNDEFINED);
    flag = index = 0;
    EXPECT_OK(pure_testany(2, all, &index, &flag));
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(index, PURE_UNDEFINED);
    EXPECT_OK(pure_waitsome(2, all, &count, indices));
    EXPECT_EQ(count, PURE_UNDEFINED);
    EXPECT_OK(pure_testsome(2, all, &count, indices));
    EXPECT_EQ(count, PURE_UNDEFINED);

    for (int round = 0; round < 10; ++round) {
      EXPECT_OK(pure_startall(1, &all[1]));
      if (round % 2 == 0) {
        EXPECT_OK(pure_waitany(2, all, &index));
      } else {
        for (flag = 0; flag == 0;) EXPECT_OK(pure_testany(2, all, &index, &flag));
      }
      EXPECT_EQ(index, 1);
    }
    EXPECT_OK(pure_request_free(&all[1]));
  });
}

TEST(pure_h_collectives, a_persistent_one_reads_its_buffers_at_every_start) {
  on_any_ranks([](int me, int ranks) {
    numbers in(at(ranks), -1);
    int out = 0, root_value = 0;
    pure_request both[2];
    EXPECT_OK(pure_allgather_init(&out, 1, PURE_INT, in.data(), 1, PURE_INT, world, &both[0]));
    EXPECT_OK(pure_bcast_init(&root_value, 1, PURE_INT, ranks - 1, world, &both[1]));
    for (int round = 1; round <= 5; ++round) {
      out = me * round;
      root_value = me == ranks - 1 ? round : 0;
      EXPECT_OK(pure_startall(2, both));
      EXPECT_OK(pure_waitall(2, both));
      for (int q = 0; q < ranks; ++q) EXPECT_EQ(in[at(q)], q * round);
      EXPECT_EQ(root_value, round);
    }
    for (pure_request& each : both) EXPECT_OK(pure_request_free(&each));
  });
}

TEST(pure_h_collectives, a_freed_send_arrives) {
  on_any_ranks([](int me, int ranks) {
    const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
    for (const std::size_t size : {std::size_t{1}, std::size_t{100'000}}) {
      const numbers out(size, me);
      numbers in(size);
      pure_request sent;
      EXPECT_OK(pure_isend_msg(out.data(), static_cast<std::int64_t>(size), PURE_INT, to, 3, world, &sent));
      EXPECT_OK(pure_request_free(&sent));
      EXPECT_EQ(sent, PURE_REQUEST_NULL);
      EXPECT_OK(pure_recv_msg(in.data(), static_cast<std::int64_t>(size), PURE_INT, from, 3, world));
      EXPECT_EQ(in, numbers(size, from));
      EXPECT_OK(pure_barrier(world));  // `out` has been read
    }
  });
}

}  // namespace
