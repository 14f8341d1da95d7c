// Packets of an aggregation as active messages: how many may be under way, when they are acknowledged, and what of
// them a process may have that it has not handled.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aggregation/process_aggregations.hpp"
#include "support/bare_job.hpp"

namespace {

using namespace pure::core;

/// Process 0 of two. Keeps the active messages that it is to send.
class kept_messages final : public other_processes {
 public:
  kept_messages() : other_processes(0, rank_placement::block(4, 2)) {}

  void handle_by(active_message_kind /*kind*/, active_message_handler& handler) override { handles = &handler; }
  void send_active_message(int process, active_message_kind /*kind*/, std::string bytes,
                           active_payload* /*with*/, departs /*when*/) override {
    EXPECT_EQ(process, 1);
    if (lacks_memory) throw std::bad_alloc();
    sent.push_back(std::move(bytes));
  }
  active_message_handler* handles = nullptr;
  std::vector<std::string> sent;
  bool lacks_memory = false;

  // What no aggregation asks for.
  void receive_payload(int /*process*/, active_payload& /*into*/) override {}
  [[nodiscard]] std::size_t least_payload_bytes() const noexcept override { return 0; }
  [[nodiscard]] int host_of(int /*process*/) const noexcept override { return 0; }
  void attach(job& /*of*/) override {}
  bool poll(rank_context* /*calling*/) override { return false; }
  [[nodiscard]] bool is_work_left() const noexcept override { return false; }
  [[nodiscard]] std::uint64_t polls_of_ranks() const noexcept override { return 0; }
  [[nodiscard]] bool are_payloads_on_their_way() const noexcept override { return false; }
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
  void own_mains_have_returned() override {}
  [[nodiscard]] bool all_mains_have_returned() const noexcept override { return true; }
  void ring_for(int /*process*/) noexcept override {}
  [[noreturn]] void abort(int /*status*/) noexcept override { std::abort(); }
};

constexpr std::uint64_t key = 7;

/// A packet follows, or, of kind 1, how many packets are acknowledged.
struct head {
  std::uint64_t key = 0;
  std::uint64_t kind = 0;
};
struct acknowledgement {
  head of{key, 1};
  std::uint64_t packets = 0;
};

/// The part of process 0, which has two ranks, over the network.
class aggregation_network : public testing::Test {
 protected:
  aggregation_network()
      : job_(
            2, {}, test_support::impatient, [](rank_context&) {}, &others_),
        all_(*job_) {
    auto owned = std::make_unique<network_items>(all_, others_, std::vector{0, 1});
    way_ = owned.get();
    part_ = new aggregation_part({{0, 0}, {0, 1}, {1, 0}, {1, 1}}, 0, std::vector{0, 0}, {.name = "network"}, way_);
    part_->own(std::move(owned));
    way_->connect(key, *part_);
    part_->channels().agree(0, {.type = "int", .item_bytes = 4, .is_combining = false, .by = 2, .site = ""});
  }
  ~aggregation_network() override {
    part_->release();
    part_->release();
  }

  /// From process 1: one item for a rank here.
  void item_comes(std::uint16_t target = 0) {
    const std::array<std::byte, 4> item{};
    arrives(head{key, 0}, packet_bytes(items_for_rank{.phase = 1, .count = 1, .target = target, .source = 2}, item));
  }
  /// What begins a message, and the rest.
  template <class Head>
  void arrives(const Head& its, const std::vector<std::byte>& rest = {}) {
    std::string bytes(sizeof its + rest.size(), '\0');
    std::memcpy(bytes.data(), &its, sizeof its);
    if (!rest.empty()) std::memcpy(bytes.data() + sizeof its, rest.data(), rest.size());
    others_.handles->handle(1, std::as_bytes(std::span(bytes)));
  }
  /// A rank handles what has come for it, of that at most so many.
  void handle(int index, int most = 1'000'000) {
    for (item_buffer* each = part_->at(index).inbox.take(); each != nullptr;) {
      item_buffer* const taken = std::exchange(each, each->next);
      if (most-- <= 0) {
        left_.push_back(taken);
        continue;
      }
      taken->credit->give_back(taken->whole_bytes());
      delete_buffer(taken);
      way_->has_handled(1);
    }
  }
  void acknowledgement_comes(std::uint64_t packets) { arrives(acknowledgement{.packets = packets}); }
  /// How many packets the last message that was sent acknowledges.
  [[nodiscard]] std::uint64_t last_acknowledged() const {
    acknowledgement its;
    EXPECT_EQ(others_.sent.back().size(), sizeof its);
    std::memcpy(&its, others_.sent.back().data(), sizeof its);
    EXPECT_EQ(its.of.kind, 1U);
    return its.packets;
  }
  [[nodiscard]] bool try_send() { return way_->try_send(1, std::as_bytes(std::span(packet_))); }
  [[nodiscard]] std::string accounts() {
    open_accounts open;
    part_->add_open_accounts(open);
    return open.text();
  }

