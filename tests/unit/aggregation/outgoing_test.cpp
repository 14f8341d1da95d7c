// Packets on their way out, by several threads at once: their order, what a transport that is slow, refuses, or lacks
// memory keeps from whom, and who tries again.
#include "aggregation/outgoing_packets.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "aggregation/shared_packets.hpp"
#include "runtime/wait.hpp"
#include "support/aggregation_schedules.hpp"
#include "support/bare_job.hpp"

namespace {

using namespace pure::core;
using namespace std::chrono_literals;
using namespace test_support::aggregation_schedules;

/// Keeps what it takes, by process, and says when two threads are inside for one of them.
class watched_transport final : public item_transport {
 public:
  explicit watched_transport(std::size_t processes) : all(processes), inside_(processes) {}

  bool try_send(int process, std::span<const std::byte> packet) override {
    const auto at = static_cast<std::size_t>(process);
    EXPECT_EQ(inside_[at].fetch_add(1), 0) << "two at once for process " << process;
    struct leaves {
      ~leaves() { inside.fetch_sub(1); }
      std::atomic<int>& inside;
    } at_end{inside_[at]};
    const bool taken = !takes || takes(process);
    if (taken) all[at].emplace_back(packet.begin(), packet.end());
    return taken;
  }

  void has_handled(int /*process*/) noexcept override { ++looks; }

  std::atomic<int> looks{0};
  std::function<bool(int process)> takes;
  std::vector<std::vector<std::vector<std::byte>>> all;

 private:
  std::vector<std::atomic<int>> inside_;
};

/// Process 0 of four, with three ranks; two channels. Nobody sleeps, but for whom a test makes.
struct sending_process {
  static constexpr int processes = 4, ranks = 3;

  explicit sending_process(aggregation_options options = {})
      : layout({{0, 0}, {0, 1}, {0, 2}, {1, 0}, {2, 0}, {3, 0}}, 0, std::vector{0, 0, 0, 0}, std::move(options)) {
    for (int i = 0; i < 2; ++i)
      channels.agree(channels.size(), {.type = "int", .item_bytes = 4, .is_combining = false, .by = 0, .site = ""});
  }
  void send(int process, int by, std::uint32_t number, std::size_t channel = 0) {
    const std::array<std::uint32_t, 1> item{number};
    packet_node packet = outgoing.prepare(process, channel, by);
    packet.front().bytes = packet_bytes(items_for_rank{.channel = static_cast<std::uint16_t>(channel),
                                                       .phase = 1,
                                                       .count = 1,
                                                       .source = static_cast<std::uint32_t>(by < 0 ? 0 : by)},
                                        item);
    outgoing.send_items(process, std::move(packet));
  }
  [[nodiscard]] std::string accounts() const {
    open_accounts open;
    outgoing.add_open_accounts(open);
    return open.text();
  }
  /// Numbers of the items that have left for that process, from that member; -1 for what tells of a channel.
  [[nodiscard]] std::vector<int> numbers(int process, std::uint32_t from = 0) const {
    std::vector<int> found;
    for (const std::vector<std::byte>& each : transport.all[static_cast<std::size_t>(process)]) {
      items_for_rank head;
      std::memcpy(&head, each.data(), sizeof head);
      int number = -1;
      if (head.kind == packet_kind::ww) std::memcpy(&number, &each[sizeof head], sizeof number);
      if (number == -1 || head.source == from) found.push_back(number);
    }
    return found;
  }

