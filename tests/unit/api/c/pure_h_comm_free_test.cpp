// pure.h, pure_comm_free while operations on the communicator are pending or can be started again (MPI 4.1, 7.4.3):
// they go on as if nothing had been said, at any number of ranks, and what the communicator was is given back in the
// end.
#include <pure.h>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <pure/pure.hpp>

#include "comm/communicator_table.hpp"
#include "support/pure_h.hpp"

namespace comm_free_c {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

constexpr int sizes[] = {1, 2, 3, 4, 9};

template <class Function>
void at_all_sizes(Function function) {
  for (const int ranks : sizes) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    on_ranks(ranks, function);
  }
}

pure_comm copy_of(pure_comm of) {
  pure_comm made = PURE_COMM_NULL;
  EXPECT_OK(pure_comm_dup(of, &made));
  return made;
}

/// The communicators beside world that the job has, when all ranks have come here.
std::size_t communicators() {
  EXPECT_OK(pure_barrier(world));
  const std::size_t live = pure::core::communicator_table::of(*pure::core::self()).registry().live();
  EXPECT_OK(pure_barrier(world));
  return live;
}

/// One rank after the other, so that what a rank starts is pending when it goes on: the ranks after it have not come.
template <class Do>
void in_turn(Do what) {
  const int me = pure_rank(), ranks = pure_size();
  int token = 0;
  if (me > 0) {
    EXPECT_OK(pure_recv_msg(&token, 1, PURE_INT, me - 1, 77, world, nullptr));
  }
  what();
  if (me + 1 < ranks) {
    EXPECT_OK(pure_send_msg(&token, 1, PURE_INT, me + 1, 77, world));
  }
}

// ---- collectives
// ------------------------------------------------------------------------------------------------------

/// A collective whose result every rank can tell, in each of the shapes that they have; large: nothing is copied.
struct shape {
  const char* name;
  int (*start)(const std::vector<int>& in, std::vector<int>& out, pure_comm, pure_request*);
  int (*make)(const std::vector<int>& in, std::vector<int>& out, pure_comm, pure_request*);
  int (*expected)(int me, int ranks);  // of each element; -1: as before
};

int sum(int ranks) { return ranks * (ranks - 1) / 2; }

const shape shapes[] = {
    {"barrier", [](auto&, auto&, pure_comm c, pure_request* r) { return pure_ibarrier(c, r); },
     [](auto&, auto&, pure_comm c, pure_request* r) { return pure_barrier_init(c, r); }, [](int, int) { return -1; }},
    {"bcast",
     [](auto& in, auto& out, pure_comm c, pure_request* r) {
       out = in;
       return pure_ibcast(out.data(), std::ssize(out), PURE_INT, 0, c, r);
     },
     [](auto& in, auto& out, pure_comm c, pure_request* r) {
       out = in;
       return pure_bcast_init(out.data(), std::ssize(out), PURE_INT, 0, c, r);
     },
     [](int, int) { return 0; }},
    {"reduce",
     [](auto& in, auto& out, pure_comm c, pure_request* r) {
       return pure_ireduce(in.data(), out.data(), std::ssize(in), PURE_INT, PURE_SUM, 0, c, r);
     },
     [](auto& in, auto& out, pure_comm c, pure_request* r) {
       return pure_reduce_init(in.data(), out.data(), std::ssize(in), PURE_INT, PURE_SUM, 0, c, r);
     },
     [](int me, int ranks) { return me == 0 ? sum(ranks) : -1; }},
    {"allreduce",
     [](auto& in, auto& out, pure_comm c, pure_request* r) {
       return pure_iallreduce(in.data(), out.data(), std::ssize(in), PURE_INT, PURE_SUM, c, r);
     },
     [](auto& in, auto& out, pure_comm c, pure_request* r) {
       return pure_allreduce_init(in.data(), out.data(), std::ssize(in), PURE_INT, PURE_SUM, c, r);
     },
     [](int, int ranks) { return sum(ranks); }},
    {"alltoall",
     [](auto& in, auto& out, pure_comm c, pure_request* r) {
       const auto each = std::ssize(in) / pure_size();
       return pure_ialltoall(in.data(), each, PURE_INT, out.data(), each, PURE_INT, c, r);
     },
     [](auto& in, auto& out, pure_comm c, pure_request* r) {
       const auto each = std::ssize(in) / pure_size();
       return pure_alltoall_init(in.data(), each, PURE_INT, out.data(), each, PURE_INT, c, r);
     },
     [](int, int) { return -2; }},  // the rank that the block is from
};

