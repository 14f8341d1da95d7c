// Packets that hold something else than messages, or nonsense: control messages, the calls that have sent messages,
// what comes before there are ranks, and what no gateway has sent.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "gateway/gateway.hpp"
#include "match/message_checks.hpp"
#include "support/two_processes.hpp"

namespace pure::core {
namespace {

using test_support::hand_driven;
using test_support::test_message;
using test_support::test_receive;
using test_support::test_send;
using test_support::two_processes;

// ---- control messages ----

class control_message_test : public testing::Test {
 protected:
  /// The texts of the messages that have come to the process.
  std::vector<std::string> texts_at(int process) {
    std::vector<std::string> texts;
    for (control_message& each : two_.gateway_of(process).take_control_messages()) {
      EXPECT_EQ(each.from, 0);
      texts.push_back(std::move(each.text));
    }
    return texts;
  }

  two_processes two_{hand_driven()};
};

TEST_F(control_message_test, each_arrives_whole_and_in_the_order_of_sending) {
  const std::vector<std::string> sent{
      "", "a", std::string(975, 'b'), std::string(976, 'c'), std::string(977, 'd'), std::string(20'000, 'e'), "f"};
  for (const std::string& each : sent) two_.gateway_of(0).send_control_message(1, each);
  two_.settle();
  EXPECT_EQ(texts_at(1), sent);
  EXPECT_TRUE(texts_at(1).empty()) << "each comes once";
}

TEST_F(control_message_test, one_to_its_own_process_is_there_at_once) {
  two_.gateway_of(0).send_control_message(0, "to myself");
  EXPECT_EQ(texts_at(0), std::vector<std::string>{"to myself"});
}

TEST_F(control_message_test, one_does_not_overtake_a_message_that_left_before) {
  two_.world.hold_messages(0, 1);
  const test_message what = two_.next(1, two_processes::small);
  two_.send(0, 1, what);
  two_.gateway_of(0).send_control_message(1, "behind it");
  two_.world.let_message_pass(0, 1);
  two_.settle();
  EXPECT_TRUE(texts_at(1).empty());
  EXPECT_TRUE(two_.has(two_.receive(1, 0, what), what));
  two_.world.hold_messages(0, 1, false);
  two_.settle();
  EXPECT_EQ(texts_at(1), std::vector<std::string>{"behind it"});
}

TEST_F(control_message_test, they_wait_for_room) {
  two_.world.hold_sends(0);
  for (int i = 0; i < 300; ++i) two_.send(0, 1, two_.next(1, two_processes::small));
  two_.settle();
  two_.gateway_of(0).send_control_message(1, "when there is room");
  two_.settle();
  two_.world.hold_sends(0, false);
  for (int i = 0; i < 300; ++i) {
    test_receive& posted = two_.receive(1, 0, 1, two_processes::small);
    ASSERT_TRUE(two_.until([&] { return two_.is_done(posted); })) << i;
  }
  two_.settle();
  EXPECT_EQ(texts_at(1), std::vector<std::string>{"when there is room"});
}

TEST_F(control_message_test, a_look_at_messages_says_what_is_under_way) {
  constexpr std::array<int, 1> rank_0{0}, rank_1{1};
  two_.world.hold_messages(0, 1);
  two_.send(0, 1, two_.next(1, two_processes::small));
  const auto of_0 = two_.gateway_of(0).look_at_messages(rank_0, {});
  auto of_1 = two_.gateway_of(1).look_at_messages(rank_1, {});
  ASSERT_TRUE(of_0 && of_1);
  EXPECT_TRUE(of_0->is_settled);
  EXPECT_EQ(of_0->sent[1], of_1->arrived[0] + 1);
  two_.world.hold_messages(0, 1, false);
  of_1 = two_.gateway_of(1).look_at_messages(rank_1, {});
  EXPECT_EQ(of_0->sent[1], of_1->arrived[0]);
}

TEST_F(control_message_test, and_which_large_messages_their_senders_hold) {
  constexpr std::array<int, 1> rank_0{0}, rank_1{1};
  const test_message what = two_.next(1);
  two_.send(0, 1, what);
  two_.settle();
  const auto of_0 = two_.gateway_of(0).look_at_messages(rank_0, {});
  ASSERT_TRUE(of_0);
  ASSERT_EQ(of_0->held.size(), 1U);
  EXPECT_EQ(of_0->held[0].process, 1);
  const std::array<held_elsewhere, 1> held{{{0, of_0->held[0].number}}};
  EXPECT_TRUE(two_.gateway_of(1).look_at_messages(rank_1, held)->is_settled) << "nobody has asked for it";
  two_.world.hold_payloads(0, 1);
  test_receive& posted = two_.receive(1, 0, what);
  EXPECT_FALSE(two_.gateway_of(1).look_at_messages(rank_1, held)->is_settled) << "its bytes are missing";
  two_.world.hold_payloads(0, 1, false);
  EXPECT_TRUE(two_.gets(posted, what));
}

// ---- the calls that have sent messages ----

TEST(notes_of_messages, the_calls_of_another_process_are_known) {
  settings values = hand_driven();
  values.check = true;
  two_processes two(values);
  const std::string long_file(1500, 'f');  // longer than a packet: told in parts
  unsigned line = 0;
  for (const char* const file : {"a.cpp", long_file.c_str(), "a.cpp"}) {
    for (const std::size_t bytes : {std::size_t{40}, std::size_t{950}, two_processes::large}) {
      ++line;
      const call by{"pure_isend_msg", pure_call_site(file, line)};
      const test_message what = two.next(static_cast<int>(line), bytes);
      test_send& sent = two.send(0, 1, what, {}, &by);
      ASSERT_TRUE(two.gets(two.receive(1, 0, what), what)) << bytes;
      ASSERT_NE(two.gateway_of(1).calls_of(0), nullptr);
      const auto known = two.gateway_of(1).calls_of(0)->find(sent.op.number);
      ASSERT_TRUE(known);
      EXPECT_STREQ(known->operation, "pure_isend_msg");
      EXPECT_STREQ(spelled_out(known->site).file, file);
      EXPECT_EQ(known->site.line, static_cast<unsigned>(line));
      ASSERT_TRUE(two.completes(sent));
    }
  }
}

/// Some of its parts have left when there are no more packets: it is told again, from its beginning.
TEST(notes_of_messages, a_text_that_was_told_in_part_is_told_whole_before_it_is_named) {
  settings values = hand_driven();
  values.check = true;
  two_processes two(values);
  const std::string long_file(5000, 'f'), as_long(5000, 'g');
  two.world.hold_sends(0);
  std::vector<std::pair<test_message, std::string>> sent;
  std::vector<std::uint32_t> numbers;
  const auto send = [&](const std::string& file) {
    const call by{"pure_isend_msg", pure_call_site(sent.emplace_back(two.next(1, 40), file).second.c_str(), 1)};
    numbers.push_back(two.send(0, 1, sent.back().first, {}, &by).op.number);
    two.settle();
  };
  sent.reserve(400);  // the calls' texts stay where they are
  std::size_t before = 0;
  do {
    before = two.world.messages_sent(0);
    send("a.cpp");
  } while (two.world.messages_sent(0) > before && two.world.messages_sent(0) < 253);
  send(long_file);
  EXPECT_GT(two.world.messages_sent(0), 253U) << "a part of it";
  send(as_long);
  send("b.cpp");
  two.world.hold_sends(0, false);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    ASSERT_TRUE(two.gets(two.receive(1, 0, sent[i].first), sent[i].first)) << i;
    const auto known = two.gateway_of(1).calls_of(0)->find(numbers[i]);
    if (known) {
      EXPECT_EQ(spelled_out(known->site).file, sent[i].second);
    }
    EXPECT_TRUE(known || i + 3 < sent.size()) << "the last are remembered";
  }
}

TEST(notes_of_messages, an_address_is_told_by_what_its_process_calls_it) {
  settings values = hand_driven();
  values.check = true;
  two_processes two(values);
  static const int somewhere = 0;
  const call by{"MPI_Isend", site_of_call::returning_to(&somewhere)};
  const test_message what = two.next(1, 40);
  test_send& sent = two.send(0, 1, what, {}, &by);
  ASSERT_TRUE(two.gets(two.receive(1, 0, what), what));
  const auto known = two.gateway_of(1).calls_of(0)->find(sent.op.number);
  ASSERT_TRUE(known);
  EXPECT_FALSE(known->site.is_address()) << "which says nothing here";
  EXPECT_EQ(to_text(known->site), to_text(by.site));
  ASSERT_TRUE(two.completes(sent));
}

// ---- what the network damages, where calls are checked ----

class damaged_payload_test : public testing::Test {
 protected:
  damaged_payload_test() : two_(checked()) {}
  static settings checked() {
    settings values = hand_driven();
    values.check = true;
    return values;
  }
  /// Sends it, and receives it. `posted_first`: its receive is there before it comes.
  void pass(const test_message& what, bool is_synchronous, bool posted_first) {
    test_receive* posted = posted_first ? &two_.receive(1, 0, what) : nullptr;
    test_send& sent = two_.send(0, 1, what, {.is_synchronous = is_synchronous});
    two_.settle();
    if (posted == nullptr) posted = &two_.receive(1, 0, what);
    EXPECT_TRUE(two_.gets(*posted, what));
    EXPECT_TRUE(two_.completes(sent));
  }

  two_processes two_;
};

TEST_F(damaged_payload_test, is_an_error_and_no_data) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{96}}) {  // that travel inside of packets
    for (const bool is_synchronous : {false, true}) {
      for (const bool posted_first : {false, true}) {
        const test_message what = two_.next(7, bytes);
        pass(what, is_synchronous, posted_first);
        EXPECT_DEATH(
            {
              two_.world.damage(0, 1);
              pass(what, is_synchronous, posted_first);
              std::_Exit(0);
            },
            "rank 0 has sent " + std::to_string(bytes) + " bytes with tag 7 to rank 1, and other bytes have come");
      }
    }
  }
}

