// When a finish counts as long: not a moment too early, and never while a rank has not called it, or nothing is
// handled.
#include "aggregation/long_finish.hpp"

#include <gtest/gtest.h>

namespace pure::core {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

struct finishing {
  /// So many times as it takes until it looks at the clock.
  bool look() {
    bool is_long = false;
    for (int i = 0; i < long_finish::looks_between; ++i) {
      EXPECT_FALSE(is_long);
      is_long = lasts.look(
          handled, [this] { return have_all_called; }, [this] { return now; });
    }
    return is_long;
  }
  bool handle_and_look() {
    ++handled;
    return look();
  }

  std::int64_t now = 7;
  std::uint64_t handled = 40;
  bool have_all_called = true;
  long_finish lasts{3, handled};
};

TEST(long_finish, is_one_that_lasts_longer_than_the_limit) {
  finishing of;
  EXPECT_FALSE(of.handle_and_look());
  of.now += 3 * second_ns;
  EXPECT_FALSE(of.handle_and_look());
  ++of.now;
  EXPECT_TRUE(of.handle_and_look());
  EXPECT_EQ(of.lasts.limit_s(), 3);
  EXPECT_EQ(of.lasts.handled_since(of.handled), 2U);
}

TEST(long_finish, begins_when_all_have_called_it) {
  finishing of;
  of.have_all_called = false;
  EXPECT_FALSE(of.handle_and_look());
  of.now += 9 * second_ns;
  EXPECT_FALSE(of.handle_and_look());
  of.have_all_called = true;
  EXPECT_FALSE(of.handle_and_look());
  of.now += 3 * second_ns + 1;
  EXPECT_TRUE(of.handle_and_look());
}

TEST(long_finish, is_none_in_which_nothing_is_handled) {
  finishing of;
  EXPECT_FALSE(of.handle_and_look());
  of.now += 9 * second_ns;
  EXPECT_FALSE(of.look());
  EXPECT_FALSE(of.handle_and_look()) << "it begins anew";
}

TEST(long_finish, has_ten_seconds_unless_it_is_asked_for) { EXPECT_EQ(long_finish(0, 0).limit_s(), 10); }

}  // namespace
}  // namespace pure::core
