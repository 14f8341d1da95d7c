// What a worker has done, as others read it while it runs: open waits count, names outlive what had them.
#include "runtime/activity.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pure::core {
namespace {

constexpr call receiving{"recv", {}};

TEST(activity, counts_a_wait_that_has_not_ended) {
  activity doing(0);
  doing.counts.start_ns = now_ns();
  EXPECT_EQ(doing.totals(now_ns()).waiting_ns, 0);
  doing.enter_wait();
  const std::int64_t since = now_ns();
  doing.counts.stealing_ns += 300;  // meanwhile
  const std::int64_t waiting = doing.totals(since + 1'000'000).waiting_ns;
  EXPECT_GE(waiting, 1'000'000 - 300);
  EXPECT_GE(doing.totals(since + 2'000'000).waiting_ns, waiting + 1'000'000);
  EXPECT_EQ(doing.totals(0).waiting_ns, 0) << "no less than nothing";
  doing.leave_wait({receiving, "a message"}, false);
  const std::int64_t ended = doing.totals(now_ns()).waiting_ns;
  EXPECT_EQ(doing.totals(now_ns() + 1'000'000'000).waiting_ns, ended);
}

TEST(activity, lives_until_now_or_its_end) {
  activity doing(0);
  EXPECT_EQ(doing.totals(5'000).lifetime_ns, 0) << "it has not started";
  doing.counts.start_ns = 1'000;
  EXPECT_EQ(doing.totals(5'000).lifetime_ns, 4'000);
  doing.counts.lifetime_ns = 2'500;
  EXPECT_EQ(doing.totals(5'000).lifetime_ns, 2'500);
}

TEST(activity, keeps_the_names_of_its_events_and_of_no_others) {
  activity doing(2);
  std::weak_ptr<const std::string> kept, dropped;
  {
    const wait_subject halo{.name = std::make_shared<const std::string>("halo"), .number = 3};
    const wait_subject rows{.name = std::make_shared<const std::string>("rows")};
    kept = halo.name;
    dropped = rows.name;
    for (const wait_subject* const about : {&halo, &halo, &rows}) {
      doing.enter_wait();
      doing.leave_wait({.what = receiving, .waiting_for = "item {number} of {name}", .subject = about}, false);
    }
  }
  EXPECT_FALSE(kept.expired());
  EXPECT_TRUE(dropped.expired()) << "its event had no place";
  EXPECT_EQ(doing.dropped(), 1U);
  std::vector<std::string> texts;
  doing.for_each_event(
      [&](const trace_event& each) { texts.push_back(text_of_words(each.waiting_for, each.name, each.amount)); });
  EXPECT_EQ(texts, (std::vector<std::string>{"item 3 of halo", "item 3 of halo"}));
}

}  // namespace
TEST(activity, a_wait_that_an_exception_ends_was_given_up) {
  activity doing(3);
  const wait_reason why{receiving, "a message"};
  { const wait_record it(&doing, why); }
  try {
    const wait_record it(&doing, why);
    throw 1;
  } catch (int) {
    const wait_record it(&doing, why);  // the exception is not on its way any more
  }
  std::vector<std::uint32_t> given_up;
  doing.for_each_event([&](const trace_event& each) { given_up.push_back(each.last); });
  EXPECT_EQ(given_up, (std::vector<std::uint32_t>{0, 1, 0}));
  // A destructor that waits while an exception passes, and whose wait has its end.
  activity unwinding(1);
  struct waits_in_its_end {
    activity& log;
    const wait_reason& why;
    ~waits_in_its_end() { const wait_record it(&log, why); }
  };
  try {
    const waits_in_its_end now{unwinding, why};
    throw 1;
  } catch (int) {
  }
  unwinding.for_each_event([&](const trace_event& each) { EXPECT_EQ(each.last, 0U); });
}

}  // namespace pure::core
