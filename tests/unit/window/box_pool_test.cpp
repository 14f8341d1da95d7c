// Boxes for windows: which one a window has, from what its ranks offer, and when it is free again.
#include "window/box_choice.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

namespace pure::core {
namespace {

using window_creation::box_choice;
using window_creation::window_offer;

/// Two processes, the first with two ranks, whose leader's offer counts.
struct three_offers {
  three_offers() : of(3) {
    for (box_pool& each : pools) {
      box_pool::segments made(2);
      EXPECT_TRUE(each.make(std::move(made), true));
    }
    offer();
  }
  void offer() {
    box_choice().offer(pools[0], of[0]);
    box_choice().offer(none_yet, of[1]);
    box_choice().offer(pools[1], of[2]);
    of[0].group = of[2].group = some_group;  // of leaders
  }
  std::vector<box_pool> pools = std::vector<box_pool>(2);
  box_pool none_yet;
  window_group* some_group = reinterpret_cast<window_group*>(this);  // nobody looks at it
  std::vector<window_offer> of;
};

TEST(box_pool, a_window_has_the_first_box_that_is_free_in_all_processes) {
  three_offers offers;
  EXPECT_TRUE(offers.pools[0].take(1));
  EXPECT_TRUE(offers.pools[1].take(2));
  offers.offer();
  box_choice its;
  its.offer(offers.pools[0], offers.of[0]);
  its.choose(offers.of);
  EXPECT_TRUE(its.has());
  EXPECT_FALSE(its.makes());
  EXPECT_TRUE(its.take());
  EXPECT_FALSE(offers.pools[0].take(3)) << "it has the third one";
  std::vector<std::byte> room(4 * box_pool::bytes_of_box(3));
  EXPECT_EQ(its.at(room.data(), 3), room.data() + 3 * box_pool::bytes_of_box(3));
  window_group::spanning_part part;
  its.keep(part, true);
  ASSERT_EQ(part.boxes, offers.pools.data());
  part.boxes->give_back(part.box);
  EXPECT_TRUE(offers.pools[0].take(3));
}

TEST(box_pool, what_is_not_shared_is_free_again) {
  three_offers offers;
  box_choice its;
  its.offer(offers.pools[0], offers.of[0]);
  its.choose(offers.of);
  EXPECT_TRUE(its.take());
  window_group::spanning_part part;
  its.keep(part, false);
  EXPECT_EQ(part.boxes, nullptr);
  EXPECT_TRUE(offers.pools[0].take(1));
}

TEST(box_pool, a_box_that_another_window_takes_meanwhile_is_none) {
  three_offers offers;
  box_choice its;
  its.offer(offers.pools[0], offers.of[0]);
  its.choose(offers.of);
  EXPECT_TRUE(offers.pools[0].take(1));
  EXPECT_FALSE(its.take());
  window_group::spanning_part part;
  EXPECT_EQ(its.segment(part, 0), nullptr);
  its.keep(part, false);
  EXPECT_FALSE(offers.pools[0].take(1)) << "it is the other one's";
}

TEST(box_pool, no_window_has_one_where_some_process_has_none_that_is_free) {
  three_offers offers;
  for (int each = 1; each < box_pool::windows; ++each) EXPECT_TRUE(offers.pools[each % 2 == 0 ? 0 : 1].take(each));
  offers.offer();
  box_choice full;
  full.choose(offers.of);
  EXPECT_FALSE(full.has());
  offers.of[2].has_pool = false;  // it is being made there
  offers.of[2].free_boxes = 0;
  box_choice mixed;
  mixed.choose(offers.of);
  EXPECT_FALSE(mixed.has());
  offers.of[0].has_pool = false;
  box_choice first;
  first.choose(offers.of);
  EXPECT_TRUE(first.makes());
  offers.of[1].may_have_boxes = false;
  box_choice checked;
  checked.choose(offers.of);
  EXPECT_FALSE(checked.has());
}

TEST(box_pool, is_made_once_and_not_tried_again_where_processes_share_no_memory) {
  box_pool never;
  EXPECT_TRUE(never.make({}, false));
  EXPECT_TRUE(never.is_made());
  EXPECT_EQ(never.free(), 0U);
  EXPECT_FALSE(never.make(box_pool::segments(1), true));
  EXPECT_EQ(never.free(), 0U);
  box_pool once;
  EXPECT_TRUE(once.make(box_pool::segments(1), true));
  EXPECT_EQ(once.free(), ~std::uint32_t{1}) << "the first one is of the window that has made it";
}

}  // namespace
}  // namespace pure::core