  watched_transport transport{processes};
  const aggregation_layout layout;
  part_members members{layout.ranks_here()};
  channel_records channels;
  outgoing_packets outgoing{layout, members, channels, &transport};
};

/// As much as three ranks send at once, to three processes, over a transport that takes its time and refuses.
TEST(aggregation_outgoing, keep_their_order_under_load) {
  constexpr std::uint32_t packets = 4000;
  sending_process from;
  std::array<std::mt19937, sending_process::processes> random;  // one thread at a time for each process
  from.transport.takes = [&](int process) {
    const auto drawn = random[static_cast<std::size_t>(process)]();
    if (drawn % 8 == 0) std::this_thread::yield();
    return drawn % 5 != 0;
  };
  std::vector<std::thread> threads;
  for (int member = 0; member < sending_process::ranks; ++member) {
    threads.emplace_back([&, member] {
      for (std::uint32_t number = 0; number < packets; ++number) {
        from.send(1 + static_cast<int>(number % 3), member, number / 3, number % 2);
        if (number % 16 == 0) from.outgoing.try_again();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  while (!from.outgoing.has_sent_all()) from.outgoing.try_again();
  EXPECT_EQ(from.accounts(), "");
  EXPECT_EQ(from.outgoing.packets(), sending_process::ranks * packets);
  for (int process = 1; process < sending_process::processes; ++process) {
    for (std::uint32_t member = 0; member < sending_process::ranks; ++member) {
      int next = 0, told = 0;
      for (const int number : from.numbers(process, member)) {
        if (number == -1) {
          ++told;
        } else {
          EXPECT_EQ(number, next++);
          EXPECT_GE(told, 1) << "the channel comes first";
        }
      }
      EXPECT_EQ(next, (static_cast<int>(packets) + 3 - process) / 3) << "none is lost";
      EXPECT_EQ(told, 2) << "each channel once";
    }
  }
}

TEST(aggregation_outgoing, a_slow_transport_keeps_nobody_from_queueing_and_from_other_processes) {
  sending_process from;
  std::atomic<bool> is_inside{false}, may_return{false};
  from.transport.takes = [&](int process) {
    if (process != 1) return true;
    is_inside = true;
    return comes_true([&] { return may_return.load(); });
  };
  std::thread slow([&] { from.send(1, 0, 0); });
  EXPECT_TRUE(comes_true([&] { return is_inside.load(); }));
  from.send(1, 0, 1);  // returns, though the transport has not
  from.send(2, 1, 2);
  EXPECT_EQ(from.numbers(2, 1), (std::vector<int>{-1, 2}));
  EXPECT_EQ(from.outgoing.waiting(1), 3U) << "a channel, which the transport has, and two packets";
  EXPECT_FALSE(from.outgoing.has_sent_all());
  EXPECT_EQ(from.outgoing.queue_for(1, 3), outgoing_packets::queue::is_short);
  EXPECT_EQ(from.outgoing.queue_for(1, 2), outgoing_packets::queue::is_served);
  may_return = true;
  slow.join();
  EXPECT_EQ(from.numbers(1), (std::vector<int>{-1, 0, 1})) << "who serves sends what has come meanwhile";
  EXPECT_EQ(from.accounts(), "");
}

/// The items that ranks put together, too: their lock is free while the transport has the packet that they have filled.
TEST(aggregation_outgoing, who_has_filled_a_packet_keeps_nobody_from_filling_the_next) {
  sending_process from;
  shared_packets shared(from.layout, from.outgoing);
  const std::vector<std::byte> items(packet_items(packet_kind::pp, 4) * 4);
  const auto fill = [&](std::size_t count) {
    shared.add(
        {.first = items.data(), .count = count, .tag = {}, .channel = 0, .item_bytes = 4, .phase = 1}, 1, 0,
        [](std::size_t) {}, [] {});
  };
  std::atomic<bool> is_inside{false}, may_return{false};
  from.transport.takes = [&](int) {
    is_inside = true;
    return comes_true([&] { return may_return.load(); });
  };
  std::thread slow([&] { fill(items.size() / 4); });
  EXPECT_TRUE(comes_true([&] { return is_inside.load(); }));
  fill(7);
  EXPECT_TRUE(shared.push(0, 1));
  EXPECT_EQ(shared.push(), 0U);
  may_return = true;
  slow.join();
  EXPECT_EQ(from.transport.all[1].size(), 3U) << "the channel, and two packets";
  EXPECT_EQ(from.accounts(), "");
}

/// Room that comes while a packet is refused: who has asked then, in vain, and sleeps, is told.
TEST(aggregation_outgoing, who_asks_while_a_process_is_served_is_told_when_something_is_left) {
  sending_process from;
  test_support::bare_job two(2);
  std::atomic<int> offers{0}, looks{0};
  std::atomic<bool> is_asleep{false};
  from.transport.takes = [&](int) {
    if (offers++ > 0) return true;
    const int before = looks;
    two->worker(1).notify();
    comes_true([&] { return looks > before; });
    std::this_thread::sleep_for(20ms);  // it sleeps again
    return false;
  };
  two.run([&](rank_context& self) {
    from.members.at(self.number()).owner = &self;
    if (self.number() == 0) {
      EXPECT_TRUE(comes_true([&] { return is_asleep.load(); }));
      std::this_thread::sleep_for(5ms);
      from.send(1, 0, 7);
      EXPECT_TRUE(comes_true([&] { return from.outgoing.has_sent_all(); })) << "rank 1 tries again";
      return;
    }
    const auto has_sent = [&] {
      ++looks;
      is_asleep = true;
      return from.outgoing.try_again() && from.outgoing.has_sent_all();
    };
    wait_until(self, {.what = {"test", {}}, .waiting_for = "the test", .tag = wait_reason::no_tag}, has_sent);
  });
  EXPECT_EQ(two->failure_text(), "");
  EXPECT_EQ(from.numbers(1), (std::vector<int>{-1, 7}));
}

/// Who only waits for all to leave, and sends nothing itself: as in finish.
TEST(aggregation_outgoing, who_sleeps_until_all_has_left_is_told) {
  sending_process from;
  test_support::bare_job two(2);
  std::atomic<bool> has_looked{false};
  from.transport.takes = [&](int) {
    two->worker(1).notify();
    comes_true([&] { return has_looked.load(); });
    std::this_thread::sleep_for(20ms);  // rank 1 sleeps
    return true;
  };
  two.run([&](rank_context& self) {
    from.members.at(self.number()).owner = &self;
    if (self.number() == 0) {
      std::this_thread::sleep_for(5ms);
      from.send(1, outgoing_packets::nobody, 7);
      return;
    }
    const auto has_sent = [&] {
      const bool is_over = from.outgoing.packets() > 0 && from.outgoing.ask_whether_all_is_sent();
      has_looked = from.outgoing.packets() > 0;
      return is_over;
    };
    wait_until(self, {.what = {"test", {}}, .waiting_for = "the test", .tag = wait_reason::no_tag}, has_sent);
  });
  EXPECT_EQ(two->failure_text(), "") << "nobody sleeps for ever";
  EXPECT_TRUE(from.outgoing.has_sent_all());
}

/// A process whose items have waited to be passed on is looked at again when few enough are left.
TEST(aggregation_outgoing, those_whose_items_are_passed_on_may_send_again) {
  constexpr std::size_t most = outgoing_packets::most_passed_on;
  sending_process from({.hops = item_hops::grid,
                        .name = "passed on"});  // two columns: what process 1 sends for process 2 goes over this one
  ASSERT_TRUE(from.layout.routes().may_pass_on(1, 2));
  bool has_room = false;
  from.transport.takes = [&](int) { return std::exchange(has_room, false); };
  for (std::uint32_t number = 0; number < most; ++number) {
    EXPECT_TRUE(from.outgoing.has_passed_on(1));
    from.send(2, outgoing_packets::nobody, number);
  }
  EXPECT_EQ(from.outgoing.waiting(2), most + 1) << "and the channel";
  EXPECT_FALSE(from.outgoing.has_passed_on(1));
  EXPECT_TRUE(from.outgoing.has_passed_on(3)) << "whose items go elsewhere";
  EXPECT_EQ(from.transport.looks, 0);
  has_room = true;
  EXPECT_TRUE(from.outgoing.try_again());
  EXPECT_TRUE(from.outgoing.has_passed_on(1));
  EXPECT_EQ(from.transport.looks, sending_process::processes);
  has_room = true;
  EXPECT_TRUE(from.outgoing.try_again());
  EXPECT_EQ(from.transport.looks, sending_process::processes) << "once";
}

TEST(aggregation_outgoing, one_who_serves_does_so_for_64_packets) {
  constexpr int most = outgoing_packets::most_at_once;
  sending_process from;
  bool has_room = false;
  from.transport.takes = [&](int) { return has_room; };
  for (std::uint32_t number = 0; number < 2 * most; ++number) from.send(1, 0, number);
  EXPECT_EQ(from.outgoing.waiting(1), 2U * most + 1) << "and the channel";
  EXPECT_EQ(from.outgoing.waiting_bytes_of(0), 2U * most * (sizeof(items_for_rank) + 4));
  EXPECT_FALSE(from.outgoing.try_again());
  EXPECT_EQ(from.outgoing.queue_for(1, 2 * most + 1), outgoing_packets::queue::is_short);
  EXPECT_EQ(from.outgoing.queue_for(1, 2 * most), outgoing_packets::queue::is_long);
  has_room = true;
  EXPECT_TRUE(from.outgoing.try_again());
  EXPECT_EQ(from.transport.all[1].size(), static_cast<std::size_t>(most));
  EXPECT_TRUE(from.outgoing.try_again());
  EXPECT_FALSE(from.outgoing.has_sent_all()) << "one is left";
  EXPECT_TRUE(from.outgoing.try_again());
  EXPECT_EQ(from.accounts(), "");
}

TEST(aggregation_outgoing, what_finds_no_memory_waits_and_says_so_to_who_tries_again) {
  sending_process from;
  bool lacks_memory = true;
  from.transport.takes = [&](int) -> bool { return lacks_memory ? throw std::bad_alloc() : true; };
  for (const std::uint32_t number : {0U, 1U}) from.send(1, 0, number);
  EXPECT_EQ(from.outgoing.waiting(1), 3U);
  EXPECT_THROW(from.outgoing.try_again(), std::bad_alloc);
  lacks_memory = false;
  EXPECT_TRUE(from.outgoing.try_again());
  EXPECT_EQ(from.numbers(1), (std::vector<int>{-1, 0, 1}));
  EXPECT_EQ(from.accounts(), "");
}

}  // namespace
