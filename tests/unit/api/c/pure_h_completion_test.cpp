// pure.h, completion: wait and test in all forms, with the corner cases of the standard (MPI 4.1, 3.7.3 to 3.7.5).
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_h.hpp"
#include "support/pure_h_requests.hpp"

namespace {

using test_support::expect_empty;
using test_support::pending_receives;
using test_support::used;
using test_support::world;

TEST(pure_h_completion, tests_of_what_is_not_complete_change_nothing) {
  pure::run(1, [] {
    pending_receives pending(3);
    const std::vector<pure_request> before = pending.requests;
    int flag = 7, index = 7, outcount = 7, indices[3] = {};
    pure_status status = used;
    EXPECT_EQ(pure_test(&pending.requests[0], &flag, &status), PURE_SUCCESS);
    EXPECT_EQ(flag, 0);
    flag = 7;
    EXPECT_EQ(pure_testall(3, pending.requests.data(), &flag, PURE_STATUSES_IGNORE), PURE_SUCCESS);
    EXPECT_EQ(flag, 0);
    flag = 7;
    EXPECT_EQ(pure_testany(3, pending.requests.data(), &index, &flag, &status), PURE_SUCCESS);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(index, PURE_UNDEFINED);
    EXPECT_EQ(pure_testsome(3, pending.requests.data(), &outcount, indices, PURE_STATUSES_IGNORE), PURE_SUCCESS);
    EXPECT_EQ(outcount, 0);
    EXPECT_EQ(pending.requests, before);

    pending_receives::give(1);  // testall frees nothing as long as one is not complete
    EXPECT_EQ(pure_testall(3, pending.requests.data(), &flag, PURE_STATUSES_IGNORE), PURE_SUCCESS);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(pending.requests, before);
  });
}

TEST(pure_h_completion, waitany_and_testany_take_the_complete_one) {
  pure::run(1, [] {
    pending_receives pending(4);
    pending.give(2);
    int index = -1, flag = 0;
    pure_status status;
    EXPECT_EQ(pure_waitany(4, pending.requests.data(), &index, &status), PURE_SUCCESS);
    EXPECT_EQ(index, 2);
    EXPECT_EQ(status.tag, 2);
    EXPECT_EQ(status.bytes, 4);
    EXPECT_EQ(pending.requests[2], PURE_REQUEST_NULL);
    EXPECT_EQ(pending.in[2], 102);

    pending.give(1);
    EXPECT_EQ(pure_testany(4, pending.requests.data(), &index, &flag, &status), PURE_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(index, 1);
    EXPECT_EQ(status.tag, 1);
    EXPECT_EQ(pending.requests[1], PURE_REQUEST_NULL);
  });
}

TEST(pure_h_completion, waitsome_and_testsome_take_all_complete_ones) {
  pure::run(1, [] {
    pending_receives pending(5);
    pending.give(4);
    pending.give(1);
    int outcount = 0;
    std::vector<int> indices(5, -1);
    std::vector<pure_status> statuses(5);
    EXPECT_EQ(pure_waitsome(5, pending.requests.data(), &outcount, indices.data(), statuses.data()), PURE_SUCCESS);
    ASSERT_EQ(outcount, 2);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(statuses[i].tag, indices[i]) << "statuses belong to the indices";
    EXPECT_NE(std::find(indices.begin(), indices.begin() + 2, 1), indices.begin() + 2);
    EXPECT_NE(std::find(indices.begin(), indices.begin() + 2, 4), indices.begin() + 2);

    pending.give(0);
    pending.give(2);
    EXPECT_EQ(pure_testsome(5, pending.requests.data(), &outcount, indices.data(), statuses.data()), PURE_SUCCESS);
    ASSERT_EQ(outcount, 2);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(statuses[i].tag, indices[i]);
    EXPECT_EQ(pure_testsome(5, pending.requests.data(), &outcount, indices.data(), statuses.data()), PURE_SUCCESS);
    EXPECT_EQ(outcount, 0) << "one is left, and not complete";
  });
}

TEST(pure_h_completion, waitall_and_testall_with_sends_receives_and_nulls) {
  pure::run(2, [] {
    const int other = 1 - pure_rank();
    const std::vector<double> out(50'000, pure_rank());
    std::vector<double> in(50'000, -1);
    for (const bool test : {false, true}) {
      pure_request requests[3] = {PURE_REQUEST_NULL, PURE_REQUEST_NULL, PURE_REQUEST_NULL};
      pure_status statuses[3] = {used, used, used};
      pure_isend_msg(out.data(), 50'000, PURE_DOUBLE, other, 1, world, &requests[2]);
      pure_irecv_msg(in.data(), 50'000, PURE_DOUBLE, other, 1, world, &requests[0]);
      if (test) {
        for (int flag = 0; flag == 0;) EXPECT_EQ(pure_testall(3, requests, &flag, statuses), PURE_SUCCESS);
      } else {
        EXPECT_EQ(pure_waitall(3, requests, statuses), PURE_SUCCESS);
      }
      for (const pure_request each : requests) EXPECT_EQ(each, PURE_REQUEST_NULL);
      EXPECT_EQ(statuses[0].source, other);
      EXPECT_EQ(statuses[0].bytes, 400'000);
      expect_empty(statuses[1]);
      EXPECT_EQ(in, std::vector<double>(50'000, other));
    }
  });
}

TEST(pure_h_completion, looks_at_several_leave_them_as_they_are) {
  pure::run(1, [] {
    int flag = 7, index = 7, found = 7, indices[4] = {7, 7, 7, 7};
    pure_status one = used, statuses[4] = {used, used, used, used};
    const pure_request null[2] = {PURE_REQUEST_NULL, PURE_REQUEST_NULL};
    EXPECT_EQ(pure_request_get_status_any(2, null, &index, &flag, &one), PURE_SUCCESS);
    EXPECT_EQ(index, PURE_UNDEFINED);
    EXPECT_EQ(flag, 1);
    expect_empty(one);
    EXPECT_EQ(pure_request_get_status_some(2, null, &found, indices, statuses), PURE_SUCCESS);
    EXPECT_EQ(found, PURE_UNDEFINED);
    EXPECT_EQ(pure_request_get_status_all(2, null, &flag, statuses), PURE_SUCCESS);
    EXPECT_EQ(flag, 1);
    expect_empty(statuses[1]);

    pending_receives pending(4);
    const std::vector<pure_request> before = pending.requests;
    pure_request_get_status_any(4, pending.requests.data(), &index, &flag);
    EXPECT_EQ(index, PURE_UNDEFINED);
    EXPECT_EQ(flag, 0);
    pending_receives::give(1);
    pending_receives::give(3);
    for (int again = 0; again < 2; ++again) {
      pure_request_get_status_any(4, pending.requests.data(), &index, &flag, &one);
      EXPECT_EQ(index, 1);
      EXPECT_EQ(one.tag, 1);
      pure_request_get_status_some(4, pending.requests.data(), &found, indices, statuses);
      ASSERT_EQ(found, 2);
      EXPECT_EQ(indices[0], 1);
      EXPECT_EQ(indices[1], 3);
      EXPECT_EQ(statuses[1].tag, 3);
      pure_request_get_status_all(4, pending.requests.data(), &flag, statuses);
      EXPECT_EQ(flag, 0);
    }
    pending_receives::give(0);
    pending_receives::give(2);
    pure_request_get_status_all(4, pending.requests.data(), &flag, statuses);
    EXPECT_EQ(flag, 1);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(statuses[i].tag, i);
    EXPECT_EQ(pending.requests, before);
    pure_waitall(4, pending.requests.data());
    EXPECT_EQ(pending.in, (std::vector<int>{100, 101, 102, 103}));

    pure_set_errhandler(PURE_ERRORS_RETURN);
    EXPECT_EQ(pure_request_get_status_all(-1, null, &flag), PURE_ERR_COUNT);
    EXPECT_EQ(pure_request_get_status_any(4, before.data(), &index, &flag), PURE_ERR_REQUEST) << "freed";
    EXPECT_EQ(pure_request_get_status_some(2, null, &found, nullptr), PURE_ERR_ARG);
  });
}

TEST(pure_h_completion, a_test_makes_progress) {
  // Rank 0's sends do not fit into the ring: they leave its queue only in its tests.
  pure::run(2, [] {
    constexpr std::int64_t bytes = 8000;
    constexpr std::size_t messages = 200;
    std::vector<char> data(bytes * messages, 'x');
    if (pure_rank() == 0) {
      std::vector<pure_request> requests(messages);
      for (std::size_t i = 0; i < messages; ++i) {
        pure_isend_msg(data.data() + i * bytes, bytes, PURE_CHAR, 1, 0, world, &requests[i]);
      }
      for (int flag = 0; flag == 0;) pure_test(&requests[0], &flag);
      for (int flag = 0; flag == 0;) pure_testall(messages, requests.data(), &flag);
    } else {
      std::vector<char> in(bytes * messages, 'y');
      for (std::size_t i = 0; i < messages; ++i) pure_recv_msg(in.data() + i * bytes, bytes, PURE_CHAR, 0, 0, world);
      EXPECT_TRUE(in == data);
    }
  });
}

}  // namespace
