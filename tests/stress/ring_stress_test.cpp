// Two threads and a ring, with random lengths and pauses: every record arrives once, in order and whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "support/environment.hpp"
#include "support/pauses.hpp"
#include "support/record_content.hpp"
#include "transport/ring.hpp"

namespace pure::core {
namespace {

class ring_stress : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(lines, ring_stress, testing::Values(8, 16, 64, 1024), testing::PrintToStringParamName());

/// Both sides draw the same lengths: mostly one line, sometimes the longest.
class lengths {
 public:
  lengths(std::uint64_t seed, std::size_t largest) : random_(seed), largest_(largest) {}
  std::size_t next() {
    const auto dice = random_() % 8;
    if (dice == 0) return largest_;
    return dice < 5 ? 1 : 1 + random_() % std::min<std::size_t>(largest_, 8);
  }

 private:
  std::mt19937_64 random_;
  std::size_t largest_;
};

TEST_P(ring_stress, records_arrive_once_in_order_and_whole) {
  const std::uint64_t seed = test_support::announced_seed();
  const int messages = test_support::repetitions(400'000);
  ring_memory memory(GetParam() * line_bytes);
  ring r(0, GetParam() * line_bytes, nullptr, &memory);
  const std::size_t largest = r.largest_record_lines();
  std::atomic<bool> stop{false};

  std::thread sender([&] {
    lengths length(seed, largest);
    test_support::pauses pauses(2 * seed);
    for (int i = 0; i < messages; ++i) {
      const std::size_t lines = length.next();
      record* place = r.try_reserve(lines);
      for (; place == nullptr && !stop; place = r.try_reserve(lines)) {
        r.ask_for_room();
        std::this_thread::yield();
      }
      if (stop) return;
      pauses.maybe();
      test_support::fill(*place, lines, static_cast<std::uint64_t>(i));
      pauses.maybe();
      r.publish(*place, lines, record_kind::eager);
      pauses.maybe();
      if (i % 64 < 2) r.give_back_unused();  // in a stream, so that the second is mostly in vain, and not always
      if (i % 1024 == 1023) {
        for (int looks = 0; looks < 100 && !r.give_back_unused() && !stop; ++looks) std::this_thread::yield();
      }
    }
  });

  lengths length(seed, largest);
  test_support::pauses pauses(2 * seed + 1);
  // A record that is lost never comes: until the deadline it may only be late.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(50);
  int received = 0;
  while (received < messages) {
    const record* const arrived = r.front();
    if (arrived == nullptr) {
      if (std::chrono::steady_clock::now() > deadline) break;
      r.room_is_wanted();
      r.tell_if_idle();
      std::this_thread::yield();
      continue;
    }
    pauses.maybe();
    if (!test_support::is_intact(*arrived, length.next(), static_cast<std::uint64_t>(received))) break;
    pauses.maybe();
    r.pop(*arrived);
    ++received;
  }
  stop = true;
  sender.join();
  ASSERT_EQ(received, messages) << "the next one was lost, or is not what was sent";
  EXPECT_EQ(r.front(), nullptr) << "one came twice";
}

}  // namespace
}  // namespace pure::core
