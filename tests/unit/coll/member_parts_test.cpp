// The small parts of a collective_member, each without the others: numbers between processes, memory, calls.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "base/cache_line.hpp"
#include "coll/closed_calls.hpp"
#include "coll/numbers_between.hpp"
#include "coll/working_memory.hpp"
#include "comm/communicator_table.hpp"
#include "runtime/rank.hpp"
#include "support/pure_h.hpp"

namespace pure::core {
namespace {

TEST(numbers_between, are_those_of_the_operation_or_of_the_persistent_collective) {
  test_support::on_ranks(1, [](int) {
    const communicator& world = communicator_table::of(*self()).world();
    const numbers_between in_order(world, numbers_between::in_order), third(world, 3);
    EXPECT_EQ(in_order.context(), world.shared().context(traffic::collective));
    EXPECT_EQ(third.context(), world.shared().context(traffic::persistent_collective));
    std::set<int> tags;
    for (std::uint64_t sequence = 1; sequence <= 100; ++sequence) {
      for (unsigned round = 0; round < cheap_tag_stride; ++round) tags.insert(in_order.tag_of(sequence, round));
    }
    EXPECT_EQ(tags.size(), 100 * cheap_tag_stride);
    EXPECT_GE(*tags.begin(), 0);
    EXPECT_EQ(third.tag_of(1, 5), third.tag_of(2, 5)) << "all starts of one have the same";
    EXPECT_EQ(third.tag_of(1, 5), in_order.tag_of(3, 5));
    // The last number whose tag is no negative one, and the next, which has the tag of the first.
    EXPECT_EQ(in_order.tag_of(collective_areas::most_persistent, 0), in_order.tag_of(0, 0));
    EXPECT_GT(in_order.tag_of(collective_areas::most_persistent - 1, 0), 0);
  });
}

TEST(numbers_between, allow_so_many_operations_in_flight_and_not_one_more) {
  EXPECT_TRUE(numbers_between::may_begin(60, 0));
  EXPECT_FALSE(numbers_between::may_begin(61, 0));
  EXPECT_TRUE(numbers_between::may_begin(61, 1));
}

TEST(numbers_between, tell_whom_the_oldest_operation_waits_for) {
  test_support::on_ranks(1, [](int) {
    numbers_between between(communicator_table::of(*self()).world(), numbers_between::in_order);
    between.note_wait(7, 5, 4);
    EXPECT_EQ(between.oldest_waits_for(), 7);
    between.note_wait(9, 6, 4);
    EXPECT_EQ(between.oldest_waits_for(), 7) << "operation 5 is older";
    between.note_wait(9, 6, 5);
    EXPECT_EQ(between.oldest_waits_for(), 9);
  });
}

TEST(working_memory, is_as_large_as_the_largest_that_was_asked_for) {
  working_memory memory;
  std::byte* const small = memory.scratch(100);
  std::memset(small, 1, 100);
  EXPECT_EQ(memory.scratch(100), small);
  EXPECT_EQ(memory.scratch(1), small);
  std::byte* const large = memory.scratch(100'000);
  std::memset(large, 2, 100'000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large) % pair_bytes, 0U);
  EXPECT_EQ(memory.scratch(101), large);
  EXPECT_EQ(memory.operands(4).size(), 4U);
  EXPECT_EQ(memory.operands(2).size(), 2U);
}

TEST(closed_calls, are_closed_once_and_say_why) {
  closed_calls usual(false), checked(true);
  EXPECT_FALSE(usual.needs_a_look());
  EXPECT_TRUE(checked.needs_a_look());
  EXPECT_EQ(checked.because(), nullptr);
  usual.close("first");
  usual.close("second");
  EXPECT_TRUE(usual.needs_a_look());
  ASSERT_NE(usual.because(), nullptr);
  EXPECT_EQ(*usual.because(), "first");
}

}  // namespace
}  // namespace pure::core
