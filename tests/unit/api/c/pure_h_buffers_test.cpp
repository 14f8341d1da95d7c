// pure.h, buffers of communicators, and flushes as requests (MPI 4.1, 3.6). The rank's buffer: pure_h_modes_test.cpp.
#include <pure.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_h.hpp"

namespace {

using test_support::world;

constexpr std::int64_t ints = 10'000;  // beyond the eager limit: a message that nobody receives is kept
constexpr std::int64_t room = ints * 4 + PURE_BSEND_OVERHEAD;

std::vector<int> values(int from) { return std::vector<int>(ints, from); }

void expect_received(int from, int tag, pure_comm comm) {
  std::vector<int> in(ints);
  EXPECT_EQ(pure_recv_msg(in.data(), ints, PURE_INT, 0, tag, comm), PURE_SUCCESS);
  EXPECT_EQ(in, values(from));
}

int bsend(int value, int tag, pure_comm comm) {
  const std::vector<int> data = values(value);
  return pure_bsend_msg(data.data(), ints, PURE_INT, 1, tag, comm);
}

void say(int tag) { pure_send_msg(nullptr, 0, PURE_INT, 1 - pure_rank(), tag, world); }
void hear(int tag) { pure_recv_msg(nullptr, 0, PURE_INT, 1 - pure_rank(), tag, world); }

TEST(pure_h_buffers, a_communicator_uses_its_own) {
  pure::run(2, [] {
    pure_comm other = PURE_COMM_NULL;
    pure_comm_dup(world, &other);
    if (pure_rank() == 1) {
      hear(1);
      for (int i = 0; i < 2; ++i) expect_received(i, i, other);
      expect_received(7, 0, world);
      hear(2);
      expect_received(8, 0, other);
      return;
    }
    pure_set_errhandler(PURE_ERRORS_RETURN);
    std::vector<char> of_rank(room), of_other(2 * room);
    EXPECT_EQ(pure_comm_attach_buffer(other, of_other.data(), 2 * room), PURE_SUCCESS);
    EXPECT_EQ(pure_comm_attach_buffer(other, of_other.data(), 2 * room), PURE_ERR_BUFFER) << "one at a time";
    EXPECT_EQ(bsend(7, 0, world), PURE_ERR_BUFFER) << "the world has none";
    EXPECT_EQ(pure_buffer_attach(of_rank.data(), room), PURE_SUCCESS);
    EXPECT_EQ(bsend(7, 0, world), PURE_SUCCESS);
    EXPECT_EQ(bsend(0, 0, other), PURE_SUCCESS);
    EXPECT_EQ(bsend(1, 1, other), PURE_SUCCESS);
    EXPECT_EQ(bsend(2, 2, other), PURE_ERR_BUFFER) << "full, and the rank's is none of its business";
    EXPECT_NE(std::string(pure_last_error()).find("of which " + std::to_string(2 * room) + " are in use"),
              std::string::npos)
        << pure_last_error();
    say(1);
    EXPECT_EQ(pure_comm_flush_buffer(other), PURE_SUCCESS);
    void* back = nullptr;
    std::int64_t bytes = 0;
    EXPECT_EQ(pure_comm_detach_buffer(other, &back, &bytes), PURE_SUCCESS);
    EXPECT_EQ(back, of_other.data());
    EXPECT_EQ(bytes, 2 * room);
    EXPECT_EQ(pure_comm_detach_buffer(other, &back, &bytes), PURE_ERR_BUFFER);
    pure_buffer_detach(&back, &bytes);
    EXPECT_EQ(back, of_rank.data());
    EXPECT_EQ(bsend(8, 0, other), PURE_ERR_BUFFER) << "detached";
    EXPECT_EQ(pure_comm_attach_buffer(other, PURE_BUFFER_AUTOMATIC, 0), PURE_SUCCESS);
    EXPECT_EQ(bsend(8, 0, other), PURE_SUCCESS);
    say(2);
  });
}

TEST(pure_h_buffers, what_is_in_the_buffer_of_a_freed_communicator_goes) {
  pure::run(2, [] {
    pure_comm other = PURE_COMM_NULL;
    pure_comm_dup(world, &other);
    if (pure_rank() == 0) {
      pure_comm_attach_buffer(other, PURE_BUFFER_AUTOMATIC, 0);
      bsend(3, 0, other);
      pure_comm_free(&other);
      say(1);
      hear(2);
    } else {
      hear(1);
      expect_received(3, 0, other);
      say(2);
      pure_comm_free(&other);
    }
  });
}

TEST(pure_h_buffers, a_flush_is_complete_when_what_was_there_has_gone) {
  for (const bool of_comm : {false, true}) {
    pure::run(2, [of_comm] {
      if (pure_rank() == 1) {
        hear(1);
        expect_received(1, 11, world);
        hear(2);
        expect_received(2, 12, world);
        return;
      }
      if (of_comm) {
        pure_comm_attach_buffer(world, PURE_BUFFER_AUTOMATIC, 0);
      } else {
        pure_buffer_attach(PURE_BUFFER_AUTOMATIC, 0);
      }
      pure_request first = PURE_REQUEST_NULL, both = PURE_REQUEST_NULL, none = PURE_REQUEST_NULL;
      const auto flush = [&](pure_request& request) {
        return of_comm ? pure_comm_iflush_buffer(world, &request) : pure_buffer_iflush(&request);
      };
      EXPECT_EQ(flush(none), PURE_SUCCESS);
      int flag = 0;
      pure_test(&none, &flag);
      EXPECT_EQ(flag, 1) << "nothing is there";
      bsend(1, 11, world);
      flush(first);
      bsend(2, 12, world);
      flush(both);
      pure_test(&first, &flag);
      EXPECT_EQ(flag, 0);
      say(1);
      EXPECT_EQ(pure_wait(&first), PURE_SUCCESS);
      pure_test(&both, &flag);
      EXPECT_EQ(flag, 0) << "the second is there";
      say(2);
      EXPECT_EQ(pure_wait(&both), PURE_SUCCESS);
      EXPECT_EQ(both, PURE_REQUEST_NULL);
    });
  }
}

}  // namespace
