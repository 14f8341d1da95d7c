// Waits that a rank of another process ends: what the network brings is looked at before anything else is done.
// (Parking and waking: park_test.cpp.)
#include "runtime/wait.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/job.hpp"
#include "runtime/other_processes.hpp"
#include "support/bare_job.hpp"
#include "support/counting_service.hpp"

namespace pure::core {
namespace {

using test_support::attach_counter;
using test_support::bare_job;
using test_support::counting_service;

constexpr std::int64_t hour_ns = 3'600'000'000'000;

/// Another process with rank 1, from which something comes now and then.
class quiet_process final : public other_processes {
 public:
  quiet_process() : other_processes(0, rank_placement::block(2, 2)) {}

  bool poll(rank_context* /*calling*/) override {
    ++polls;
    if (polls == brings_at) has_come = true;
    return polls == brings_at || always_moves;
  }

  int polls = 0;
  int brings_at = 0;  // what the rank waits for
  bool has_come = false;
  bool always_moves = false;  // messages for others
  bool has_payloads = false;  // on their way

  // What no wait asks for.
  [[nodiscard]] int host_of(int /*process*/) const noexcept override { return 0; }
  void attach(job& /*of*/) override {}
  [[nodiscard]] bool is_work_left() const noexcept override { return false; }
  [[nodiscard]] std::uint64_t polls_of_ranks() const noexcept override { return 0; }
  [[nodiscard]] bool are_payloads_on_their_way() const noexcept override { return has_payloads; }
  bool poll_for_busy_ranks() override { return false; }
  [[nodiscard]] bool try_keep_network() override { return true; }
  void leave_network_to_parent() noexcept override {}
  void let_network_go() noexcept override {}
  void send_control_message(int /*process*/, std::string /*text*/) override {}
  std::vector<control_message> take_control_messages() override { return {}; }
  std::optional<messages_under_way> look_at_messages(std::span<const int> /*of*/,
                                                     std::span<const held_elsewhere> /*held*/) override {
    return std::nullopt;
  }
  void handle_by(active_message_kind /*kind*/, active_message_handler& /*handler*/) override {}
  void send_active_message(int /*process*/, active_message_kind /*kind*/, std::string /*bytes*/,
                           active_payload* /*with*/, departs /*when*/) override {}
  void receive_payload(int /*process*/, active_payload& /*into*/) override {}
  [[nodiscard]] std::size_t least_payload_bytes() const noexcept override { return 0; }
  void own_mains_have_returned() override {}
  [[nodiscard]] bool all_mains_have_returned() const noexcept override { return true; }
  void ring_for(int /*process*/) noexcept override {}
  [[noreturn]] void abort(int /*status*/) noexcept override { std::abort(); }
};

class wait_for_others : public testing::TestWithParam<bool> {
 protected:
  void wait(while_waiting meanwhile = while_waiting::advance_services) {
    const wait_reason why{{"a_test", {}}, "a message from", 1};
    const auto ready = [&] {
      if (!network_.has_come) advanced_before_ = counter_.advanced;
      return network_.has_come;
    };
    wait_until(self_, why, ready, meanwhile);
  }

  quiet_process network_;
  /// Whether it shares its core with other ranks. It never parks, however busy the machine is: nobody would wake it.
  const wait_policy how_{.pauses_per_poll = 1,
                         .yields = GetParam(),
                         .spin_ns = hour_ns,
                         .spin_elsewhere_ns = hour_ns,
                         .spin_for_payloads_ns = hour_ns};
  bare_job job_{1, {}, how_, [](rank_context&) {}, &network_};
  rank_context& self_ = job_->at(0);
  const counting_service& counter_ = attach_counter(self_);  // its only service
  int advanced_before_ = 0;                                  // when the condition was last found false
};

TEST_P(wait_for_others, end_before_the_rank_looks_around) {
  for (int polls = 1; polls <= 100; ++polls) {
    network_.polls = 0;
    network_.brings_at = polls;
    network_.has_come = false;
    wait();
    EXPECT_EQ(network_.polls, polls);
    EXPECT_EQ(counter_.advanced, advanced_before_) << "after poll " << polls << " had brought what it waited for";
  }
  EXPECT_GT(counter_.advanced, 0);
}

TEST_P(wait_for_others, poll_though_a_rank_of_this_process_may_end_the_wait) {
  const wait_reason why{{"a_test", {}}, "a message from", wait_reason::anybody};
  int tests = 0;
  wait_until(self_, why, [&] { return ++tests == 100; });
  EXPECT_EQ(network_.polls, 99);
}

TEST_P(wait_for_others, advance_the_services_though_messages_for_others_come_all_the_time) {
  network_.always_moves = true;
  network_.brings_at = 1000;
  wait();
  EXPECT_GE(counter_.advanced, 1000 / 17);
}

TEST_P(wait_for_others, give_unused_memory_back_but_not_at_each_look) {
  network_.brings_at = 1000;
  wait();
  EXPECT_GE(counter_.gave_back, 1);
  EXPECT_LT(counter_.gave_back, counter_.advanced / 10) << "once in a second at most";
}

TEST_P(wait_for_others, give_nothing_back_where_services_are_not_advanced) {
  network_.brings_at = 1000;
  wait(while_waiting::nothing);
  EXPECT_EQ(counter_.gave_back, 0);
}

TEST_P(wait_for_others, go_on_polling_where_services_are_not_advanced) {
  network_.always_moves = true;
  network_.brings_at = 1000;
  wait(while_waiting::nothing);
  EXPECT_EQ(network_.polls, 1000);
  EXPECT_EQ(counter_.advanced, 0);
}

/// A rank that shares its core has waited for long for one of another process: whether it parks within some looks.
bool parks(quiet_process& network, const wait_policy& how) {
  bare_job job(
      1, {}, how, [](rank_context&) {}, &network);
  const wait_reason why{{"a_test", {}}, "a message from", 1};
  wait_in_progress wait(job->at(0), why, while_waiting::nothing);
  for (int looks = 0; looks < 1000; ++looks) {
    if (wait.pause()) return true;
  }
  return false;
}

TEST(WaitOnASharedCore, GoesOnWhileLargeMessagesAreOnTheirWay) {
  const wait_policy long_for_payloads{.yields = true, .spin_elsewhere_ns = 0, .spin_for_payloads_ns = hour_ns};
  const wait_policy short_for_both{.yields = true, .spin_elsewhere_ns = 0, .spin_for_payloads_ns = 1};
  quiet_process network;
  EXPECT_TRUE(parks(network, long_for_payloads));
  network.has_payloads = true;
  EXPECT_FALSE(parks(network, long_for_payloads));
  EXPECT_TRUE(parks(network, short_for_both)) << "a message that nobody receives would keep the core";
}

INSTANTIATE_TEST_SUITE_P(ranks, wait_for_others, testing::Bool(),
                         [](const auto& each) { return each.param ? "that_share_a_core" : "with_a_core_each"; });

}  // namespace
}  // namespace pure::core
