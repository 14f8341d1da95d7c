// What comes from other processes: each number of each kind of packet one step too far, and each packet a byte too
// short and too long. All are refused, by name, and nothing of them gets to a rank.
#include "aggregation/packets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "aggregation/aggregation_part.hpp"
#include "aggregation/channel_records.hpp"

namespace {

using namespace pure::core;

class no_transport final : public item_transport {
 public:
  bool try_send(int /*process*/, std::span<const std::byte> /*packet*/) override { return true; }
};

/// Process 1 of four, each with two ranks; phase 1. Channel 0 has items of four bytes.
class aggregation_packets : public testing::Test {
 protected:
  aggregation_packets() {
    part_.channels().agree(0, {.type = "int", .item_bytes = 4, .is_combining = false, .by = 0, .site = ""});
  }
  ~aggregation_packets() override {
    part_.release();
    part_.release();
  }

  [[nodiscard]] std::string deliver(const std::vector<std::byte>& packet, int from = 0) {
    return part_.incoming().deliver(from, packet);
  }
  void expect_refused(const std::vector<std::byte>& packet, const std::string& why, int from = 0) {
    const std::string problem = deliver(packet, from);
    EXPECT_NE(problem.find(why), std::string::npos) << "not \"" << why << "\", but \"" << problem << '"';
    EXPECT_FALSE(part_.at(0).inbox.has_some() || part_.at(1).inbox.has_some());
  }
  /// How many, for both ranks.
  std::size_t items_that_came() {
    std::size_t items = 0;
    for (const int index : {0, 1}) {
      item_buffer* const all = part_.at(index).inbox.take();
      for (const item_buffer* each = all; each != nullptr; each = each->next) items += each->count;
      delete_buffers(all);
    }
    return items;
  }
  template <class Head, class... Rest>
  void expect_whole(const Head& head, const std::string& why, const Rest&... rest) {
    std::vector<std::byte> bytes = packet_bytes(head, rest...);
    bytes.push_back(std::byte{0});
    expect_refused(bytes, why);
    bytes.resize(bytes.size() - 2);
    expect_refused(bytes, why);
    bytes.resize(sizeof head - 1);
    expect_refused(bytes, "of no kind, or has not its length");
  }

