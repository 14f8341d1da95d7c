// The words about a wait are put together when they are shown.
#include "runtime/wait_reason.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace pure::core {
namespace {

TEST(wait_reason, has_places_for_a_name_and_a_number) {
  EXPECT_EQ(text_of_words("a message from", "x", 1), "a message from");
  EXPECT_EQ(text_of_words("{number} of \"{name}\"", "rows", 5), "5 of \"rows\"");
  EXPECT_EQ(text_of_words("{name}{name}", "{number}", 5), "{number}{number}") << "a name is no words";
  EXPECT_EQ(text_of_words("{ {nam {number", "a", 5), "{ {nam {number");
  EXPECT_EQ(text_of_words("", "a", 5), "");
}

TEST(wait_reason, says_whom_it_concerns) {
  const call by{"recv", {"a.cpp", 3}};
  EXPECT_EQ(text_of_condition({by, "a message from", 3, 7}), "a message from rank 3, tag 7");
  EXPECT_EQ(text_of_condition({by, "a message from", wait_reason::anybody, wait_reason::any_tag}),
            "a message from any rank, any tag");
  EXPECT_EQ(text_of_condition({by, "a sign"}), "a sign");
  EXPECT_EQ(text_of_condition({by, "the call of", 2, wait_reason::no_tag}), "the call of rank 2");
  EXPECT_EQ(describe(1, {by, "a sign"}), "rank 1 waits in recv for a sign, at a.cpp:3");
}

TEST(wait_reason, a_parked_wait_keeps_the_name_of_what_is_gone) {
  parked_wait noted;
  {
    const wait_subject about{.name = std::make_shared<const std::string>("halo"), .number = 4};
    const call by{"wait", {}};
    const wait_reason why{.what = by, .waiting_for = "item {number} of {name}", .subject = &about};
    noted = {
        .what = why.what, .waiting_for = why.waiting_for, .peer = why.peer, .tag = why.tag, .subject = *why.subject};
  }
  EXPECT_EQ(text_of_condition(noted.reason()), "item 4 of halo");
}

}  // namespace
}  // namespace pure::core
