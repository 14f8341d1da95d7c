// How the processes of a host agree on a memory that they share: each is a thread here, over a network that knows of
// two hosts of two processes.
#include "start/near_processes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "network/process_launcher.hpp"
#include "support/lent_network.hpp"
#include "support/loopback_network.hpp"

namespace pure::core {
namespace agreements {  // of its own, for files are compiled together
namespace {

using test_support::lent_network;
using test_support::loopback_world;

/// Keeps the last message.
class last_message final : public network_events {
 public:
  void message_arrived(int from_process, int, const std::byte* data, std::size_t bytes) override {
    from = from_process;
    if (bytes == sizeof number) std::memcpy(&number, data, bytes);
  }
  void operation_done(network_operation&) override {}

  int from = -1;
  int number = -1;
};

class near_agreement : public testing::Test {
 protected:
  static constexpr std::size_t processes = 4;

  near_agreement() {
    for (settings& each : values) each.near_network = "shm";
  }

  /// All processes come to an agreement; what each has said.
  std::string agree() {
    testing::internal::CaptureStderr();
    std::vector<std::thread> all;
    for (std::size_t process = 0; process < processes; ++process) {
      all.emplace_back([this, process] {
        try {
          network_opening opening;
          const auto failure = std::make_shared<shared_failure>(nullptr, nullptr);
          opening.failed = shared_failure::has_come;
          opening.context = failure.get();
          failures_[process] = failure;
          over[process] = std::make_unique<lent_network>(world->end(static_cast<int>(process)), calls[process]);
          add_near_network(over[process], values[process], process_launch{.processes = processes}, opening, failure);
        } catch (const std::logic_error& error) {
          errors[process] = error.what();
        }
      });
    }
    for (std::thread& each : all) each.join();
    return testing::internal::GetCapturedStderr();
  }

  /// Whether a message goes there past the far network. It arrives, once, and says from whom it is.
  bool is_near(std::size_t from, std::size_t to) {
    const int before = calls[from].sends;
    const int number = static_cast<int>(10 * from + to);
    network_operation sending;
    over[from]->send_message(sending, static_cast<int>(to), 5, &number, sizeof number);
    last_message events;
    for (int i = 0; i < 1000 && events.from < 0; ++i) over[to]->poll(events);
    EXPECT_EQ(events.from, static_cast<int>(from));
    EXPECT_EQ(events.number, number);
    return calls[from].sends == before;
  }
  /// By pairs: 0 and 1, 2 and 3, and two that no host has.
  std::array<bool, 3> pairs_near() {
    EXPECT_EQ(is_near(0, 1), is_near(1, 0));
    EXPECT_EQ(is_near(2, 3), is_near(3, 2));
    return {is_near(0, 1), is_near(2, 3), is_near(1, 2) || is_near(3, 0)};
  }
  void expect_common_limits() {
    for (const auto& each : over) {
      EXPECT_EQ(each->peers().message_bytes, over[0]->peers().message_bytes);
      EXPECT_EQ(each->peers().piece_bytes, over[0]->peers().piece_bytes);
      EXPECT_EQ(each->peers().largest_tag, over[0]->peers().largest_tag);
    }
  }

  std::unique_ptr<loopback_world> world = std::make_unique<loopback_world>(
      4, test_support::loopback_limits{.message_bytes = 200'000, .processes_per_host = 2});
  std::array<settings, processes> values;
  std::array<lent_network::calls, processes> calls;
  std::array<std::unique_ptr<network>, processes> over;
  std::array<std::string, processes> errors;

 private:
  std::array<std::shared_ptr<shared_failure>, processes> failures_;
};

TEST_F(near_agreement, is_the_rule_in_jobs_of_several_hosts) {
  for (settings& each : values) each.near_network = "auto";
  EXPECT_EQ(agree(), "");
  EXPECT_EQ(pairs_near(), (std::array{true, true, false}));
  expect_common_limits();
  EXPECT_LT(over[0]->peers().message_bytes, 200'000U) << "a ring of shared memory has less room than that";
}

TEST_F(near_agreement, has_to_be_asked_for_in_jobs_of_one_host) {
  world = std::make_unique<loopback_world>(4, test_support::loopback_limits{.processes_per_host = 4});
  for (settings& each : values) each.near_network = "auto";
  EXPECT_EQ(agree(), "");
  EXPECT_EQ(pairs_near(), (std::array{false, false, false}));
  for (settings& each : values) each.near_network = "shm";
  EXPECT_EQ(agree(), "");
  EXPECT_EQ(pairs_near(), (std::array{true, true, true}));
  for (settings& each : values) each.near_processes = 2;
  EXPECT_EQ(agree(), "");
  EXPECT_EQ(pairs_near(), (std::array{true, true, false}));
}

TEST_F(near_agreement, takes_all_of_a_host) {
  values[3].near_network = "off";
  const std::string said = agree();
  EXPECT_EQ(pairs_near(), (std::array{true, false, false}));
  expect_common_limits();
  EXPECT_EQ(said,
            "pure: note: process 2 and the others of its host share no memory (process 3: PURE_NEAR_NETWORK is not the "
            "same): their messages go over loopback\n");
}

TEST_F(near_agreement, takes_one_number_of_processes) {
  values[1].near_processes = 7;
  const std::string said = agree();
  EXPECT_EQ(pairs_near(), (std::array{false, true, false}));
  expect_common_limits();
  EXPECT_NE(said.find("(process 1: PURE_NEAR_PROCESSES is not the same)"), std::string::npos) << said;
}

TEST_F(near_agreement, is_not_looked_for_where_no_host_has_several) {
  world = std::make_unique<loopback_world>(4);
  EXPECT_EQ(agree(), "");
  for (std::size_t i = 0; i < processes; ++i) EXPECT_EQ(calls[i].sends + calls[i].polls, 0);
}

TEST_F(near_agreement, comes_before_all_messages) {
  network_operation early;
  const int number = 1;
  world->end(2).send_message(early, 0, 5, &number, sizeof number);
  agree();
  EXPECT_NE(errors[0].find("before all have met"), std::string::npos);
  EXPECT_EQ(errors[1] + errors[2] + errors[3], "");
}

}  // namespace
}  // namespace agreements
}  // namespace pure::core
