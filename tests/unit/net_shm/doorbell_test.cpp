// Who has said that it sleeps is rung for, once, by whatever could wake it; who has not, is not.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gateway/gateway.hpp"
#include "gateway/wire.hpp"
#include "machine/rank_placement.hpp"
#include "support/shm_world.hpp"

namespace pure::net_shm {
namespace doorbells {  // of its own, for files are compiled together
namespace {

using core::network_operation;
using test_support::shm_world;

bool is_rung(const core::network& of) {
  pollfd on{of.wake_descriptor(), POLLIN, 0};
  return poll(&on, 1, 0) == 1;
}

struct counted_events final : core::network_events {
  void message_arrived(int /*from*/, int /*tag*/, const std::byte* /*data*/, std::size_t /*bytes*/) override {
    ++messages;
  }
  void operation_done(network_operation& /*done*/) override { ++done; }
  int messages = 0, done = 0;
};

TEST(shm_doorbell, rings_for_a_message_once) {
  shm_world world(2);
  network_operation sending;
  ASSERT_GE(world.end(1).wake_descriptor(), 0);
  world.end(0).send_message(sending, 1, 1, "x", 1);
  EXPECT_FALSE(is_rung(world.end(1))) << "it is awake";
  world.end(1).arm();
  EXPECT_FALSE(is_rung(world.end(1)));
  world.end(0).send_message(sending, 1, 1, "x", 1);
  EXPECT_TRUE(is_rung(world.end(1)));
  world.end(1).disarm();
  EXPECT_FALSE(is_rung(world.end(1))) << "it is taken";
  world.end(0).send_message(sending, 1, 1, "x", 1);
  EXPECT_FALSE(is_rung(world.end(1))) << "awake again";
}

/// Programs close descriptors that they do not know (daemons).
TEST(shm_doorbell, rings_whoever_has_closed_its_socket) {
  shm_world world(2);
  network_operation sending;
  close(world.end(0).wake_descriptor());  // of who rings
  world.end(1).arm();
  world.end(0).send_message(sending, 1, 1, "x", 1);
  EXPECT_TRUE(is_rung(world.end(1)));
  world.end(1).disarm();
  close(world.end(1).wake_descriptor());  // of who sleeps
  EXPECT_EQ(world.end(1).wake_descriptor(), -1) << "it would sleep at another file";
  world.end(1).arm();
  ASSERT_GE(world.end(1).wake_descriptor(), 0);
  EXPECT_FALSE(is_rung(world.end(1)));
  world.end(0).send_message(sending, 1, 1, "x", 1);
  EXPECT_TRUE(is_rung(world.end(1)));
}

TEST(shm_doorbell, rings_for_room) {
  shm_world world(2);
  counted_events sender, receiver;
  const std::vector<std::byte> data(world.end(0).peers().message_bytes);
  std::array<network_operation, 16> sending;
  int sent = 0;
  for (network_operation& each : sending)
    sent += world.end(0).send_message(each, 1, 1, data.data(), data.size()) ? 1 : 0;
  ASSERT_LT(sent, 16) << "the ring is not full";
  world.end(0).arm();
  EXPECT_FALSE(world.end(0).poll(sender));
  while (receiver.messages < sent) ASSERT_TRUE(world.end(1).poll(receiver));
  EXPECT_TRUE(is_rung(world.end(0)));
  world.end(0).disarm();
  while (receiver.messages < 16) {
    world.end(0).poll(sender);
    world.end(1).poll(receiver);
  }
  EXPECT_EQ(sender.done, 16 - sent);
}

TEST(shm_doorbell, rings_for_the_last_piece_that_the_receiver_reads) {
  shm_world world(2, {.patience = 0});
  counted_events sender, receiver;
  std::vector<std::byte> data(1 << 20), into(1 << 20);
  network_operation sending, receiving;
  world.end(0).send(sending, 1, 1, data.data(), data.size());
  world.end(1).receive(receiving, 0, 1, into.data(), into.size());
  world.end(1).poll(receiver);  // asks for it
  world.end(0).poll(sender);
  world.end(0).disarm();
  world.end(0).arm();
  while (receiver.done == 0) world.end(1).poll(receiver);
  EXPECT_TRUE(is_rung(world.end(0)));
  while (sender.done == 0) world.end(0).poll(sender);
}

/// A packet that says nothing but that it has come.
std::vector<std::byte> empty_packet() {
  std::vector<std::byte> bytes(256);
  core::wire_writer writer(bytes.data(), bytes.size());
  EXPECT_NE(writer.add(core::wire_nothing{}), nullptr);
  bytes.resize(writer.finish());
  return bytes;
}

TEST(shm_doorbell, a_gateway_sleeps_soundly_only_where_nothing_has_come) {
  shm_world world(2);
  core::gateway others(core::rank_placement::of("block", 2, 2), world.end(0));
  network_operation sending;
  const std::vector<std::byte> packet = empty_packet();
  const auto send = [&] {
    world.end(1).send_message(sending, 0, core::envelope_cache::none, packet.data(), packet.size());
  };
  EXPECT_EQ(others.wake_descriptor(), world.end(0).wake_descriptor());
  EXPECT_TRUE(others.may_sleep_soundly());
  send();
  EXPECT_TRUE(is_rung(world.end(0)));
  others.has_slept();
  EXPECT_FALSE(is_rung(world.end(0)));
  EXPECT_FALSE(others.may_sleep_soundly()) << "it has come before";
  send();
  EXPECT_FALSE(is_rung(world.end(0))) << "nobody sleeps";
  EXPECT_TRUE(others.try_keep_network());
  EXPECT_FALSE(others.may_sleep_soundly()) << "another thread is inside, and may have looked too early";
  send();
  EXPECT_FALSE(is_rung(world.end(0))) << "nobody sleeps";
  others.let_network_go();
}

}  // namespace
}  // namespace doorbells
}  // namespace pure::net_shm