  static constexpr std::uint64_t most = 64, together = 16, unhandled = 2 * 32;
  kept_messages others_;
  test_support::bare_job job_;
  process_aggregations all_;
  network_items* way_ = nullptr;
  aggregation_part* part_ = nullptr;
  std::vector<item_buffer*> left_;
  const std::array<char, 20> packet_{};
};

TEST_F(aggregation_network, so_many_packets_are_under_way_and_not_one_more) {
  for (std::uint64_t i = 0; i < most; ++i) ASSERT_TRUE(try_send()) << i;
  EXPECT_FALSE(try_send());
  EXPECT_EQ(others_.sent.size(), most);
  acknowledgement_comes(0);
  EXPECT_FALSE(try_send());
  acknowledgement_comes(3);
  acknowledgement_comes(2);  // two ranks have told it, in another order
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(try_send());
  EXPECT_FALSE(try_send());
}

TEST_F(aggregation_network, one_packet_more_than_was_sent_is_not_acknowledged) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(try_send());
  acknowledgement_comes(3);
  EXPECT_EQ(job_->failure_text(), "");
  EXPECT_DEATH(acknowledgement_comes(4),
               "items of process 1 for process 0: it acknowledges more packets than were sent");
}

TEST_F(aggregation_network, messages_of_no_kind_or_length_are_refused) {
  arrives(head{key + 1, 0});  // of an aggregation that has ended
  EXPECT_EQ(job_->failure_text(), "");
  EXPECT_DEATH(arrives(head{key, 2}), "they are none");
  EXPECT_DEATH(arrives(head{key, 1}), "they are none") << "without its count";
  EXPECT_DEATH(arrives(acknowledgement{}, std::vector<std::byte>(1)), "they are none") << "and more";
  EXPECT_DEATH(arrives(key), "they are none") << "half a head";
  EXPECT_DEATH(arrives(head{key, 0}), "a packet is of no kind") << "a packet of nothing";
}

TEST_F(aggregation_network, a_packet_that_finds_no_memory_is_not_under_way) {
  others_.lacks_memory = true;
  for (int i = 0; i < 100; ++i) EXPECT_THROW(static_cast<void>(try_send()), std::bad_alloc);
  others_.lacks_memory = false;
  for (std::uint64_t i = 0; i < most; ++i) ASSERT_TRUE(try_send());
  EXPECT_FALSE(try_send());
}

TEST_F(aggregation_network, packets_are_acknowledged_together_when_they_are_handled) {
  for (std::uint64_t i = 0; i + 1 < together; ++i) {
    item_comes();
    handle(0);
  }
  EXPECT_TRUE(others_.sent.empty());
  item_comes();
  EXPECT_EQ(others_.sent.size(), 1U);
  EXPECT_EQ(last_acknowledged(), together);
  handle(0);
  EXPECT_EQ(others_.sent.size(), 1U) << "once";
  EXPECT_EQ(accounts(), "");
}

/// What is not handled is acknowledged as far as ranks may have it waiting.
TEST_F(aggregation_network, unhandled_packets_are_not_acknowledged) {
  for (std::uint64_t i = 0; i < unhandled; ++i) item_comes(static_cast<std::uint16_t>(i % 2));
  EXPECT_EQ(others_.sent.size(), unhandled / together);
  EXPECT_EQ(last_acknowledged(), unhandled) << "the last that may wait";
  for (std::uint64_t i = 0; i < together; ++i) item_comes();
  EXPECT_EQ(others_.sent.size(), unhandled / together) << "too many wait";
  handle(1, static_cast<int>(together) - 1);
  EXPECT_EQ(others_.sent.size(), unhandled / together) << "still one too many";
  ASSERT_FALSE(left_.empty());
  left_.back()->credit->give_back(left_.back()->whole_bytes());
  delete_buffer(left_.back());
  left_.pop_back();
  way_->has_handled(1);
  EXPECT_EQ(others_.sent.size(), unhandled / together + 1);
  EXPECT_EQ(last_acknowledged(), unhandled + together);
  EXPECT_NE(accounts(), "");
  for (item_buffer* const each : left_) {
    each->credit->give_back(each->whole_bytes());
    delete_buffer(each);
  }
  handle(0);
  EXPECT_EQ(accounts(), "");
}

TEST_F(aggregation_network, an_acknowledgement_that_finds_no_memory_ends_the_job) {
  for (std::uint64_t i = 0; i + 1 < together; ++i) item_comes();
  EXPECT_EQ(job_->failure_text(), "");
  others_.lacks_memory = true;
  EXPECT_DEATH(item_comes(), "process 0: out of memory, where items of process 1");
  handle(0);
}

}  // namespace
