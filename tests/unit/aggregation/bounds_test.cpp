// The bounds of an aggregation, each at its last step: reached, one less accepted, one more refused or made to wait.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <pure/error.hpp>

#include "aggregation/channel_words.hpp"
#include "aggregation/spare_buffers.hpp"
#include "support/aggregation_schedules.hpp"

namespace {

using namespace pure::core;
using namespace std::chrono_literals;
using namespace test_support::aggregation_schedules;
using test_support::make_channel;
using test_support::simulated_processes;

constexpr call making{"on", {}}, sending{"send", {}};

pure::detail::channel_request request_for(std::size_t item_bytes, std::uint64_t& handled) {
  pure::detail::channel_request wanted;
  wanted.item_bytes = item_bytes;
  wanted.context = &handled;
  wanted.handle = [](void* context, const std::byte* items, std::size_t count, int) {
    EXPECT_TRUE(std::all_of(items, items + count, [](std::byte) { return true; }));
    *static_cast<std::uint64_t*>(context) += count;
  };
  return wanted;
}

pure::errc refused(aggregation& items, const pure::detail::channel_request& wanted) {
  try {
    items.make_channel(making, wanted);
  } catch (const pure::Error& error) {
    return error.code();
  }
  return pure::errc::success;
}

void send_bytes(item_channel& channel, const std::vector<std::byte>& item, int dest) {
  pure::detail::item_route& route = channel.sends().routes[dest];
  std::memcpy(route.at, item.data(), item.size());
  route.at += item.size();
  if (route.at == route.end) channel.route_is_full(sending, dest);
}

TEST(aggregation_bounds, the_largest_item_is_the_same_in_one_process_and_between_several) {
  EXPECT_EQ(most_item_bytes, pure::detail::most_item_bytes);
  for (const int processes : {1, 2, 4}) {
    for (const item_scheme scheme :
         {item_scheme::automatic, item_scheme::ww, item_scheme::wps, item_scheme::wsp, item_scheme::pp}) {
      for (const item_hops hops : {item_hops::direct, item_hops::grid}) {
        simulated_processes simulated(processes, 4 / processes, {.scheme = scheme, .hops = hops, .name = "largest"});
        std::atomic<std::uint64_t> all{0};
        simulated.run([&](aggregation& items) {
          std::uint64_t handled = 0;
          EXPECT_EQ(refused(items, request_for(0, handled)), pure::errc::argument);
          EXPECT_EQ(refused(items, request_for(most_item_bytes + 1, handled)), pure::errc::argument);
          item_channel& channel = items.make_channel(making, request_for(most_item_bytes, handled));
          const std::vector<std::byte> item(most_item_bytes);
          for (int dest = 0; dest < 4; ++dest) send_bytes(channel, item, dest);
          finish(items);
          all += handled;
        });
        EXPECT_EQ(all, 16U);
      }
    }
  }
}

TEST(aggregation_bounds, items_are_aligned_to_a_line_at_most) {
  simulated_processes one(1, 1, {.name = "aligned"});
  one.run([&](aggregation& items) {
    std::uint64_t handled = 0;
    pure::detail::channel_request wanted = request_for(128, handled);
    wanted.alignment = 128;
    EXPECT_EQ(refused(items, wanted), pure::errc::argument);
    wanted.alignment = 64;
    EXPECT_EQ(refused(items, wanted), pure::errc::success);
    finish(items);
  });
}

TEST(aggregation_bounds, channels_have_numbers_of_two_bytes) {
  simulated_processes one(1, 1, {.name = "channels"});
  one.run([&](aggregation& items) {
    std::uint64_t handled = 0;
    for (int i = 0; i < UINT16_MAX; ++i) items.make_channel(making, request_for(1, handled));
    item_channel& last = items.make_channel(making, request_for(1, handled));
    EXPECT_EQ(refused(items, request_for(1, handled)), pure::errc::argument);
    send_bytes(last, std::vector<std::byte>(1), 0);
    finish(items);
    EXPECT_EQ(handled, 1U);
  });
}

/// Open buffers wait while there is room for one more of the largest under the cap: not a byte less.
TEST(aggregation_bounds, the_memory_cap_is_used_to_its_last_byte) {
  constexpr std::size_t largest = item_buffer::bytes_with_head(item_buffer::classes - 1);
  constexpr std::size_t each = item_buffer::bytes_with_head(0), count = 40;
  for (const std::size_t missing : {std::size_t{0}, std::size_t{1}}) {
    simulated_processes one(1, 1, {.buffer_bytes = 64, .memory_cap = largest + count * each - missing, .name = "cap"});
    one.run([&](aggregation& items) {
      std::uint64_t handled = 0;
      const std::vector<std::byte> item(8);
      std::size_t opened = 0;
      while (items.stats(stats_call).buffers == 0 && opened < 2 * count) {
        send_bytes(items.make_channel(making, request_for(8, handled)), item, 0);
        ++opened;
      }
      EXPECT_EQ(opened, count + 1 - missing) << "the one that has no room makes all others leave";
      finish(items);
      EXPECT_EQ(handled, opened);
      EXPECT_EQ(items.stats(stats_call).over_cap_bytes, 0U);
    });
  }
}

/// A call that makes progress looks again after so many buffers, even if each handler sends an urgent item.
TEST(aggregation_bounds, one_call_handles_a_batch) {
  constexpr std::uint64_t batch = 64;
  for (const bool are_urgent : {false, true}) {
    for (const std::uint64_t waiting : {batch - 1, batch, batch + 1}) {
      simulated_processes one(1, 2, {.buffer_bytes = 4, .name = "batch"});
      std::atomic<bool> have_come{false};
      one.run([&](aggregation& items) {
        item_channel* channel = nullptr;
        std::uint64_t handled = 0, relayed = 0;
        const auto send_urgent = [&](int dest) {
          const int item = 1;
          channel->send_urgent(sending, reinterpret_cast<const std::byte*>(&item), dest);
        };
        auto handle = [&](int, int) {
          if (items.rank() == 0) {  // handlers go over the credit
            for (std::uint64_t i = 0; i < waiting && are_urgent; ++i) send_urgent(1);
            for (std::uint64_t i = 0; i < waiting && !are_urgent; ++i) test_support::send(*channel, 1, 1);
            have_come = true;
            return;
          }
          ++handled;
          if (relayed++ < 1000) send_urgent(1);
        };
        channel = &make_channel<int>(items, handle);
        if (items.rank() == 0) {
          test_support::send(*channel, 0, 0);
        } else {
          comes_true([&] { return have_come.load(); });
          items.progress(progress_call);
          EXPECT_EQ(handled, std::min(batch, waiting));
        }
        finish(items);
        EXPECT_EQ(handled, items.rank() == 1 ? waiting + 1000 : 0) << "and the rest later";
      });
    }
  }
}

/// The fault that was found: woken by an urgent item, a send did not return before a chain of a million had ended.
TEST(aggregation_bounds, a_send_returns_though_handlers_go_on_for_ever) {
  simulated_processes one(1, 1, {.name = "chain"});
  one.run([&](aggregation& items) {
    item_channel* channel = nullptr;
    std::uint64_t handled = 0, limit = 100'000;
    auto again = [&](int, int) {
      if (++handled < limit) test_support::send(*channel, 0, 0);
      items.flush(flush_call, 0);
    };
    channel = &make_channel<int>(items, again);
    const int first = 0;
    channel->send_urgent(sending, reinterpret_cast<const std::byte*>(&first), 0);
    EXPECT_LE(handled, 2U);
    limit = handled + 1;
    finish(items);
  });
}

/// Packets for a process that takes none: a send waits when there are more than eight.
TEST(aggregation_bounds, a_send_waits_for_the_network_behind_nine_packets) {
  simulated_processes two(2, 1, {.buffer_bytes = 8, .scheme = item_scheme::ww, .name = "network"});
  std::atomic<int> sent{0};
  two.run([&](aggregation& items) {
    std::uint64_t handled = 0;
    item_channel& channel = items.make_channel(making, request_for(8, handled));
    if (items.rank() == 0) {
      two.refuse(1, true);
      for (int i = 0; i < 12; ++i, ++sent) send_bytes(channel, std::vector<std::byte>(8), 1);
    } else {
      aggregation_part& other = two.part(0);
      expect_soon([&] { return other.outgoing().waiting(1) == 9 && sent == 7; }, "the channel, and eight of items");
      std::this_thread::sleep_for(5ms);
      EXPECT_EQ(other.outgoing().waiting(1), 9U);
      EXPECT_EQ(sent, 7);
      two.refuse(1, false);
    }
    finish(items);
    EXPECT_EQ(handled, items.rank() == 1 ? 12U : 0U);
  });
}

TEST(aggregation_bounds, a_rank_keeps_sixteen_buffers_and_gives_others_the_next) {
  common_buffers common;
  spare_buffers mine(common);
  std::vector<item_buffer*> all;
  for (int i = 0; i < 17; ++i) all.push_back(new_buffer(0));
  for (int i = 0; i < 16; ++i) mine.give(*all[static_cast<std::size_t>(i)]);
  EXPECT_EQ(common.take_all(0), nullptr);
  mine.give(*all[16]);
  item_buffer* const given = common.take_all(0);
  EXPECT_EQ(given, all[16]);
  delete_buffers(given);
}

// ---- channels that have ended ---------------------------------------------------------------------------------------

pure::detail::item_sends sends_of(const channel_words::entry& word) { return {nullptr, &word.word, word.tag, nullptr}; }

TEST(aggregation_bounds, a_word_has_its_ranks_until_its_channel_ends) {
  channel_words words;
  channel_words::entry& first = words.take(3, {"edges", 2});
  const pure::detail::item_sends sends = sends_of(first);
  for (const int dest : {0, 1, 2}) EXPECT_TRUE(sends.has(dest));
  for (const int dest : {3, -1, INT32_MAX, INT32_MIN}) EXPECT_FALSE(sends.has(dest));
  words.give_back(first);
  for (const int dest : {0, 1, 2, 3, -1}) EXPECT_FALSE(sends.has(dest));
  EXPECT_EQ(words.name_of(sends.word, sends.tag), "channel 2 of aggregation \"edges\"");
}

TEST(aggregation_bounds, words_come_round_and_no_handle_of_an_earlier_channel_fits) {
  channel_words words;
  std::vector<pure::detail::item_sends> earlier;
  for (int i = 0; i < 1000; ++i) {
    channel_words::entry& word = words.take(1'000'000, {"many", 0});
    const pure::detail::item_sends sends = sends_of(word);
    EXPECT_TRUE(sends.has(999'999));
    for (const pure::detail::item_sends& each : earlier) ASSERT_FALSE(each.has(0) || each.has(-1));
    earlier.push_back(sends);
    words.give_back(word);
  }
  EXPECT_EQ(words.size(), channel_words::least_free + 1) << "as many as are kept for their names, and one";
}

TEST(aggregation_bounds, a_channel_that_has_ended_is_named) {
  pure::detail::item_sends sends;
  EXPECT_FALSE(sends.has(0)) << "one that was never made";
  simulated_processes one(1, 1, {.name = "ended"});
  one.run([&](aggregation& items) {
    std::uint64_t handled = 0;
    items.make_channel(making, request_for(8, handled));
    sends = items.make_channel(making, request_for(8, handled)).sends();
    EXPECT_TRUE(sends.has(0));
    finish(items);
  });
  try {
    item_channel::throw_no_destination({"send", {}}, sends, 0);
  } catch (const pure::Error& error) {
    EXPECT_EQ(error.code(), pure::errc::state);
    EXPECT_NE(std::string(error.what()).find("channel 1 of aggregation \"ended\" is used after the end"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
