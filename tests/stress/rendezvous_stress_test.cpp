// Large messages between two threads, in a row or scattered at either end, so that they are copied in each of the ways.
// Buffer and rendezvous are freed as soon as the sender may, the target as soon as take() has returned:
// AddressSanitizer sees whoever comes late, ThreadSanitizer whoever comes early.
#include <gtest/gtest.h>

#include <cstring>
#include <iterator>
#include <memory>
#include <vector>

#include "runtime/wait.hpp"
#include "support/bare_job.hpp"
#include "support/environment.hpp"
#include "support/pauses.hpp"
#include "support/scattered_bytes.hpp"
#include "transport/rendezvous.hpp"
#include "transport/ring.hpp"

namespace pure::core {
namespace {

using test_support::bare_job;
using test_support::by_a_test;
using test_support::pauses;
using test_support::scattered_bytes;

constexpr std::size_t longest_bytes = 12'000;

settings small_pieces() {
  settings values;
  values.shared_copy_min_bytes = 1000;
  values.copy_piece_bytes = 700;
  return values;
}

std::byte content(std::uint32_t number, std::size_t at) { return static_cast<std::byte>(number + at / 7 + at); }

/// In a row, near, or far apart.
scattered_bytes somewhere(std::size_t bytes, pauses& random) {
  constexpr std::size_t strides[] = {8, 8, 16, 24, 64, 72};
  return scattered_bytes(bytes, strides[random.number() % std::size(strides)]);
}

/// One message: what the sender does with it, from the allocation to the end.
void send_one(rank_context& self, rank_context& peer, ring& to, std::uint32_t number, cell_end& cells, pauses& random) {
  const std::size_t bytes = random.number() % longest_bytes;
  auto data = somewhere(bytes, random);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = content(number, i);
  const auto meeting = std::make_unique<rendezvous>();
  meeting->open(self, data.data(), bytes, data.form(), {.cells = &cells, .is_fresh = random.number() % 4 == 0});
  record* place = nullptr;
  wait_until(self, {by_a_test, "room"}, [&] { return (place = to.try_reserve(1)) != nullptr; });
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
    default: wait_until(self, {by_a_test, "the receiver"}, [&] { return meeting->help_and_test(); });
  }
  data.clear();  // the next use of the memory
}

/// Returns whether the message was whole.
bool receive_one(rank_context& self, rank_context& peer, ring& from, std::uint32_t number, pauses& random) {
  record* arrived = nullptr;
  wait_until(self, {by_a_test, "a message"}, [&] { return (arrived = from.front()) != nullptr; });
  rendezvous* meeting = nullptr;
  std::memcpy(&meeting, arrived->payload, sizeof meeting);
  if (from.pop(*arrived)) peer.notify();
  random.maybe();
  const std::size_t bytes = meeting->bytes();
  const std::size_t wanted = random.number() % 4 == 0 ? random.number() % (bytes + 1) : bytes;
  auto target = somewhere(wanted, random);
  meeting->take(self, {target.data(), target.form()}, wanted);
  return target.holds([number](std::size_t at) { return content(number, at); });
}

class rendezvous_stress : public testing::TestWithParam<int> {};  // which rank sends: it copies from the other end
INSTANTIATE_TEST_SUITE_P(sender, rendezvous_stress, testing::Values(0, 1), testing::PrintToStringParamName());

TEST_P(rendezvous_stress, every_byte_arrives_and_nobody_comes_late) {
  const std::uint64_t seed = test_support::announced_seed();
  const auto messages = static_cast<std::uint32_t>(test_support::repetitions(30'000));
  bare_job job(2, small_pieces());
  ring way(GetParam(), 8 * line_bytes);
  std::vector<std::byte> room(cell_pair::bytes);
  cell_pair cells(room.data(), {.takes_lines = GetParam() == 0, .are_own_pages = true});
  job.run([&](rank_context& self) {
    rank_context& peer = job->at(1 - self.number());
    pauses random(2 * seed + static_cast<std::uint64_t>(self.number()));
    for (std::uint32_t i = 0; i < messages; ++i) {
      if (self.number() == GetParam()) {
        send_one(self, peer, way, i, cells.end(GetParam()), random);
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
