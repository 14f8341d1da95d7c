// What processes tell each other of their channels, what they do where these differ, and channels whose items combine
// between processes.
#include "aggregation/channel_records.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/wait.hpp"
#include "support/aggregation_schedules.hpp"

namespace {

using namespace pure::core;
using namespace test_support::aggregation_schedules;
using test_support::make_channel;
using test_support::simulated_processes;

const channel_record ints{.type = "int", .item_bytes = 4, .is_combining = false, .by = 3, .site = "a.cpp:7"};
const channel_record doubles{.type = "double", .item_bytes = 8, .is_combining = true, .by = 5, .site = ""};

// ---- records --------------------------------------------------------------------------------------------------------

std::optional<channel_record> told_by(std::span<const std::byte> packet, std::size_t ranks) {
  channel_packet what;
  std::memcpy(&what, packet.data(), sizeof what);
  EXPECT_EQ(what.kind, packet_kind::channel);
  EXPECT_EQ(what.channel, 7U);
  return channel_told_by(what, packet.subspan(sizeof what), ranks);
}

TEST(aggregation_channels, records_come_back_from_their_bytes) {
  for (const channel_record& told : {ints, doubles}) {
    const std::optional<channel_record> back = told_by(packet_of_channel(7, told), 6);
    ASSERT_TRUE(back);
    EXPECT_TRUE(back->is_same_as(told));
    EXPECT_EQ(back->by, told.by);
    EXPECT_EQ(back->site, told.site);
  }
}

TEST(aggregation_channels, differences_name_both_ranks_and_places) {
  EXPECT_EQ(difference(2, ints, ints), "");
  EXPECT_EQ(difference(2, doubles, ints),
            "its channel 2 is of double (8 bytes, combining), but that of rank 3 is of int (4 bytes), at a.cpp:7: all "
            "ranks make the same channels in the same order");
  channel_record others = ints;
  others.type = "float";
  EXPECT_NE(difference(0, ints, others), "") << "of the same size";
}

// ---- what processes tell each other ---------------------------------------------------------------------------------

/// Keeps what is sent.
class kept_packets final : public item_transport {
 public:
  bool try_send(int /*process*/, std::span<const std::byte> packet) override {
    all.emplace_back(packet.begin(), packet.end());
    return true;
  }
  [[nodiscard]] packet_kind kind_of(std::size_t index) const { return static_cast<packet_kind>(all[index].front()); }
  std::vector<std::vector<std::byte>> all;
};

/// Of two processes with one rank and five.
struct one_part {
  explicit one_part(int process)
      : part(*new aggregation_part({{0, 0}, {1, 0}, {1, 1}, {1, 2}, {1, 3}, {1, 4}}, process, std::vector{0, 0},
                                   {.name = "told"}, &sent)) {}
  one_part(const one_part&) = delete;
  one_part& operator=(const one_part&) = delete;
  ~one_part() {
    for (std::size_t left = part.members().size(); left > 0; --left) part.release();
  }

  /// `count` items for the other process, in a packet.
  void send(std::size_t channel, std::size_t item_bytes, std::uint16_t count) {
    packet_node packet = part.outgoing().prepare(1 - part.layout().process(), channel);
    const std::vector<std::byte> items(count * item_bytes);
    packet.front().bytes = packet_bytes(items_for_rank{.channel = static_cast<std::uint16_t>(channel),
                                                       .phase = 1,
                                                       .count = count,
                                                       .source = static_cast<std::uint32_t>(part.layout().process())},
                                        items);
    part.outgoing().send_items(1 - part.layout().process(), std::move(packet));
  }

