// pure.h, probes and matched probes: what a receive would get, before it is posted.
#include <pure.h>

#include <gtest/gtest.h>

#include <vector>

#include <pure/run.hpp>

#include "support/byte_messages.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::count_of;
using test_support::pattern;
using test_support::sizes;
using test_support::world;

TEST(pure_h_probes, a_probe_says_what_the_next_receive_gets) {
  for (const std::size_t bytes : sizes) {
    pure::run(3, [&] {
      const auto data = pattern(bytes, pure_rank());
      if (pure_rank() != 0) {
        pure_send_msg(data.data(), count_of(data), PURE_BYTE, 0, 10 + pure_rank(), world);
        return;
      }
      for (int i = 0; i < 2; ++i) {
        pure_status there, got;
        EXPECT_EQ(pure_probe(PURE_ANY_SOURCE, PURE_ANY_TAG, world, &there), PURE_SUCCESS);
        EXPECT_EQ(there.bytes, static_cast<std::int64_t>(bytes));
        EXPECT_EQ(there.tag, 10 + there.source);
        int flag = 0;
        pure_status again;
        EXPECT_EQ(pure_iprobe(there.source, there.tag, world, &flag, &again), PURE_SUCCESS);
        EXPECT_EQ(flag, 1) << "it is still there";
        std::vector<unsigned char> in(static_cast<std::size_t>(there.bytes));
        pure_recv_msg(in.data(), count_of(in), PURE_BYTE, there.source, there.tag, world, &got);
        EXPECT_EQ(in, pattern(bytes, there.source));
        EXPECT_EQ(got.source, there.source);
      }
      int flag = 1;
      EXPECT_EQ(pure_iprobe(PURE_ANY_SOURCE, PURE_ANY_TAG, world, &flag), PURE_SUCCESS);
      EXPECT_EQ(flag, 0);
    });
  }
}

TEST(pure_h_probes, a_probe_looks_behind_other_messages_and_passes_over_posted_receives) {
  pure::run(2, [] {
    int value = 0;
    if (pure_rank() == 1) {
      for (int i = 0; i < 50; ++i) pure_send_msg(&i, 1, PURE_INT, 0, i, world);
      return;
    }
    pure_request posted;
    pure_irecv_msg(&value, 1, PURE_INT, 1, 30, world, &posted);
    pure_status there;
    pure_probe(1, 40, world, &there);
    EXPECT_EQ(there.tag, 40);
    int flag = 1;
    pure_iprobe(1, 30, world, &flag);
    EXPECT_EQ(flag, 0) << "that message has its receive";
    pure_wait(&posted);
    EXPECT_EQ(value, 30);
    for (const int tag : {40, 49, 0, 1, 2}) {
      pure_recv_msg(&value, 1, PURE_INT, 1, tag, world);
      EXPECT_EQ(value, tag);
    }
    for (int i = 3; i < 49; ++i) {
      if (i == 30 || i == 40) continue;
      pure_recv_msg(&value, 1, PURE_INT, PURE_ANY_SOURCE, PURE_ANY_TAG, world);
      EXPECT_EQ(value, i) << "in the order of sending";
    }
  });
}

TEST(pure_h_probes, a_matched_message_is_nobody_elses) {
  for (const std::size_t bytes : sizes) {
    for (const bool synchronous : {false, true}) {
      pure::run(2, [&] {
        const auto first = pattern(bytes, 1), second = pattern(bytes, 2);
        if (pure_rank() == 1) {
          auto* const send = synchronous ? pure_issend_msg : pure_isend_msg;
          pure_request requests[2];
          send(first.data(), count_of(first), PURE_BYTE, 0, 0, world, &requests[0], pure_call_site());
          send(second.data(), count_of(second), PURE_BYTE, 0, 0, world, &requests[1], pure_call_site());
          pure_waitall(2, requests);
          return;
        }
        pure_message message = PURE_MESSAGE_NULL;
        pure_status found;
        EXPECT_EQ(pure_mprobe(1, 0, world, &message, &found), PURE_SUCCESS);
        EXPECT_EQ(found.bytes, static_cast<std::int64_t>(bytes));
        std::vector<unsigned char> in(bytes);
        pure_recv_msg(in.data(), count_of(in), PURE_BYTE, 1, 0, world);
        EXPECT_EQ(in, second);
        if (bytes % 2 == 0) {
          EXPECT_EQ(pure_mrecv_msg(in.data(), count_of(in), PURE_BYTE, &message, &found), PURE_SUCCESS);
        } else {
          pure_request request;
          EXPECT_EQ(pure_imrecv_msg(in.data(), count_of(in), PURE_BYTE, &message, &request), PURE_SUCCESS);
          EXPECT_EQ(pure_wait(&request, &found), PURE_SUCCESS);
        }
        EXPECT_EQ(message, PURE_MESSAGE_NULL);
        EXPECT_EQ(in, first);
        EXPECT_EQ(found.source, 1);
        int flag = 1;
        EXPECT_EQ(pure_improbe(1, 0, world, &flag, &message), PURE_SUCCESS);
        EXPECT_EQ(flag, 0);
      });
    }
  }
}

TEST(pure_h_probes, what_is_wrong_with_a_message) {
  pure::run(2, [] {
    pure_set_errhandler(PURE_ERRORS_RETURN);
    int value = 7;
    if (pure_rank() == 1) {
      pure_send_msg(&value, 1, PURE_INT, 0, 0, world);
      pure_send_msg(&value, 1, PURE_INT, 0, 0, world);
      return;
    }
    pure_message message = PURE_MESSAGE_NULL;
    EXPECT_EQ(pure_mrecv_msg(&value, 1, PURE_INT, &message), PURE_ERR_REQUEST);
    EXPECT_EQ(pure_mprobe(1, 0, world, &message, PURE_STATUS_IGNORE), PURE_SUCCESS);
    pure_message copy = message;
    EXPECT_EQ(pure_mrecv_msg(&value, 1, PURE_INT, &message), PURE_SUCCESS);
    EXPECT_EQ(pure_mrecv_msg(&value, 1, PURE_INT, &copy), PURE_ERR_REQUEST) << "received already";
    EXPECT_EQ(pure_mprobe(1, 0, world, &message, PURE_STATUS_IGNORE), PURE_SUCCESS);
    char small = 0;
    EXPECT_EQ(pure_mrecv_msg(&small, 1, PURE_CHAR, &message), PURE_ERR_TRUNCATE);
    EXPECT_EQ(pure_mprobe(PURE_PROC_NULL, 0, world, &message, PURE_STATUS_IGNORE), PURE_SUCCESS);
    pure_status status;
    EXPECT_EQ(pure_mrecv_msg(&value, 1, PURE_INT, &message, &status), PURE_SUCCESS);
    EXPECT_EQ(status.source, PURE_PROC_NULL);
    EXPECT_EQ(pure_probe(9, 0, world, &status), PURE_ERR_RANK);
    EXPECT_EQ(pure_probe(1, -7, world, &status), PURE_ERR_TAG);
  });
}

}  // namespace
