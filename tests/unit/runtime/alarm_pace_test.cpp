// When the watch looks for work that was left: later each time that there was none, soon again when there was.
#include "runtime/alarm_pace.hpp"

#include <gtest/gtest.h>

namespace pure::core {
namespace {

TEST(alarm_pace, waits_twice_as_long_each_time_in_vain_up_to_a_limit) {
  alarm_pace pace;
  long before = pace.after_ns();
  EXPECT_EQ(before, alarm_pace::shortest_ns);
  while (before < alarm_pace::longest_ns) {
    pace.has_rung(false);
    EXPECT_EQ(pace.after_ns(), std::min(2 * before, alarm_pace::longest_ns));
    before = pace.after_ns();
  }
  pace.has_rung(false);
  EXPECT_EQ(pace.after_ns(), alarm_pace::longest_ns);
}

TEST(alarm_pace, waits_as_short_as_at_first_once_it_was_needed) {
  alarm_pace pace;
  for (int times_in_vain = 0; times_in_vain < 10; ++times_in_vain) {
    for (int i = 0; i < times_in_vain; ++i) pace.has_rung(false);
    pace.has_rung(true);
    EXPECT_EQ(pace.after_ns(), alarm_pace::shortest_ns) << times_in_vain;
  }
}

}  // namespace
}  // namespace pure::core
