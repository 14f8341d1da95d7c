// When another process has to be told what has been dealt with here.
#include "gateway/links.hpp"

#include <gtest/gtest.h>

namespace pure::core {
namespace {

/// After so many packets, all dealt with; what the other process knows of, and which one had a large message.
peer after(std::uint64_t packets, std::uint64_t told, std::uint64_t last_large) {
  peer of;
  of.has_streams_to_here = true;
  of.arrived = of.dealt_with = packets;
  of.dealt_with_as_told = told;
  of.last_large = last_large;
  return of;
}

TEST(peer, need_not_be_told_without_streams) {
  peer of = after(1000, 0, 1000);
  of.has_streams_to_here = false;
  EXPECT_FALSE(of.has_to_be_told());
}

TEST(peer, is_told_soon_while_large_messages_come) {
  EXPECT_FALSE(after(1000, 1000 - peer::most_untold + 1, 999).has_to_be_told());
  EXPECT_TRUE(after(1000, 1000 - peer::most_untold, 999).has_to_be_told());
  EXPECT_TRUE(after(1000, 1000 - peer::most_untold, 1000 - peer::some_time).has_to_be_told());
}

TEST(peer, is_told_seldom_where_all_have_been_small) {
  constexpr std::uint64_t long_ago = 1000 - peer::some_time - 1;
  EXPECT_FALSE(after(1000, 1000 - peer::most_untold, long_ago).has_to_be_told());
  EXPECT_FALSE(after(1000, 1000 - peer::most_untold_if_small + 1, long_ago).has_to_be_told());
  EXPECT_TRUE(after(1000, 1000 - peer::most_untold_if_small, long_ago).has_to_be_told());
}

TEST(peer, is_told_of_what_it_needs_to_know) {
  peer of = after(1000, 998, 0);
  of.has_to_know = 999;
  EXPECT_TRUE(of.has_to_be_told());
  of.dealt_with_as_told = 999;
  EXPECT_FALSE(of.has_to_be_told());
  of.has_to_know = 1001;  // not dealt with yet
  EXPECT_FALSE(of.has_to_be_told());
}

}  // namespace
}  // namespace pure::core
