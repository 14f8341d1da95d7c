// Times on the command line, in words, and on the axis.
#include "pure/trace_time.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace pure::tool;

TEST(TraceTime, IsReadWithItsUnit) {
  EXPECT_EQ(parse_time("1.5ms"), 1'500'000);
  EXPECT_EQ(parse_time(" 250 us "), 250'000);
  EXPECT_EQ(parse_time("2s"), 2'000'000'000);
  EXPECT_EQ(parse_time("40ns"), 40);
  EXPECT_EQ(parse_time(".5us"), 500);
  EXPECT_EQ(parse_time("0"), 0);
  for (const char* bad :
       {"", "5", "ms", "-1ms", "1.5 m", "1,5ms", "1e3us", "nan ms", "inf s", "1ms2", "1e99s", "9999999999s"}) {
    EXPECT_FALSE(parse_time(bad)) << bad;
  }
}

TEST(TraceTime, IsWrittenShortly) {
  EXPECT_EQ(time_text(0), "0 s");
  EXPECT_EQ(time_text(40), "40 ns");
  EXPECT_EQ(time_text(1'500), "1.5 us");
  EXPECT_EQ(time_text(1'234'567), "1.235 ms");
  EXPECT_EQ(time_text(12'345'678), "12.35 ms");
  EXPECT_EQ(time_text(123'456'789'000), "123.5 s");
  EXPECT_EQ(time_text(1'250'000, 10'000), "1.25 ms");
  EXPECT_EQ(time_text(1'250'000, 1'000), "1.250 ms");
  EXPECT_EQ(time_text(0, 1'000), "0 us");
}

std::vector<std::string> texts(const axis& of) {
  std::vector<std::string> all;
  for (const auto& tick : of.ticks) all.push_back(tick.text);
  return all;
}

TEST(TraceTime, AxisHasRoundTicks) {
  EXPECT_EQ(texts(time_axis({0, 100'000}, 5)),
            (std::vector<std::string>{"0 us", "20 us", "40 us", "60 us", "80 us", "100 us"}));
  EXPECT_EQ(texts(time_axis({1'180'000, 1'420'000}, 6)),
            (std::vector<std::string>{"1.20 ms", "1.25 ms", "1.30 ms", "1.35 ms", "1.40 ms"}));
  EXPECT_EQ(texts(time_axis({3, 7}, 100)), (std::vector<std::string>{"3 ns", "4 ns", "5 ns", "6 ns", "7 ns"}));
  EXPECT_EQ(time_axis({0, 100'000}, 5).caption, "time from the start of the job");
}

TEST(TraceTime, AxisFarFromTheStartCountsFromItsFirstTick) {
  const axis far = time_axis({3'600'000'012'345, 3'600'000'013'345}, 5);
  EXPECT_EQ(far.caption, "time after 3600.0000124 s");
  EXPECT_EQ(texts(far), (std::vector<std::string>{"+0 ns", "+200 ns", "+400 ns", "+600 ns", "+800 ns"}));
}

TEST(TraceTime, AxisKeepsToItsNumberOfTicks) {
  for (nanoseconds length = 1; length < 1'000'000'000'000; length = length * 3 + 1) {
    for (const int most : {1, 3, 12}) {
      const axis all = time_axis({17, 17 + length}, most);
      EXPECT_LE(all.ticks.size(), static_cast<std::size_t>(most) + 1);
      for (const auto& tick : all.ticks) {
        EXPECT_GE(tick.at, 17);
        EXPECT_LE(tick.at, 17 + length);
      }
    }
  }
}

}  // namespace