void check(const shape& what, const std::vector<int>& out) {
  const int me = pure_rank(), ranks = pure_size(), expected = what.expected(me, ranks);
  const std::size_t each = out.size() / static_cast<std::size_t>(ranks);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], expected == -2 ? static_cast<int>(i / each) : expected) << what.name << ", element " << i;
  }
}

TEST(pure_h_comm_free, a_pending_collective_completes) {
  for (const std::size_t elements_each : {1U, 20'000U}) {
    at_all_sizes([elements_each](int me) {
      const std::size_t n = elements_each * static_cast<std::size_t>(pure_size());
      const std::size_t before = communicators();
      for (const shape& each : shapes) {
        const std::vector<int> in(n, me);
        std::vector<int> out(n, -1);
        pure_request request = PURE_REQUEST_NULL;
        pure_comm made = copy_of(world);
        in_turn([&] {
          EXPECT_OK(each.start(in, out, made, &request));
          const pure_comm copy = made;
          EXPECT_OK(pure_comm_free(&made));
          EXPECT_EQ(made, PURE_COMM_NULL);
          expect_error(pure_barrier(copy), PURE_ERR_COMM, {"freed already"});
        });
        EXPECT_OK(pure_wait(&request, nullptr));
        check(each, out);
        EXPECT_EQ(communicators(), before) << each.name;
      }
    });
  }
}

TEST(pure_h_comm_free, many_pending_collectives_complete_in_any_order) {
  at_all_sizes([](int me) {
    constexpr std::size_t many = 20;
    const int ranks = pure_size();
    const std::size_t before = communicators();
    std::vector<int> in(many), out(many, -1);
    std::vector<pure_request> requests(many);
    pure_comm made = copy_of(world);
    in_turn([&] {
      for (std::size_t i = 0; i < many; ++i) {
        in[i] = me + static_cast<int>(i);
        EXPECT_OK(pure_iallreduce(&in[i], &out[i], 1, PURE_INT, PURE_SUM, made, &requests[i]));
      }
      EXPECT_OK(pure_comm_free(&made));
    });
    for (std::size_t i = many; i-- > 0;) EXPECT_OK(pure_wait(&requests[i], nullptr));
    for (std::size_t i = 0; i < many; ++i) EXPECT_EQ(out[i], sum(ranks) + ranks * static_cast<int>(i));
    EXPECT_EQ(communicators(), before);
  });
}

TEST(pure_h_comm_free, a_persistent_collective_goes_on_to_work) {
  at_all_sizes([](int me) {
    const std::size_t before = communicators();
    for (const bool is_active : {false, true}) {
      for (const shape& each : shapes) {
        const std::vector<int> in(static_cast<std::size_t>(pure_size()), me);
        std::vector<int> out(in.size(), -1);
        pure_request request = PURE_REQUEST_NULL;
        pure_comm made = copy_of(world);
        in_turn([&] {
          EXPECT_OK(each.make(in, out, made, &request));
          if (is_active) {
            EXPECT_OK(pure_start(&request));
          }
          EXPECT_OK(pure_comm_free(&made));
        });
        if (is_active) {
          EXPECT_OK(pure_wait(&request, nullptr));
        }
        for (int round = 0; round < 5; ++round) {
          EXPECT_OK(pure_start(&request));
          EXPECT_OK(pure_wait(&request, nullptr));
          check(each, out);
        }
        EXPECT_EQ(communicators(), before + 1) << "it may be started again";
        EXPECT_OK(pure_request_free(&request));
        EXPECT_EQ(communicators(), before) << each.name;
      }
    }
  });
}

TEST(pure_h_comm_free, ranks_that_end_with_operations_on_freed_communicators_free_them) {
  for (const int ranks : sizes) {  // under the sanitizers: nothing is used after its end, nothing is lost
    pure::run(ranks, [] {
      int in = 1, out = 0;
      pure_request unfinished = PURE_REQUEST_NULL, inactive = PURE_REQUEST_NULL, receive = PURE_REQUEST_NULL;
      pure_comm made = copy_of(world);
      EXPECT_OK(pure_allreduce_init(&in, &out, 1, PURE_INT, PURE_SUM, made, &inactive));
      EXPECT_OK(pure_recv_init(&in, 1, PURE_INT, 0, 1, made, &receive));
      EXPECT_OK(pure_ibarrier(made, &unfinished));
      EXPECT_OK(pure_comm_free(&made));
    });
  }
}

// ---- messages
// ---------------------------------------------------------------------------------------------------------

TEST(pure_h_comm_free, pending_messages_arrive) {
  at_all_sizes([](int me) {
    const int ranks = pure_size(), right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
    constexpr std::size_t n = 50'000;
    const std::size_t before = communicators();
    const std::vector<int> large(n, me);
    std::vector<int> in(n, -1);
    int small_in = -1, exchanged = -1;
    pure_request requests[4] = {};
    pure_comm made = copy_of(world);
    in_turn([&] {
      EXPECT_OK(pure_irecv_msg(in.data(), n, PURE_INT, left, 1, made, &requests[0]));
      EXPECT_OK(pure_irecv_msg(&small_in, 1, PURE_INT, PURE_ANY_SOURCE, 2, made, &requests[1]));
      EXPECT_OK(pure_isend_msg(large.data(), n, PURE_INT, right, 1, made, &requests[2]));
      EXPECT_OK(pure_isendrecv_msg(&me, 1, PURE_INT, right, 3, &exchanged, 1, PURE_INT, left, 3, made, &requests[3]));
      EXPECT_OK(pure_send_msg(&me, 1, PURE_INT, right, 2, made));
      EXPECT_OK(pure_comm_free(&made));
    });
    EXPECT_OK(pure_waitall(4, requests, nullptr));
    EXPECT_EQ(in, std::vector<int>(n, left));
    EXPECT_EQ(small_in, left);
    EXPECT_EQ(exchanged, left);
    pure_comm other = copy_of(world);  // where the table looks whether messages need a freed communicator
    EXPECT_OK(pure_comm_free(&other));
    EXPECT_EQ(communicators(), before);
  });
}

TEST(pure_h_comm_free, persistent_messages_meet_no_message_of_a_later_communicator) {
  on_ranks(1, [] {
    pure_comm made = copy_of(PURE_COMM_SELF);
    int out = 1000, in = -1;
    pure_request both[2] = {};
    EXPECT_OK(pure_send_init(&out, 1, PURE_INT, 0, 5, made, &both[0]));
    EXPECT_OK(pure_recv_init(&in, 1, PURE_INT, 0, 5, made, &both[1]));
    EXPECT_OK(pure_comm_free(&made));
    EXPECT_OK(pure_start(&both[1]));
    // Contexts of freed communicators come back after 8192 others.
    for (int i = 0; i < 9000; ++i) {
      pure_comm other = copy_of(PURE_COMM_SELF);
      int got = -1;
      pure_request receive = PURE_REQUEST_NULL;
      EXPECT_OK(pure_irecv_msg(&got, 1, PURE_INT, 0, 5, other, &receive));
      EXPECT_OK(pure_send_msg(&i, 1, PURE_INT, 0, 5, other));
      int flag = 0;
      EXPECT_OK(pure_test(&receive, &flag, nullptr));
      ASSERT_EQ(flag, 1) << "communicator " << i << ": its message has gone to the receive of another";
      ASSERT_EQ(got, i);
      EXPECT_OK(pure_comm_free(&other));
    }
    EXPECT_EQ(in, -1);
    EXPECT_OK(pure_start(&both[0]));
    EXPECT_OK(pure_waitall(2, both, nullptr));
    EXPECT_EQ(in, 1000);
    EXPECT_EQ(communicators(), 1U) << "the messages can be started again";
    for (pure_request& each : both) EXPECT_OK(pure_request_free(&each));
    pure_comm other = copy_of(PURE_COMM_SELF);
    EXPECT_OK(pure_comm_free(&other));
    EXPECT_EQ(communicators(), 0U);
  });
}

TEST(pure_h_comm_free, parts_and_copies_of_copies) {
  at_all_sizes([](int me) {
    const std::size_t before = communicators();
    const int ranks = pure_size();
    pure_comm part = PURE_COMM_NULL;
    EXPECT_OK(pure_comm_split(world, me % 2, -me, &part));
    pure_comm copy = copy_of(part);
    int in = me, of_part = -1, of_copy = -1;
    pure_request requests[2] = {};
    in_turn([&] {
      EXPECT_OK(pure_iallreduce(&in, &of_part, 1, PURE_INT, PURE_SUM, part, &requests[0]));
      EXPECT_OK(pure_comm_free(&part));
      EXPECT_OK(pure_iallreduce(&in, &of_copy, 1, PURE_INT, PURE_MAX, copy, &requests[1]));
      EXPECT_OK(pure_comm_free(&copy));
    });
    EXPECT_OK(pure_waitall(2, requests, nullptr));
    int expected = 0, most = 0;
    for (int q = me % 2; q < ranks; q += 2) expected += q, most = q;
    EXPECT_EQ(of_part, expected);
    EXPECT_EQ(of_copy, most);
    EXPECT_EQ(communicators(), before);
  });
}

}  // namespace comm_free_c
