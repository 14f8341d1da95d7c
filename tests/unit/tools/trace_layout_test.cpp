// The layout of the paper's Figure 1: which rectangles, colours, labels and arrows, computed here by hand.
#include "pure/trace_layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pure/trace_read.hpp"
#include "pure/trace_row.hpp"
#include "support/trace_text.hpp"

namespace {

using namespace pure::tool;
using pure::test::trace_text;

timeline read(const trace_text& trace, int dropped = 0) {
  std::istringstream file(trace.text(dropped));
  return read_timeline(file);
}

// Every letter is six pixels wide.
double six_pixels(std::string_view text, double /*size*/, bool /*bold*/) {
  return 6.0 * static_cast<double>(text.size());
}

picture draw(const timeline& all, std::optional<time_span> window = std::nullopt, std::vector<std::uint32_t> rows = {},
             int width = 1600) {
  if (rows.empty()) {
    for (std::uint32_t row = 0; row < all.rows.size(); ++row) rows.push_back(row);
  }
  return lay_out(all, {window.value_or(time_span{0, all.end}), rows, width}, six_pixels);
}

double x_of(const picture& all, double microseconds, double length = 100) {
  return all.plot.x + microseconds / length * all.plot.width;
}

const rectangle* rectangle_at(const picture& all, double x, double y) {
  const rectangle* top = nullptr;  // the last one covers the others
  for (const rectangle& each : all.rectangles) {
    if (each.x <= x && x < each.right() && each.y <= y && y < each.bottom()) top = &each;
  }
  return top;
}

const label* label_of(const picture& all, const std::string& text) {
  const auto found = std::find_if(all.labels.begin(), all.labels.end(),
                                  [&](const label& each) { return each.text == text; });
  return found == all.labels.end() ? nullptr : &*found;
}

bool any_label_has(const picture& all, const std::string& part) {
  return std::any_of(all.labels.begin(), all.labels.end(),
                     [&](const label& each) { return each.text.find(part) != std::string::npos; });
}

double middle_of_row(const picture& all, const std::string& name) {
  const label* const found = label_of(all, name);
  return found == nullptr ? -1 : found->y;
}

TEST(TraceLayout, AStripBelowTheBarSaysWhenOthersHadTheCpu) {
  trace_text trace(2, 0);
  trace.main(0, 0, 100);
  trace.main(1, 0, 100);
  trace.lost(0, 20, 40, 100);
  trace.lost(0, 40, 60, 30);
  const picture all = draw(read(trace));
  const double middle = middle_of_row(all, "rank 0");
  const double strip = middle + 18 + 2;  // the bar is 36 high
  EXPECT_EQ(rectangle_at(all, x_of(all, 10), strip), nullptr);
  for (const double at : {21.0, 30.0, 39.0}) {
    const rectangle* const found = rectangle_at(all, x_of(all, at), strip);
    ASSERT_NE(found, nullptr) << at;
    EXPECT_EQ(found->fill, colour_of_lost(1)) << at;
    EXPECT_NEAR(found->x, x_of(all, 20), column_width) << "one rectangle";
  }
  const rectangle* const paler = rectangle_at(all, x_of(all, 50), strip);
  ASSERT_NE(paler, nullptr);
  EXPECT_EQ(paler->fill, colour_of_lost(0.3));
  EXPECT_GT(paler->fill.green, colour_of_lost(1).green + 0.3);
  EXPECT_EQ(rectangle_at(all, x_of(all, 61), strip), nullptr);
  EXPECT_EQ(rectangle_at(all, x_of(all, 30), middle_of_row(all, "rank 1") + 20), nullptr);
  EXPECT_TRUE(any_label_has(all, "others had the cpu"));
  EXPECT_FALSE(any_label_has(draw(read(pure::test::figure1())), "others had the cpu"));
}

TEST(TraceLayout, ManyShortLossesArePaleTogether) {
  trace_text trace(1, 0);
  trace.main(0, 0, 100'000);
  for (int i = 0; i < 1000; ++i) trace.lost(0, 100 * i, 100 * i + 25, 100);
  const picture all = draw(read(trace));
  const rectangle* const found = rectangle_at(all, x_of(all, 50'000, 100'000), middle_of_row(all, "rank 0") + 20);
  ASSERT_NE(found, nullptr);
  EXPECT_GT(found->fill.green, colour_of_lost(0.75).green);
  EXPECT_LT(found->fill.green, colour_of_lost(0.1).green);
}

TEST(TraceLayout, ChunksHaveTheColourOfTheirOwner) {
  const picture all = draw(read(pure::test::figure1()));
  struct expected {
    const char* row;
    double begin;
    double end;
    const char* text;
  };
  for (const expected& chunk : {expected{"rank 0", 10, 22, "chunk 0"},
                                {"rank 0", 22, 50, "chunk 2"},
                                {"rank 1", 14, 26, "chunk 1 of rank 0"},
                                {"rank 1", 26, 40, "chunk 3 of rank 0"},
                                {"rank 1", 42, 50, "chunk 5 of rank 0"},
                                {"rank 2", 30, 75, "chunk 4 of rank 0"}}) {
    const double y = middle_of_row(all, chunk.row);
    const rectangle* const found = rectangle_at(all, x_of(all, (chunk.begin + chunk.end) / 2), y);
    ASSERT_NE(found, nullptr) << chunk.text;
    EXPECT_EQ(found->fill, colour_of_rank(0)) << chunk.text;
    EXPECT_NEAR(found->x, x_of(all, chunk.begin), 1e-6) << chunk.text;
    EXPECT_NEAR(found->right(), x_of(all, chunk.end), 1e-6) << chunk.text;
    EXPECT_TRUE(found->outlined);
    const label* const text = label_of(all, chunk.text);
    ASSERT_NE(text, nullptr) << chunk.text;
    EXPECT_NEAR(text->x, x_of(all, (chunk.begin + chunk.end) / 2), 1e-6) << chunk.text;
    EXPECT_NEAR(text->y, y, 1e-6) << chunk.text;
  }
}

TEST(TraceLayout, WaitsAreGrayAndTheRestIsTinted) {
  const picture all = draw(read(pure::test::figure1()));
  const auto fill = [&](const char* row, double time) {
    return rectangle_at(all, x_of(all, time), middle_of_row(all, row))->fill;
  };
  EXPECT_EQ(fill("rank 0", 60), wait_gray) << "for its last chunks";
  EXPECT_EQ(fill("rank 1", 10), wait_gray);
  EXPECT_EQ(fill("rank 1", 41), wait_gray);
  EXPECT_EQ(fill("rank 2", 90), wait_gray);
  EXPECT_EQ(fill("rank 0", 5), mixed(white, colour_of_rank(0), 0.2));
  EXPECT_EQ(fill("rank 2", 98), mixed(white, colour_of_rank(2), 0.2));
  // A stolen chunk is a little lower than the wait that it lies in.
  const double above_chunk = rectangle_at(all, x_of(all, 20), middle_of_row(all, "rank 1"))->y - 1;
  EXPECT_EQ(rectangle_at(all, x_of(all, 20), above_chunk)->fill, wait_gray);
  // The widest piece of a wait has its name: of rank 1, that after chunk 5.
  const label* const name = label_of(all, "pure_recv_msg: a message from rank 0");
  ASSERT_NE(name, nullptr);
  EXPECT_NEAR(name->x, x_of(all, (50 + 92) / 2.0), 1e-6);
}

TEST(TraceLayout, TaskIsABracketAboveItsOwner) {
  const picture all = draw(read(pure::test::figure1()));
  EXPECT_NE(label_of(all, "PureTask::execute at stencil.cpp:15, 6 chunks"), nullptr);
  const double bar = rectangle_at(all, x_of(all, 15), middle_of_row(all, "rank 0"))->y;
  const auto found = std::find_if(all.lines.begin(), all.lines.end(), [&](const line& each) {
    return std::abs(each.x1 - x_of(all, 10)) < 1e-6 && std::abs(each.x2 - x_of(all, 75)) < 1e-6 && each.y1 == each.y2;
  });
  ASSERT_NE(found, all.lines.end());
  EXPECT_LT(found->y1, bar);
  EXPECT_GT(found->y1, bar - 20);
}

TEST(TraceLayout, MessagesAreArrowsBetweenBars) {
  const picture all = draw(read(pure::test::figure1()));
  ASSERT_EQ(all.arrows.size(), 2U);
  EXPECT_NEAR(all.arrows[0].x1, x_of(all, 90), 1e-6);
  EXPECT_NEAR(all.arrows[0].x2, x_of(all, 92), 1e-6);
  EXPECT_GT(all.arrows[0].y1, middle_of_row(all, "rank 0"));
  EXPECT_LT(all.arrows[0].y2, middle_of_row(all, "rank 1"));
  EXPECT_GT(all.arrows[0].y2, all.arrows[0].y1);
  EXPECT_LT(all.arrows[1].y2, middle_of_row(all, "rank 2"));
  EXPECT_FALSE(any_label_has(all, "has an arrow"));
}

TEST(TraceLayout, ManyMessagesAreThinnedOutAndThePictureSaysSo) {
  trace_text trace(2, 0);
  trace.main(0, 0, 1000);
  for (int i = 0; i < 1000; ++i) trace.message(i, i % 2, i, 1 - i % 2, i + 0.5);
  const picture all = draw(read(trace));
  EXPECT_GT(all.arrows.size(), 60U);
  EXPECT_LT(all.arrows.size(), 140U);
  EXPECT_TRUE(any_label_has(all, "messages has an arrow: " + std::to_string(all.arrows.size()) + " of 1000"));
}

TEST(TraceLayout, RowsAreTheChosenOnes) {
  const picture all = draw(read(pure::test::figure1()), std::nullopt, {0, 2});
  EXPECT_EQ(label_of(all, "rank 1"), nullptr);
  EXPECT_LT(middle_of_row(all, "rank 0"), middle_of_row(all, "rank 2"));
  EXPECT_EQ(all.arrows.size(), 1U) << "the message to rank 1 has no end";
  EXPECT_EQ(all.width, 1600);
}

TEST(TraceLayout, WindowCutsWhatReachesOverItsEnds) {
  const picture all = draw(read(pure::test::figure1()), time_span{30'000, 40'000});
  for (const rectangle& each : all.rectangles) {
    EXPECT_GE(each.x, all.plot.x - 1e-6);
    EXPECT_LE(each.right(), all.plot.right() + 1e-6);
  }
  EXPECT_NE(label_of(all, "chunk 3 of rank 0"), nullptr);
  EXPECT_EQ(label_of(all, "chunk 0"), nullptr);
  EXPECT_TRUE(all.arrows.empty());
  EXPECT_TRUE(any_label_has(all, "10 us from 30.0 us on, of a run of 100 us"));
}

TEST(TraceLayout, NarrowSlicesBecomeColumnsOfTheirShares) {
  // A quarter of the time in own chunks, a quarter in those of rank 1, half of it waiting.
  trace_text trace(2, 0);
  trace.main(0, 0, 10'000);
  for (int i = 0; i < 10'000; ++i) {
    trace.chunk(0, i, i + 0.25, 0, 1, i, i);
    trace.chunk(0, i + 0.25, i + 0.5, 1, 1, i, i);
    trace.wait(0, i + 0.5, i + 1, "pure_barrier", "");
  }
  const picture all = draw(read(trace));
  EXPECT_LT(all.rectangles.size(), 2000U);
  EXPECT_TRUE(any_label_has(all, "stacked in columns"));
  const double x = x_of(all, 5000, 10'000);
  const double middle = middle_of_row(all, "rank 0");
  EXPECT_EQ(rectangle_at(all, x, middle + 14)->fill, colour_of_rank(0));
  EXPECT_EQ(rectangle_at(all, x, middle + 5)->fill, colour_of_rank(1));
  EXPECT_EQ(rectangle_at(all, x, middle - 5)->fill, wait_gray);
  EXPECT_EQ(rectangle_at(all, x, middle - 14)->fill, wait_gray);
}

TEST(TraceLayout, LegendAndNotesSayWhatIsThere) {
  const picture figure = draw(read(pure::test::figure1(), 12));
  for (const char* part :
       {"stolen chunk", "waiting", "outside tasks", "task, from", "message, from", "12 events were dropped"}) {
    EXPECT_TRUE(any_label_has(figure, part)) << part;
  }
  trace_text trace(1, 0);
  trace.main(0, 0, 1);
  const picture plain = draw(read(trace));
  for (const char* part : {"chunk", "waiting", "message", "dropped"}) EXPECT_FALSE(any_label_has(plain, part)) << part;
}

TEST(TraceLayout, WaitsInWhichTheJobFailedHaveTheirOwnColour) {
  trace_text trace(2, 0);
  trace.wait(0, 10, 40, "pure_barrier", "");
  trace.open_wait(0, 50, 100, "pure_recv_msg", "a message from rank 1");
  trace.open_wait(1, 30, 100, "pure_recv_msg", "a message from rank 0");
  const picture all = draw(read(trace));
  for (const char* row : {"rank 0", "rank 1"}) {
    const rectangle* const found = rectangle_at(all, x_of(all, 75), middle_of_row(all, row));
    ASSERT_NE(found, nullptr) << row;
    EXPECT_EQ(found->fill, open_wait_red) << row;
    EXPECT_NEAR(found->right(), all.plot.right(), 1e-6) << row;
  }
  EXPECT_EQ(rectangle_at(all, x_of(all, 20), middle_of_row(all, "rank 0"))->fill, wait_gray);
  EXPECT_NE(label_of(all, "pure_recv_msg: a message from rank 0"), nullptr);
  EXPECT_TRUE(any_label_has(all, "when the job failed"));
  EXPECT_FALSE(any_label_has(draw(read(pure::test::figure1())), "when the job failed"));
}

TEST(TraceLayout, HandledBuffersSayHowManyItemsOfWhom) {
  trace_text trace(2, 0);
  trace.items(1, 20, 40, 0, 64);
  trace.items(1, 50, 52, 3, 7);
  trace.items(1, 90, 90.1, 3, 1);
  trace.wait(1, 10, 60, "finish", "all items");
  trace.main(1, 0, 100);
  const picture all = draw(read(trace));
  const double y = middle_of_row(all, "rank 1");
  const rectangle* const found = rectangle_at(all, x_of(all, 30), y);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->fill, colour_of(activity::items, 1, 1));
  EXPECT_NE(found->fill, colour_of_rank(1)) << "that is a chunk";
  EXPECT_TRUE(found->outlined);
  EXPECT_NEAR(found->x, x_of(all, 20), 1e-6);
  EXPECT_NEAR(found->right(), x_of(all, 40), 1e-6);
  EXPECT_EQ(rectangle_at(all, x_of(all, 30), found->y - 1)->fill, wait_gray) << "it lies in a wait";
  EXPECT_NE(label_of(all, "64 items of rank 0"), nullptr);
  EXPECT_NE(label_of(all, "7/3"), nullptr) << "where there is less room";
  EXPECT_TRUE(any_label_has(all, "handled buffer"));
  EXPECT_TRUE(any_label_has(all, "stacked in columns")) << "the third one";
  EXPECT_FALSE(any_label_has(draw(read(pure::test::figure1())), "handled buffer"));
}

// The vertical lines left of the plot: those of brackets.
std::vector<line> brackets(const picture& all) {
  std::vector<line> found;
  std::copy_if(all.lines.begin(), all.lines.end(), std::back_inserter(found),
               [&](const line& each) { return each.x1 == each.x2 && each.x1 < all.plot.x; });
  return found;
}

TEST(TraceLayout, BracketsSayWhichProcessHasWhichRanks) {
  trace_text trace(3, 0);
  trace.process(0, 0);
  trace.process(1, 0);
  trace.process(2, 1);
  for (int rank = 0; rank < 3; ++rank) trace.main(rank, 0, 100);
  const timeline read_back = read(trace);
  const picture all = draw(read_back);
  const std::vector<line> found = brackets(all);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(found[0].y1, middle_of_row(all, "rank 0"));
  EXPECT_GT(found[0].y2, middle_of_row(all, "rank 1"));
  EXPECT_LT(found[0].y2, found[1].y1);
  EXPECT_LT(found[1].y1, middle_of_row(all, "rank 2"));
  EXPECT_GT(found[1].y2, middle_of_row(all, "rank 2"));
  ASSERT_NE(label_of(all, "process 0"), nullptr);
  EXPECT_NEAR(label_of(all, "process 0")->y, (middle_of_row(all, "rank 0") + middle_of_row(all, "rank 1")) / 2, 1e-6);
  EXPECT_NEAR(label_of(all, "process 1")->y, middle_of_row(all, "rank 2"), 1e-6);
  for (const label& name : all.labels) {  // nothing lies on a bracket
    if (name.text.starts_with("process")) {
      EXPECT_LT(name.x, found[0].x1);
    } else if (name.text.starts_with("rank")) {
      EXPECT_GT(name.x - six_pixels(name.text, 0, false), found[0].x1);
    }
  }
  // Rows of a process that are not neighbours have a bracket each; there is none where a picture has one process only.
  EXPECT_EQ(brackets(draw(read_back, std::nullopt, {0, 2, 1})).size(), 3U);
  EXPECT_TRUE(brackets(draw(read(pure::test::figure1()))).empty());
}

TEST(TraceLayout, ANoteSaysThatTheStartIsLeftOut) {
  trace_text trace(1, 0);
  trace.main(0, 60, 100);
  const timeline all = read(trace);
  const picture cut = lay_out(all, {{59'200, 100'000}, {0}, 1600, true}, six_pixels);
  EXPECT_TRUE(any_label_has(cut, "The first 59.2 us, in which the job starts"));
  EXPECT_TRUE(any_label_has(cut, "the whole run of 100 us"));
  EXPECT_FALSE(any_label_has(draw(all), "the job starts"));
}

TEST(TraceLayout, TextsStayInsideThePicture) {
  trace_text trace(2, 0);
  trace.main(0, 0, 50);
  trace.slice(0, 1, 49, "task", std::string(5000, 'n'), R"("task":3,"chunks":2)");
  for (const int width : {400, 1600}) {
    for (const label& each : draw(read(trace), std::nullopt, {}, width).labels) {
      const double length = six_pixels(each.text, each.size, each.bold);
      const double left = each.x - (each.at == align::left ? 0 : each.at == align::centre ? length / 2 : length);
      EXPECT_GE(left, 0) << each.text;
      EXPECT_LE(left + length, width) << each.text;
    }
  }
}

TEST(TraceLayout, TooManyRowsAreRefused) {
  timeline all = read(pure::test::figure1());
  all.rows.resize(5000);
  EXPECT_THROW(draw(all), std::runtime_error);
  all.rows.resize(500);
  EXPECT_GT(draw(all).height, 5000);
}

TEST(TraceLayout, TextsAreShortenedBetweenCharacters) {
  EXPECT_EQ(shortened("stencil", 42, 12, false, six_pixels), "stencil");
  EXPECT_EQ(shortened("stencil", 36, 12, false, six_pixels), "ste...");
  EXPECT_EQ(shortened("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 36, 12, false, six_pixels), "\xc3\xa4...");
  EXPECT_EQ(fitting({"chunk 4 of rank 0", "4/0", "4"}, 20, 12, six_pixels), "4/0");
  EXPECT_EQ(fitting({"chunk 4"}, 20, 12, six_pixels), "");
}

TEST(TraceRow, AMomentBelongsToTheInnermostSlice) {
  const timeline all = read(pure::test::figure1());
  const auto moments = moments_of(all.rows[1], 1, {0, 100'000});
  struct expected {
    nanoseconds begin;
    nanoseconds end;
    activity doing;
  };
  const std::vector<expected> wanted{{0, 5'000, activity::computing},          {5'000, 14'000, activity::waiting},
                                     {14'000, 26'000, activity::stolen_chunk}, {26'000, 40'000, activity::stolen_chunk},
                                     {40'000, 42'000, activity::waiting},      {42'000, 50'000, activity::stolen_chunk},
                                     {50'000, 92'000, activity::waiting},      {92'000, 100'000, activity::computing}};
  ASSERT_EQ(moments.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(static_cast<time_span>(moments[i]), (time_span{wanted[i].begin, wanted[i].end})) << i;
    EXPECT_EQ(moments[i].doing, wanted[i].doing) << i;
    EXPECT_EQ(moments[i].in_wait, wanted[i].doing == activity::stolen_chunk) << i;
  }
  EXPECT_EQ(moments_of(all.rows[1], 1, {30'000, 31'000}).size(), 1U);
}

TEST(TraceRow, AChunkHidesAWaitThatBeginsLater) {
  trace_text trace(2, 0);
  trace.chunk(0, 10, 20, 1, 1, 0, 0);
  trace.wait(0, 12, 30, "pure_recv_msg", "");
  trace.main(0, 0, 40);
  const auto moments = moments_of(read(trace).rows[0], 0, {0, 40'000});
  ASSERT_EQ(moments.size(), 4U);
  EXPECT_EQ(static_cast<time_span>(moments[1]), (time_span{10'000, 20'000}));
  EXPECT_EQ(moments[1].doing, activity::stolen_chunk);
  EXPECT_EQ(static_cast<time_span>(moments[2]), (time_span{20'000, 30'000}));
  EXPECT_EQ(moments[2].doing, activity::waiting);
}

}  // namespace
