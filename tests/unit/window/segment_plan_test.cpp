// Where the parts of a window lie in a segment: they do not overlap, are aligned, and every page has one rank that
// makes it present.
#include "window/segment_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "window/target_control.hpp"
#include "window/window_memory.hpp"

namespace pure::core {
namespace {

struct interval {
  std::size_t first, behind;
};

/// What is wrong with a plan; empty if nothing is.
std::string wrong_with(const segment_plan& plan, const std::vector<std::size_t>& bytes, std::size_t alignment,
                       bool is_contiguous) {
  std::vector<interval> used, pages{{0, plan.prologue_bytes()}};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const segment_plan::part& part = plan.at(i);
    if (part.control % pair_bytes != 0) return "a control is not aligned";
    if (part.control + target_control::bytes_for(bytes[i]) > plan.prologue_bytes())
      return "a control is too far behind";
    if ((!is_contiguous || i == 0) && part.data % alignment != 0) return "a part is not aligned";
    if (is_contiguous && i > 0 && part.data != plan.at(i - 1).data + bytes[i - 1]) return "there is a gap";
    used.push_back({part.control, part.control + target_control::bytes_for(bytes[i])});
    used.push_back({part.data, part.data + bytes[i]});
    if (part.bytes_of_pages > 0) pages.push_back({part.first_page, part.first_page + part.bytes_of_pages});
  }
  for (std::vector<interval>* const all : {&used, &pages}) {
    std::erase_if(*all, [](const interval& each) { return each.first == each.behind; });
    std::sort(all->begin(), all->end(), [](const interval& a, const interval& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < all->size(); ++i) {
      if ((*all)[i].first < (*all)[i - 1].behind) return all == &used ? "two overlap" : "a page is made twice";
    }
    if (!all->empty() && all->back().behind > plan.bytes()) return "the segment is too short";
  }
  for (const interval& each : used) {
    for (std::size_t at = each.first; at < each.behind; at += page_bytes()) {
      const bool is_made = std::any_of(pages.begin(), pages.end(),
                                       [&](const interval& made) { return made.first <= at && at < made.behind; });
      if (!is_made) return "nobody makes a page";
    }
  }
  return {};
}

TEST(segment_plan, parts_of_all_sizes_lie_where_they_may) {
  const std::size_t page = page_bytes();
  const std::vector<std::vector<std::size_t>> all{{8},
                                                  {0},
                                                  {0, 0, 0},
                                                  {1, 4095, 4096, 4097},
                                                  {100, 100'000, 0, 100, 5'000'000},
                                                  {3 * page, page - 8, 16, page + 8, 2 * page}};
  for (const std::vector<std::size_t>& bytes : all) {
    for (const std::size_t alignment :
         {std::size_t{1}, std::size_t{64}, std::size_t{512}, 4 * page, std::size_t{2} << 20}) {
      for (const bool is_contiguous : {false, true}) {
        const segment_plan plan(bytes, alignment, is_contiguous);
        EXPECT_EQ(wrong_with(plan, bytes, alignment, is_contiguous), "")
            << bytes.size() << " parts, " << bytes[0] << " first, alignment " << alignment << ", " << is_contiguous;
        EXPECT_GE(plan.alignment(), alignment);
      }
    }
  }
}

TEST(segment_plan, a_part_that_no_memory_can_have_is_told) {
  EXPECT_EQ(segment_plan(std::vector<std::size_t>{8, ~std::size_t{0} / 2}, 1, false).bytes(), 0U);
  EXPECT_EQ(segment_plan(std::vector<std::size_t>{8, ~std::size_t{0}}, 1, true).bytes(), 0U);
  const std::size_t half = std::size_t{1} << 47;
  EXPECT_EQ(segment_plan(std::vector<std::size_t>{half, half, half}, 1, true).bytes(), 0U);
}

}  // namespace
}  // namespace pure::core
