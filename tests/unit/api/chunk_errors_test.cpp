// What a chunk may not do: messages and collectives in it, own or stolen, are errors that say so.
#include <pure.h>

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include <pure/pure.hpp>

#include "support/encounter.hpp"

namespace {

using test_support::encounter;
using test_support::while_others_wait;

void expect_state_error(const char* operation, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << operation << ": no error";
  } catch (const pure::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), pure::errc::state) << text;
    EXPECT_NE(text.find(operation), std::string::npos) << text;
    EXPECT_NE(text.find("inside a chunk of a task"), std::string::npos) << text;
  }
}

TEST(in_a_chunk, messages_and_collectives_of_pure_hpp_are_errors) {
  while_others_wait(2, [](pure::comm world) {
    encounter place;
    PureTask task = [&](chunk_id_t) {
      place.meet();
      int x = 0;
      expect_state_error("send", [&] { world.send(1, 1); });
      expect_state_error("isend", [&] { world.isend(1, 1).wait(); });
      expect_state_error("recv", [&] { (void)world.recv<int>(1); });
      expect_state_error("irecv_into", [&] { world.irecv_into(x, 1).wait(); });
      expect_state_error("sendrecv", [&] { world.sendrecv(1, 1, x, 1); });
      expect_state_error("barrier", [&] { world.barrier(); });
      expect_state_error("all_reduce", [&] { (void)world.all_reduce(1, std::plus{}); });
      expect_state_error("split", [&] { (void)world.split(0); });
    };
    task.execute();
    EXPECT_EQ(world.rank(), 0) << "and nothing has happened";
  });
}

TEST(in_a_chunk, messages_and_collectives_of_pure_h_are_errors) {
  pure::run(2, [](pure::comm world) {
    pure_set_errhandler(PURE_ERRORS_RETURN);  // of the rank whose thread it is
    if (world.rank() == 1) return (void)world.recv<int>(0);
    encounter place;
    PureTask task = [&](chunk_id_t) {
      place.meet();
      int x = 0, y = 0;
      pure_request request;
      EXPECT_EQ(pure_send_msg(&x, 1, PURE_INT, 1, 0, PURE_COMM_WORLD), PURE_ERR_STATE);
      EXPECT_NE(std::string(pure_last_error()).find("pure_send_msg: called inside a chunk"), std::string::npos)
          << pure_last_error();
      EXPECT_EQ(pure_irecv_msg(&x, 1, PURE_INT, 1, 0, PURE_COMM_WORLD, &request), PURE_ERR_STATE);
      EXPECT_EQ(pure_barrier(PURE_COMM_WORLD), PURE_ERR_STATE);
      EXPECT_EQ(pure_allreduce(&x, &y, 1, PURE_INT, PURE_SUM, PURE_COMM_WORLD), PURE_ERR_STATE);
      EXPECT_EQ(pure_comm_rank(PURE_COMM_WORLD, &x), PURE_ERR_STATE);
      expect_state_error("pure_rank", [] { (void)pure_rank(); });
      expect_state_error("pure_size", [] { (void)pure_size(); });
      EXPECT_GT(pure_wtime(), 0.0);
    };
    task.execute();
    EXPECT_EQ(pure_rank(), 0);
    world.send(0, 1);
  });
}

TEST(in_a_chunk, an_error_that_is_not_returned_reaches_the_owner) {
  while_others_wait(2, [](pure::comm) {
    encounter place;
    PureTask task = [&](chunk_id_t) {
      place.meet();
      if (!place.is_owner()) pure_barrier(PURE_COMM_WORLD);
    };
    expect_state_error("pure_barrier", [&] { task.execute(); });
  });
}

}  // namespace
