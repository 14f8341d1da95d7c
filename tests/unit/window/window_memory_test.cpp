// Memory of a part: where it lies, that it is zero also where the heap has had other bytes there, and that it goes back
// by its owner's thread.
#include "window/window_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "support/checked_windows.hpp"

namespace pure::core {
namespace {

using namespace test_support;

TEST(window_memory, small_parts_lie_with_their_control_and_larger_ones_on_pages_of_their_own) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, part_memory::largest_in_block}) {
    const part_memory its(bytes, 1, page_kind::normal);
    const auto* const block = reinterpret_cast<const std::byte*>(its.control());
    const std::size_t alignment = bytes < page_bytes() ? line_bytes : page_bytes();
    EXPECT_GE(its.data(), block + target_control::bytes_for(bytes)) << bytes;
    EXPECT_LT(its.data(), block + target_control::bytes_for(bytes) + 2 * pair_bytes + alignment) << bytes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(its.data()) % alignment, 0U) << "a page or more has its own";
  }
  const part_memory large(part_memory::largest_in_block + 1, 1, page_kind::normal);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % page_bytes(), 0U);
}

TEST(window_memory, is_zero_whatever_was_there_before) {
  for (int time = 0; time < 8; ++time) {
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}, part_memory::largest_in_block}) {
      const part_memory its(bytes, 1, page_kind::normal);
      EXPECT_TRUE(std::all_of(its.data(), its.data() + bytes, [](std::byte each) { return each == std::byte{0}; }));
      EXPECT_FALSE(its.control()->lock.is_held());
      std::memset(its.data(), 0xff, bytes);
    }
  }
}

TEST(window_memory, has_the_alignment_that_was_asked_for) {
  for (const std::size_t alignment : {std::size_t{64}, std::size_t{4096}, std::size_t{65536}}) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{100}, std::size_t{8192}}) {
      const part_memory its(bytes, alignment, page_kind::normal);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(its.data()) % alignment, 0U) << bytes;
    }
  }
}

TEST(window_memory, goes_back_when_the_window_is_freed_by_who_has_made_it) {
  EXPECT_EQ(
      run_ranks(
          {.values = {}, .ranks = 3}, attach_services,
          [](rank_context& self) {
            communicator& world = communicator_table::of(self).world();
            std::vector<window*> made;
            for (int round = 0; round < 200; ++round) {
              made.push_back(&make_window(world, {"make", {}}, {.bytes = 4096, .options = {}, .needs_epochs = false}));
              std::memset(made.back()->own().base, 1 + self.number(), 4096);
              if (round % 3 != 2) continue;
              for (window* const each : made) {
                EXPECT_EQ(each->own().base[4095], std::byte(1 + self.number()));
                EXPECT_EQ(free_window(*each, {"free", {}}), nullptr);
              }
              made.clear();
            }
            for (window* const each : made) abandon(*each);
            return 0;
          })
          .failure,
      nullptr);
}

}  // namespace
}  // namespace pure::core