  no_transport transport_;
  aggregation_part& part_ = *new aggregation_part({{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}, {3, 0}, {3, 1}}, 1,
                                                  std::vector{0, 0, 0, 0}, {.hops = item_hops::grid, .name = "packets"},
                                                  &transport_);
  const std::array<int, 3> three_{};
  const items_for_rank alone_{.phase = 1, .count = 3, .target = 1, .source = 7};
  const items_in_runs in_runs_{.kind = packet_kind::hop, .phase = 1, .runs = 2};
  // For rank 1 here, and for process 3, which is in the column of process 1: from there it does not come back.
  const std::array<item_run, 2> runs_{{{{.target = 1, .source = 7, .process = 1}, 1}, {{0, 6, 3}, 2}}};
};

template <class Of>
Of with(Of head, auto member, auto value) {
  head.*member = static_cast<std::remove_reference_t<decltype(head.*member)>>(value);
  return head;
}

TEST_F(aggregation_packets, of_no_kind_or_length_are_refused) {
  expect_refused({}, "of no kind");
  std::vector<std::byte> bytes = packet_bytes(alone_, three_);
  bytes[0] = static_cast<std::byte>(packet_kinds);
  expect_refused(bytes, "of no kind");
  const std::vector<std::byte> most(item_buffer::most_bytes), more(item_buffer::most_bytes + 1);
  const auto count = static_cast<std::uint16_t>(item_buffer::most_bytes / 4);
  expect_refused(packet_bytes(with(alone_, &items_for_rank::count, count), more), "has not its length");
  EXPECT_EQ(deliver(packet_bytes(with(alone_, &items_for_rank::count, count), most)), "");
  EXPECT_EQ(items_that_came(), count);
}

TEST_F(aggregation_packets, of_one_rank_for_another_are_checked_number_by_number) {
  using head = items_for_rank;
  const auto refused = [&](auto member, auto value, const char* why) {
    expect_refused(packet_bytes(with(alone_, member, value), three_), why);
  };
  refused(&head::is_urgent, 2, "neither urgent nor not");
  refused(&head::channel, 1, "a channel of which nothing is known");
  refused(&head::phase, 0, "not of the phase");
  refused(&head::phase, 3, "not of the phase");
  refused(&head::count, 0, "empty");
  refused(&head::count, 2, "not the size of their channel's items");
  refused(&head::count, 5, "not as many as they say");
  refused(&head::target, 2, "for no rank");
  refused(&head::source, 8, "no rank");
  expect_whole(alone_, "not as many as they say", three_);
  EXPECT_EQ(deliver(packet_bytes(alone_, three_)), "");
  EXPECT_EQ(deliver(packet_bytes(with(alone_, &head::phase, 2), three_)), "") << "a process is ahead";
  EXPECT_EQ(deliver(packet_bytes(with(alone_, &head::is_urgent, 1), three_)), "");
  EXPECT_EQ(items_that_came(), 9U);
}

TEST_F(aggregation_packets, of_runs_are_checked_number_by_number) {
  using head = items_in_runs;
  const auto refused = [&](const head& of, const char* why) { expect_refused(packet_bytes(of, runs_, three_), why); };
  refused(with(in_runs_, &head::channel, 1), "a channel of which nothing is known");
  refused(with(in_runs_, &head::phase, 3), "not of the phase");
  refused(with(in_runs_, &head::runs, 0), "not as many as they say");
  refused(with(in_runs_, &head::runs, 1), "not the size of their channel's items");
  refused(with(in_runs_, &head::runs, 4), "fewer runs than they say");
  refused(with(in_runs_, &head::runs, UINT32_MAX), "fewer runs than they say");
  refused(with(in_runs_, &head::kind, packet_kind::pp), "for another process");
  const auto refused_run = [&](auto change, const char* why) {
    std::array<item_run, 2> runs = runs_;
    change(runs);
    expect_refused(packet_bytes(in_runs_, runs, three_), why);
  };
  refused_run([](auto& runs) { runs[0].count = 0; }, "empty");
  refused_run([](auto& runs) { runs[0].count = 2; }, "not the size of their channel's items");
  refused_run([](auto& runs) { runs[0].tag.target = 2; }, "for no rank");
  refused_run([](auto& runs) { runs[0].tag.source = 8; }, "no rank");
  refused_run([](auto& runs) { runs[1].tag.process = 4; }, "for no process");
  refused_run([](auto& runs) { runs[1].tag.process = 0; }, "where their way does not lead");
  expect_whole(in_runs_, "not as many as they say", runs_, three_);
  EXPECT_EQ(deliver(packet_bytes(in_runs_, runs_, three_)), "");
  EXPECT_EQ(items_that_came(), 1U) << "two more are passed on";
  EXPECT_EQ(part_.shared().push(), 1U);
}

TEST_F(aggregation_packets, of_one_rank_have_no_runs_of_another_one) {
  std::array<item_run, 2> runs{{{{0, 7, 1}, 1}, {{1, 7, 1}, 2}}};
  for (const packet_kind each : {packet_kind::wps, packet_kind::wsp, packet_kind::pp}) {
    runs[1].tag.source = 7;
    const items_in_runs head = with(in_runs_, &items_in_runs::kind, each);
    EXPECT_EQ(deliver(packet_bytes(head, runs, three_)), "");
    EXPECT_EQ(items_that_came(), 3U);
    runs[1].tag.source = 6;
    if (each == packet_kind::pp) {
      EXPECT_EQ(deliver(packet_bytes(head, runs, three_)), "");
      EXPECT_EQ(items_that_came(), 3U);
    } else {
      expect_refused(packet_bytes(head, runs, three_), "of several senders");
    }
  }
}

/// One slice has room for all of them, each with its source.
TEST_F(aggregation_packets, from_several_ranks_leave_room_for_their_sources) {
  const auto packet_with = [&](std::size_t count) {
    const std::array<item_run, 1> run{{{{0, 7, 1}, static_cast<std::uint16_t>(count)}}};
    const std::vector<int> items(count);
    return packet_bytes(with(in_runs_, &items_in_runs::runs, 1), run, items);
  };
  const std::size_t most = item_buffer::most_bytes / 6;
  expect_refused(packet_with(most + 1), "too many");
  EXPECT_EQ(deliver(packet_with(most)), "");
  EXPECT_EQ(items_that_came(), most);
}

TEST_F(aggregation_packets, that_are_tokens_are_checked_number_by_number) {
  const wave_token right{.phase = 1, .wave = 1, .handled = 5, .sent = 5};
  const auto token = [&](auto member, auto value) {
    return packet_bytes(token_packet{.token = with(right, member, value)});
  };
  expect_refused(token(&wave_token::phase, 0), "a token");
  expect_refused(token(&wave_token::phase, 3), "a token");
  expect_refused(token(&wave_token::wave, 0), "a token");
  expect_refused(token(&wave_token::wave, 1), "a token", 2);
  std::vector<std::byte> long_one = token(&wave_token::wave, 1);
  long_one.push_back(std::byte{0});
  expect_refused(long_one, "a token");
  long_one.resize(sizeof(token_packet) - 1);
  expect_refused(long_one, "has not its length");
  EXPECT_EQ(deliver(token(&wave_token::wave, 1)), "");
  EXPECT_EQ(deliver(token(&wave_token::phase, 2)), "");
}

TEST_F(aggregation_packets, that_end_a_phase_end_the_present_one) {
  const auto end_of = [](std::uint64_t phase) { return packet_bytes(phase_end_packet{.phase = phase}); };
  expect_refused(end_of(0), "a phase ends that is not the present one");
  expect_refused(end_of(2), "a phase ends that is not the present one");
  expect_refused(end_of(1), "not by process 0", 2);
  std::vector<std::byte> long_one = end_of(1);
  long_one.push_back(std::byte{0});
  expect_refused(long_one, "a phase ends");
  EXPECT_FALSE(part_.phases().has_ended(1));
  EXPECT_EQ(deliver(end_of(1)), "");
  EXPECT_TRUE(part_.phases().has_ended(1));
  expect_refused(end_of(1), "a phase ends that is not the present one");
}

TEST_F(aggregation_packets, that_tell_of_channels_are_checked_number_by_number) {
  using head = channel_packet;
  const std::string type(channel_record::most_text + 1, 't'), site(channel_record::most_text + 1, 's');
  const head right{.channel = 1, .item_bytes = most_item_bytes, .by = 7, .type_bytes = 1000, .site_bytes = 1000};
  const auto packet = [&](const head& of) {
    return packet_bytes(of, std::span(type).first(of.type_bytes), std::span(site).first(of.site_bytes));
  };
  const auto refused = [&](auto member, auto value) {
    expect_refused(packet(with(right, member, value)), "a channel is none, or none of the next");
  };
  refused(&head::is_combining, 2);
  refused(&head::channel, 2);
  refused(&head::item_bytes, 0);
  refused(&head::item_bytes, most_item_bytes + 1);
  refused(&head::by, 8);
  refused(&head::type_bytes, 1001);
  refused(&head::site_bytes, 1001);
  std::vector<std::byte> bytes = packet(right);
  bytes.pop_back();
  expect_refused(bytes, "a channel is none");
  EXPECT_EQ(part_.channels().size(), 1U);
  EXPECT_EQ(deliver(packet(right)), "");
  EXPECT_EQ(part_.channels().size(), 2U);
}

}  // namespace
