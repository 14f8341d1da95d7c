// pure.h, the rest of point-to-point: send modes, persistent messages, send-receives, cancel. Probes:
// pure_h_probes_test.
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <pure/run.hpp>

#include "support/byte_messages.hpp"
#include "support/pure_h.hpp"

namespace {

using namespace std::chrono_literals;

using test_support::count_of;
using test_support::pattern;
using test_support::sizes;
using test_support::world;

// ---- modes ----

TEST(pure_h_modes, a_synchronous_send_waits_for_its_receive) {
  for (const std::size_t bytes : sizes) {
    std::atomic<bool> is_posted{false};
    pure::run(2, [&] {
      auto data = pattern(bytes, 3);
      if (pure_rank() == 0) {
        EXPECT_EQ(pure_ssend_msg(data.data(), count_of(data), PURE_BYTE, 1, 5, world), PURE_SUCCESS);
        EXPECT_TRUE(is_posted) << bytes;
      } else {
        std::vector<unsigned char> in(bytes);
        std::this_thread::sleep_for(2ms);
        is_posted = true;
        EXPECT_EQ(pure_recv_msg(in.data(), count_of(in), PURE_BYTE, 0, 5, world), PURE_SUCCESS);
        EXPECT_EQ(in, data);
      }
    });
  }
}

TEST(pure_h_modes, a_synchronous_request_is_complete_when_a_receive_has_matched) {
  for (const std::size_t bytes : sizes) {
    pure::run(2, [&] {
      auto data = pattern(bytes, 4);
      char token = 0;
      if (pure_rank() == 0) {
        pure_request request;
        pure_issend_msg(data.data(), count_of(data), PURE_BYTE, 1, 5, world, &request);
        pure_send_msg(&token, 1, PURE_CHAR, 1, 6, world);
        for (int i = 0; i < 100; ++i) {
          int flag = 1;
          pure_test(&request, &flag);
          ASSERT_EQ(flag, 0) << "nobody has posted a receive yet";
        }
        pure_send_msg(&token, 1, PURE_CHAR, 1, 7, world);
        EXPECT_EQ(pure_wait(&request), PURE_SUCCESS);
      } else {
        pure_recv_msg(&token, 1, PURE_CHAR, 0, 6, world);  // the other becomes an unexpected message
        pure_recv_msg(&token, 1, PURE_CHAR, 0, 7, world);
        std::vector<unsigned char> in(bytes);
        pure_recv_msg(in.data(), count_of(in), PURE_BYTE, 0, 5, world);
        EXPECT_EQ(in, data);
      }
    });
  }
}

TEST(pure_h_modes, modes_keep_the_order_of_one_sender) {
  pure::run(2, [] {
    constexpr int messages = 400;
    if (pure_rank() == 0) {
      EXPECT_EQ(pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0), PURE_SUCCESS);
      std::vector<pure_request> requests;
      std::vector<int> values(messages);
      std::iota(values.begin(), values.end(), 0);
      for (int i = 0; i < messages; ++i) {
        const int* const value = &values[static_cast<std::size_t>(i)];
        pure_request request = PURE_REQUEST_NULL;
        switch (i % 5) {
          case 0: pure_isend_msg(value, 1, PURE_INT, 1, 0, world, &request); break;
          case 1: pure_issend_msg(value, 1, PURE_INT, 1, 0, world, &request); break;
          case 2: pure_ibsend_msg(value, 1, PURE_INT, 1, 0, world, &request); break;
          case 3: pure_irsend_msg(value, 1, PURE_INT, 1, 0, world, &request); break;
          default: pure_bsend_msg(value, 1, PURE_INT, 1, 0, world); break;
        }
        requests.push_back(request);
      }
      EXPECT_EQ(pure_waitall(messages, requests.data()), PURE_SUCCESS);
      void* buffer = nullptr;
      std::int64_t size = -1;
      EXPECT_EQ(pure_buffer_detach(&buffer, &size), PURE_SUCCESS);
      EXPECT_EQ(buffer, PURE_BUFFER_AUTOMATIC);
    } else {
      for (int i = 0; i < messages; ++i) {
        int got = -1;
        pure_recv_msg(&got, 1, PURE_INT, i % 3 == 0 ? PURE_ANY_SOURCE : 0, i % 2 == 0 ? PURE_ANY_TAG : 0, world);
        ASSERT_EQ(got, i);
      }
    }
  });
}

