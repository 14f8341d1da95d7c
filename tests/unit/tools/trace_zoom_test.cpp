// Where a picture of a run begins, and where --zoom auto looks.
#include "pure/trace_zoom.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "pure/trace_read.hpp"
#include "support/trace_text.hpp"

namespace {

using namespace pure::tool;
using pure::test::trace_text;

timeline timeline_of(const trace_text& trace) {
  std::istringstream file(trace.text());
  return read_timeline(file);
}

TEST(TraceZoom, ALongStartIsLeftOut) {
  const auto begin = [](double first, bool by_message) {
    trace_text trace(2, 0);
    if (by_message) {
      trace.message(1, 0, first, 1, 99);
      trace.main(0, 99, 100);
    } else {
      trace.main(0, first, 100);
    }
    return begin_of_interest(timeline_of(trace));
  };
  EXPECT_EQ(begin(0, false), 0);
  EXPECT_EQ(begin(5, false), 0) << "a twentieth";
  EXPECT_EQ(begin(5.1, false), 5'100 - 94'900 / 50);
  EXPECT_EQ(begin(60, false), 60'000 - 40'000 / 50);
  EXPECT_EQ(begin(60, true), 60'000 - 40'000 / 50);
}

TEST(TraceZoom, FindsTheTaskThatIsSharedMost) {
  trace_text trace(3, 0);
  trace.main(0, 0, 1000);
  trace.task(0, 100, 130, 1, 2);
  trace.chunk(0, 100, 120, 0, 1, 0, 0);
  trace.chunk(1, 110, 130, 0, 1, 1, 1);
  trace.task(0, 500, 560, 2, 3);
  trace.chunk(0, 500, 520, 0, 2, 0, 0);
  trace.chunk(1, 510, 530, 0, 2, 1, 1);
  trace.chunk(2, 520, 560, 0, 2, 2, 2);
  const auto window = window_of_sharing(timeline_of(trace));
  ASSERT_TRUE(window);
  EXPECT_EQ(*window, (time_span{495'000, 565'000}));
}

TEST(TraceZoom, OfALongTaskAPart) {
  trace_text trace(2, 0);
  for (int i = 0; i < 10'000; ++i) trace.chunk(i > 6000 ? i % 2 : 0, i, i + 1, 0, 1, i, i);
  trace.task(0, 0, 10'000, 1, 10'000);
  const auto window = window_of_sharing(timeline_of(trace));
  ASSERT_TRUE(window);
  EXPECT_LT(window->begin, 6'001'000);
  EXPECT_GT(window->end, 6'002'000);
  EXPECT_LT(window->length(), 100'000);
}

TEST(TraceZoom, WhereItemsAreHandledMostDensely) {
  trace_text trace(2, 0);
  trace.main(0, 0, 1000);
  for (int i = 0; i < 20; ++i) trace.items(i % 2, 30 * i, 30 * i + 5, 0, 64);        // far apart
  for (int i = 0; i < 16; ++i) trace.items(i % 2, 700 + 6 * i, 705 + 6 * i, 1, 64);  // 700 to 795
  for (int i = 0; i < 8; ++i) trace.items(0, 900 + 10 * i, 905 + 10 * i, 1, 64);
  const auto window = window_of_items(timeline_of(trace));
  ASSERT_TRUE(window);
  EXPECT_EQ(*window, (time_span{700'000 - 95'000 / 12, 795'000 + 95'000 / 12}));

  trace_text one(1, 0);
  one.main(0, 0, 100);
  EXPECT_FALSE(window_of_items(timeline_of(one)));
  one.items(0, 50, 50, 0, 1);
  ASSERT_TRUE(window_of_items(timeline_of(one)));
  EXPECT_GT(window_of_items(timeline_of(one))->length(), 0);
}

TEST(TraceZoom, NothingIfNothingWasStolen) {
  trace_text trace(2, 0);
  trace.task(0, 0, 10, 1, 1);
  trace.chunk(0, 0, 10, 0, 1, 0, 0);
  EXPECT_FALSE(window_of_sharing(timeline_of(trace)));
}

}  // namespace
