// pure.hpp, comm::free while requests, messages and buffers of the comm exist: they work, and end, as before (MPI 4.1,
// 7.4.3), also when so many others have been freed since that nothing of the comm itself is left.
#include <pure/pure.hpp>
#include <pure/serialized.hpp>

#include <gtest/gtest.h>
#include <cereal/types/map.hpp>
#include <cereal/types/string.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/pure_hpp.hpp"

namespace comm_free_cpp {

using test_support::at_all_sizes;
using test_support::expect_error;

/// More than the table of communicators remembers.
void free_many_others(const pure::comm& world) {
  for (int i = 0; i < 600; ++i) world.dup().free();
}

struct ring {
  int left, right;
  explicit ring(const pure::comm& world)
      : left((world.rank() + world.size() - 1) % world.size()), right((world.rank() + 1) % world.size()) {}
};

TEST(pure_hpp_comm_free, requests_of_a_freed_comm_complete) {
  at_all_sizes([](const pure::comm& world) {
    const ring to(world);
    pure::comm made = world.dup();
    const std::vector<int> large(30'000, world.rank());
    std::vector<int> in(large.size(), -1), summed(large.size(), -1);
    std::map<std::string, int> object_in;
    pure::request receive = made.irecv_into(in, to.left, 1);
    pure::request object = made.irecv_into(pure::serialized(object_in), to.left, 2);
    pure::request send = made.isend(large, to.right, 1);
    pure::request temporary = made.isend(std::map<std::string, int>{{"x", world.rank()}}.size(), to.right, 3);
    pure::request sum = made.iall_reduce_into(large, summed, std::plus{});
    pure::request never = made.irecv_into(in, to.left, 9);  // its end withdraws it
    const std::map<std::string, int> object_out{{"rank", world.rank()}};
    made.isend(pure::serialized(object_out), to.right, 2).wait();
    EXPECT_EQ(made.recv<std::size_t>(to.left, 3), 1U);
    const pure::comm copy = made;
    made.free();
    expect_error(pure::errc::comm, {"freed already"}, [&] { copy.barrier(); });
    free_many_others(world);
    pure::request moved = std::move(sum);
    moved.wait();
    EXPECT_EQ(summed.back(), world.size() * (world.size() - 1) / 2);
    receive.wait();
    object.wait();
    send.wait();
    temporary.wait();
    EXPECT_EQ(in, std::vector<int>(large.size(), to.left));
    EXPECT_EQ(object_in.at("rank"), to.left);
    EXPECT_FALSE(never.test());
    sum = std::move(never);  // and a request that is assigned to
    sum = pure::request();
  });
}

TEST(pure_hpp_comm_free, persistent_requests_of_a_freed_comm_go_on) {
  at_all_sizes([](const pure::comm& world) {
    const ring to(world);
    int out = world.rank(), in = -1, summed = -1;
    std::vector<pure::persistent_request> both;
    std::optional<pure::persistent_request> sum;
    {
      const pure::comm made = world.dup();
      both.push_back(made.send_init(out, to.right, 4));
      both.push_back(made.recv_init(in, to.left, 4));
      sum.emplace(made.all_reduce_init(out, summed, std::plus{}));
      made.free();
    }
    free_many_others(world);
    for (int round = 0; round < 5; ++round) {
      out = world.rank() + round;
      pure::start_all(both);
      pure::wait_all(both);
      EXPECT_EQ(in, to.left + round);
      sum->start();
      sum->wait();
      EXPECT_EQ(summed, world.size() * (world.size() - 1) / 2 + world.size() * round);
    }
    sum->start();
    sum.reset();  // its end completes it
  });
}

TEST(pure_hpp_comm_free, messages_and_buffers_of_a_freed_comm) {
  at_all_sizes([](const pure::comm& world) {
    const ring to(world);
    std::optional<pure::message> found;
    std::vector<double> got;
    {
      const pure::comm made = world.dup();
      made.send(std::vector<double>{1.5, 2.5}, to.right, 1);
      found.emplace(made.mprobe(to.left, 1));
      std::vector<int> buffered(1000, -1);
      pure::request receive = made.irecv_into(buffered, to.left, 2);
      pure::send_buffer room = made.own_send_buffer(100'000);
      made.bsend(std::vector<int>(1000, 3), to.right, 2);
      made.free();
      free_many_others(world);
      room.flush();
      receive.wait();
      EXPECT_EQ(buffered, std::vector<int>(1000, 3));
    }
    EXPECT_EQ(found->recv<std::vector<double>>(), (std::vector<double>{1.5, 2.5}));
  });
}

}  // namespace comm_free_cpp
