// pure.h, null and inactive requests, and the null process: everywhere a request or a rank may stand
// (MPI 4.1, 3.7, 3.9, 3.10).
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

TEST(pure_h_null_requests, null_requests_complete_at_once_with_an_empty_status) {
  pure::run(1, [] {
    pure_request null = PURE_REQUEST_NULL;
    pure_status status = used;
    EXPECT_EQ(pure_wait(&null, &status), PURE_SUCCESS);
    expect_empty(status);
    int flag = 0;
    status = used;
    EXPECT_EQ(pure_test(&null, &flag, &status), PURE_SUCCESS);
    EXPECT_EQ(flag, 1);
    expect_empty(status);
    EXPECT_EQ(pure_wait(&null, PURE_STATUS_IGNORE), PURE_SUCCESS);
  });
}

TEST(pure_h_null_requests, empty_and_all_null_arrays) {
  pure::run(1, [] {
    pure_request nulls[3] = {PURE_REQUEST_NULL, PURE_REQUEST_NULL, PURE_REQUEST_NULL};
    for (const int n : {0, 3}) {
      pure_request* const all = n == 0 ? nullptr : nulls;
      pure_status statuses[3] = {used, used, used};
      int index = 5, flag = 0, outcount = 5, indices[3] = {};

      EXPECT_EQ(pure_waitall(n, all, statuses), PURE_SUCCESS);
      for (int i = 0; i < n; ++i) expect_empty(statuses[i]);
      EXPECT_EQ(pure_testall(n, all, &flag, statuses), PURE_SUCCESS);
      EXPECT_EQ(flag, 1);

      statuses[0] = used;
      EXPECT_EQ(pure_waitany(n, all, &index, statuses), PURE_SUCCESS);
      EXPECT_EQ(index, PURE_UNDEFINED);
      expect_empty(statuses[0]);

      index = 5;
      flag = 0;
      statuses[0] = used;
      EXPECT_EQ(pure_testany(n, all, &index, &flag, statuses), PURE_SUCCESS);
      EXPECT_EQ(flag, 1);
      EXPECT_EQ(index, PURE_UNDEFINED);
      expect_empty(statuses[0]);

      EXPECT_EQ(pure_waitsome(n, all, &outcount, indices, statuses), PURE_SUCCESS);
      EXPECT_EQ(outcount, PURE_UNDEFINED);
      outcount = 5;
      EXPECT_EQ(pure_testsome(n, all, &outcount, indices, statuses), PURE_SUCCESS);
      EXPECT_EQ(outcount, PURE_UNDEFINED);
    }
  });
}

