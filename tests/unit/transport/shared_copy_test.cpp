// Large messages that more than two ranks copy: sender, receiver, and ranks that wait for something else.
//
// The ranks spin and park, and never yield: launching would let them where there are fewer cores than ranks, and a copy
// is then not shared with others.
#include <pure.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <pure/paper_task.hpp>

#include "runtime/job.hpp"
#include "start/services.hpp"
#include "support/bare_job.hpp"
#include "support/environment.hpp"
#include "support/oracle/dice.hpp"

namespace {

using namespace pure::core;
using test_support::bare_job;

constexpr int data_tag = 1, end_tag = 2;

settings small_pieces() {
  settings values;
  values.shared_copy_min_bytes = 4096;
  values.copy_piece_bytes = 1024;
  values.stats = true;  // so that the ranks count what they steal
  return values;
}

bare_job job_of(int ranks, const settings& values, std::int64_t spin_ns = 50'000) {
  return bare_job(ranks, values, {.pauses_per_poll = 1, .yields = false, .spin_ns = spin_ns}, attach_services);
}

std::vector<std::uint64_t> content(std::uint64_t seed, std::size_t bytes) {
  std::vector<std::uint64_t> made(bytes / 8 + 1);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] = seed * 0x9E37'79B9'7F4A'7C15 + i;
  return made;
}

void send(const void* data, std::size_t bytes, int to, int tag) {
  EXPECT_EQ(pure_send_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, to, tag, PURE_COMM_WORLD), PURE_SUCCESS);
}
int receive(void* data, std::size_t bytes, int from, int tag) {
  return pure_recv_msg(data, static_cast<std::int64_t>(bytes), PURE_BYTE, from, tag, PURE_COMM_WORLD);
}
void tell_end(int to) { send("", 1, to, end_tag); }
void wait_for_end(int from) {
  char end = 0;
  EXPECT_EQ(receive(&end, 1, from, end_tag), PURE_SUCCESS);
}

/// Whether the message is whole up to `wanted`, and nothing is written behind.
void check(const std::vector<std::uint64_t>& got, std::uint64_t seed, std::size_t wanted) {
  auto expected = content(seed, wanted);
  auto* const behind = reinterpret_cast<unsigned char*>(expected.data()) + wanted;
  std::fill(behind, behind + (8 - wanted % 8), 0xEE);
  ASSERT_EQ(got == expected, true) << wanted << " bytes of message " << seed;
}

struct sizes {
  std::size_t bytes, wanted;
};
/// The same on both ends.
sizes next(oracle::dice& random, std::size_t longest) {
  const std::size_t shortest = 4 * 4096, any = shortest + random.below(longest - shortest);
  const std::size_t bytes = random.chance(20) ? any / 1024 * 1024 : any;
  return {bytes, random.chance(20) ? random.below(bytes + 1) : bytes};
}

void send_some(int to, int messages, std::size_t longest) {
  oracle::dice random(test_support::first_seed());
  for (int i = 0; i < messages; ++i) {
    const std::size_t bytes = next(random, longest).bytes;
    auto data = content(static_cast<std::uint64_t>(i), bytes);
    send(data.data(), bytes, to, data_tag);
    std::fill(data.begin(), data.end(), 0xDD);  // the next use of the memory
  }
}

