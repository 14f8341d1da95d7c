// Control messages between processes: in pieces of any size, as there is room, they arrive whole and in order.
#include "gateway/control_channel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pure::core {
namespace {

std::string text_of_length(std::size_t length) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += static_cast<char>('a' + i % 26);
  return text;
}

TEST(control_channel, messages_arrive_whole_and_in_order) {
  for (const std::size_t most : {1U, 3U, 1000U}) {
    control_channel out, in;
    const std::vector<std::string> sent{text_of_length(7), text_of_length(1), text_of_length(30)};
    for (const std::string& each : sent) out.send(2, each);
    int room = 0, completed = 0;
    while (out.has_unsent()) {
      room = 2;  // packets are full after two pieces, and leave
      out.hand_out(most, [&](const control_channel::piece& next) {
        EXPECT_EQ(next.process, 2);
        EXPECT_LE(next.bytes.size(), most);
        if (room-- == 0) return false;
        completed += in.arrive(5, next.bytes, next.left) ? 1 : 0;
        return true;
      });
    }
    EXPECT_EQ(completed, 3);
    const std::vector<control_message> got = in.take_arrived();
    ASSERT_EQ(got.size(), sent.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].text, sent[i]);
      EXPECT_EQ(got[i].from, 5);
    }
    EXPECT_TRUE(in.take_arrived().empty());
  }
}

TEST(control_channel, pieces_of_messages_from_several_processes_do_not_mix) {
  control_channel in;
  EXPECT_FALSE(in.arrive(1, "from ", 3));
  EXPECT_FALSE(in.arrive(2, "of ", 3));
  EXPECT_TRUE(in.arrive(1, "one", 0));
  EXPECT_TRUE(in.arrive(2, "two", 0));
  const std::vector<control_message> got = in.take_arrived();
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[0].text, "from one");
  EXPECT_EQ(got[1].text, "of two");
}

TEST(control_channel, what_cannot_be_sent_any_more_is_dropped) {
  control_channel out;
  out.send(1, text_of_length(20));
  out.hand_out(5, [pieces = 0](const control_channel::piece&) mutable { return ++pieces < 3; });
  EXPECT_TRUE(out.has_unsent());
  EXPECT_TRUE(out.drop_unsent().empty());
  EXPECT_FALSE(out.has_unsent());
  out.send(1, "next");
  std::string got;
  out.hand_out(5, [&](const control_channel::piece& next) {
    got += next.bytes;
    return true;
  });
  EXPECT_EQ(got, "next");
}

struct no_payload final : active_payload {
  void has_moved() noexcept override {}
};

TEST(control_channel, a_payload_goes_with_the_last_piece_of_its_message) {
  control_channel out;
  no_payload first, second;
  out.send(1, text_of_length(9), 1, &first);
  out.send(1, text_of_length(2), 1);
  out.send(1, text_of_length(3), 1, &second);
  std::vector<active_payload*> with;
  out.hand_out(3, [&](const control_channel::piece& next) {
    if (with.size() == 4) return false;
    with.push_back(next.with);
    return true;
  });
  EXPECT_EQ(with, (std::vector<active_payload*>{nullptr, nullptr, &first, nullptr}));
  EXPECT_EQ(out.drop_unsent(), std::vector<active_payload*>{&second});
}

}  // namespace
}  // namespace pure::core
