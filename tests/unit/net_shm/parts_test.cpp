// Parts of the network over shared memory, each by what it promises the others: whose turn it is, which rings are
// watched, where pages come from, who is rung for, and what the kernel says of other processes.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pure/error.hpp>

#include "net_shm/claims.hpp"
#include "net_shm/outgoing.hpp"
#include "net_shm/peer_memory.hpp"
#include "net_shm/watched_rings.hpp"
#include "support/shm_world.hpp"

namespace pure::net_shm {
namespace parts_of_it {  // of its own, for files are compiled together
namespace {

using core::network_operation;
using test_support::shm_world;

struct senders_heard final : core::network_events {
  void message_arrived(int from, int /*tag*/, const std::byte* /*data*/, std::size_t /*bytes*/) override {
    ++of[static_cast<std::size_t>(from)];
  }
  void operation_done(network_operation& /*done*/) override { ++done; }
  std::array<int, 32> of{};
  int done = 0;
};

void send(shm_world& world, int from, int to) {
  network_operation sending;
  ASSERT_TRUE(world.end(from).send_message(sending, to, 1, "x", 1)) << "the ring is full";
}

TEST(shm_turns, of_rings_that_are_watched) {
  for (const int often : {1, 2}) {
    const int once = 3 - often;
    shm_world world(3);
    senders_heard heard;
    for (const int from : {1, 2}) send(world, from, 0);
    while (world.end(0).poll(heard)) {
    }
    for (int i = 0; i < 50; ++i) send(world, often, 0);
    send(world, once, 0);
    for (int polls = 0; polls < 2; ++polls) EXPECT_TRUE(world.end(0).poll(heard));
    EXPECT_EQ(heard.of[static_cast<std::size_t>(once)], 2) << "another one's messages keep it out";
  }
}

TEST(shm_turns, of_one_that_is_not_watched_while_another_never_ends) {
  shm_world world(3);
  senders_heard heard;
  send(world, 1, 0);
  send(world, 1, 0);
  ASSERT_TRUE(world.end(0).poll(heard));
  send(world, 2, 0);
  for (int polls = 0; polls < 300 && heard.of[2] == 0; ++polls) {
    send(world, 1, 0);  // there is always one
    ASSERT_TRUE(world.end(0).poll(heard));
  }
  EXPECT_EQ(heard.of[2], 1);
}

TEST(shm_watched_rings_test, keep_those_in_use) {
  constexpr int processes = static_cast<int>(watched_rings::most) + 3;
  shm_world world(processes);
  senders_heard heard;
  const auto all_come = [&](int from) {
    send(world, from, 0);
    while (world.end(0).poll(heard)) {
    }
  };
  for (int from = 1; from < processes; ++from) {
    all_come(from);
    EXPECT_NE(world.segment().front().watched(0)[0].load() & bit_of(1), 0U) << from;
    all_come(1);  // again and again
  }
}

/// A look goes round once: who is dropped on the way was no part of that round.
TEST(shm_watched_rings_test, one_that_is_dropped_hides_no_record_of_another) {
  constexpr int last_watched = static_cast<int>(watched_rings::most), not_watched = last_watched + 1;
  shm_world world(not_watched + 1);
  senders_heard heard;
  const auto comes_at_once = [&](int from) {
    send(world, from, 0);
    const int before = heard.of[static_cast<std::size_t>(from)];
    world.end(0).poll(heard);
    return heard.of[static_cast<std::size_t>(from)] == before + 1;
  };
  for (int from = 1; from <= not_watched; ++from) ASSERT_TRUE(comes_at_once(from)) << from;
  EXPECT_TRUE(comes_at_once(last_watched)) << "behind it is the one that is not watched, and is empty now";
  EXPECT_TRUE(comes_at_once(last_watched)) << "that one was dropped, and the last of the others not looked at";
}

TEST(shm_watched_rings_test, stay_the_same_beside_others_that_write_as_often) {
  constexpr int processes = static_cast<int>(watched_rings::most) + 4;
  shm_world world(processes);
  senders_heard heard;
  const auto watched = [&] { return world.segment().front().watched(0)[0].load(); };
  std::uint64_t first = 0;
  for (int round = 1; round <= 100; ++round) {
    for (int from = 1; from < processes; ++from) send(world, from, 0);
    while (world.end(0).poll(heard)) {
    }
    for (int from = 1; from < processes; ++from) EXPECT_EQ(heard.of[static_cast<std::size_t>(from)], round);
    if (round == 1) first = watched();
    EXPECT_EQ(watched(), first);
  }
}

TEST(shm_watched_rings_test, give_a_quiet_ones_place_to_one_that_comes_often) {
  constexpr int processes = static_cast<int>(watched_rings::most) + 2;
  constexpr int another = processes - 1;
  shm_world world(processes);
  senders_heard heard;
  const auto all_come = [&](int from, int count) {
    for (int i = 0; i < count; ++i) {
      send(world, from, 0);
      while (world.end(0).poll(heard)) {
      }
    }
  };
  const auto is_watched = [&](int from) { return (world.segment().front().watched(0)[0].load() & bit_of(from)) != 0; };
  const auto all_others_come = [&](int but, int nor) {
    for (int from = 1; from < processes; ++from)
      if (from != but && from != nor) all_come(from, static_cast<int>(watched_rings::quiet_records));
  };
  for (int from = 1; from < processes; ++from) all_come(from, 1);
  all_others_come(2, another);
  EXPECT_TRUE(is_watched(2));
  all_come(another, static_cast<int>(watched_rings::least_announcements) - 2);
  EXPECT_FALSE(is_watched(another));
  all_come(another, 1);
  EXPECT_TRUE(is_watched(another));
  EXPECT_FALSE(is_watched(2)) << "it has been quiet the longest";
  EXPECT_TRUE(is_watched(1));
  all_come(2, 1);
  EXPECT_EQ(heard.of[2], 2);
  all_others_come(2, another);
  all_come(2, static_cast<int>(watched_rings::least_announcements));
  EXPECT_TRUE(is_watched(2));
  EXPECT_FALSE(is_watched(another));
}

TEST(shm_pair_ring, has_its_pages_before_its_first_record) {
  shm_world world(2);
  const auto bytes = [&] {
    struct stat now {};
    EXPECT_EQ(fstat(world.segment().descriptor().number(), &now), 0);
    return static_cast<std::size_t>(now.st_blocks) * 512;
  };
  const std::size_t before = bytes();
  send(world, 0, 1);
  EXPECT_GE(bytes(), before + world.segment().front().plan().ring_bytes());
}

TEST(shm_doorbell_test, rings_once_however_many_write) {
  shm_world world(3);
  world.end(0).arm();
  for (const int from : {1, 2, 1}) send(world, from, 0);
  char nothing = 0;
  const int bell = world.end(0).wake_descriptor();
  EXPECT_EQ(recv(bell, &nothing, 1, MSG_DONTWAIT), 0);
  EXPECT_EQ(recv(bell, &nothing, 1, MSG_DONTWAIT), -1) << "twice";
}

TEST(shm_doorbell_test, does_not_ring_for_one_that_has_woken_by_itself) {
  shm_world world(2);
  world.end(0).arm();
  world.end(0).disarm();
  send(world, 1, 0);
  pollfd on{world.end(0).wake_descriptor(), POLLIN, 0};
  EXPECT_EQ(poll(&on, 1, 0), 0);
}

TEST(shm_doorbell_test, is_that_of_one_job) {
  shm_world first(2), second(2);
  EXPECT_GE(first.end(0).wake_descriptor(), 0);
  EXPECT_GE(second.end(0).wake_descriptor(), 0);
}

/// What process 0 says of a send of process 1 to process 2.
template <class Head>
std::size_t failures_by(record_kind kind, const Head& head) {
  shm_world world(3);
  network_operation sending;
  const std::vector<std::byte> data(300'000);
  EXPECT_FALSE(world.end(1).send(sending, 2, 5, data.data(), data.size()));
  const doorbell bell(world.segment().front(), 0);
  const opened_segment opened(world.segment());
  outgoing by(world.segment().front(), bell, opened.file(), 0);
  EXPECT_TRUE(by.send(1, head, {.kind = kind}));
  senders_heard heard;
  world.end(1).poll(heard);
  return world.failures.size();
}

TEST(shm_refusals_test, numbers_that_were_told_to_another_process) {
  EXPECT_EQ(failures_by(record_kind::wanted, wanted_payload{}), 1U);
}

TEST(shm_refusals_test, a_transfer_that_another_process_has_to_release) {
  shm_world world(3, {.patience = 0});
  network_operation sending, receiving;
  const std::vector<std::byte> data(30'000);
  std::vector<std::byte> into(data.size());
  senders_heard heard;
  world.end(1).send(sending, 0, 5, data.data(), data.size());
  world.end(0).receive(receiving, 1, 5, into.data(), into.size());
  while (heard.done == 0) world.end(0).poll(heard);
  const doorbell bell(world.segment().front(), 2);
  const opened_segment opened(world.segment());
  outgoing by(world.segment().front(), bell, opened.file(), 2);
  EXPECT_TRUE(by.send(0, released_transfer{.transfer = 0}, {.kind = record_kind::released}));  // the first one
  world.end(0).poll(heard);
  EXPECT_EQ(world.failures.size(), 1U);
}

/// Programs close descriptors that they do not know (daemons). What is mapped later needs the file once more.
TEST(shm_segment_file, is_opened_once_more_where_the_program_has_closed_it_or_says_why_not) {
  std::optional<job_segment> made(2);
  const opened_segment opened(*made);
  const int first = opened.file().number();
  close(first);
  const int again = opened.file().number();
  EXPECT_GE(again, 0);
  struct stat now {
  }, whole{};
  ASSERT_EQ(fstat(again, &now), 0);
  ASSERT_EQ(fstat(made->descriptor().number(), &whole), 0);
  EXPECT_EQ(now.st_ino, whole.st_ino);
  close(again);
  made.reset();  // who has started the processes has gone
  try {
    static_cast<void>(opened.file().number());
    ADD_FAILURE() << "it is another file";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the program has closed the descriptor"), std::string::npos)
        << error.what();
  }
}

TEST(shm_refusals_test, memory_that_is_no_segment) {
  const job_segment made(2);
  made.front().head().name[0] = 'P';
  EXPECT_THROW(opened_segment(made.text().c_str(), 2), Error);
}

TEST(shm_claims, meet_in_the_middle) {
  std::atomic<std::uint64_t> word{~std::uint64_t{0}};
  std::atomic<std::uint32_t> read{5};
  claims its(word, read);
  its.begin();
  EXPECT_EQ(its.take_front(5), 0U);
  const piece_range last = its.take_back(5, 2);
  EXPECT_EQ(last.first, 3U);
  EXPECT_EQ(last.count, 2U);
  EXPECT_FALSE(its.is_all_read());
  EXPECT_FALSE(its.read_back(
      2, [] { return false; }, [] { ADD_FAILURE() << "nothing was copied"; }));
  EXPECT_FALSE(its.is_all_read());
  EXPECT_TRUE(its.read_back(
      2, [] { return true; }, [] {}));
  EXPECT_TRUE(its.is_all_read());
  EXPECT_EQ(its.take_front(5), 1U);
  const piece_range middle = its.take_back(5, 2);
  EXPECT_EQ(middle.first, 2U);
  EXPECT_EQ(middle.count, 1U);
  EXPECT_EQ(its.take_back(5, 2).count, 0U);
  EXPECT_EQ(its.take_front(5), claims::none);
  EXPECT_FALSE(its.is_all_read());
  EXPECT_TRUE(its.read_back(
      1, [] { return true; }, [] {}));
  EXPECT_TRUE(its.is_all_read());
  its.begin();
  EXPECT_EQ(its.take_front(1), 0U);
  EXPECT_EQ(its.take_back(1, 2).count, 0U);
  EXPECT_TRUE(its.is_all_read());
}

TEST(shm_payloads, those_without_a_place_get_one_when_another_ends) {
  shm_world world(2, {.may_reach_peers = false});
  senders_heard sender, receiver;
  constexpr std::size_t count = transfers_per_process + 3, bytes = 200'000;
  const std::vector<std::byte> data(bytes, std::byte{4});
  std::vector<std::vector<std::byte>> into(count, std::vector<std::byte>(bytes));
  std::array<network_operation, count> sending, receiving;
  for (network_operation& each : sending) world.end(0).send(each, 1, 5, data.data(), bytes);
  while (world.end(1).poll(receiver)) {  // all offers are there before the first receive
  }
  for (std::size_t i = 0; i < count; ++i) world.end(1).receive(receiving[i], 0, 5, into[i].data(), bytes);
  for (int polls = 0; polls < 4000 && receiver.done < static_cast<int>(count); ++polls) {
    world.end(1).poll(receiver);
    world.end(0).poll(sender);
  }
  for (const std::vector<std::byte>& each : into) EXPECT_EQ(each, data);
}

TEST(shm_payloads, offers_that_have_waited_are_whole) {
  shm_world world(2);
  senders_heard sender, receiver;
  const std::vector<std::byte> message(world.end(0).peers().message_bytes);
  std::array<network_operation, 16> messages;
  for (network_operation& each : messages) world.end(0).send_message(each, 1, 1, message.data(), message.size());
  const std::vector<std::byte> data(50'000, std::byte{3});
  std::vector<std::byte> into(data.size());
  network_operation sending, receiving;
  world.end(0).send(sending, 1, 5, data.data(), data.size());  // the ring is full
  world.end(1).receive(receiving, 0, 5, into.data(), into.size());
  for (int polls = 0; polls < 1000 && receiver.done == 0; ++polls) {
    world.end(1).poll(receiver);
    world.end(0).poll(sender);
  }
  EXPECT_TRUE(world.failures.empty()) << world.failures.front();
  EXPECT_EQ(into, data);
}

TEST(shm_peer_memory, is_there_or_wrong_or_gone) {
  int here = 7, into = 0;
  const auto at = reinterpret_cast<std::uintptr_t>(&here);
  EXPECT_EQ(copy_from(getpid(), at, &into, sizeof into), copy_outcome::done);
  EXPECT_EQ(into, 7);
  EXPECT_EQ(copy_from(getpid(), 16, &into, sizeof into), copy_outcome::wrong);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(copy_from(child, at, &into, sizeof into), copy_outcome::gone);
}

TEST(shm_stages, are_told_to_who_has_started_the_processes) {
  shm_world world(1);
  EXPECT_EQ(world.segment().stage_of(0), process_stage::here);
  world.end(0).finalize(0);
  EXPECT_EQ(world.segment().stage_of(0), process_stage::ended);
}

}  // namespace
}  // namespace parts_of_it
}  // namespace pure::net_shm
