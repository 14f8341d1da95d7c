// Where operations may go: to the last byte of a part and no further, at both ends, however they are laid out; and that
// an operation which is refused has done nothing. In one process and between processes.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include "support/checked_windows.hpp"

namespace pure::core {
namespace {

using namespace test_support;

const door quiet{.needs_epochs = true, .options = {}, .bytes = part_bytes, .checks = false};

/// Rank 1 does each; whether it is refused, with that error.
void expect_each(const std::vector<std::pair<errc, std::function<void(one_rank)>>>& all) {
  expect_no_error(errors_of(2, quiet, [&](one_rank at) {
    at.win.lock_all(at.here("lock_all"));
    at.barrier();
    for (std::size_t i = 0; i < all.size() && at.me() == 1; ++i) {
      errc found = errc::success;
      try {
        all[i].second(at);
        at.win.flush(at.here("flush"), 0);
      } catch (const Error& error) {
        found = error.code();
      }
      EXPECT_EQ(found, all[i].first) << i;
    }
    at.win.unlock_all(at.here("unlock_all"));
    at.barrier();
  }));
}

std::int64_t words[part_bytes / 8 + 1] = {};
const placed_message one_byte{words, 1, {}}, one_word{words, 8, {}};

void puts(one_rank at, std::int64_t offset, std::size_t bytes, const layout* form = nullptr) {
  put(at.win, at.here("put"), {words, bytes, {}}, {0, offset, bytes, form});
}
void gets(one_rank at, std::int64_t offset, std::size_t bytes, const layout* form = nullptr) {
  get(at.win, at.here("get"), {words, bytes, {}}, {0, offset, bytes, form});
}

TEST(ranges, the_last_byte_of_a_part_and_no_further) {
  constexpr auto end = static_cast<std::int64_t>(part_bytes);
  constexpr auto good = errc::success, bad = errc::rma_range;
  const auto adds = [](std::int64_t offset) { return [offset](one_rank at) { at.add_value(0, offset, 1); }; };
  const auto swaps = [](std::int64_t offset) { return [offset](one_rank at) { at.swap_value(0, offset); }; };
  expect_each({{good, [](one_rank at) { puts(at, end - 1, 1); }},
               {bad, [](one_rank at) { puts(at, end, 1); }},
               {bad, [](one_rank at) { puts(at, end - 1, 2); }},
               {good, [](one_rank at) { puts(at, 0, part_bytes); }},
               {bad, [](one_rank at) { puts(at, 0, part_bytes + 1); }},
               {bad, [](one_rank at) { puts(at, -1, 1); }},
               {bad, [](one_rank at) { puts(at, -1, 2); }},
               {good, [](one_rank at) { gets(at, end - 1, 1); }},
               {bad, [](one_rank at) { gets(at, end, 1); }},
               {bad, [](one_rank at) { gets(at, -1, 1); }},
               {good, adds(end - 8)},
               {bad, adds(end - 7)},
               {bad, adds(-1)},
               {good, swaps(end - 8)},
               {bad, swaps(end - 7)},
               {bad, [](one_rank at) { puts(at, std::numeric_limits<std::int64_t>::max(), 8); }},
               {bad, [](one_rank at) { puts(at, std::numeric_limits<std::int64_t>::min(), 8); }}});
}

TEST(ranges, of_blocks_at_both_ends) {
  constexpr auto good = errc::success, bad = errc::rma_range;
  const layout forward = layout(8).repeated(2, 16);    // bytes 0 to 23
  const layout backward = layout(8).repeated(2, -16);  // bytes -16 to 7
  expect_each({{good, [&](one_rank at) { puts(at, 40, 16, &forward); }},
               {bad, [&](one_rank at) { puts(at, 41, 16, &forward); }},
               {good, [&](one_rank at) { puts(at, 0, 16, &forward); }},
               {bad, [&](one_rank at) { puts(at, -1, 16, &forward); }},
               {good, [&](one_rank at) { gets(at, 16, 16, &backward); }},
               {bad, [&](one_rank at) { gets(at, 15, 16, &backward); }},
               {good, [&](one_rank at) { gets(at, 56, 16, &backward); }},
               {bad, [&](one_rank at) { gets(at, 57, 16, &backward); }}});
}

TEST(ranges, the_largest_element_and_no_larger) {
  const auto replaces = [](std::size_t bytes) {
    return [bytes](one_rank at) {
      combination how;
      how.what = combination::kind::replace;
      how.element_bytes = bytes;
      accumulate(at.win, at.here("accumulate"), {words, bytes, {}}, nullptr, {0, 0, bytes, nullptr}, how);
    };
  };
  static_assert(largest_element == part_bytes);
  expect_each({{errc::success, replaces(largest_element)}, {errc::type, replaces(largest_element + 1)}});
}

TEST(ranges, there_are_so_many_notifications_and_no_more) {
  constexpr int most = target_control::notifications;
  expect_each(
      {{errc::success, [](one_rank at) { at.win.notify(at.here("notify"), 0, most - 1); }},
       {errc::argument, [](one_rank at) { at.win.notify(at.here("notify"), 0, most); }},
       {errc::argument, [](one_rank at) { at.win.notify(at.here("notify"), 0, -1); }},
       {errc::argument, [](one_rank at) { at.win.wait_notified(at.here("wait"), 0, most); }},
       {errc::success, [](one_rank at) { at.win.wait_notified(at.here("wait"), 0, most - 1); }},
       {errc::count,
        [](one_rank at) { static_cast<void>(at.win.test_notified(at.here("test"), std::uint64_t{1} << 62, 0)); }},
       {errc::success,
        [](one_rank at) { EXPECT_FALSE(at.win.test_notified(at.here("test"), (std::uint64_t{1} << 62) - 1, 0)); }}});
}

}  // namespace
}  // namespace pure::core