// ---- what comes before there are ranks ----

TEST(early_packets, are_messages_like_all_others) {
  std::vector<gateway::early_packet> early;
  const test_message first{.tag = 1, .bytes = 50, .seed = 1}, second{.tag = 1, .bytes = 60, .seed = 2};
  {
    two_processes before(hand_driven("direct"));
    for (const test_message& each : {first, second}) {
      before.send(0, 1, each);
      before.poll(0);
      const test_support::loopback_world::sent_message sent = before.world.last_message(0);
      early.push_back({0, sent.tag, sent.bytes});
    }
  }
  two_processes two(hand_driven(), 2, 2, early);
  for (const test_message& each : {first, second}) EXPECT_TRUE(two.has(two.receive(1, 0, each), each));
}

// ---- what no gateway has sent ----

class damaged_packet_test : public testing::Test {
 protected:
  /// Comes to process 1, as if process 0 had sent it.
  void come(int tag, const std::byte* data, std::size_t bytes) {
    two_.world.end(0).send_message(sending_, 1, tag, data, bytes);
    two_.poll(1);
  }
  template <class Entry>
  void come(const Entry& what) {
    alignas(8) std::array<std::byte, 1024> buffer{};
    wire_writer entries(buffer.data(), buffer.size());
    ASSERT_NE(entries.add(what), nullptr);
    come(envelope_cache::none, buffer.data(), entries.finish());
  }
  static constexpr wire_pair from_0_to_1{.who = {}, .to = 1, .from = 0};
  static constexpr const char* text = "a message of process 0 to process 1 is damaged, or of another version of Pure";

