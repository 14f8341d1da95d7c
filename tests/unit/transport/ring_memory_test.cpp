// Memory of rings: whose pages are whose, and what is left when they have been given back.
#include "transport/ring_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "base/cache_line.hpp"
#include "support/record_content.hpp"
#include "transport/ring.hpp"

namespace pure::core {
namespace ring_memories {  // of its own, for files are compiled together
namespace {

using test_support::fill;
using test_support::is_intact;

constexpr std::size_t bytes = 64 * 1024;
const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

/// How many of the pages of a ring are there.
std::size_t pages_of(const void* taken) {
  const auto at = reinterpret_cast<std::uintptr_t>(taken) / page * page;
  std::vector<unsigned char> is_there(bytes / page + 1);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(at), bytes + page, is_there.data()), 0);
  std::size_t count = 0;
  for (const unsigned char each : is_there) count += each & 1U;
  return count;
}

TEST(ring_memory, is_worth_it_from_four_pages_on) {
  EXPECT_TRUE(ring_memory::suits(4 * page));
  EXPECT_FALSE(ring_memory::suits(2 * page));
}

TEST(ring_memory, each_ring_has_pages_of_its_own_of_zeros) {
  ring_memory memory(bytes);
  std::set<std::uintptr_t> pages;
  for (int i = 0; i < 100; ++i) {
    auto* const taken = static_cast<unsigned char*>(memory.take());
    const auto at = reinterpret_cast<std::uintptr_t>(taken);
    EXPECT_EQ(at % pair_bytes, 0U);
    for (std::uintptr_t each = at / page; each <= (at + bytes - 1) / page; ++each) {
      EXPECT_TRUE(pages.insert(each).second) << "ring " << i;
    }
    for (std::size_t b = 0; b < bytes; b += 1023) ASSERT_EQ(taken[b], 0);
    std::memset(taken, 1 + i, bytes);
  }
}

TEST(ring_memory, neighbours_begin_at_other_places_of_their_pages) {
  ring_memory memory(bytes);
  std::set<std::uintptr_t> places;
  for (std::size_t i = 0; i < page / pair_bytes; ++i) {
    places.insert(reinterpret_cast<std::uintptr_t>(memory.take()) % page);
  }
  EXPECT_EQ(places.size(), page / pair_bytes);
}

TEST(ring_memory, what_is_given_back_is_gone_and_reads_as_zero_and_its_neighbours_stay) {
  ring_memory memory(bytes);
  std::vector<unsigned char*> rings;
  for (int i = 0; i < 16; ++i) {
    rings.push_back(static_cast<unsigned char*>(memory.take()));
    std::memset(rings.back(), 1 + i, bytes);
  }
  for (std::size_t i = 1; i < rings.size(); i += 2) {
    EXPECT_GE(pages_of(rings[i]), bytes / page);
    EXPECT_TRUE(ring_memory::give_back(rings[i], bytes));
    EXPECT_EQ(pages_of(rings[i]), 0U);
  }
  for (std::size_t i = 0; i < rings.size(); ++i) {
    for (std::size_t b = 0; b < bytes; ++b) ASSERT_EQ(rings[i][b], i % 2 == 1 ? 0 : 1 + i) << "ring " << i;
  }
}

// ---- of a ring ----

class emptied_ring : public testing::Test {
 protected:
  void send(std::uint64_t number, std::size_t lines = 1) {
    record* const place = its.try_reserve(lines);
    ASSERT_NE(place, nullptr);
    first_ = first_ == nullptr ? place : first_;
    fill(*place, lines, number);
    its.publish(*place, lines, record_kind::eager);
  }
  void receive(std::uint64_t number, std::size_t lines = 1) {
    const record* const arrived = its.front();
    ASSERT_NE(arrived, nullptr);
    EXPECT_TRUE(is_intact(*arrived, lines, number));
    its.pop(*arrived);
  }
  [[nodiscard]] std::size_t pages() const { return pages_of(first_); }

