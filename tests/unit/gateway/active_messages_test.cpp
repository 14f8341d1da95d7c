// Active messages: each comes whole, in the order of sending, to the handler that it is for; what a handler could not
// do it tries again when the network is polled.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gateway/gateway.hpp"
#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::two_processes;

constexpr active_message_kind of_test{3};

class keeping_handler final : public active_message_handler {
 public:
  bool handle(int from, std::span<const std::byte> bytes) noexcept override {
    EXPECT_EQ(from, 0);
    got.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (answers_by != nullptr) answers_by->send_active_message(0, of_test, "answer");
    return is_stuck;
  }
  bool resume() noexcept override {
    ++resumed;
    return is_stuck;
  }

  std::vector<std::string> got;
  gateway* answers_by = nullptr;
  bool is_stuck = false;
  int resumed = 0;
};

class answer_handler final : public active_message_handler {
 public:
  bool handle(int from, std::span<const std::byte> bytes) noexcept override {
    EXPECT_EQ(from, 1);
    EXPECT_EQ(bytes.size(), 6U);
    ++answers;
    return false;
  }
  bool resume() noexcept override { return false; }

  int answers = 0;
};

class active_messages_test : public testing::Test {
 protected:
  active_messages_test() { two_.gateway_of(1).handle_by(of_test, handler_); }

  two_processes two_{hand_driven()};
  keeping_handler handler_;
};

