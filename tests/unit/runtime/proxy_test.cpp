// Who is notified in place of the ranks of another process: over a doorbell that keeps who has rung.
#include "runtime/proxy.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace pure::core {
namespace {

struct counting_bell final : doorbell {
  void ring_for(int process) noexcept override { rung_for.push_back(process); }
  std::vector<int> rung_for;
};

TEST(proxy_test, rings_for_its_process_whenever_it_is_notified) {
  counting_bell bell;
  proxy of_three(3, bell), of_none(0, bell);
  EXPECT_TRUE(bell.rung_for.empty());
  of_three.notify();
  of_three.notify();  // what has come since the first may be missed otherwise
  of_none.notify();
  EXPECT_EQ(bell.rung_for, (std::vector<int>{3, 3, 0}));
}

TEST(proxy_test, is_notified_as_a_rank_is_by_who_does_not_know_where_that_is) {
  counting_bell bell;
  proxy there(1, bell);
  notified& reader = there;
  reader.notify();
  EXPECT_EQ(bell.rung_for, std::vector<int>{1});
}

}  // namespace
}  // namespace pure::core
