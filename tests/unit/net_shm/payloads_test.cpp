// Payloads of the network over shared memory, step by step: receives that are taken back, more large ones than there
// are places for, and how many rings a process looks at.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "net_shm/claims.hpp"
#include "net_shm/watched_rings.hpp"
#include "support/shm_world.hpp"

namespace pure::net_shm {
namespace payloads_in_steps {  // of its own, for files are compiled together
namespace {

using core::network_operation;
using test_support::shm_world;

struct counted_events final : core::network_events {
  void message_arrived(int /*from*/, int /*tag*/, const std::byte* /*data*/, std::size_t /*bytes*/) override {
    ++messages;
  }
  void operation_done(network_operation& /*done*/) override { ++done; }
  int messages = 0, done = 0;
};

TEST(shm_payloads, a_receive_is_taken_back_until_it_has_met_its_payload) {
  shm_world world(2);
  counted_events sender, receiver;
  std::vector<std::byte> data(500'000, std::byte{1}), into(500'000);
  network_operation sending, first, second;
  world.end(1).receive(first, 0, 7, into.data(), into.size());
  EXPECT_TRUE(world.end(1).cancel(first));
  EXPECT_TRUE(first.cancelled);
  // The next one gets the payload.
  world.end(1).receive(second, 0, 7, into.data(), into.size());
  world.end(0).send(sending, 1, 7, data.data(), data.size());
  world.end(1).poll(receiver);  // it has met the offer, and is not there yet
  ASSERT_EQ(receiver.done, 0);
  EXPECT_FALSE(world.end(1).cancel(second));
  while (sender.done == 0 || receiver.done == 0) {
    world.end(0).poll(sender);
    world.end(1).poll(receiver);
  }
  EXPECT_FALSE(second.cancelled);
  world.end(0).poll(sender), world.end(1).poll(receiver);  // says that it has looked for the last time, and is heard
  EXPECT_EQ(world.open_accounts(), "");
  EXPECT_EQ(second.bytes, data.size());
  EXPECT_EQ(into, data);
}

TEST(shm_payloads, are_whole_whatever_they_come_through) {
  for (const bool sums_messages : {false, true}) {
    for (const bool are_used : {false, true}) {
      shm_world world(2, {}, 17 * 1024, sums_messages, {.are_used = are_used});
      for (const std::size_t bytes : {49U, 192U, 16'000U, 16'384U, 16'385U, 40'000U, 500'000U}) {
        counted_events sender, receiver;
        std::vector<std::byte> data(bytes), into(bytes);
        for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i / 251 + i);
        network_operation sending, receiving;
        world.end(1).receive(receiving, 0, 7, into.data(), bytes);
        if (world.end(0).send(sending, 1, 7, data.data(), bytes)) sender.done = 1;
        while (sender.done == 0 || receiver.done == 0) {
          world.end(0).poll(sender);
          world.end(1).poll(receiver);
          ASSERT_TRUE(world.failures.empty()) << world.failures.front();
        }
        EXPECT_EQ(into, data);
      }
    }
  }
}

/// What a receiver has got when its sender has offered a payload, and makes no call any more.
TEST(shm_payloads, a_receiver_reads_what_its_sender_does_not_send) {
  for (const std::size_t bytes : {20'000U, 65'280U, 65'281U, 1'000'003U}) {
    shm_world world(2, {.patience = 5});
    counted_events sender, receiver;
    std::vector<std::byte> data(bytes), into(bytes);
    for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i % 251);
    network_operation sending, receiving;
    world.end(0).send(sending, 1, 7, data.data(), bytes);
    world.end(1).receive(receiving, 0, 7, into.data(), bytes);
    for (int polls = 0; polls < 100; ++polls) world.end(1).poll(receiver);
    EXPECT_EQ(receiver.done, 1);
    EXPECT_EQ(receiving.bytes, bytes);
    EXPECT_EQ(into, data);
    ASSERT_EQ(sender.done, 0);
    for (int polls = 0; polls < 3; ++polls) world.end(0).poll(sender);
    EXPECT_EQ(sender.done, 1);
  }
}

/// The sender sends some pieces, and then computes; the memory is its own only when the receiver has read the others.
TEST(shm_payloads, come_in_part_from_either_end) {
  for (const int polls_of_sender : {2, 3, 4, 12}) {
    shm_world world(2, {.patience = 2});
    counted_events sender, receiver;
    std::vector<std::byte> data(400'000), into(data.size());
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i % 241);
    network_operation sending, receiving;
    world.end(0).send(sending, 1, 7, data.data(), data.size());
    world.end(1).receive(receiving, 0, 7, into.data(), into.size());
    world.end(1).poll(receiver);
    for (int polls = 0; polls < polls_of_sender; ++polls) {
      world.end(0).poll(sender);
      if (polls_of_sender > 10) world.end(1).poll(receiver);
    }
    EXPECT_EQ(sender.done, 0);
    for (int polls = 0; polls < 200; ++polls) world.end(1).poll(receiver);
    EXPECT_EQ(receiver.done, 1);
    EXPECT_EQ(into, data);
    for (int polls = 0; polls < 3; ++polls) world.end(0).poll(sender);
    EXPECT_EQ(sender.done, 1);
  }
}

/// The test takes the last pieces in the receiver's place.
TEST(shm_payloads, are_the_senders_again_when_the_receiver_has_read_what_it_took) {
  shm_world world(2, {.piece = 4096, .may_reach_peers = false});
  counted_events sender, receiver;
  const std::vector<std::byte> data(10 * 4096);
  std::vector<std::byte> into(data.size());
  network_operation sending, receiving;
  world.end(0).send(sending, 1, 7, data.data(), data.size());
  world.end(1).receive(receiving, 0, 7, into.data(), into.size());
  world.end(1).poll(receiver);  // asks for it
  transfer& its = world.segment().front().transfers(1)[0];
  claims of_receiver(its.claims, its.read);
  EXPECT_EQ(of_receiver.take_back(10, 2).first, 8U);
  for (int polls = 0; polls < 50; ++polls) {
    world.end(0).poll(sender);
    world.end(1).poll(receiver);
  }
  EXPECT_EQ(sender.done, 0);
  of_receiver.read_back(
      2, [] { return true; }, [] {});
  world.end(0).poll(sender);
  EXPECT_EQ(sender.done, 1);
}

TEST(shm_payloads, places_are_free_again_when_their_senders_have_looked) {
  shm_world world(2, {.patience = 0});
  counted_events sender, receiver;
  constexpr int count = static_cast<int>(transfers_per_process) + 2;
  const std::vector<std::byte> data(20'000, std::byte{9});
  std::vector<std::vector<std::byte>> into(count, std::vector<std::byte>(data.size()));
  std::deque<network_operation> sending(count), receiving(count);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    world.end(0).send(sending[at], 1, 7, data.data(), data.size());
    world.end(1).receive(receiving[at], 0, 7, into[at].data(), data.size());
    for (int polls = 0; polls < 20; ++polls) world.end(1).poll(receiver);
  }
  EXPECT_EQ(receiver.done, static_cast<int>(transfers_per_process)) << "the others have no place";
  EXPECT_EQ(sender.done, 0);
  for (int polls = 0; polls < 2000 && receiver.done < count; ++polls) {
    world.end(0).poll(sender);
    world.end(1).poll(receiver);
  }
  EXPECT_EQ(receiver.done, count);
  for (int polls = 0; polls < 2 * count; ++polls) world.end(0).poll(sender);
  EXPECT_EQ(sender.done, count);
  for (const std::vector<std::byte>& each : into) EXPECT_EQ(each, data);
  EXPECT_TRUE(world.failures.empty());
}

TEST(shm_payloads, of_one_sender_come_one_after_the_other) {
  shm_world world(2, {.may_reach_peers = false});
  counted_events sender, receiver;
  const std::vector<std::byte> data(500'000, std::byte{9});
  std::vector<std::byte> first(data.size()), second(data.size());
  std::deque<network_operation> sending(2), receiving(2);
  for (network_operation& each : sending) world.end(0).send(each, 1, 7, data.data(), data.size());
  world.end(1).receive(receiving[0], 0, 7, first.data(), data.size());
  world.end(1).receive(receiving[1], 0, 7, second.data(), data.size());
  while (receiver.done == 0) {
    world.end(0).poll(sender);
    world.end(1).poll(receiver);
  }
  EXPECT_EQ(first, data);
  EXPECT_NE(second, data);
  while (receiver.done < 2) {
    world.end(0).poll(sender);
    world.end(1).poll(receiver);
  }
  EXPECT_EQ(second, data);
}

TEST(shm_payloads, more_large_ones_than_places_for_them) {
  shm_world world(2);
  constexpr std::size_t bytes = 200'000;
  constexpr int count = static_cast<int>(transfers_per_process) + 3;
  counted_events sender, receiver;
  for (int round = 0; round < 3; ++round) {
    std::deque<network_operation> sending(count), receiving(count);
    std::vector<std::vector<std::byte>> data, into(count, std::vector<std::byte>(bytes));
    for (int i = 0; i < count; ++i) data.emplace_back(bytes, static_cast<std::byte>(round * count + i));
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_FALSE(world.end(0).send(sending[i], 1, static_cast<int>(i), data[i].data(), bytes));
      EXPECT_FALSE(world.end(1).receive(receiving[i], 0, static_cast<int>(i), into[i].data(), bytes));
    }
    for (int polls = 0; receiver.done < (round + 1) * count || sender.done < (round + 1) * count; ++polls) {
      ASSERT_LT(polls, 100'000) << "those without a place wait for ever";
      world.end(1).poll(receiver);
      world.end(0).poll(sender);
    }
    EXPECT_EQ(into, data);
  }
}

/// Messages of 8 bytes, each the number of those before it.
struct numbered_events final : core::network_events {
  void message_arrived(int /*from*/, int /*tag*/, const std::byte* data, std::size_t bytes) override {
    std::uint64_t number = 0;
    std::memcpy(&number, data, std::min(bytes, sizeof number));
    wrong += bytes == sizeof number && number == messages ? 0 : 1;
    ++messages;
  }
  void operation_done(network_operation& /*done*/) override { ++done; }
  std::uint64_t messages = 0;
  int wrong = 0, done = 0;
};

/// The last piece of a payload is shorter than the others, and then there is none for laps of the ring: behind a
/// message there may lie payload of old.
TEST(shm_payloads, leave_nothing_behind_that_messages_meet) {
  for (const bool may_reach_peers : {false, true}) {
    for (const std::size_t bytes : {20'000U, 48'968U, 48'976U, 65'288U, 200'000U}) {
      shm_world world(2, {.patience = 0, .may_reach_peers = may_reach_peers});
      numbered_events sender, receiver;
      std::vector<std::byte> data(bytes);
      for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 % 251 | 0xC0U);
      std::vector<std::byte> into(bytes);
      std::uint64_t number = 0;
      for (int round = 0; round < 12; ++round) {
        network_operation sending, receiving;
        world.end(0).send(sending, 1, 5, data.data(), bytes);
        world.end(1).receive(receiving, 0, 5, into.data(), bytes);
        const int all = round + 1;
        for (int polls = 0; polls < 10'000 && (receiver.done < all || sender.done < all); ++polls) {
          // Every other round the receiver reads what it can before the sender sends.
          for (int i = 0; i < (round % 2 == 0 ? 1 : 20); ++i) world.end(1).poll(receiver);
          world.end(0).poll(sender);
        }
        ASSERT_EQ(receiver.done, all) << bytes << " bytes";
        ASSERT_EQ(sender.done, all) << bytes << " bytes";
        ASSERT_EQ(into, data);
        std::fill(into.begin(), into.end(), std::byte{0});
        for (int i = 0; i < 1100 + round % 5; ++i, ++number) {
          network_operation message;
          ASSERT_TRUE(world.end(0).send_message(message, 1, 1, &number, sizeof number));
          for (int polls = 0; polls < 3; ++polls) world.end(1).poll(receiver);  // looks behind it, too
        }
        ASSERT_EQ(receiver.messages, number) << "behind a payload of " << bytes << " bytes";
        ASSERT_EQ(receiver.wrong, 0) << "behind a payload of " << bytes << " bytes";
      }
      EXPECT_TRUE(world.failures.empty()) << world.failures.front();
      EXPECT_EQ(world.open_accounts(), "");
    }
  }
}

TEST(shm_watched_rings, are_few_whoever_sends) {
  constexpr int processes = static_cast<int>(watched_rings::most) + 4;
  shm_world world(processes);
  counted_events events;
  network_operation sending;
  for (int round = 1; round <= 3; ++round) {
    for (int from = 1; from < processes; ++from) world.end(from).send_message(sending, 0, 1, "x", 1);
    while (world.end(0).poll(events)) {
    }
    EXPECT_EQ(events.messages, round * (processes - 1));
    EXPECT_EQ(std::popcount(world.segment().front().watched(0)[0].load()), static_cast<int>(watched_rings::most));
  }
}

}  // namespace
}  // namespace payloads_in_steps
}  // namespace pure::net_shm
