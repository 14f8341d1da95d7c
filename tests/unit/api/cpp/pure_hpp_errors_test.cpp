// pure.hpp, errors: what is thrown, and what its text names.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <pure/pure.hpp>

#include "support/pure_hpp.hpp"

namespace {

using test_support::expect_error;

TEST(pure_hpp_errors, wrong_ranks_and_tags) {
  pure::run(2, [](pure::comm world) {
    const std::string me = "rank " + std::to_string(world.rank()) + " of world";
    int x = 0;
    expect_error(pure::errc::rank, {"send: " + me, "destination rank 2", "0 to 1"}, [&] { world.send(1, 2); });
    expect_error(pure::errc::rank, {"isend: " + me, "destination rank -1"}, [&] { world.isend(1, -1).wait(); });
    expect_error(pure::errc::rank, {"recv: " + me, "source rank 7"}, [&] { (void)world.recv<int>(7); });
    expect_error(pure::errc::rank, {me, "source rank 7"}, [&] { world.recv_into(x, 7); });
    expect_error(pure::errc::rank, {"irecv_into: " + me, "source rank -4"}, [&] { world.irecv_into(x, -4).wait(); });
    expect_error(pure::errc::rank, {"sendrecv: " + me, "destination rank 9"}, [&] { world.sendrecv(1, 9, x, 0); });
    expect_error(pure::errc::tag, {"send: " + me, "tag -5", "0 to 2147483647"}, [&] { world.send(1, 0, -5); });
    expect_error(pure::errc::tag, {"recv: " + me, "tag -5"}, [&] { (void)world.recv<int>(0, -5); });
    expect_error(pure::errc::tag, {"tag -2"}, [&] { world.send(1, 0, pure::any_tag); });
    std::vector<int> moved{1, 2, 3};
    expect_error(pure::errc::rank, {"send: " + me, "destination rank 2"}, [&] { world.send(std::move(moved), 2); });
  });
}

TEST(pure_hpp_errors, sizes_that_do_not_fit) {
  pure::run(1, [](pure::comm world) {
    double one = 0;
    world.send(std::array{1.0, 2.0}, 0, 6);
    expect_error(pure::errc::truncate, {"recv", "truncated", "rank 0", "16 bytes", "tag 6", "8 bytes"},
                 [&] { (void)world.recv<double>(0, 6); });
    world.send(std::array{1.0, 2.0}, 0, 6);
    expect_error(pure::errc::truncate, {"truncated", "16 bytes", "8 bytes"}, [&] { world.recv_into(one, 0, 6); });
    EXPECT_EQ(one, 1.0) << "what fits is delivered";
    pure::request receiving = world.irecv_into(one, 0, 6);
    world.send(std::vector<double>{3.0, 4.0}, 0, 6);
    expect_error(pure::errc::truncate, {"wait", "truncated", "16 bytes", "8 bytes"}, [&] { receiving.wait(); });
    EXPECT_EQ(one, 3.0) << "of a moved vector, too";
    EXPECT_TRUE(receiving.is_complete());

    world.send('x', 0, 7);
    expect_error(pure::errc::type, {"recv", "rank 0", "tag 7", "1 bytes", "8"},
                 [&] { (void)world.recv<double>(0, 7); });
    world.send(std::string(12, 'x'), 0, 7);
    expect_error(pure::errc::type, {"recv", "12 bytes", "rank 0", "tag 7", "whole number"},
                 [&] { (void)world.recv<std::vector<double>>(0, 7); });
    pure::request sending = world.isend(std::string(100'004, 'x'), 0, 7);  // received from the sender's buffer
    expect_error(pure::errc::type, {"100004 bytes"}, [&] { (void)world.recv<std::vector<double>>(0, 7); });
    sending.wait();
  });
}

TEST(pure_hpp_errors, a_comm_belongs_to_its_rank) {
  pure::run(2, [](pure::comm world) {
    const std::string me = "rank " + std::to_string(world.rank());
    std::thread([&] {
      expect_error(pure::errc::state, {"send", me, "a thread that is no rank"}, [&] { world.send(1, 0); });
      expect_error(pure::errc::state, {"recv", me}, [&] { (void)world.recv<int>(0); });
    }).join();
  });
  const pure::comm* of_rank_0 = nullptr;
  pure::run(2, [&](pure::comm world) {
    if (world.rank() == 0) {
      of_rank_0 = &world;
      world.send(0, 1);
      (void)world.recv<int>(1);
    } else {
      (void)world.recv<int>(0);
      expect_error(pure::errc::state, {"send", "rank 0", "used by rank 1"}, [&] { of_rank_0->send(1, 0); });
      world.send(0, 0);
    }
  });
}

}  // namespace
