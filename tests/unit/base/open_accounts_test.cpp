// open_accounts: what is left, by name.
#include "base/open_accounts.hpp"

#include <gtest/gtest.h>

namespace pure::core {
namespace {

TEST(open_accounts, name_what_is_left_and_only_that) {
  open_accounts accounts;
  accounts.add("packets on their way", 0);
  EXPECT_TRUE(accounts.empty());
  EXPECT_EQ(accounts.text(), "");
  accounts.add("unrequested bytes", 120);
  accounts.add("holds", 0);
  accounts.add("claims", 3);
  EXPECT_FALSE(accounts.empty());
  EXPECT_EQ(accounts.text(), "120 unrequested bytes, 3 claims");
}

}  // namespace
}  // namespace pure::core