TEST(pure_h_modes, buffered_sends_need_no_receiver_until_the_buffer_is_full) {
  pure::run(2, [] {
    std::vector<double> data(5000);
    std::iota(data.begin(), data.end(), 0.0);
    const std::int64_t one = 5000 * 8 + PURE_BSEND_OVERHEAD;
    char token = 0;
    if (pure_rank() == 0) {
      pure_set_errhandler(PURE_ERRORS_RETURN);
      EXPECT_EQ(pure_bsend_msg(data.data(), 5000, PURE_DOUBLE, 1, 0, world), PURE_ERR_BUFFER);
      EXPECT_NE(std::string(pure_last_error()).find("no buffer is attached"), std::string::npos) << pure_last_error();
      std::vector<char> memory(static_cast<std::size_t>(3 * one));
      EXPECT_EQ(pure_buffer_attach(memory.data(), 3 * one), PURE_SUCCESS);
      EXPECT_EQ(pure_buffer_attach(memory.data(), 3 * one), PURE_ERR_BUFFER) << "one at a time";
      for (int i = 0; i < 3; ++i) {
        data[0] = i;
        EXPECT_EQ(pure_bsend_msg(data.data(), 5000, PURE_DOUBLE, 1, 0, world), PURE_SUCCESS);
        data[0] = -1;  // ours again
      }
      EXPECT_EQ(pure_bsend_msg(data.data(), 5000, PURE_DOUBLE, 1, 0, world), PURE_ERR_BUFFER);
      EXPECT_NE(std::string(pure_last_error()).find("40064 bytes"), std::string::npos) << pure_last_error();
      pure_send_msg(&token, 1, PURE_CHAR, 1, 1, world);
      EXPECT_EQ(pure_buffer_flush(), PURE_SUCCESS);
      data[0] = 3;
      EXPECT_EQ(pure_bsend_msg(data.data(), 5000, PURE_DOUBLE, 1, 0, world), PURE_SUCCESS) << "there is room again";
      void* buffer = nullptr;
      std::int64_t size = 0;
      EXPECT_EQ(pure_buffer_detach(&buffer, &size), PURE_SUCCESS);
      EXPECT_EQ(buffer, memory.data());
      EXPECT_EQ(size, 3 * one);
      EXPECT_EQ(pure_buffer_detach(&buffer, &size), PURE_ERR_BUFFER);
    } else {
      pure_recv_msg(&token, 1, PURE_CHAR, 0, 1, world);
      for (int i = 0; i < 4; ++i) {
        std::vector<double> in(5000);
        pure_recv_msg(in.data(), 5000, PURE_DOUBLE, 0, 0, world);
        EXPECT_EQ(in[0], i);
        EXPECT_EQ(in[4999], 4999);
      }
    }
  });
}

// ---- persistent ----

TEST(pure_h_modes, persistent_messages_start_again_and_again) {
  for (const std::size_t bytes : sizes) {
    pure::run(2, [&] {
      const int other = 1 - pure_rank();
      std::vector<unsigned char> out(bytes), in(bytes);
      pure_request both[2];
      const auto make = bytes % 2 == 0 ? pure_send_init : pure_ssend_init;
      EXPECT_EQ(make(out.data(), count_of(out), PURE_BYTE, other, 3, world, &both[0], pure_call_site()), PURE_SUCCESS);
      EXPECT_EQ(pure_recv_init(in.data(), count_of(in), PURE_BYTE, other, 3, world, &both[1]), PURE_SUCCESS);
      pure_status status;
      EXPECT_EQ(pure_wait(&both[1], &status), PURE_SUCCESS) << "inactive";
      EXPECT_EQ(status.bytes, 0);
      for (int round = 0; round < 20; ++round) {
        const auto now = pattern(bytes, round + pure_rank());
        std::copy(now.begin(), now.end(), out.begin());  // the buffer stays where it is
        EXPECT_EQ(pure_startall(2, both), PURE_SUCCESS);
        pure_status statuses[2];
        EXPECT_EQ(pure_waitall(2, both, statuses), PURE_SUCCESS);
        EXPECT_NE(both[0], PURE_REQUEST_NULL);
        EXPECT_EQ(in, pattern(bytes, round + other));
        EXPECT_EQ(statuses[1].source, other);
        EXPECT_EQ(statuses[1].bytes, static_cast<std::int64_t>(bytes));
      }
      EXPECT_EQ(pure_request_free(&both[0]), PURE_SUCCESS);
      EXPECT_EQ(pure_request_free(&both[1]), PURE_SUCCESS);
    });
  }
}

// ---- send-receives ----

TEST(pure_h_modes, replaced_and_paired_messages_go_round) {
  for (const std::size_t bytes : sizes) {
    pure::run(3, [&] {
      const int right = (pure_rank() + 1) % 3, left = (pure_rank() + 2) % 3;
      auto data = pattern(bytes, pure_rank());
      pure_status status;
      EXPECT_EQ(pure_sendrecv_replace_msg(data.data(), count_of(data), PURE_BYTE, right, 1, left, 1, world, &status),
                PURE_SUCCESS);
      EXPECT_EQ(data, pattern(bytes, left));
      EXPECT_EQ(status.source, left);
      pure_request requests[2];
      std::vector<unsigned char> in(bytes);
      auto replaced = pattern(bytes, 10 + pure_rank());
      pure_isendrecv_msg(data.data(), count_of(data), PURE_BYTE, right, 2, in.data(), count_of(in), PURE_BYTE, left, 2,
                         world, &requests[0]);
      pure_isendrecv_replace_msg(replaced.data(), count_of(replaced), PURE_BYTE, left, 3, right, 3, world,
                                 &requests[1]);
      pure_status statuses[2];
      EXPECT_EQ(pure_waitall(2, requests, statuses), PURE_SUCCESS);
      EXPECT_EQ(in, pattern(bytes, (left + 2) % 3));
      EXPECT_EQ(replaced, pattern(bytes, 10 + right));
      EXPECT_EQ(statuses[0].source, left);
      EXPECT_EQ(statuses[1].source, right);
      EXPECT_EQ(requests[0], PURE_REQUEST_NULL);
    });
  }
}

