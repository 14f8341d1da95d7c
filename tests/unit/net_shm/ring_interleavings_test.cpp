// The ends of a ring themselves, in every order of their steps: also where a process dies between any two stores, and
// where what is reserved is given up.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/interleavings.hpp"
#include "transport/ring_ends.hpp"

namespace pure::net_shm {
namespace rings_in_every_order {  // of its own, for files are compiled together
namespace {

using namespace test_support::interleavings;

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
struct ringed : program {
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
      fill(*made, length, number);
      may_die(has_died);
      ++number;
      out.publish(*made, length, 1);
      ++published;
      may_die(has_died);
    }
  }
  void fill(line& made, std::size_t length, int number) {
    const auto at = static_cast<std::size_t>(&made - lines.data());
    for (std::size_t i = 0; i < length; ++i) {
      require(at + i < lines.size(), "a record wraps around the end");
      lines[at + i].content.write(number * 10 + static_cast<int>(i));
      // A line behind the first is all payload: it looks like a mark of either lap.
      if (i > 0) lines[at + i].mark.store(~0U, std::memory_order_relaxed);
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
      take(*first, lengths[static_cast<std::size_t>(number)], number);
      ++number;
    }
  }
  void take(line& first, std::size_t length, int number) {
    const auto at = static_cast<std::size_t>(&first - lines.data());
    require(core::ring_mark::lines_in(first.mark.load(std::memory_order_relaxed)) == length, "another length");
    for (std::size_t i = 0; i < length; ++i)
      require(lines[at + i].content.read() == number * 10 + static_cast<int>(i), "other contents");
    if (in.pop(first)) ++room_made;
  }
  void at_end() override {
    if (!MayDie) require(published == static_cast<int>(lengths.size()), "a record is missing");
  }

  explicit ringed(std::size_t count = 8)
      : lines(count), out(lines.data(), count, released), in(lines.data(), count, released) {}

  std::vector<line> lines;
  core::released_count<model_atomic> released{0};
  sender_end out;
  receiver_end in;
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

/// A ring of 16 lines whose last ones hold payload of the lap before. The sender reserves four lines at line 13, and so
/// skips what is left of the lap; what it reserves then, it gives up. Now records of one line come, past that place:
/// behind each, lines of old payload are next.
template <bool IsWritten>
struct given_up_behind_a_skip final : ringed<false, 1, 1, 1, 1, 1, 1> {
  static constexpr std::size_t ring_lines = 16, largest = 4, at = 13;

  given_up_behind_a_skip() : ringed(ring_lines) {
    for (std::size_t i = 0; i < ring_lines / largest; ++i) pass(largest);
    for (std::size_t i = 0; i < at; ++i) pass(1);
    line* const given_up = out.try_reserve(largest);
    require(given_up == lines.data(), "it is not behind a skip");
    if (IsWritten) fill(*given_up, 1, -1);
    for (std::size_t i = 0; i < at - 3; ++i) pass(1);
  }
  void pass(std::size_t length) {
    line* const made = out.try_reserve(length);
    require(made != nullptr, "there is no room in a ring that is empty");
    fill(*made, length, -1);
    out.publish(*made, length, 1);
    line* const first = in.front();
    require(first == made, "another record comes");
    take(*first, length, -1);
  }
};

/// The reservation itself, in every order with the receiver's steps: it is given up while that takes what is before it.
template <bool IsWritten>
struct given_up final : ringed<false, 4, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1> {
  given_up() : ringed(16) {}
  void run(int thread) override {
    if (thread == 0) {
      line* const first = out.try_reserve(4);
      if (IsWritten) fill(*first, 1, -1);
    }
    ringed::run(thread);
  }
};

TEST(interleavings_net_shm, what_is_given_up_leaves_nothing_behind) {
  expect_right(explore<given_up_behind_a_skip<false>>({.preemptions = 2, .stale_loads = 0}, 2), 100);
  expect_right(explore<given_up_behind_a_skip<true>>({.preemptions = 2, .stale_loads = 0}, 2), 100);
  expect_right(explore<given_up<false>>({.preemptions = 1, .stale_loads = 0}, 2), 20);
  expect_right(explore<given_up<true>>({.preemptions = 1, .stale_loads = 0}, 2), 20);
}

}  // namespace
}  // namespace rings_in_every_order
}  // namespace pure::net_shm
