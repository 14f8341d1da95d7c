// The ring, with capacities so small that wrapping, waiting and lazy release happen all the time.
//
// Compared with a deque of what was sent. tests/model/ring.pml checks all orders of memory accesses, and
// tests/stress/ring_stress_test.cpp many of them on a real machine.
#include "transport/ring.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <random>
#include <thread>

#include "support/environment.hpp"
#include "support/record_content.hpp"

namespace pure::core {
namespace {

using test_support::fill;
using test_support::is_intact;

constexpr int from_rank = 3;

bool send(ring& to, std::size_t lines, std::uint64_t number, record_kind kind = record_kind::eager) {
  record* const place = to.try_reserve(lines);
  if (place == nullptr) return false;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % line_bytes, 0U);
  fill(*place, lines, number);
  to.publish(*place, lines, kind);
  return true;
}

/// Receives message `number`; false if it is not there, or not what was sent.
bool receive(ring& from, std::size_t lines, std::uint64_t number) {
  const record* const arrived = from.front();
  if (arrived == nullptr || !is_intact(*arrived, lines, number)) return false;
  from.pop(*arrived);
  return true;
}

/// A ring whose next record begins at line `offset`.
class ring_at {
 public:
  ring_at(std::size_t ring_lines, std::size_t offset) : ring_(from_rank, ring_lines * line_bytes) {
    for (std::size_t i = 0; i < offset; ++i) EXPECT_TRUE(send(ring_, 1, i) && receive(ring_, 1, i));
  }
  ring& operator*() { return ring_; }

 private:
  ring ring_;
};

class ring_of : public testing::TestWithParam<std::size_t> {
 protected:
  const std::size_t lines_ = GetParam();
  const std::size_t largest_ = lines_ / 4;
};
INSTANTIATE_TEST_SUITE_P(lines, ring_of, testing::Values(8, 16, 32), testing::PrintToStringParamName());

TEST_P(ring_of, knows_its_source_and_its_largest_record) {
  const ring r(from_rank, lines_ * line_bytes);
  EXPECT_EQ(r.source(), from_rank);
  EXPECT_EQ(r.largest_record_lines(), largest_);
}

TEST_P(ring_of, is_empty_at_first) {
  ring r(from_rank, lines_ * line_bytes);
  EXPECT_EQ(r.front(), nullptr);
  EXPECT_FALSE(r.room_is_wanted());
}

TEST_P(ring_of, every_length_passes_at_every_offset) {
  for (std::size_t offset = 0; offset < 2 * lines_; ++offset) {
    for (std::size_t lines = 1; lines <= largest_; ++lines) {
      ring_at r(lines_, offset);
      ASSERT_TRUE(send(*r, lines, 1000)) << lines << " lines at " << offset;
      ASSERT_TRUE(receive(*r, lines, 1000)) << lines << " lines at " << offset;
      ASSERT_EQ((*r).front(), nullptr) << lines << " lines at " << offset;
    }
  }
}

TEST_P(ring_of, a_reserved_record_is_not_there_before_it_is_published) {
  for (std::size_t offset = 0; offset < 2 * lines_; ++offset) {
    ring_at r(lines_, offset);
    record* const place = (*r).try_reserve(largest_);
    ASSERT_NE(place, nullptr);
    fill(*place, largest_, 1000);
    EXPECT_EQ((*r).front(), nullptr) << "at " << offset;
    (*r).publish(*place, largest_, record_kind::eager);
    EXPECT_TRUE(receive(*r, largest_, 1000)) << "at " << offset;
  }
}

TEST_P(ring_of, a_record_stays_in_front_until_it_is_popped) {
  ring r(from_rank, lines_ * line_bytes);
  ASSERT_TRUE(send(r, 1, 0) && send(r, 1, 1));
  record* const first = r.front();
  EXPECT_EQ(r.front(), first);
  EXPECT_TRUE(receive(r, 1, 0));
  EXPECT_NE(r.front(), first);
  EXPECT_TRUE(receive(r, 1, 1));
}

TEST_P(ring_of, kinds_arrive) {
  ring r(from_rank, lines_ * line_bytes);
  for (const record_kind kind : {record_kind::eager, record_kind::rendezvous, record_kind::moved}) {
    ASSERT_TRUE(send(r, 1, 0, kind));
    ASSERT_NE(r.front(), nullptr);
    EXPECT_EQ(r.front()->kind(), kind);
    EXPECT_TRUE(receive(r, 1, 0));
  }
}

TEST_P(ring_of, a_drained_ring_takes_any_record_and_says_that_there_is_room) {
  for (std::size_t offset = 0; offset < 2 * lines_; ++offset) {
    for (std::size_t filling = 1; filling <= largest_; ++filling) {
      for (std::size_t refused = filling; refused <= largest_; ++refused) {
        ring_at r(lines_, offset);
        std::uint64_t sent = 0;
        while (send(*r, filling, sent)) ++sent;
        ASSERT_EQ((*r).try_reserve(refused), nullptr) << "at least as long as one that was refused";
        bool sender_is_notified = false;
        for (std::uint64_t i = 0; i < sent; ++i) {
          const record* const arrived = (*r).front();
          ASSERT_TRUE(arrived != nullptr && is_intact(*arrived, filling, i));
          sender_is_notified |= (*r).pop(*arrived);
        }
        EXPECT_TRUE(sender_is_notified) << "or it would sleep for ever";
        EXPECT_TRUE(send(*r, refused, sent)) << refused << " lines after lines of " << filling << " from " << offset;
      }
    }
  }
}

TEST_P(ring_of, room_is_wanted_once_for_each_request) {
  ring r(from_rank, lines_ * line_bytes);
  r.ask_for_room();
  r.ask_for_room();
  EXPECT_TRUE(r.room_is_wanted());
  EXPECT_FALSE(r.room_is_wanted());
  r.ask_for_room();
  EXPECT_TRUE(r.room_is_wanted());
}

/// What is in the ring, counted by the rules in ring.hpp.
class ring_oracle {
 public:
  explicit ring_oracle(std::size_t lines) : lines_(lines) {}

