// The clocks of other machines: simulated ones, of which the test knows the truth.
#include "trace/common_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"

namespace pure::core {
namespace {

/// Process 0's view of a job of two processes on each of three machines. The others answer at once, by clocks that are
/// ahead and fast; what they are told is kept.
class simulated_machines final : public process_meeting {
 public:
  explicit simulated_machines(double fast) : fast_(fast) {}

  [[nodiscard]] int process() const noexcept override { return 0; }
  [[nodiscard]] int processes() const noexcept override { return 6; }
  [[nodiscard]] int host_of(int process) const noexcept override { return process % 3; }
  [[nodiscard]] const std::vector<std::string>& host_names() const noexcept override { return names_; }

  void all_gather(const void*, std::size_t, void*) override { FAIL() << "nobody needs it"; }
  void broadcast(void*, std::size_t bytes) override { told_bytes += bytes; }
  void send(int process, const void*, std::size_t) override {
    asked.push_back(process);
    std::this_thread::sleep_for(std::chrono::microseconds(20 + dice_() % 100));  // there
    answer_ns_ = clock_of(host_of(process), now_ns());
  }
  void receive(int process, void* data, std::size_t bytes) override {
    ASSERT_EQ(process, asked.back());
    ASSERT_EQ(bytes, sizeof answer_ns_);
    std::this_thread::sleep_for(std::chrono::microseconds(20 + dice_() % 100));  // and back
    std::memcpy(data, &answer_ns_, bytes);
  }

  [[nodiscard]] std::int64_t clock_of(int host, std::int64_t true_ns) const {
    const double since_ns = static_cast<double>(true_ns - began_ns_);
    return true_ns + host * 1'000'000'000'000 + std::llround(host * fast_ * since_ns);
  }

  std::vector<int> asked;
  std::size_t told_bytes = 0;

 private:
  const double fast_;
  const std::int64_t began_ns_ = now_ns();
  const std::vector<std::string> names_{"a", "b", "c"};
  std::minstd_rand dice_{1};
  std::int64_t answer_ns_ = 0;
};

TEST(CommonClock, TakesTheShortestRoundTrip) {
  const std::vector<clock_round_trip> trips{
      {.sent_ns = 100, .theirs_ns = 5000, .received_ns = 400},
      {.sent_ns = 1000, .theirs_ns = 5610, .received_ns = 1021},  // of 21 ns
      {.sent_ns = 2000, .theirs_ns = 6700, .received_ns = 2022},
  };
  const clock_offset found = clock_offset::of(trips);
  EXPECT_EQ(found.at_ns, 5610);
  EXPECT_EQ(found.ahead_ns, 5610 - 1010);
  EXPECT_EQ(found.uncertainty_ns, 11);
}

TEST(CommonClock, IsExactOnOneMachine) {
  const common_clock never_looked;
  EXPECT_EQ(never_looked.from_here(12345), 12345);
  EXPECT_EQ(never_looked.uncertainty_ns(), 0);
}

/// Also where a second on one machine is a millisecond longer than on another.
TEST(CommonClock, IsAsExactAsItSays) {
  for (const double fast : {0.0, 1e-3}) {
    simulated_machines machines(fast);
    common_clock clock;
    const auto check = [&](std::int64_t true_ns, std::int64_t most_ns) {
      EXPECT_EQ(clock.from(0, true_ns), true_ns);
      for (const int host : {1, 2}) {
        EXPECT_LE(std::abs(clock.from(host, machines.clock_of(host, true_ns)) - true_ns), most_ns) << host;
      }
    };
    const std::int64_t before_ns = now_ns();
    clock.look(machines);
    for (const int process : machines.asked) EXPECT_TRUE(process == 1 || process == 2);  // the first ones
    EXPECT_EQ(machines.told_bytes, 3 * sizeof(clock_offset));
    if (fast == 0) check(before_ns, clock.uncertainty_ns());

    const std::int64_t first_ns = now_ns();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const std::int64_t last_ns = now_ns();
    clock.look(machines);
    ASSERT_EQ(clock.last_look().size(), 3U);
    EXPECT_GT(clock.uncertainty_ns(), 20'000);  // half of the shortest way there and back
    // A clock that is 0.1 % fast goes wrong by 200 us in that time, if only its first look is known.
    constexpr std::int64_t rounding_ns = 2;
    for (int part = 0; part <= 10; ++part) {
      check(first_ns + (last_ns - first_ns) * part / 10, clock.uncertainty_ns() + rounding_ns);
    }
  }
}

}  // namespace
}  // namespace pure::core