TEST_F(active_messages_test, each_arrives_whole_and_in_the_order_of_sending) {
  const std::vector<std::string> sent{
      "", "a", std::string(975, 'b'), std::string(976, 'c'), std::string(977, 'c'), std::string(20'000, 'd'), "e"};
  for (const std::string& each : sent) {
    two_.gateway_of(0).send_active_message(1, of_test, each);
    two_.gateway_of(0).send_control_message(1, "between");  // of another kind
  }
  two_.settle();
  EXPECT_EQ(handler_.got, sent);
  EXPECT_EQ(two_.gateway_of(1).take_control_messages().size(), sent.size());
}

TEST_F(active_messages_test, a_handler_may_answer) {
  answer_handler answers;
  two_.gateway_of(0).handle_by(of_test, answers);
  handler_.answers_by = &two_.gateway_of(1);
  for (int i = 0; i < 5; ++i) two_.gateway_of(0).send_active_message(1, of_test, "question");
  two_.settle();
  EXPECT_EQ(answers.answers, 5);
}

TEST_F(active_messages_test, what_could_not_be_done_is_tried_at_each_poll_until_it_is) {
  handler_.is_stuck = true;
  two_.gateway_of(0).send_active_message(1, of_test, "wait");
  two_.settle();
  const int before = handler_.resumed;
  two_.gateway_of(1).poll(nullptr);
  EXPECT_GT(handler_.resumed, before);
  handler_.is_stuck = false;
  two_.gateway_of(1).poll(nullptr);
  const int after = handler_.resumed;
  two_.gateway_of(1).poll(nullptr);
  EXPECT_EQ(handler_.resumed, after);
}

TEST_F(active_messages_test, one_that_departs_with_the_next_travels_with_it_and_before_it) {
  two_.gateway_of(0).send_active_message(1, of_test, "first", nullptr, departs::with_next);
  two_.gateway_of(0).send_active_message(1, of_test, "second", nullptr, departs::with_next);
  EXPECT_EQ(two_.world.messages_sent(0), 0U);
  two_.gateway_of(0).send_active_message(1, of_test, "third");
  EXPECT_EQ(two_.world.messages_sent(0), 1U);
  two_.settle();
  EXPECT_EQ(handler_.got, (std::vector<std::string>{"first", "second", "third"}));
}

TEST_F(active_messages_test, one_that_departs_with_the_next_does_not_wait_for_it_where_somebody_polls) {
  two_.gateway_of(0).send_active_message(1, of_test, "alone", nullptr, departs::with_next);
  EXPECT_EQ(two_.world.messages_sent(0), 0U);
  two_.gateway_of(0).poll(nullptr);
  EXPECT_EQ(two_.world.messages_sent(0), 1U);
  two_.settle();
  EXPECT_EQ(handler_.got, std::vector<std::string>{"alone"});
}

TEST_F(active_messages_test, many_that_depart_with_the_next_leave_as_soon_as_they_fill_a_packet) {
  std::vector<std::string> sent;
  for (int i = 0; i < 50; ++i) {
    sent.push_back(std::to_string(i) + std::string(200, ' '));
    two_.gateway_of(0).send_active_message(1, of_test, sent.back(), nullptr, departs::with_next);
  }
  EXPECT_GT(two_.world.messages_sent(0), 5U);
  EXPECT_LT(two_.world.messages_sent(0), 50U);
  two_.settle();
  EXPECT_EQ(handler_.got, sent);
}

/// Numbers, from 0 on.
class counting_handler final : public active_message_handler {
 public:
  bool handle(int /*from*/, std::span<const std::byte> bytes) noexcept override {
    const std::string number(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (number != std::to_string(come)) ++out_of_turn;
    ++come;
    return false;
  }
  bool resume() noexcept override { return false; }

  std::atomic<int> come{0}, out_of_turn{0};
};

/// What finds the network taken waits in the channel, and what finds it free a moment later does not overtake it.
TEST(active_messages, keep_their_order_while_another_thread_moves_the_network_on) {
  two_processes two(hand_driven());
  counting_handler numbers;
  two.gateway_of(1).handle_by(of_test, numbers);
  std::atomic<bool> is_over{false};
  std::thread polls([&] {
    for (int i = 0; !is_over; ++i) two.gateway_of(i % 8 == 0 ? 1 : 0).poll(nullptr);
  });
  // So many; or, beside others, what there is time for.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  int sent = 0;
  while (sent < 200'000 && std::chrono::steady_clock::now() < end) {
    two.gateway_of(0).send_active_message(1, of_test, std::to_string(sent), nullptr,
                                          sent % 3 == 0 ? departs::with_next : departs::at_once);
    ++sent;
    while (numbers.come < sent - 20) std::this_thread::yield();
  }
  EXPECT_TRUE(two.until([&] { return numbers.come == sent; }));
  is_over = true;
  polls.join();
  EXPECT_EQ(numbers.out_of_turn, 0);
}

TEST_F(active_messages_test, a_second_handler_of_a_kind_is_refused) {
  answer_handler second;
  try {
    two_.gateway_of(1).handle_by(of_test, second);
    FAIL() << "accepted";
  } catch (const std::logic_error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("kind 3"), std::string::npos) << text;
    EXPECT_NE(text.find("keeping_handler"), std::string::npos) << text;
    EXPECT_NE(text.find("answer_handler"), std::string::npos) << text;
  }
  two_.gateway_of(0).send_active_message(1, of_test, "to the first");
  two_.settle();
  EXPECT_EQ(handler_.got, std::vector<std::string>{"to the first"});
}

TEST(active_message_kind_test, has_no_number_that_the_table_has_not) {
  EXPECT_THROW(active_message_kind{active_message_kind::none}, std::out_of_range);
  EXPECT_THROW(active_message_kind{active_message_kind::most}, std::out_of_range);
  EXPECT_EQ(active_message_kind(active_message_kind::most - 1).number(), active_message_kind::most - 1);
}

// ---- payloads ------------------------------------------------------------------------------------------------------

struct moved_bytes final : active_payload {
  explicit moved_bytes(std::size_t count, int value = 0) : memory(count, static_cast<std::byte>(value)) {
    data = memory.data();
    bytes = count;
  }
  void has_moved() noexcept override { ++moved; }
  std::vector<std::byte> memory;
  int moved = 0;
};

/// The text of a message says how many bytes its payload has; "none": there is none.
class receiving_handler final : public active_message_handler {
 public:
  explicit receiving_handler(gateway& own) : own_(own) {}
  bool handle(int from, std::span<const std::byte> bytes) noexcept override {
    const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.substr(0, 4) != "none")
      own_.receive_payload(from, *got.emplace_back(std::make_unique<moved_bytes>(std::stoul(text))));
    return false;
  }
  bool resume() noexcept override { return false; }

  std::vector<std::unique_ptr<moved_bytes>> got;

 private:
  gateway& own_;
};

TEST(active_payloads, each_comes_to_where_the_handler_of_its_message_says) {
  two_processes two{hand_driven()};
  receiving_handler handler(two.gateway_of(1));
  two.gateway_of(1).handle_by(of_test, handler);
  two.world.hold_payloads(0, 1);
  std::vector<std::unique_ptr<moved_bytes>> sent;
  for (const std::size_t bytes : {1U, 5000U, 70'000U, 3U}) {
    const int value = static_cast<int>(sent.size()) + 1;
    sent.push_back(std::make_unique<moved_bytes>(bytes, value));
    two.gateway_of(0).send_active_message(1, of_test, std::to_string(bytes), sent.back().get());
    two.gateway_of(0).send_active_message(1, of_test, "none" + std::string(3000, ' '));
  }
  two.settle();
  ASSERT_EQ(handler.got.size(), sent.size());
  for (const auto& each : handler.got) EXPECT_EQ(each->moved, 0);
  EXPECT_TRUE(two.gateway_of(1).are_payloads_on_their_way());
  EXPECT_FALSE(two.gateway_of(1).look_at_messages({}, {})->is_settled) << "whoever waits for it would wait for ever";
  two.world.hold_payloads(0, 1, false);
  two.settle();
  for (std::size_t i = 0; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i]->moved, 1) << i;
    EXPECT_EQ(handler.got[i]->moved, 1) << i;
    EXPECT_EQ(handler.got[i]->memory, sent[i]->memory) << i;
  }
  EXPECT_FALSE(two.gateway_of(1).are_payloads_on_their_way());
  EXPECT_TRUE(two.gateway_of(1).look_at_messages({}, {})->is_settled);
  open_accounts accounts;
  two.gateway_of(0).add_open_accounts(accounts);
  two.gateway_of(1).add_open_accounts(accounts);
  EXPECT_EQ(accounts.text(), "");
}

TEST(active_payloads, have_a_tag_that_large_messages_have_not) {
  constexpr int largest_tag = 1025;
  two_processes two(hand_driven("runs,foreseen"), 2, 2, {}, test_support::loopback_limits{.largest_tag = largest_tag});
  receiving_handler handler(two.gateway_of(1));
  two.gateway_of(1).handle_by(of_test, handler);
  moved_bytes payload(5000, 1);
  two.gateway_of(0).send_active_message(1, of_test, "5000", &payload);
  two.settle();
  ASSERT_EQ(two.world.payload_tags(0).size(), 1U);
  const int its = two.world.payload_tags(0).front();
  const std::uint32_t messages = streams::first_tag(largest_tag) + 1;
  for (std::uint32_t i = 0; i < messages; ++i) {
    const test_support::test_message next = two.next(static_cast<int>(40 * i));  // of no stream that goes on
    test_support::test_receive& got = two.receive(1, 0, next);
    two.send(0, 1, next);
    ASSERT_TRUE(two.gets(got, next)) << i;
  }
  const std::vector<int> tags = two.world.payload_tags(0);
  EXPECT_EQ(tags.size(), messages + 1);
  EXPECT_EQ(std::count(tags.begin(), tags.end(), its), 1);
}

}  // namespace
}  // namespace pure::core
