// pure.h, requests that are freed before they are complete (MPI 4.1, 3.7.3 and 6.12).
#include <pure.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <pure/run.hpp>

#include "support/byte_messages.hpp"
#include "support/pure_h.hpp"

namespace {

using test_support::count_of;
using test_support::pattern;
using test_support::sizes;
using test_support::world;

TEST(pure_h_request_free, active_sends_may_be_freed_and_arrive) {
  for (const std::size_t bytes : sizes) {
    const std::vector<unsigned char> data = pattern(bytes, 7);  // longer than rank 0's main
    pure::run(2, [&] {
      int go = 0;
      if (pure_rank() == 1) {
        pure_recv_msg(&go, 1, PURE_INT, 0, 9, world);  // all have been freed
        std::vector<unsigned char> in(bytes);
        for (int tag = 0; tag < 5; ++tag) {
          std::fill(in.begin(), in.end(), 0);
          EXPECT_EQ(pure_recv_msg(in.data(), count_of(in), PURE_BYTE, 0, tag, world), PURE_SUCCESS);
          EXPECT_EQ(in, data);
        }
        return;
      }
      pure_request request;
      for (int tag = 0; tag < 5; ++tag) {
        constexpr decltype(&pure_isend_msg) calls[] = {pure_isend_msg, pure_issend_msg, pure_send_init, pure_ssend_init,
                                                       pure_rsend_init};
        calls[tag](data.data(), count_of(data), PURE_BYTE, 1, tag, world, &request, pure_call_site());
        if (tag >= 2) pure_start(&request);
        EXPECT_EQ(pure_request_free(&request), PURE_SUCCESS);
        EXPECT_EQ(request, PURE_REQUEST_NULL);
      }
      pure_send_msg(&go, 1, PURE_INT, 1, 9, world);
    });
  }
}

TEST(pure_h_request_free, receives_that_are_freed_go_on) {
  for (const std::size_t bytes : sizes) {
    pure::run(2, [&] {
      pure_set_errhandler(PURE_ERRORS_RETURN);
      const auto data = pattern(bytes, 3);
      int go = 0;
      if (pure_rank() == 1) {
        pure_recv_msg(&go, 1, PURE_INT, 0, 9, world);
        for (int tag = 0; tag < 4; ++tag) {
          EXPECT_EQ(pure_send_msg(data.data(), count_of(data), PURE_BYTE, 0, tag, world), PURE_SUCCESS);
        }
        pure_recv_msg(&go, 1, PURE_INT, 0, 10, world);  // that of the freed send-receive
        pure_send_msg(&go, 1, PURE_INT, 0, 11,
                      world);  // it is matched last, and large sends end when they are received
        return;
      }
      std::vector<std::vector<unsigned char>> in(4, std::vector<unsigned char>(bytes));
      std::vector<pure_request> requests(4);
      const auto room = count_of(data);
      pure_irecv_msg(in[0].data(), room, PURE_BYTE, 1, 0, world, &requests[0]);
      pure_irecv_msg(in[1].data(), room, PURE_BYTE, PURE_ANY_SOURCE, 1, world, &requests[1]);
      pure_recv_init(in[2].data(), room, PURE_BYTE, 1, 2, world, &requests[2]);
      pure_start(&requests[2]);
      pure_isendrecv_msg(&go, 1, PURE_INT, 1, 10, in[3].data(), room, PURE_BYTE, 1, 3, world, &requests[3]);
      for (pure_request& each : requests) {
        EXPECT_EQ(pure_request_free(&each), PURE_SUCCESS) << pure_last_error();
        EXPECT_EQ(each, PURE_REQUEST_NULL);
      }
      pure_send_msg(&go, 1, PURE_INT, 1, 9, world);
      pure_recv_msg(&go, 1, PURE_INT, 1, 11, world);
      for (const auto& each : in) EXPECT_EQ(each, data);
    });
  }
}

TEST(pure_h_request_free, the_error_of_a_freed_receive_ends_the_job) {
  const auto in_job = [] {
    pure_set_errhandler(PURE_ERRORS_RETURN);
    int two[2] = {}, in = 0;
    pure_request request;
    pure_irecv_msg(&in, 1, PURE_INT, 0, 1, world, &request);
    pure_request_free(&request);
    pure_send_msg(two, 2, PURE_INT, 0, 1, world);
    for (int flag = 0;;) pure_iprobe(0, 99, world, &flag);
  };
  try {
    pure::run(1, in_job);
    FAIL() << "it has not failed";
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::truncate);
    EXPECT_NE(std::string(error.what()).find("pure_irecv_msg: message truncated"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("was freed"), std::string::npos) << error.what();
  }
}

TEST(pure_h_request_free, a_collective_is_not_freed_while_it_is_active) {
  pure::run(2, [] {
    pure_set_errhandler(PURE_ERRORS_RETURN);
    pure_request request;
    if (pure_rank() == 1) pure_recv_msg(nullptr, 0, PURE_BYTE, 0, 1, world);  // so rank 0's is active
    pure_ibarrier(world, &request);
    if (pure_rank() == 0) {
      EXPECT_EQ(pure_request_free(&request), PURE_ERR_REQUEST) << pure_last_error();
      EXPECT_NE(request, PURE_REQUEST_NULL);
      pure_send_msg(nullptr, 0, PURE_BYTE, 1, 1, world);
    }
    EXPECT_EQ(pure_wait(&request), PURE_SUCCESS);
  });
}

TEST(pure_h_request_free, a_collective_that_a_look_has_found_complete_may_be_freed) {
  pure::run(2, [] {
    pure_set_errhandler(PURE_ERRORS_RETURN);
    for (int by = 0; by < 4; ++by) {
      int in = 1, sum = 0, flag = 0, index = -1, count = 0;
      pure_request request;
      pure_iallreduce(&in, &sum, 1, PURE_INT, PURE_SUM, world, &request);
      EXPECT_EQ(pure_barrier(world), PURE_SUCCESS);
      while (by == 0 && flag == 0) pure_request_get_status(request, &flag, nullptr);
      while (by == 1 && flag == 0) pure_request_get_status_any(1, &request, &index, &flag, nullptr);
      while (by == 2 && flag == 0) pure_request_get_status_all(1, &request, &flag, nullptr);
      while (by == 3 && count == 0) pure_request_get_status_some(1, &request, &count, &index, nullptr);
      EXPECT_EQ(sum, 2);
      EXPECT_EQ(pure_request_free(&request), PURE_SUCCESS) << pure_last_error();
      EXPECT_EQ(request, PURE_REQUEST_NULL);
    }
  });
}

TEST(pure_h_request_free, numbers_that_are_no_requests_are_refused) {
  pure::run(1, [] {
    pure_set_errhandler(PURE_ERRORS_RETURN);
    for (std::uint64_t number = 3; number < 16; ++number) {
      const auto none = static_cast<pure_request>(number);
      pure_request given = none, all[] = {none, PURE_REQUEST_NULL};
      int flag = 0;
      EXPECT_EQ(pure_wait(&given), PURE_ERR_REQUEST);
      EXPECT_EQ(pure_test(&given, &flag), PURE_ERR_REQUEST);
      EXPECT_EQ(pure_waitall(2, all), PURE_ERR_REQUEST);
      EXPECT_EQ(pure_request_free(&given), PURE_ERR_REQUEST);
      EXPECT_EQ(given, none);
    }
  });
}

}  // namespace
