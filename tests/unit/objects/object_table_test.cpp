// Tables of objects by handles: which handles are found, and how many objects there may be.
#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "objects/object_table.hpp"

namespace {

using pure::core::handle;
using pure::core::handle_kind;
using pure::core::object_table;

TEST(object_table, an_object_is_found_until_it_is_freed) {
  object_table<std::string> table(handle_kind::info, 3);
  const std::uint64_t a = table.add("a"), b = table.add("b");
  ASSERT_NE(table.find(a), nullptr);
  EXPECT_EQ(*table.find(a), "a");
  EXPECT_EQ(*table.find(b), "b");
  EXPECT_EQ(table.live(), 2U);
  table.free(a);
  EXPECT_EQ(table.find(a), nullptr);
  EXPECT_EQ(*table.find(b), "b");
  table.free(b);
  EXPECT_EQ(table.live(), 0U);
}

TEST(object_table, a_stale_handle_is_not_that_of_the_next_object) {
  object_table<int> table(handle_kind::group, 0);
  const std::uint64_t first = table.add(1);
  table.free(first);
  const std::uint64_t second = table.add(2);
  EXPECT_EQ(handle{first}.index(), handle{second}.index()) << "else this test tests nothing";
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(*table.find(second), 2);
}

TEST(object_table, handles_of_others_are_not_found) {
  object_table<int> table(handle_kind::group, 1);
  object_table<int> of_other_rank(handle_kind::group, 2), of_other_kind(handle_kind::info, 1);
  table.add(1);
  EXPECT_EQ(table.find(of_other_rank.add(2)), nullptr);
  EXPECT_EQ(table.find(of_other_kind.add(3)), nullptr);
  for (const std::uint64_t never : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{34}, ~std::uint64_t{0}})
    EXPECT_EQ(table.find(never), nullptr) << never;
}

TEST(object_table, one_too_many_is_refused_and_changes_nothing) {
  object_table<int> table(handle_kind::datatype, 0, 3);
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 3; ++i) all.push_back(table.add(i));
  EXPECT_THROW(table.add(3), std::length_error);
  EXPECT_EQ(table.live(), 3U);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*table.find(all[static_cast<std::size_t>(i)]), i);
  table.free(all[1]);
  EXPECT_NO_THROW(table.add(4));
  EXPECT_THROW(table.add(5), std::length_error);
}

TEST(object_table, objects_do_not_move) {
  object_table<int> table(handle_kind::datatype, 0);
  const std::uint64_t first = table.add(7);
  const int* const place = table.find(first);
  for (int i = 0; i < 1000; ++i) table.add(i);
  EXPECT_EQ(table.find(first), place);
  EXPECT_EQ(*place, 7);
}

}  // namespace
