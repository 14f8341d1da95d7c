// pure.h, errors: every code, what the text names, and the two error handlers.
#include <pure.h>

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_h.hpp"

namespace {

using test_support::expect_error;
using test_support::on_ranks;
using test_support::world;

TEST(pure_h_errors, ranks_out_of_range) {
  on_ranks(2, [] {
    int x = 0;
    pure_request request;
    for (const int wrong : {2, 99, -1, -2, -4, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
      const std::string number = std::to_string(wrong);
      expect_error(pure_send_msg(&x, 1, PURE_INT, wrong, 0, world), PURE_ERR_RANK,
                   {"pure_send_msg", "rank " + std::to_string(pure_rank()), "destination", number, "0 to 1", "world"});
      expect_error(pure_isend_msg(&x, 1, PURE_INT, wrong, 0, world, &request), PURE_ERR_RANK,
                   {"pure_isend_msg", number});
      if (wrong == PURE_ANY_SOURCE) continue;
      expect_error(pure_recv_msg(&x, 1, PURE_INT, wrong, 0, world), PURE_ERR_RANK, {"pure_recv_msg", "source", number});
      expect_error(pure_irecv_msg(&x, 1, PURE_INT, wrong, 0, world, &request), PURE_ERR_RANK,
                   {"pure_irecv_msg", number});
      expect_error(pure_sendrecv_msg(&x, 1, PURE_INT, 0, 0, &x, 1, PURE_INT, wrong, 0, world), PURE_ERR_RANK,
                   {"pure_sendrecv_msg", "source", number});
      expect_error(pure_sendrecv_msg(&x, 1, PURE_INT, wrong, 0, &x, 1, PURE_INT, 0, 0, world), PURE_ERR_RANK,
                   {"pure_sendrecv_msg", "destination", number});
    }
    expect_error(pure_send_msg(&x, 1, PURE_INT, 1, 0, PURE_COMM_SELF), PURE_ERR_RANK, {"self", "destination rank 1"});
  });
}

TEST(pure_h_errors, tags_out_of_range) {
  on_ranks(1, [] {
    int x = 0;
    for (const int wrong : {-1, -3, std::numeric_limits<int>::min()}) {
      const std::string number = std::to_string(wrong);
      expect_error(pure_send_msg(&x, 1, PURE_INT, 0, wrong, world), PURE_ERR_TAG,
                   {"pure_send_msg", number, "2147483647"});
      expect_error(pure_recv_msg(&x, 1, PURE_INT, 0, wrong, world), PURE_ERR_TAG, {"pure_recv_msg", number});
    }
    expect_error(pure_send_msg(&x, 1, PURE_INT, 0, PURE_ANY_TAG, world), PURE_ERR_TAG, {"-2"});
  });
}

TEST(pure_h_errors, counts_types_and_buffers) {
  on_ranks(1, [] {
    int x = 0;
    expect_error(pure_send_msg(&x, -1, PURE_INT, 0, 0, world), PURE_ERR_COUNT, {"pure_send_msg", "-1"});
    expect_error(pure_recv_msg(&x, -7, PURE_INT, 0, 0, world), PURE_ERR_COUNT, {"pure_recv_msg", "-7"});
    expect_error(pure_send_msg(&x, std::numeric_limits<std::int64_t>::max(), PURE_LONG_DOUBLE, 0, 0, world),
                 PURE_ERR_COUNT, {"9223372036854775807"});
    expect_error(pure_send_msg(&x, 1, PURE_DATATYPE_NULL, 0, 0, world), PURE_ERR_TYPE, {"pure_send_msg", "datatype"});
    expect_error(pure_recv_msg(&x, 1, static_cast<pure_datatype>(1000), 0, 0, world), PURE_ERR_TYPE, {"1000"});
    expect_error(pure_send_msg(nullptr, 4, PURE_INT, 0, 0, world), PURE_ERR_BUFFER, {"pure_send_msg", "null", "4"});
    expect_error(pure_recv_msg(nullptr, 4, PURE_INT, 0, 0, world), PURE_ERR_BUFFER, {"pure_recv_msg", "null", "4"});
    expect_error(pure_sendrecv_msg(&x, 1, PURE_INT, 0, 0, nullptr, 1, PURE_INT, 0, 0, world), PURE_ERR_BUFFER,
                 {"null"});

    // A null buffer is right where there is nothing in it.
    EXPECT_EQ(pure_send_msg(nullptr, 0, PURE_INT, 0, 0, world), PURE_SUCCESS);
    pure_status status;
    EXPECT_EQ(pure_recv_msg(nullptr, 0, PURE_INT, 0, 0, world, &status), PURE_SUCCESS);
    EXPECT_EQ(status.bytes, 0);
  });
}

TEST(pure_h_errors, a_failed_call_has_done_nothing) {
  on_ranks(1, [] {
    int x = 1, y = 2, in = 0;
    EXPECT_EQ(pure_sendrecv_msg(&x, 1, PURE_INT, 5, 0, &in, 1, PURE_INT, 0, 0, world), PURE_ERR_RANK);
    EXPECT_EQ(pure_sendrecv_msg(&x, 1, PURE_INT, 0, 0, &in, 1, PURE_INT, 0, -9, world), PURE_ERR_TAG);
    EXPECT_EQ(pure_sendrecv_msg(&y, 1, PURE_INT, 0, 0, &in, 1, PURE_INT, 0, 0, world), PURE_SUCCESS);
    EXPECT_EQ(in, 2) << "neither a message nor a receive of the failed calls was left";
  });
}

TEST(pure_h_errors, communicators) {
  on_ranks(1, [] {
    int x = 0;
    expect_error(pure_send_msg(&x, 1, PURE_INT, 0, 0, PURE_COMM_NULL), PURE_ERR_COMM, {"pure_send_msg", "null"});
    expect_error(pure_recv_msg(&x, 1, PURE_INT, 0, 0, static_cast<pure_comm>(77)), PURE_ERR_COMM, {"pure_recv_msg"});
    expect_error(pure_comm_rank(PURE_COMM_NULL, &x), PURE_ERR_COMM, {"pure_comm_rank"});
    expect_error(pure_comm_size(PURE_COMM_NULL, &x), PURE_ERR_COMM, {"pure_comm_size"});
  });
}

TEST(pure_h_errors, null_pointers_to_results) {
  on_ranks(1, [] {
    int x = 0, index = 0;
    pure_request request = PURE_REQUEST_NULL;
    pure_status status;
    std::int64_t count = 0;
    expect_error(pure_isend_msg(&x, 1, PURE_INT, 0, 0, world, nullptr), PURE_ERR_ARG, {"pure_isend_msg", "request"});
    expect_error(pure_irecv_msg(&x, 1, PURE_INT, 0, 0, world, nullptr), PURE_ERR_ARG, {"pure_irecv_msg", "request"});
    expect_error(pure_comm_rank(world, nullptr), PURE_ERR_ARG, {"pure_comm_rank", "rank"});
    expect_error(pure_comm_size(world, nullptr), PURE_ERR_ARG, {"pure_comm_size", "size"});
    expect_error(pure_wait(nullptr), PURE_ERR_ARG, {"pure_wait", "request"});
    expect_error(pure_test(&request, nullptr), PURE_ERR_ARG, {"pure_test", "flag"});
    expect_error(pure_test(nullptr, &x), PURE_ERR_ARG, {"pure_test", "request"});
    expect_error(pure_waitall(1, nullptr), PURE_ERR_ARG, {"pure_waitall", "requests"});
    expect_error(pure_waitany(1, &request, nullptr), PURE_ERR_ARG, {"pure_waitany", "index"});
    expect_error(pure_waitsome(1, &request, nullptr, &index), PURE_ERR_ARG, {"pure_waitsome", "outcount"});
    expect_error(pure_waitsome(1, &request, &x, nullptr), PURE_ERR_ARG, {"pure_waitsome", "indices"});
    expect_error(pure_testall(1, &request, nullptr), PURE_ERR_ARG, {"pure_testall", "flag"});
    expect_error(pure_testany(1, &request, nullptr, &x), PURE_ERR_ARG, {"pure_testany", "index"});
    expect_error(pure_testany(1, &request, &x, nullptr), PURE_ERR_ARG, {"pure_testany", "flag"});
    expect_error(pure_testsome(1, &request, nullptr, &index), PURE_ERR_ARG, {"pure_testsome", "outcount"});
    expect_error(pure_testsome(1, &request, &x, nullptr), PURE_ERR_ARG, {"pure_testsome", "indices"});
    expect_error(pure_get_count(nullptr, PURE_INT, &count), PURE_ERR_ARG, {"pure_get_count", "status"});
    expect_error(pure_get_count(&status, PURE_INT, static_cast<int*>(nullptr)), PURE_ERR_ARG,
                 {"pure_get_count", "count"});
    expect_error(pure_get_count(&status, PURE_DATATYPE_NULL, &count), PURE_ERR_TYPE, {"pure_get_count"});
    expect_error(pure_waitall(-1, &request), PURE_ERR_COUNT, {"pure_waitall", "-1"});
    expect_error(pure_waitany(-1, &request, &index), PURE_ERR_COUNT, {"pure_waitany", "-1"});
    expect_error(pure_set_errhandler(static_cast<pure_errhandler>(9)), PURE_ERR_ARG, {"pure_set_errhandler", "9"});
  });
}

TEST(pure_h_errors, freed_foreign_and_invented_requests) {
  std::vector<pure_request> foreign(1, PURE_REQUEST_NULL);
  on_ranks(2, [&] {
    int x = 0, go = 0;
    if (pure_rank() == 0) {
      pure_irecv_msg(&x, 1, PURE_INT, 1, 5, world, foreign.data());
      pure_send_msg(&go, 1, PURE_INT, 1, 0, world);
      pure_recv_msg(&go, 1, PURE_INT, 1, 0, world);  // rank 1 has tried it
      EXPECT_EQ(pure_wait(&foreign[0]), PURE_SUCCESS);
      return;
    }
    pure_recv_msg(&go, 1, PURE_INT, 0, 0, world);
    pure_request copy = foreign[0];
    expect_error(pure_wait(&copy), PURE_ERR_REQUEST, {"pure_wait", "rank 1", "belongs to rank 0"});
    int flag = 0, index = 0, outcount = 0;
    expect_error(pure_test(&copy, &flag), PURE_ERR_REQUEST, {"pure_test", "rank 0"});
    expect_error(pure_waitany(1, &copy, &index), PURE_ERR_REQUEST, {"pure_waitany"});
    expect_error(pure_testsome(1, &copy, &outcount, &index), PURE_ERR_REQUEST, {"pure_testsome"});

    pure_request mine;
    pure_irecv_msg(&x, 1, PURE_INT, 1, 1, world, &mine);
    copy = mine;
    pure_send_msg(&x, 1, PURE_INT, 1, 1, world);
    EXPECT_EQ(pure_wait(&mine), PURE_SUCCESS);
    expect_error(pure_wait(&copy), PURE_ERR_REQUEST, {"pure_wait", "completed or freed"});
    // The same entry in the table, used again: the old name is still dead.
    pure_irecv_msg(&x, 1, PURE_INT, 1, 1, world, &mine);
    EXPECT_NE(mine, copy);
    expect_error(pure_test(&copy, &flag), PURE_ERR_REQUEST, {"completed or freed"});
    pure_send_msg(&x, 1, PURE_INT, 1, 1, world);
    EXPECT_EQ(pure_wait(&mine), PURE_SUCCESS);

    pure_request invented = static_cast<pure_request>(12345);
    expect_error(pure_wait(&invented), PURE_ERR_REQUEST, {"pure_wait", "not a request"});
    invented = static_cast<pure_request>(~std::uint64_t{0});
    expect_error(pure_wait(&invented), PURE_ERR_REQUEST, {"pure_wait"});

    // One bad request among good ones: nothing is completed.
    pure_request both[2] = {PURE_REQUEST_NULL, copy};
    pure_irecv_msg(&x, 1, PURE_INT, PURE_PROC_NULL, 1, world, &both[0]);
    const pure_request good = both[0];
    expect_error(pure_waitall(2, both), PURE_ERR_REQUEST, {"pure_waitall"});
    EXPECT_EQ(both[0], good);
    EXPECT_EQ(pure_wait(&both[0]), PURE_SUCCESS);

    pure_send_msg(&x, 1, PURE_INT, 0, 5, world);
    pure_send_msg(&go, 1, PURE_INT, 0, 0, world);
  });
}

TEST(pure_h_errors, truncated_messages_deliver_what_fits) {
  on_ranks(2, [] {
    for (const std::int64_t ints : {std::int64_t{4}, std::int64_t{1000}, std::int64_t{100'000}}) {
      if (pure_rank() == 0) {
        const std::vector<int> out(static_cast<std::size_t>(ints), 6);
        for (int i = 0; i < 3; ++i) pure_send_msg(out.data(), ints, PURE_INT, 1, 8, world);
        continue;
      }
      std::vector<int> in(static_cast<std::size_t>(ints), -1);
      pure_status status;
      const std::string sent = std::to_string(ints * 4), room = std::to_string(ints * 4 - 8);
      const std::vector<std::string> named{"truncated", "rank 1", "rank 0", "tag 8", sent + " bytes", room + " bytes"};
      expect_error(pure_recv_msg(in.data(), ints - 2, PURE_INT, 0, 8, world, &status), PURE_ERR_TRUNCATE, named);
      EXPECT_EQ(in[static_cast<std::size_t>(ints) - 3], 6);
      EXPECT_EQ(in[static_cast<std::size_t>(ints) - 2], -1) << "nothing is written behind the buffer";

      pure_request request;
      pure_irecv_msg(in.data(), ints - 2, PURE_INT, 0, 8, world, &request);
      expect_error(pure_wait(&request, &status), PURE_ERR_TRUNCATE, named);
      EXPECT_EQ(request, PURE_REQUEST_NULL) << "a failed receive is complete";

      pure_irecv_msg(in.data(), ints, PURE_INT, 0, 8, world, &request);
      EXPECT_EQ(pure_wait(&request, &status), PURE_SUCCESS) << "the next message is whole";
      EXPECT_EQ(status.bytes, ints * 4);
    }
  });
}

TEST(pure_h_errors, several_requests_say_which_failed) {
  on_ranks(1, [] {
    const int out[2] = {1, 2};
    int small = 0, large[2] = {};
    for (int form = 0; form < 4; ++form) {
      pure_request requests[3];
      pure_status statuses[3];
      pure_irecv_msg(large, 2, PURE_INT, 0, 0, world, &requests[0]);
      pure_irecv_msg(&small, 1, PURE_INT, 0, 1, world, &requests[1]);
      pure_irecv_msg(large, 2, PURE_INT, 0, 2, world, &requests[2]);
      for (int tag = 0; tag < 3; ++tag) pure_send_msg(out, 2, PURE_INT, 0, tag, world);
      const bool some = form >= 2;
      int flag = 1, outcount = some ? -1 : 3, indices[3] = {0, some ? -1 : 1, some ? -1 : 2};
      const int code = form == 0   ? pure_waitall(3, requests, statuses)
                       : form == 1 ? pure_testall(3, requests, &flag, statuses)
                       : form == 2 ? pure_waitsome(3, requests, &outcount, indices, statuses)
                                   : pure_testsome(3, requests, &outcount, indices, statuses);
      static constexpr const char* names[] = {"pure_waitall", "pure_testall", "pure_waitsome", "pure_testsome"};
      expect_error(code, PURE_ERR_IN_STATUS, {names[form], "truncated", "tag 1"});
      EXPECT_EQ(flag, 1);
      ASSERT_EQ(outcount, 3) << "is set though one failed";
      for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(statuses[i].error, indices[i] == 1 ? +PURE_ERR_TRUNCATE : +PURE_SUCCESS);
        EXPECT_EQ(requests[i], PURE_REQUEST_NULL);
      }
    }
    // Without statuses to look at, the failure itself is returned.
    pure_request request;
    pure_irecv_msg(&small, 1, PURE_INT, 0, 1, world, &request);
    pure_send_msg(out, 2, PURE_INT, 0, 1, world);
    expect_error(pure_waitall(1, &request, PURE_STATUSES_IGNORE), PURE_ERR_TRUNCATE, {"truncated"});
  });
}

TEST(pure_h_errors, fatal_errors_leave_pure_run_as_exceptions) {
  try {
    pure::run(2, [] {
      int x = 0;
      if (pure_rank() == 1) pure_send_msg(&x, 1, PURE_INT, 7, 0, world);
      pure_recv_msg(&x, 1, PURE_INT, 1 - pure_rank(), 0, world);
    });
    FAIL() << "nothing was thrown";
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::rank);
    EXPECT_NE(std::string(error.what()).find("rank 1 of world: destination rank 7"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.site().file).find("pure_h_errors_test.cpp"), std::string::npos);
    EXPECT_GT(error.site().line, 0U);
  }
}

TEST(pure_h_errors, the_handler_belongs_to_the_rank_and_to_the_job) {
  const auto fails_in_rank_1 = [] {
    int x = 0;
    if (pure_rank() == 0) pure_set_errhandler(PURE_ERRORS_RETURN);
    if (pure_rank() == 1) pure_send_msg(&x, 1, PURE_INT, 7, 0, world);
  };
  EXPECT_THROW(pure::run(2, fails_in_rank_1), pure::Error);
  on_ranks(1, [] {});
  EXPECT_THROW(pure::run(1, [] { pure_wait(nullptr); }), pure::Error) << "the next job starts with fatal errors";
}

TEST(pure_h_errors, every_code_has_a_text_of_its_own) {
  std::set<std::string> texts;
  for (int code = PURE_SUCCESS; code <= PURE_ERR_DIMS; ++code) {
    const std::string text = pure_error_string(code);
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(texts.insert(text).second) << text;
  }
  EXPECT_FALSE(texts.contains(pure_error_string(-1)));
  EXPECT_STREQ(pure_error_string(-1), pure_error_string(PURE_ERR_DIMS + 1));
  EXPECT_STREQ(pure_last_error(), "") << "outside a rank";
}

}  // namespace