  ring_memory memory_{bytes};
  ring its{3, bytes, nullptr, &memory_};
  record* first_ = nullptr;
};

TEST_F(emptied_ring, gives_its_memory_back_after_a_while_without_messages) {
  send(1);
  receive(1);
  EXPECT_EQ(pages(), 1U);
  its.tell_if_idle();
  EXPECT_FALSE(its.give_back_unused()) << "something was sent since the last call";
  EXPECT_FALSE(its.give_back_unused()) << "the receiver has told nothing: something had come";
  its.tell_if_idle();
  EXPECT_TRUE(its.give_back_unused());
  EXPECT_EQ(pages(), 0U);
  EXPECT_FALSE(its.give_back_unused()) << "there is none any more";
  send(2);
  EXPECT_FALSE(its.give_back_unused());
  receive(2);
}

TEST_F(emptied_ring, gives_nothing_back_that_was_used_since_the_last_call) {
  send(1);
  receive(1);
  its.tell_if_idle();
  its.tell_if_idle();
  EXPECT_FALSE(its.give_back_unused());
  EXPECT_EQ(pages(), 1U);
  EXPECT_TRUE(its.give_back_unused());
}

TEST_F(emptied_ring, keeps_what_nobody_has_received) {
  send(1);
  send(2);
  receive(1);
  for (int i = 0; i < 3; ++i) {
    its.tell_if_idle();
    EXPECT_FALSE(its.give_back_unused());
  }
  receive(2);
}

TEST_F(emptied_ring, goes_on_from_every_place_in_every_lap) {
  constexpr std::size_t lines = bytes / line_bytes;
  std::uint64_t number = 0;
  for (std::size_t step = 0; step < 5 * lines; step += 37) {
    for (int i = 0; i < 37; ++i) {
      const std::size_t length = number % 7 == 3 ? 5 : 1;
      send(number, length);
      receive(number++, length);
    }
    its.tell_if_idle();
    its.tell_if_idle();
    its.give_back_unused();
    EXPECT_TRUE(its.give_back_unused()) << step;
    EXPECT_EQ(pages(), 0U);
    EXPECT_EQ(its.front(), nullptr);
  }
  for (std::uint64_t sent = 0; its.has_room(1); ++sent) send(sent);
  for (std::uint64_t i = 0; i < lines - 1; ++i) receive(i);
  EXPECT_EQ(its.front(), nullptr);
}

TEST_F(emptied_ring, a_receiver_that_tells_often_makes_room_as_soon_as_one_that_never_does) {
  constexpr std::size_t lines = bytes / line_bytes;
  std::uint64_t number = 0;
  for (int i = 0; i < 20; ++i) {
    send(number);
    receive(number++);
    its.tell_if_idle();
    its.tell_if_idle();
  }
  const std::uint64_t first = number;
  while (its.has_room(1)) send(number++);
  EXPECT_EQ(number - first, lines - 1) << "all of it was told to be free";
  std::uint64_t read = first;
  for (std::size_t i = 0; i < lines / 4; ++i) receive(read++);
  EXPECT_TRUE(its.has_room(lines / 8)) << "a quarter has been read";
  while (read < number) receive(read++);
}

TEST_F(emptied_ring, has_given_nothing_back_before_its_first_message) {
  EXPECT_FALSE(its.give_back_unused());
  EXPECT_FALSE(its.give_back_unused());
}

TEST(ring_on_the_heap, gives_nothing_back) {
  ring small(3, 8 * line_bytes);
  record* const place = small.try_reserve(1);
  fill(*place, 1, 5);
  small.publish(*place, 1, record_kind::eager);
  small.pop(*small.front());
  for (int i = 0; i < 3; ++i) {
    small.tell_if_idle();
    EXPECT_FALSE(small.give_back_unused());
  }
}

}  // namespace
}  // namespace ring_memories
}  // namespace pure::core
