// What waits for its turn: each process's messages in their order, the first again and again, and those of one process
// for nobody else's.
#include "window/operations_in_turn.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pure::core {
namespace {

std::span<const std::byte> as_message(const std::string& text) { return std::as_bytes(std::span(text)); }
std::string as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(operations_in_turn, are_tried_in_their_order_until_one_has_to_wait) {
  operations_in_turn kept;
  for (const char* each : {"a", "b", "c"}) kept.keep(1, as_message(each));
  kept.keep(2, as_message("x"));
  EXPECT_EQ(kept.size(), 4U);
  std::set<std::string> held{"b"};
  std::vector<std::string> done;
  const auto try_again = [&](int, std::span<const std::byte> message, partly_done&) {
    if (held.count(as_text(message)) != 0) return false;
    done.push_back(as_text(message));
    return true;
  };
  kept.resume(try_again);
  EXPECT_EQ(std::set<std::string>(done.begin(), done.end()), (std::set<std::string>{"a", "x"}));
  EXPECT_TRUE(kept.is_waiting(1));
  EXPECT_FALSE(kept.is_waiting(2));
  kept.resume(try_again);
  EXPECT_EQ(kept.size(), 2U);
  held.clear();
  done.clear();
  kept.resume(try_again);
  EXPECT_EQ(done, (std::vector<std::string>{"b", "c"}));
  EXPECT_TRUE(kept.empty());
  EXPECT_FALSE(kept.is_waiting(1));
}

TEST(operations_in_turn, one_that_has_begun_goes_on_where_it_was) {
  operations_in_turn kept;
  partly_done begun;
  begun.bytes = 3;
  kept.keep(1, as_message("a"), std::move(begun));
  std::vector<std::size_t> seen;
  const auto one_more = [&](int, std::span<const std::byte>, partly_done& so_far) {
    seen.push_back(so_far.bytes++);
    return so_far.bytes == 6;
  };
  for (int i = 0; i < 5; ++i) kept.resume(one_more);
  EXPECT_EQ(seen, (std::vector<std::size_t>{3, 4, 5}));
}

}  // namespace
}  // namespace pure::core