/// Persistent messages of a rank to itself and with nobody: inactive, they count as null (MPI 4.1, 3.7.5 and 3.9).
TEST(pure_h_null_requests, inactive_messages_count_as_null) {
  pure::run(1, [] {
    int out = 3, in = -1;
    pure_request all[5] = {};
    pure_send_init(&out, 1, PURE_INT, 0, 1, world, &all[0]);
    pure_recv_init(&in, 1, PURE_INT, 0, 1, world, &all[1]);
    pure_send_init(&out, 1, PURE_INT, PURE_PROC_NULL, 1, world, &all[3]);
    pure_recv_init(&in, 1, PURE_INT, PURE_PROC_NULL, 1, world, &all[4]);
    const std::vector<pure_request> made(all, all + 5);
    for (const bool used_before : {false, true}) {
      int flag = 0, index = 7, outcount = 7, indices[5] = {};
      pure_status status = used, statuses[5] = {used, used, used, used, used};
      for (pure_request& each : all) {
        status = used;
        EXPECT_EQ(pure_wait(&each, &status), PURE_SUCCESS);
        expect_empty(status);
        status = used;
        flag = 0;
        EXPECT_EQ(pure_test(&each, &flag, &status), PURE_SUCCESS);
        EXPECT_EQ(flag, 1);
        expect_empty(status);
        status = used;
        flag = 0;
        EXPECT_EQ(pure_request_get_status(each, &flag, &status), PURE_SUCCESS);
        EXPECT_EQ(flag, 1);
        expect_empty(status);
      }
      EXPECT_EQ(pure_waitall(5, all, statuses), PURE_SUCCESS);
      for (const pure_status& each : statuses) expect_empty(each);
      std::fill(statuses, statuses + 5, used);
      flag = 0;
      EXPECT_EQ(pure_testall(5, all, &flag, statuses), PURE_SUCCESS);
      EXPECT_EQ(flag, 1);
      for (const pure_status& each : statuses) expect_empty(each);
      status = used;
      EXPECT_EQ(pure_waitany(5, all, &index, &status), PURE_SUCCESS);
      EXPECT_EQ(index, PURE_UNDEFINED);
      expect_empty(status);
      status = used;
      flag = index = 0;
      EXPECT_EQ(pure_testany(5, all, &index, &flag, &status), PURE_SUCCESS);
      EXPECT_EQ(flag, 1);
      EXPECT_EQ(index, PURE_UNDEFINED);
      expect_empty(status);
      EXPECT_EQ(pure_waitsome(5, all, &outcount, indices, statuses), PURE_SUCCESS);
      EXPECT_EQ(outcount, PURE_UNDEFINED);
      outcount = 7;
      EXPECT_EQ(pure_testsome(5, all, &outcount, indices, statuses), PURE_SUCCESS);
      EXPECT_EQ(outcount, PURE_UNDEFINED);
      EXPECT_TRUE(std::equal(made.begin(), made.end(), all)) << "none of these frees a persistent request";
      if (used_before) break;
      pure_startall(2, all);
      pure_startall(2, all + 3);
      EXPECT_EQ(pure_waitall(5, all, statuses), PURE_SUCCESS);
      EXPECT_EQ(in, 3);
      EXPECT_EQ(statuses[1].bytes, 4);
      EXPECT_EQ(statuses[4].source, PURE_PROC_NULL);
    }
    for (const int i : {0, 1, 3, 4}) {
      EXPECT_EQ(pure_request_free(&all[i]), PURE_SUCCESS);
      EXPECT_EQ(all[i], PURE_REQUEST_NULL);
    }
  });
}

TEST(pure_h_null_requests, calls_for_some_pass_over_what_is_inactive) {
  pure::run(1, [] {
    for (const bool some : {false, true}) {
      pending_receives pending(2);
      int never = 0, index = -1, outcount = 0, indices[4] = {};
      pure_request all[4] = {PURE_REQUEST_NULL, pending.requests[0], PURE_REQUEST_NULL, pending.requests[1]};
      pure_recv_init(&never, 1, PURE_INT, 0, 9, world, &all[2]);
      pure_status statuses[4];
      for (const int i : {3, 1}) {
        pending.give(i / 2);
        if (some) {
          EXPECT_EQ(pure_waitsome(4, all, &outcount, indices, statuses), PURE_SUCCESS);
          EXPECT_EQ(outcount, 1);
          index = indices[0];
        } else {
          EXPECT_EQ(pure_waitany(4, all, &index, statuses), PURE_SUCCESS);
        }
        EXPECT_EQ(index, i);
        EXPECT_EQ(statuses[0].tag, i / 2);
      }
      pending.requests = {PURE_REQUEST_NULL, PURE_REQUEST_NULL};
      EXPECT_EQ(pure_request_free(&all[2]), PURE_SUCCESS);
    }
  });
}