  struct sent {
    std::uint64_t number;
    std::size_t lines;
    std::size_t occupied;  // with the lines that it wasted at the end of the ring
  };

  /// The record's lines, those wasted before it, and the line after it, whose mark is cleared.
  [[nodiscard]] std::size_t needed(std::size_t lines) const { return wasted(lines) + lines + 1; }
  [[nodiscard]] bool must_be_refused(std::size_t lines) const { return held_ + needed(lines) > lines_; }
  /// Less than a quarter may be popped and not released.
  [[nodiscard]] bool must_be_taken(std::size_t lines) const { return held_ + needed(lines) + lines_ / 4 - 1 <= lines_; }

  void push(std::size_t lines) {
    const std::size_t occupied = wasted(lines) + lines;
    in_ring.push_back({pushed++, lines, occupied});
    tail_ = (tail_ + occupied) % lines_;
    held_ += occupied;
  }
  void pop() {
    held_ -= in_ring.front().occupied;
    in_ring.pop_front();
  }

  std::deque<sent> in_ring;
  std::uint64_t pushed = 0;

 private:
  [[nodiscard]] std::size_t wasted(std::size_t lines) const { return tail_ + lines > lines_ ? lines_ - tail_ : 0; }

  const std::size_t lines_;
  std::size_t tail_ = 0;
  std::size_t held_ = 0;
};

TEST_P(ring_of, random_use_agrees_with_a_deque) {
  const std::uint64_t first_seed = test_support::first_seed();
  for (std::uint64_t seed = first_seed; seed < first_seed + 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "PURETEST_SEED=" << seed);
    std::mt19937_64 random(seed);
    const auto up_to = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n)(random); };
    ring r(from_rank, lines_ * line_bytes);
    ring_oracle oracle(lines_);
    for (int step = 0; step < 4000; ++step) {
      if (up_to(step / 500 % 2 == 0 ? 4 : 2) > 1) {  // now the sender is the faster one, now the receiver
        const std::size_t lines = 1 + up_to(up_to(3) == 0 ? largest_ - 1 : 0);
        const bool refused = oracle.must_be_refused(lines);
        const bool taken = oracle.must_be_taken(lines);
        const bool was_taken = send(r, lines, oracle.pushed);
        ASSERT_FALSE(refused && was_taken) << "it overwrites what the receiver has not popped";
        ASSERT_FALSE(taken && !was_taken) << "there is room for it";
        if (was_taken) oracle.push(lines);
      } else if (oracle.in_ring.empty()) {
        ASSERT_EQ(r.front(), nullptr);
      } else {
        ASSERT_TRUE(receive(r, oracle.in_ring.front().lines, oracle.in_ring.front().number));
        oracle.pop();
      }
    }
  }
}

