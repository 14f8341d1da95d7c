// The lock-free parts of the network over shared memory themselves, in every order of their steps: the ends of a ring,
// also where a process dies between any two stores; who copies which piece; who is watched, and who sleeps.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "net_shm/claims.hpp"
#include "net_shm/watch_bits.hpp"
#include "support/interleavings.hpp"
#include "transport/ring_ends.hpp"

namespace pure::net_shm {
namespace every_order_of_processes {  // of its own, for files are compiled together
namespace {

using namespace test_support::interleavings;

void expect_right(const verdict& its, std::uint64_t least_executions) {
  EXPECT_EQ(its.failure, "");
  EXPECT_TRUE(its.is_complete);
  EXPECT_GE(its.executions, least_executions) << "the threads did not meet";
}

// ---- the ring ----

struct line {
  model_atomic<std::uint32_t> mark{0};
  checked<int> content;
};
constexpr std::uint32_t wrap = 7;
using sender_end = core::ring_sender<line, wrap, model_atomic>;
using receiver_end = core::ring_receiver<line, wrap, model_atomic>;

/// A process that dies: between any two of its steps, or not at all.
struct death {};
void may_die(bool& has_died) {
  if (!has_died && may()) {
    has_died = true;
    throw death{};
  }
}

/// Records of these lengths, in lines, through a ring of 8; the receiver takes them in turn. MayDie: the sender.
template <bool MayDie, std::size_t... Lengths>
struct ringed final : program {
  static constexpr std::array<std::size_t, sizeof...(Lengths)> lengths{Lengths...};

  void run(int thread) override {
    if (thread == 1) return receive();
    try {
      send();
    } catch (const death&) {
    }
    has_sent_all = true;
  }
  void send() {
    bool has_died = !MayDie;
    int number = 0;
    for (const std::size_t length : lengths) {
      std::uint64_t before = room_made;
      line* made = nullptr;
      while ((made = out.try_reserve(length)) == nullptr) {
        exploration::now().wait_until([this, before] { return room_made != before; });
        before = room_made;
      }
      may_die(has_died);
      const auto at = static_cast<std::size_t>(made - lines.data());
      for (std::size_t i = 0; i < length; ++i) {
        require(at + i < lines.size(), "a record wraps around the end");
        lines[at + i].content.write(number * 10 + static_cast<int>(i));
        // A line behind the first is all payload: it looks like a mark of either lap.
        if (i > 0) lines[at + i].mark.store(~0U, std::memory_order_relaxed);
      }
      may_die(has_died);
      ++number;
      out.publish(*made, length, 1);
      ++published;
      may_die(has_died);
    }
  }
  void receive() {
    for (int number = 0;;) {
      line* const first = in.front();
      if (first == nullptr) {
        if (has_sent_all && number == published) return;
        const int before = number;
        exploration::now().wait_until([this, before] { return published > before || has_sent_all; });
        continue;
      }
      const auto at = static_cast<std::size_t>(first - lines.data());
      const std::uint32_t length = core::ring_mark::lines_in(first->mark.load(std::memory_order_relaxed));
      require(length == lengths[static_cast<std::size_t>(number)], "another length");
      for (std::size_t i = 0; i < length; ++i)
        require(lines[at + i].content.read() == number * 10 + static_cast<int>(i), "other contents");
      if (in.pop(*first)) ++room_made;
      ++number;
    }
  }
  void at_end() override {
    if (!MayDie) require(published == static_cast<int>(lengths.size()), "a record is missing");
  }