// ---- cancel, get_status ----

TEST(pure_h_modes, a_cancelled_receive_matches_nothing) {
  pure::run(2, [] {
    int value = 5;
    if (pure_rank() == 1) {
      pure_recv_msg(&value, 1, PURE_INT, 0, 1, world);
      pure_send_msg(&value, 1, PURE_INT, 0, 0, world);
      return;
    }
    int never = -1, got = -1;
    pure_request request;
    pure_irecv_msg(&never, 1, PURE_INT, 1, 0, world, &request);
    EXPECT_EQ(pure_cancel(&request), PURE_SUCCESS);
    pure_status status;
    EXPECT_EQ(pure_wait(&request, &status), PURE_SUCCESS);
    int flag = 0;
    pure_test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 1);
    pure_send_msg(&value, 1, PURE_INT, 1, 1, world);
    pure_recv_msg(&got, 1, PURE_INT, 1, 0, world, &status);
    pure_test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(got, 5);
    EXPECT_EQ(never, -1);
  });
}

TEST(pure_h_modes, a_send_is_cancelled_or_received) {
  for (const std::size_t bytes : sizes) {
    for (const bool receive_first : {false, true}) {
      pure::run(2, [&] {
        const auto data = pattern(bytes, 1), other = pattern(bytes, 2);
        char token = 0;
        if (pure_rank() == 0) {
          pure_request request;
          pure_issend_msg(data.data(), count_of(data), PURE_BYTE, 1, 0, world, &request);
          if (receive_first) pure_recv_msg(&token, 1, PURE_CHAR, 1, 9, world);
          EXPECT_EQ(pure_cancel(&request), PURE_SUCCESS);
          pure_status status;
          EXPECT_EQ(pure_wait(&request, &status), PURE_SUCCESS);
          EXPECT_EQ(status.cancelled, receive_first ? 0 : 1);
          if (!receive_first) pure_send_msg(&token, 1, PURE_CHAR, 1, 9, world);
          pure_send_msg(other.data(), count_of(other), PURE_BYTE, 1, 0, world);
        } else {
          if (!receive_first) pure_recv_msg(&token, 1, PURE_CHAR, 0, 9, world);  // makes the others early
          std::vector<unsigned char> in(bytes);
          pure_recv_msg(in.data(), count_of(in), PURE_BYTE, 0, 0, world);
          EXPECT_EQ(in, receive_first ? data : other);
          if (receive_first) {
            pure_send_msg(&token, 1, PURE_CHAR, 0, 9, world);
            pure_recv_msg(in.data(), count_of(in), PURE_BYTE, 0, 0, world);
            EXPECT_EQ(in, other);
          }
        }
      });
    }
  }
}

TEST(pure_h_modes, cancel_races_with_the_receive) {
  // Whoever wins: the message is either cancelled or received, never both and never neither.
  std::atomic<int> cancelled{0};
  pure::run(2, [&] {
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
      int value = round, got[2] = {-1, -1};
      if (pure_rank() == 0) {
        pure_request request;
        pure_issend_msg(&value, 1, PURE_INT, 1, 0, world, &request);
        for (int i = 0; i < round % 97; ++i) asm volatile("");
        pure_cancel(&request);
        pure_status status;
        pure_wait(&request, &status);
        cancelled += status.cancelled;
        const int is_cancelled = status.cancelled;
        pure_send_msg(&is_cancelled, 1, PURE_INT, 1, 1, world);
        if (is_cancelled) pure_send_msg(&value, 1, PURE_INT, 1, 0, world);
      } else {
        pure_recv_msg(&got[0], 1, PURE_INT, 0, 0, world);
        ASSERT_EQ(got[0], round);
        pure_recv_msg(&got[1], 1, PURE_INT, 0, 1, world);
      }
    }
  });
}

TEST(pure_h_modes, get_status_leaves_the_request_as_it_is) {
  pure::run(2, [] {
    int value = 11;
    if (pure_rank() == 1) {
      pure_send_msg(&value, 1, PURE_INT, 0, 0, world);
      return;
    }
    pure_request request;
    pure_irecv_msg(&value, 1, PURE_INT, 1, 0, world, &request);
    int flag = 0;
    pure_status status;
    while (flag == 0) EXPECT_EQ(pure_request_get_status(request, &flag, &status), PURE_SUCCESS);
    EXPECT_EQ(status.source, 1);
    EXPECT_NE(request, PURE_REQUEST_NULL);
    EXPECT_EQ(pure_wait(&request, &status), PURE_SUCCESS);
    EXPECT_EQ(status.bytes, 4);
    EXPECT_EQ(pure_request_get_status(PURE_REQUEST_NULL, &flag, &status), PURE_SUCCESS);
    EXPECT_EQ(flag, 1);
  });
}

}  // namespace