void receive_some(int from, int messages, std::size_t longest) {
  pure_set_errhandler(PURE_ERRORS_RETURN);
  oracle::dice random(test_support::first_seed());
  for (int i = 0; i < messages && !testing::Test::HasFatalFailure(); ++i) {
    const auto [bytes, wanted] = next(random, longest);
    std::vector<std::uint64_t> target(wanted / 8 + 1, 0xEEEE'EEEE'EEEE'EEEE);
    ASSERT_EQ(receive(target.data(), wanted, from, data_tag), wanted < bytes ? PURE_ERR_TRUNCATE : PURE_SUCCESS);
    check(target, static_cast<std::uint64_t>(i), wanted);
  }
}

class shared_copies : public testing::TestWithParam<int> {};  // the sender; which end it copies depends on it
INSTANTIATE_TEST_SUITE_P(sender, shared_copies, testing::Range(0, 3), testing::PrintToStringParamName());

TEST_P(shared_copies, are_whole_whoever_helps) {
  const int sender = GetParam(), receiver = (sender + 1) % 3, other = (sender + 2) % 3;
  const int messages = test_support::repetitions(200);
  bare_job job = job_of(3, small_pieces());
  std::uint64_t pieces_of_others = 0;
  job.run([&](rank_context& self) {
    if (self.number() == sender) {
      send_some(receiver, messages, 300'000);
      send_some(receiver, 5, 4'000'000);
    } else if (self.number() == receiver) {
      receive_some(sender, messages, 300'000);
      receive_some(sender, 5, 4'000'000);
      tell_end(other);
    } else {
      wait_for_end(receiver);
      auto stolen = self.log()->stolen_from();
      pieces_of_others = stolen[receiver];
      EXPECT_EQ(stolen[sender], 0U) << "the copy is offered by the receiver";
    }
  });
  EXPECT_FALSE(job->ending()) << job->failure_text();
  EXPECT_GT(pieces_of_others, 0U) << "the waiting rank has never helped";
}

TEST(shared_copies, of_small_messages_are_offered_to_nobody) {  // less than 4 times PURE_SHARED_COPY_MIN
  bare_job job = job_of(3, small_pieces());
  job.run([&](rank_context& self) {
    std::vector<char> data(4 * 4096 - 1);
    if (self.number() == 2) return wait_for_end(0);
    for (int i = 0; i < 100; ++i) {
      if (self.number() == 1) send(data.data(), data.size(), 0, data_tag);
      if (self.number() == 0) receive(data.data(), data.size(), 1, data_tag);
    }
    if (self.number() == 0) tell_end(2);
  });
  EXPECT_FALSE(job->ending()) << job->failure_text();
  EXPECT_EQ(job->at(0).log()->counts.own_chunks, 0U);
}

// Rank 2 holds a chunk of the receiver's task until the message has arrived: the receiver copies it while it waits for
// that chunk.
TEST(shared_copies, while_the_receiver_has_a_task_open) {
  const int messages = test_support::repetitions(100);
  bare_job job = job_of(3, small_pieces(), 100'000'000'000);  // who sleeps may overlook the task
  std::atomic<int> sent{0};
  job.run([&](rank_context& self) {
    oracle::dice random(test_support::first_seed());
    if (self.number() == 2) return wait_for_end(0);
    for (int i = 0; i < messages; ++i) {
      const std::size_t bytes = next(random, 300'000).bytes;
      if (self.number() == 1) {
        const auto data = content(static_cast<std::uint64_t>(i), bytes);
        send(data.data(), bytes, 0, data_tag);
        ++sent;
        continue;
      }
      std::vector<std::uint64_t> target(bytes / 8 + 1, 0xEEEE'EEEE'EEEE'EEEE);
      pure_request request;
      pure_irecv_msg(target.data(), static_cast<std::int64_t>(bytes), PURE_BYTE, 1, data_tag, PURE_COMM_WORLD,
                     &request);
      std::atomic<bool> is_held{false};
      std::vector<int> times(64, 0);
      PureTask task = [&](chunk_id_t chunk) {
        ++times[chunk];
        const bool holds = rank_in_chunk()->number() == 2;
        if (holds) is_held = true;
        while (!is_held || (holds && sent <= i)) std::this_thread::yield();
      };
      task.execute();
      EXPECT_EQ(times, std::vector<int>(64, 1));
      EXPECT_EQ(pure_wait(&request), PURE_SUCCESS);
      check(target, static_cast<std::uint64_t>(i), bytes);
    }
    if (self.number() == 0) tell_end(2);
  });
  EXPECT_FALSE(job->ending()) << job->failure_text();
}

// Every rank is sender, receiver and helper in turn, with tasks of its own in between.
TEST(shared_copies, of_all_ranks_at_once) {
  constexpr int ranks = 4;
  const int messages = test_support::repetitions(150);
  bare_job job = job_of(ranks, small_pieces());
  job.run([&](rank_context& self) {
    const int right = (self.number() + 1) % ranks, left = (self.number() + ranks - 1) % ranks;
    oracle::dice random(test_support::first_seed());
    std::vector<int> times(64, 0);
    PureTask task = [&](chunk_id_t chunk) { ++times[chunk]; };
    for (int i = 0; i < messages; ++i) {
      const std::size_t bytes = next(random, 100'000).bytes;
      const auto seed = [&](int sender) { return static_cast<std::uint64_t>(i * ranks + sender); };
      const auto data = content(seed(self.number()), bytes);
      std::vector<std::uint64_t> target(bytes / 8 + 1, 0xEEEE'EEEE'EEEE'EEEE);
      pure_request both[2];
      const auto count = static_cast<std::int64_t>(bytes);
      pure_irecv_msg(target.data(), count, PURE_BYTE, left, data_tag, PURE_COMM_WORLD, &both[0]);
      pure_isend_msg(data.data(), count, PURE_BYTE, right, data_tag, PURE_COMM_WORLD, &both[1]);
      if ((i + self.number()) % 3 == 0) task.execute();
      ASSERT_EQ(pure_waitall(2, both), PURE_SUCCESS);
      check(target, seed(left), bytes);
    }
    pure_barrier(PURE_COMM_WORLD);
    EXPECT_EQ(std::count(times.begin(), times.end(), times[0]), 64);
  });
  EXPECT_FALSE(job->ending()) << job->failure_text();
}

TEST(shared_copies, of_a_job_that_fails) {  // AddressSanitizer sees who touches buffers that are gone
  for (int i = 0; i < test_support::repetitions(50); ++i) {
    bare_job job = job_of(4, small_pieces());
    job.run([&](rank_context& self) {
      if (self.number() == 0) send_some(1, 1'000'000, 300'000);
      if (self.number() == 1) receive_some(0, 1'000'000, 300'000);
      if (self.number() == 2) wait_for_end(1);
      std::this_thread::sleep_for(std::chrono::microseconds(37 * i));
      job->fail("my cause", 1);
    });
    EXPECT_EQ(job->failure_text(), "my cause");
  }
}

}  // namespace