  std::array<line, 8> lines;
  core::released_count<model_atomic> released{0};
  sender_end out{lines.data(), 8, released};
  receiver_end in{lines.data(), 8, released};
  int published = 0;
  bool has_sent_all = false;
  std::uint64_t room_made = 0;
};

TEST(interleavings_net_shm, records_of_more_than_a_lap) {
  expect_right(explore<ringed<false, 1, 2, 1, 2, 2, 1, 1, 2>>({.preemptions = 2, .stale_loads = 0}, 2), 100);
  expect_right(explore<ringed<false, 2, 2, 2, 1, 2, 2>>({.preemptions = 2, .stale_loads = 0}, 2), 100);
  expect_right(explore<ringed<false, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>>({.preemptions = 2, .stale_loads = 0}, 2), 100);
}

TEST(interleavings_net_shm, a_sender_that_dies_between_any_two_stores) {
  expect_right(explore<ringed<true, 1, 2, 2, 2, 1, 2, 1>>({.preemptions = 2, .stale_loads = 0}, 2), 100);
}

// ---- pieces ----

/// Two rounds of a transfer: thread 0 receives, thread 1 sends, and may come late.
template <std::uint32_t Pieces>
struct copied final : program {
  void run(int thread) override {
    claims_of_test its(word, count);
    for (std::uint32_t round = 0; round < 2; ++round) {
      if (thread == 0) {
        is_beginning = true;
        numbers[round] = its.begin();
        is_beginning = false;
        for (auto& each : places[round]) each = std::make_unique<checked<int>>();
        ++begun;
      } else {
        exploration::now().wait_until([this, round] { return begun > round; });
      }
      const auto end = thread == 0 ? claims_of_test::end::front : claims_of_test::end::back;
      for (std::uint32_t taken = 0; (taken = its.take(numbers[round], Pieces, end)) != claims_of_test::none;) {
        require(taken < Pieces, "a piece behind the last");
        places[round][taken]->write(1);
        if (its.has_copied(Pieces)) ++last_ones[round];
        if (thread == 1 && may()) break;  // it has something else to do
      }
      if (thread == 0) {
        exploration::now().wait_until([this, round] { return last_ones[round] == 1; });
        while (!its.is_over(numbers[round], Pieces)) {
        }
        for (auto& each : places[round]) require(each->read() == 1, "a piece is missing");
      } else {
        exploration::now().wait_until([this, round] { return last_ones[round] == 1; });
        while (!its.is_over(numbers[round], Pieces))  // a look at what is being changed for the next round
          exploration::now().wait_until([this, round] { return round == 1 || begun > 1 || !is_beginning; });
      }
    }
  }
  using claims_of_test = basic_claims<model_atomic>;
  model_atomic<std::uint64_t> word{0};
  model_atomic<std::uint32_t> count{0};
  std::array<std::uint32_t, 2> numbers{};
  std::array<std::array<std::unique_ptr<checked<int>>, Pieces>, 2> places;
  std::array<int, 2> last_ones{};
  std::uint32_t begun = 0;
  bool is_beginning = false;
};

TEST(interleavings_net_shm, each_piece_is_copied_once_in_each_round) {
  expect_right(explore<copied<1>>({.preemptions = 2, .stale_loads = 1}, 2), 100);
  expect_right(explore<copied<2>>({.preemptions = 2, .stale_loads = 1}, 2), 1000);
}

// ---- who is watched, and who sleeps ----

/// Thread 0 stops watching, or sleeps; thread 1 writes a record meanwhile.
template <bool HasFence>
struct watched final : program {
  static void fence() {
    if (HasFence) exploration::now().fence_of_all();
  }
  void run(int thread) override {
    if (thread == 1) {
      record.store(1, std::memory_order_release);
      announce_if_unwatched(watches, announced, 4);
      return;
    }
    stop_watching(watches, announced, 4, fence, [this] { return record.load(std::memory_order_acquire) != 0; });
  }
  void at_end() override {
    require((announced.load(std::memory_order_relaxed) & 4) != 0, "a record that nobody will look for");
  }
  model_atomic<std::uint64_t> watches{4}, announced{0};
  model_atomic<int> record{0};
};

TEST(interleavings_net_shm, a_ring_that_is_watched_no_more) {
  expect_right(explore<watched<true>>({.preemptions = 4, .stale_loads = 3}, 2), 10);
  EXPECT_NE(explore<watched<false>>({.preemptions = 4, .stale_loads = 3}, 2).failure, "") << "the fence is for nothing";
}

/// Thread 0 sees the announcement of one record, and watches; thread 1 writes two.
struct watched_again final : program {
  void run(int thread) override {
    if (thread == 1) {
      for (int i = 1; i <= 2; ++i) {
        record.store(i, std::memory_order_release);
        announce_if_unwatched(watches, announced, 4);
      }
      return;
    }
    exploration::now().wait_until([this] { return !is_watched; });
    if ((announced.load(std::memory_order_relaxed) & 4) == 0) return;
    take_announcement(watches, announced, 4);
    is_watched = true;
    require(record.load(std::memory_order_acquire) >= 1, "what was announced is not there");
  }
  void at_end() override {
    require(is_watched || (announced.load(std::memory_order_relaxed) & 4) != 0, "a record that nobody will look for");
  }
  model_atomic<std::uint64_t> watches{0}, announced{0};
  model_atomic<int> record{0};
  bool is_watched = false;
};

TEST(interleavings_net_shm, a_ring_that_is_announced) {
  expect_right(explore<watched_again>({.preemptions = 4, .stale_loads = 2}, 2), 10);
}

/// Thread 0 sleeps until one of two others has written; who has to ring, rings.
template <bool HasFence>
struct asleep final : program {
  static void fence() {
    if (HasFence) exploration::now().fence_of_all();
  }
  void run(int thread) override {
    const auto me = static_cast<std::size_t>(thread);
    if (thread != 0) {
      records[me].store(1, std::memory_order_release);
      if (has_to_ring(armed)) ++rung;
      return;
    }
    while (!(sees(1) && sees(2))) {
      arm(armed, fence);
      if (!(sees(1) && sees(2))) exploration::now().wait_until([this] { return rung > heard; });
      heard = rung;  // all datagrams are taken
      disarm(armed);
    }
  }
  bool sees(std::size_t which) { return records[which].load(std::memory_order_acquire) != 0; }
  std::array<model_atomic<int>, 3> records{0, 0, 0};
  model_atomic<std::uint32_t> armed{0};
  int rung = 0, heard = 0;
};

TEST(interleavings_net_shm, who_sleeps_is_rung_for) {
  expect_right(explore<asleep<true>>({.preemptions = 3, .stale_loads = 1}, 3), 100);
  EXPECT_NE(explore<asleep<false>>({.preemptions = 3, .stale_loads = 1}, 3).failure, "") << "the fence is for nothing";
}

}  // namespace
}  // namespace every_order_of_processes
}  // namespace pure::net_shm