  two_processes two_{hand_driven()};
  network_operation sending_;
};

TEST_F(damaged_packet_test, bytes_that_are_no_packet_end_the_job) {
  const std::array<std::byte, 100> nonsense{std::byte{0x5a}};
  EXPECT_DEATH(come(envelope_cache::none, nonsense.data(), nonsense.size()), text);
}

TEST_F(damaged_packet_test, so_does_one_that_is_cut) {
  two_processes sender(hand_driven());
  sender.send(0, 1, {.tag = 1, .bytes = 50, .seed = 1});
  const std::vector<std::byte> whole = sender.world.last_message(0).bytes;
  EXPECT_DEATH(come(envelope_cache::none, whole.data(), whole.size() - wire::alignment), text);
}

TEST_F(damaged_packet_test, and_a_message_whose_tag_nobody_has_told) {
  const std::array<std::byte, 8> bytes{};
  EXPECT_DEATH(come(1234, bytes.data(), bytes.size()), text);
}

TEST_F(damaged_packet_test, and_a_tag_that_there_is_not) {
  wire_eager what;
  what.of = from_0_to_1;
  what.bare_tag = 1'000'000;
  EXPECT_DEATH(come(what), text);
}

TEST_F(damaged_packet_test, and_an_active_message_that_nobody_handles) {
  for (const std::uint32_t number : {active_message_kind::most - 1, active_message_kind::most, ~std::uint32_t{0}}) {
    wire_control what;
    what.handler = number;
    EXPECT_DEATH(come(what), text) << number;
  }
}

TEST_F(damaged_packet_test, and_what_is_said_of_a_run_that_has_not_begun) {
  wire_run_end ends;
  ends.of = from_0_to_1;
  EXPECT_DEATH(come(ends), text);
  wire_run_stream begins;
  begins.of = from_0_to_1;
  begins.stream = 1;
  begins.streams = streams::most_of_a_pair + 1;
  EXPECT_DEATH(come(begins), text) << "of too many streams";
}

}  // namespace
}  // namespace pure::core
