// A row's strip of lost cpus by itself; with all else in trace_layout_test.cpp.
#include "pure/trace_row.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "pure/trace_model.hpp"

namespace {

using namespace pure::tool;

TEST(TraceRow, BetweenTwoLossesNothingIsDrawn) {
  timeline_row row;
  row.lost = {{{20'000, 30'000}, 1.0}, {{60'000, 70'000}, 1.0}};
  std::vector<rectangle> drawn;
  EXPECT_TRUE(add_lost_strip(row, {{0, 100'000}, 0, 200}, {0, 5, 200, 4}, drawn));
  ASSERT_EQ(drawn.size(), 2U);
  EXPECT_NEAR(drawn[0].x, 40, 1e-6);
  EXPECT_NEAR(drawn[0].width, 20, 1e-6);
  EXPECT_NEAR(drawn[1].x, 120, 1e-6);
  EXPECT_NEAR(drawn[1].width, 20, 1e-6);
  EXPECT_EQ(drawn[1].y, 5);
  EXPECT_EQ(drawn[1].height, 4);
  row.lost.clear();
  EXPECT_FALSE(add_lost_strip(row, {{0, 100'000}, 0, 200}, {0, 5, 200, 4}, drawn));
}

TEST(TraceRow, TheMoreIsLostTheDarkerItIs) {
  for (const double share : {0.1, 0.3, 0.5, 0.7}) {
    EXPECT_GT(colour_of_lost(share).green, colour_of_lost(share + 0.2).green) << share;
  }
  EXPECT_EQ(colour_of_lost(1), colour_of_lost(1.5)) << "no more than all";
}

}  // namespace