  kept_packets sent;
  aggregation_part& part;
};

TEST(aggregation_channels, are_told_once_and_before_their_items) {
  one_part from(0), to(1);
  for (const channel_record& made : {ints, doubles, ints})
    from.part.channels().agree(from.part.channels().size(), made);
  from.send(1, 8, 3);
  from.send(0, 4, 1);
  from.send(2, 4, 1);
  from.send(2, 4, 1);
  EXPECT_EQ(from.part.outgoing().packets(), 4U) << "of items";
  std::vector<packet_kind> kinds;
  for (std::size_t i = 0; i < from.sent.all.size(); ++i) kinds.push_back(from.sent.kind_of(i));
  EXPECT_EQ(kinds, (std::vector{packet_kind::channel, packet_kind::channel, packet_kind::ww, packet_kind::ww,
                                packet_kind::channel, packet_kind::ww, packet_kind::ww}));
  for (const auto& packet : from.sent.all) EXPECT_EQ(to.part.incoming().deliver(0, packet), "");
  ASSERT_EQ(to.part.channels().size(), 3U);
  EXPECT_TRUE(to.part.channels().at(1).is_same_as(doubles));
}

TEST(aggregation_channels, another_one_in_its_place_is_refused) {
  one_part from(0), to(1);
  from.part.channels().agree(0, ints);
  to.part.channels().agree(0, doubles);
  from.send(0, 4, 1);
  const std::string problem = to.part.incoming().deliver(0, from.sent.all.front());
  EXPECT_NE(problem.find("rank 3 of aggregation \"told\": its channel 0 is of int"), std::string::npos) << problem;
  EXPECT_NE(problem.find("but that of rank 5 is of double"), std::string::npos) << problem;
}

TEST(aggregation_channels, items_of_another_size_than_their_channel_are_refused) {
  one_part from(0), to(1);
  from.part.channels().agree(0, ints);
  from.send(0, 4, 2);
  EXPECT_NE(to.part.incoming().deliver(0, from.sent.all.back()), "") << "items of a channel that nobody has told of";
  EXPECT_EQ(to.part.incoming().deliver(0, from.sent.all.front()), "");
  EXPECT_EQ(to.part.incoming().deliver(0, from.sent.all.back()), "");
  from.send(0, 8, 2);
  EXPECT_NE(to.part.incoming().deliver(0, from.sent.all.back()), "");
  std::vector<std::byte> cut = from.sent.all.front();
  cut.resize(sizeof(channel_packet) + 4);
  EXPECT_NE(to.part.incoming().deliver(0, cut), "");
}

// ---- in phases ------------------------------------------------------------------------------------------------------

/// Process 2 learns last that the phase is over; others have made a channel, and sent it items of the next one.
TEST(aggregation_channels, may_be_made_in_the_next_phase_while_a_rank_is_still_in_finish) {
  simulated_processes simulated(3, 1, {.scheme = item_scheme::ww, .name = "ahead"});
  std::atomic<bool> has_sent{false};
  simulated.refuse_if(
      [&](int, int to, packet_kind what) { return what == packet_kind::phase_end && to == 2 && !has_sent; });
  simulated.run([&](aggregation& items) {
    auto nothing = [](char, int) {};
    std::int64_t sum = 0;
    auto add = [&](std::int64_t item, int) { sum += item; };
    make_channel<char>(items, nothing);
    finish(items);
    item_channel& late = make_channel<std::int64_t>(items, add);
    for (int dest = 0; dest < items.size(); ++dest) test_support::send(late, std::int64_t{7}, dest);
    items.flush(flush_call);
    if (items.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));  // rank 2 looks at what it has got
      has_sent = true;
    }
    finish(items);
    EXPECT_EQ(sum, 21);
  });
}

// ---- items that combine ---------------------------------------------------------------------------------------------

/// Items of few keys, from all ranks to all: what has combined is handled once, and nothing is lost.
void combine_between_processes(item_scheme scheme, std::size_t buffer_bytes) {
  struct part {
    std::uint32_t key;
    std::uint32_t amount;
  };
  constexpr std::uint32_t keys = 4, amounts = 4000;
  simulated_processes simulated(2, 2, {.buffer_bytes = buffer_bytes, .scheme = scheme, .name = "sums"});
  std::atomic<std::uint64_t> combined{0}, handled{0};
  simulated.run([&](aggregation& items) {
    std::array<std::uint64_t, keys> sums{};
    auto add = [&](const part& each, int) {
      sums[each.key] += each.amount;
      ++handled;
    };
    item_channel& channel = make_channel<part>(items, add,
                                               [](void*, std::byte* waiting, std::size_t count, const std::byte* next) {
                                                 part theirs;
                                                 std::memcpy(&theirs, next, sizeof theirs);
                                                 for (std::size_t i = 0; i < count; ++i) {
                                                   part each;
                                                   std::memcpy(&each, waiting + i * sizeof each, sizeof each);
                                                   if (each.key != theirs.key) continue;
                                                   each.amount += theirs.amount;
                                                   std::memcpy(waiting + i * sizeof each, &each, sizeof each);
                                                   return true;
                                                 }
                                                 return false;
                                               });
    for (std::uint32_t i = 0; i < amounts; ++i) {
      for (int dest = 0; dest < items.size(); ++dest) test_support::send(channel, part{i % keys, i}, dest);
    }
    finish(items);
    for (std::uint64_t key = 0; key < keys; ++key) {
      std::uint64_t expected = 0;
      for (std::uint64_t i = key; i < amounts; i += keys) expected += i;
      EXPECT_EQ(sums[key], expected * static_cast<unsigned>(items.size()));
    }
    combined += items.stats(stats_call).combined;
  });
  EXPECT_EQ(handled + combined, 4U * 4U * amounts);
  EXPECT_EQ(handled, 4U * 4U * keys) << "one of each key, source and destination";
}

TEST(aggregation_channels, items_for_other_processes_combine_while_they_wait) {
  for (const item_scheme scheme :
       {item_scheme::ww, item_scheme::wps, item_scheme::wsp, item_scheme::pp, item_scheme::automatic}) {
    combine_between_processes(scheme, 0);
    combine_between_processes(scheme, 1000);
  }
}

}  // namespace
