// Large messages between two threads. Buffer and rendezvous are freed as soon as the sender may, the target as soon as
// take() has returned: AddressSanitizer sees whoever comes late, ThreadSanitizer whoever comes early.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/wait.hpp"
#include "support/bare_job.hpp"
#include "support/environment.hpp"
#include "support/pauses.hpp"
#include "transport/rendezvous.hpp"
#include "transport/ring.hpp"

namespace pure::core {
namespace {

using test_support::bare_job;
using test_support::pauses;

constexpr call by{"a_test", {}};

constexpr std::size_t longest_bytes = 40'000;

settings small_pieces() {
  settings values;
  values.shared_copy_min_bytes = 1000;
  values.copy_piece_bytes = 700;
  return values;
}

void fill(std::byte* data, std::size_t bytes, std::uint32_t number) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(number + i / 7 + i);
}

bool is_intact(const std::byte* data, std::size_t bytes, std::uint32_t number) {
  for (std::size_t i = 0; i < bytes; ++i) {
    if (data[i] != static_cast<std::byte>(number + i / 7 + i)) return false;
  }
  return true;
}

/// One message: what the sender does with it, from the allocation to the end.
void send_one(rank_context& self, rank_context& peer, ring& to, std::uint32_t number, pauses& random) {
  const std::size_t bytes = random.number() % longest_bytes;
  const auto data = std::make_unique<std::byte[]>(bytes);
  fill(data.get(), bytes, number);
  const auto meeting = std::make_unique<rendezvous>();
  meeting->open(self, data.get(), bytes);
  record* place = nullptr;
  wait_until(self, {by, "room"}, [&] { return (place = to.try_reserve(1)) != nullptr; });
  rendezvous* const address = meeting.get();
  std::memcpy(place->payload, &address, sizeof address);
  to.publish(*place, 1, record_kind::rendezvous);
  peer.notify();
  random.maybe();
  switch (random.number() % 3) {
    case 0:  // computes, and looks now and then
      while (!meeting->finished()) random.maybe();
      break;
    case 1:  // a program that tests
      while (!meeting->help_and_test()) random.maybe();
      break;
    default: wait_until(self, {by, "the receiver"}, [&] { return meeting->help_and_test(); });
  }
  std::memset(data.get(), 0xDD, bytes);  // the next use of the memory
}

/// Returns whether the message was whole.
bool receive_one(rank_context& self, rank_context& peer, ring& from, std::uint32_t number, pauses& random) {
  record* arrived = nullptr;
  wait_until(self, {by, "a message"}, [&] { return (arrived = from.front()) != nullptr; });
  rendezvous* meeting = nullptr;
  std::memcpy(&meeting, arrived->payload, sizeof meeting);
  if (from.pop(*arrived)) peer.notify();
  random.maybe();
  const std::size_t bytes = meeting->bytes();
  const std::size_t wanted = random.number() % 4 == 0 ? random.number() % (bytes + 1) : bytes;
  const auto target = std::make_unique<std::byte[]>(wanted);
  meeting->take(self, {target.get(), nullptr}, wanted);
  return is_intact(target.get(), wanted, number);
}

class rendezvous_stress : public testing::TestWithParam<int> {};  // which rank sends: it copies from the other end
INSTANTIATE_TEST_SUITE_P(sender, rendezvous_stress, testing::Values(0, 1), testing::PrintToStringParamName());

TEST_P(rendezvous_stress, every_byte_arrives_and_nobody_comes_late) {
  const std::uint64_t seed = test_support::first_seed();
  std::printf("PURETEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const auto messages = static_cast<std::uint32_t>(test_support::repetitions(30'000));
  bare_job job(2, small_pieces());
  ring way(GetParam(), 8 * line_bytes);
  job.run([&](rank_context& self) {
    rank_context& peer = job->at(1 - self.number());
    pauses random(2 * seed + static_cast<std::uint64_t>(self.number()));
    for (std::uint32_t i = 0; i < messages; ++i) {
      if (self.number() == GetParam()) {
        send_one(self, peer, way, i, random);
      } else if (!receive_one(self, peer, way, i, random)) {
        job->fail("message " + std::to_string(i) + " is not what was sent", 1);
        return;
      }
    }
  });
  EXPECT_FALSE(job->ending()) << job->failure_text();
}

}  // namespace
}  // namespace pure::core