/// With nobody: complete from the start, the status of the null process in every way (MPI 4.1, 3.10).
TEST(pure_h_null_requests, the_null_process_in_every_mode) {
  pure::run(1, [] {
    const auto expect_from_nobody = [](const pure_status& status) {
      EXPECT_EQ(status.source, PURE_PROC_NULL);
      EXPECT_EQ(status.tag, PURE_ANY_TAG);
      EXPECT_EQ(status.bytes, 0);
      EXPECT_EQ(status.cancelled, 0);
    };
    int value = 5, flag = 0;
    pure_status status = used;
    for (const auto send : {pure_send_msg, pure_ssend_msg, pure_bsend_msg, pure_rsend_msg}) {
      EXPECT_EQ(send(&value, 1, PURE_INT, PURE_PROC_NULL, 0, world, pure_call_site()), PURE_SUCCESS);
    }
    for (const auto send : {pure_isend_msg, pure_issend_msg, pure_ibsend_msg, pure_irsend_msg, pure_send_init,
                            pure_ssend_init, pure_bsend_init, pure_rsend_init}) {
      pure_request request = PURE_REQUEST_NULL;
      EXPECT_EQ(send(&value, 1, PURE_INT, PURE_PROC_NULL, 0, world, &request, pure_call_site()), PURE_SUCCESS);
      EXPECT_EQ(pure_cancel(&request), PURE_SUCCESS) << "complete or inactive: nothing to cancel";
      EXPECT_EQ(pure_wait(&request, &status), PURE_SUCCESS);
      EXPECT_EQ(status.cancelled, 0);
      if (request != PURE_REQUEST_NULL) pure_request_free(&request);
    }
    EXPECT_EQ(pure_recv_msg(&value, 1, PURE_INT, PURE_PROC_NULL, 0, world, &status), PURE_SUCCESS);
    expect_from_nobody(status);
    pure_request received[4];
    pure_irecv_msg(&value, 1, PURE_INT, PURE_PROC_NULL, 0, world, &received[0]);
    pure_recv_init(&value, 1, PURE_INT, PURE_PROC_NULL, 0, world, &received[1]);
    pure_start(&received[1]);
    pure_isendrecv_msg(&value, 1, PURE_INT, PURE_PROC_NULL, 0, &flag, 1, PURE_INT, PURE_PROC_NULL, 0, world,
                       &received[2]);
    pure_isendrecv_replace_msg(&value, 1, PURE_INT, PURE_PROC_NULL, 0, PURE_PROC_NULL, 0, world, &received[3]);
    for (pure_request& each : received) {
      status = used;
      EXPECT_EQ(pure_request_get_status(each, &flag, &status), PURE_SUCCESS);
      EXPECT_EQ(flag, 1);
      expect_from_nobody(status);
      status = used;
      EXPECT_EQ(pure_test(&each, &flag, &status), PURE_SUCCESS);
      EXPECT_EQ(flag, 1);
      expect_from_nobody(status);
    }
    pure_request_free(&received[1]);
    EXPECT_EQ(pure_sendrecv_replace_msg(&value, 1, PURE_INT, PURE_PROC_NULL, 0, PURE_PROC_NULL, 0, world, &status),
              PURE_SUCCESS);
    expect_from_nobody(status);

    status = used;
    EXPECT_EQ(pure_probe(PURE_PROC_NULL, 3, world, &status), PURE_SUCCESS);
    expect_from_nobody(status);
    status = used;
    flag = 0;
    EXPECT_EQ(pure_iprobe(PURE_PROC_NULL, 3, world, &flag, &status), PURE_SUCCESS);
    EXPECT_EQ(flag, 1);
    expect_from_nobody(status);
    for (const bool blocks : {false, true}) {
      pure_message message = PURE_MESSAGE_NULL;
      flag = 0;
      status = used;
      if (blocks) {
        EXPECT_EQ(pure_mprobe(PURE_PROC_NULL, 3, world, &message, &status), PURE_SUCCESS);
      } else {
        EXPECT_EQ(pure_improbe(PURE_PROC_NULL, 3, world, &flag, &message, &status), PURE_SUCCESS);
        EXPECT_EQ(flag, 1);
      }
      expect_from_nobody(status);
      EXPECT_NE(message, PURE_MESSAGE_NULL);
      status = used;
      if (blocks) {
        EXPECT_EQ(pure_mrecv_msg(&value, 1, PURE_INT, &message, &status), PURE_SUCCESS);
      } else {
        pure_request request;
        EXPECT_EQ(pure_imrecv_msg(&value, 1, PURE_INT, &message, &request), PURE_SUCCESS);
        EXPECT_EQ(pure_wait(&request, &status), PURE_SUCCESS);
      }
      expect_from_nobody(status);
      EXPECT_EQ(message, PURE_MESSAGE_NULL);
    }
    EXPECT_EQ(value, 5);
  });
}

}  // namespace