TEST_P(ring_of, a_question_changes_nothing) {
  for (std::size_t offset = 0; offset < 2 * lines_; ++offset) {
    for (std::size_t filling = 1; filling <= largest_; ++filling) {
      ring_at asked(lines_, offset), other(lines_, offset);
      for (std::uint64_t sent = 0;; ++sent) {
        for (std::size_t lines = 1; lines <= largest_; ++lines) {
          ring_at same(lines_, offset);
          for (std::uint64_t i = 0; i < sent; ++i) ASSERT_TRUE(send(*same, filling, i));
          ASSERT_EQ((*asked).has_room(lines), (*same).try_reserve(lines) != nullptr)
              << lines << " behind " << sent << " of " << filling << " from " << offset;
        }
        const bool has_left = send(*asked, filling, sent);
        ASSERT_EQ(has_left, send(*other, filling, sent));
        if (!has_left) break;
      }
    }
  }
}

/// Reserves, and sends something shorter in its place, or nothing; written: the first line of what was reserved is
/// filled by then. All that is sent is taken before the next, so that laps of one-line records come, and old payload is
/// met again.
void give_up_at_random(std::size_t ring_lines, bool written, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto one_of = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random) == 0; };
  const std::size_t largest = ring_lines / 4;
  ring r(from_rank, ring_lines * line_bytes);
  for (std::uint64_t number = 0; number < 3000; ++number) {
    if (one_of(8)) {
      record* const given_up = r.try_reserve(largest);
      ASSERT_NE(given_up, nullptr);
      if (written) fill(*given_up, 1, ~number);
    }
    const std::size_t lines = one_of(50) ? largest : 1;
    ASSERT_TRUE(send(r, lines, number));
    ASSERT_TRUE(receive(r, lines, number))
        << "record " << number << " of " << lines << " lines is not the one that comes";
    ASSERT_EQ(r.front(), nullptr) << "behind record " << number << " something comes that nobody has sent";
  }
}

TEST_P(ring_of, what_is_given_up_leaves_nothing_behind) {
  const std::uint64_t first_seed = test_support::first_seed();
  for (std::uint64_t seed = first_seed; seed < first_seed + 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "PURETEST_SEED=" << seed);
    for (const bool written : {false, true}) {
      give_up_at_random(lines_, written, seed);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(ring_of, two_threads) {
  ring r(from_rank, lines_ * line_bytes);
  constexpr std::uint64_t messages = 20'000;
  const auto lines_of = [this](std::uint64_t number) { return 1 + number * number / 7 % largest_; };
  std::atomic<bool> stop{false};
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < messages; ++i) {
      while (!send(r, lines_of(i), i)) {
        if (stop) return;
        std::this_thread::yield();
      }
    }
  });
  // A record that is lost never comes: until the deadline it may only be late.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  std::uint64_t received = 0;
  while (received < messages) {
    const record* const arrived = r.front();
    if (arrived == nullptr) {
      if (std::chrono::steady_clock::now() > deadline) break;
      std::this_thread::yield();
      continue;
    }
    if (!is_intact(*arrived, lines_of(received), received)) break;
    r.pop(*arrived);
    ++received;
  }
  stop = true;
  sender.join();
  EXPECT_EQ(received, messages) << "the next one was lost, or is not what was sent";
}

}  // namespace
}  // namespace pure::core
