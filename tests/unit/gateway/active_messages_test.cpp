// Active messages: each comes whole, in the order of sending, to the handler that it is for; what a handler could not
// do it tries again when the network is polled.
#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
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
  const std::vector<std::string> sent{"", "a", std::string(975, 'b'), std::string(976, 'c'), std::string(20'000, 'd'),
                                      "e"};
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
  EXPECT_THROW(active_message_kind(active_message_kind::none), std::out_of_range);
  EXPECT_THROW(active_message_kind(active_message_kind::most), std::out_of_range);
  EXPECT_EQ(active_message_kind(active_message_kind::most - 1).number(), active_message_kind::most - 1);
}

}  // namespace
}  // namespace pure::core
