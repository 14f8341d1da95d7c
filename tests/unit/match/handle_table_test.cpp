// Handles and their table: a live name finds its entry, any other name finds nothing.
#include "match/handle_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <tuple>
#include <vector>

#include "base/settings.hpp"
#include "support/environment.hpp"

namespace pure::core {
namespace {

struct entry {
  explicit entry(int n = 0) : number(n) { ++alive; }
  entry(const entry&) = delete;
  entry& operator=(const entry&) = delete;
  ~entry() { --alive; }
  int number;
  static inline int alive = 0;
};

using table = handle_table<entry>;

TEST(handle, holds_its_parts) {
  constexpr std::uint32_t last_index = (1U << handle::index_bits) - 1;
  constexpr std::uint32_t last_generation = (1U << handle::generation_bits) - 1;
  for (const handle_kind kind : {handle_kind::receive, handle_kind::operation, handle_kind::info,
                                 static_cast<handle_kind>((1U << handle_kind_bits) - 1)}) {
    for (const std::uint32_t rank : {0U, 1U, 1000U, (1U << handle::rank_bits) - 1}) {
      for (const std::uint32_t generation : {1U, 2U, last_generation}) {
        for (const std::uint32_t index : {0U, 1U, last_index}) {
          const handle name = handle::make(kind, rank, generation, index);
          EXPECT_EQ(std::tuple(name.kind(), name.rank(), name.generation(), name.index()),
                    std::tuple(kind, rank, generation, index));
          EXPECT_FALSE(name.is_null() || name.is_fixed());
        }
      }
    }
  }
}

TEST(handle, has_room_for_every_rank_that_a_job_may_have) {
  EXPECT_LE(setting_named("PURE_RANKS").highest, std::uint64_t{1} << handle::rank_bits);
}

TEST(handle, fixed_names_differ_and_only_zero_is_null) {
  EXPECT_TRUE(handle{}.is_null());
  EXPECT_TRUE(handle{}.is_fixed());
  for (std::uint32_t number = 1; number < handle::fixed_limit; ++number) {
    EXPECT_TRUE(handle::fixed(number).is_fixed());
    EXPECT_FALSE(handle::fixed(number).is_null());
    EXPECT_NE(handle::fixed(number), handle::fixed(number - 1));
  }
}

TEST(handle_table, finds_what_it_has_made) {
  table t(handle_kind::send, 5);
  const auto made = t.make(42);
  EXPECT_EQ(made.entry.number, 42);
  EXPECT_EQ(made.name.kind(), handle_kind::send);
  EXPECT_EQ(made.name.rank(), 5U);
  EXPECT_EQ(t.find(made.name), &made.entry);
  EXPECT_EQ(t.live(), 1U);
}

TEST(handle_table, tells_a_second_visit_under_one_number) {
  table t(handle_kind::receive, 0);
  const auto one = t.make(1), other = t.make(2);
  constexpr std::uint32_t first = table::first_visit;
  bool again = true;
  for (const std::uint32_t number : {first, first + 1, ~std::uint32_t{0}, first}) {
    for (const auto& made : {one, other}) {
      EXPECT_EQ(t.visit(made.name, number, again), &made.entry);
      EXPECT_FALSE(again) << number;
    }
    EXPECT_EQ(t.visit(one.name, number, again), &one.entry);
    EXPECT_TRUE(again) << number;
  }
  t.free(one.name);
  EXPECT_EQ(t.visit(one.name, first, again), nullptr) << "freed";
  const auto next = t.make(3);  // in the place of the first
  EXPECT_EQ(next.name.index(), one.name.index());
  EXPECT_EQ(t.visit(next.name, first, again), &next.entry);
  EXPECT_FALSE(again) << "the visit was its predecessor's";
}

TEST(handle_table, finds_nothing_under_names_that_it_has_not_given) {
  table t(handle_kind::receive, 0);
  EXPECT_EQ(t.find(handle{}), nullptr);
  const auto made = t.make();
  EXPECT_EQ(t.find(handle{}), nullptr);
  EXPECT_EQ(t.find(handle::fixed(1)), nullptr);
  const std::uint32_t index = made.name.index(), generation = made.name.generation();
  EXPECT_EQ(t.find(handle::make(handle_kind::receive, 0, generation + 1, index)), nullptr);
  EXPECT_EQ(t.find(handle::make(handle_kind::receive, 0, generation, index + 1)), nullptr) << "an unused entry";
  EXPECT_EQ(t.find(handle::make(handle_kind::receive, 0, generation, 1'000'000)), nullptr) << "beyond the table";
  EXPECT_EQ(t.find({~std::uint64_t{0}}), nullptr);
}

TEST(handle_table, a_freed_name_is_stale_even_when_its_entry_is_used_again) {
  table t(handle_kind::receive, 0);
  const handle old = t.make().name;
  t.free(old);
  EXPECT_EQ(t.find(old), nullptr);
  EXPECT_EQ(t.live(), 0U);
  const handle young = t.make().name;
  EXPECT_EQ(young.index(), old.index()) << "the freed entry is the next to be used";
  EXPECT_NE(young, old);
  EXPECT_EQ(t.find(old), nullptr);
  EXPECT_NE(t.find(young), nullptr);
}

TEST(handle_table, uses_the_entry_again_that_was_freed_last) {
  table t(handle_kind::receive, 0);
  std::vector<handle> names;
  for (int i = 0; i < 100; ++i) names.push_back(t.make().name);
  for (const int freed : {7, 80, 3}) t.free(names[static_cast<std::size_t>(freed)]);
  for (const int expected : {3, 80, 7})
    EXPECT_EQ(t.make().name.index(), names[static_cast<std::size_t>(expected)].index());
}

TEST(handle_table, entries_do_not_move) {
  table t(handle_kind::receive, 0);
  std::vector<std::pair<handle, entry*>> all;
  for (int i = 0; i < 10'000; ++i) {
    const auto made = t.make(i);
    all.emplace_back(made.name, &made.entry);
  }
  for (int i = 0; i < 10'000; ++i) {
    const auto& [name, where] = all[static_cast<std::size_t>(i)];
    ASSERT_EQ(t.find(name), where);
    ASSERT_EQ(where->number, i);
  }
}

TEST(handle_table, a_name_comes_back_only_after_all_generations) {
  table t(handle_kind::receive, 0);
  const handle first = t.make().name;
  handle last = first;
  constexpr int generations = (1 << handle::generation_bits) - 1;  // without 0
  for (int i = 1; i < generations; ++i) {
    t.free(last);
    last = t.make().name;
    ASSERT_NE(last, first) << "after " << i;
    ASSERT_NE(last.generation(), 0U);
  }
  t.free(last);
  EXPECT_EQ(t.make().name, first);
}

TEST(handle_table, destroys_entries_when_they_are_freed_and_the_rest_at_its_end) {
  ASSERT_EQ(entry::alive, 0);
  {
    table t(handle_kind::receive, 0);
    std::vector<handle> names;
    for (int i = 0; i < 200; ++i) names.push_back(t.make().name);
    for (std::size_t i = 0; i < 50; ++i) t.free(names[i * 3]);
    EXPECT_EQ(entry::alive, 150);
  }
  EXPECT_EQ(entry::alive, 0);
}

TEST(handle_table, random_use_agrees_with_a_map) {
  std::mt19937_64 random(test_support::first_seed());
  table t(handle_kind::send, 9);
  std::map<std::uint64_t, int> live;
  std::vector<handle> given;
  for (int step = 0; step < 50'000; ++step) {
    const bool grows = step / 5000 % 2 == 0;
    if (live.empty() || random() % 3 < (grows ? 2U : 1U)) {
      const handle name = t.make(step).name;
      ASSERT_TRUE(live.emplace(name.value, step).second) << "a name that is in use";
      given.push_back(name);
    } else {
      auto any = live.lower_bound(random());
      if (any == live.end()) any = live.begin();
      t.free({any->first});
      live.erase(any);
    }
    ASSERT_EQ(t.live(), live.size());
    const handle asked = given[random() % given.size()];
    const auto expected = live.find(asked.value);
    const entry* const found = t.find(asked);
    ASSERT_EQ(found != nullptr, expected != live.end());
    if (found != nullptr) {
      ASSERT_EQ(found->number, expected->second);
    }
  }
}

}  // namespace
}  // namespace pure::core
