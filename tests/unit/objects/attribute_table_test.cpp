// Attributes: whose callbacks run, when, and what happens if these fail, throw, or change attributes themselves.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include "objects/attribute_table.hpp"

namespace {

using pure::core::attribute_callbacks;
using pure::core::attribute_table;

constexpr std::uint64_t object = 77, another = 78;
int values[4];

struct removed {
  std::uint64_t of;
  int key;
  void* value;
  bool operator==(const removed&) const = default;
};

/// Notes what is removed.
attribute_callbacks noted_in(std::vector<removed>& log) {
  return {[&log](std::uint64_t of, int key, void* value) {
    log.push_back({of, key, value});
    return 0;
  }};
}

void* value_of(const attribute_table& table, std::uint64_t of, int key) {
  void* const* const found = table.find(of, key);
  return found == nullptr ? nullptr : *found;
}

TEST(attribute_table, a_value_belongs_to_an_object_and_a_key) {
  attribute_table table;
  const int a = table.create_key({}), b = table.create_key({});
  EXPECT_GE(a, attribute_table::first_key);
  EXPECT_NE(a, b);
  EXPECT_EQ(table.set(object, a, &values[0]), 0);
  EXPECT_EQ(table.set(object, b, &values[1]), 0);
  EXPECT_EQ(table.set(another, a, &values[2]), 0);
  EXPECT_EQ(value_of(table, object, a), &values[0]);
  EXPECT_EQ(value_of(table, object, b), &values[1]);
  EXPECT_EQ(value_of(table, another, a), &values[2]);
  EXPECT_EQ(table.find(another, b), nullptr);
  EXPECT_EQ(table.remove(object, a), 0);
  EXPECT_EQ(table.find(object, a), nullptr);
  EXPECT_EQ(value_of(table, object, b), &values[1]);
  EXPECT_EQ(table.remove(object, a), 0) << "there is none";
}

TEST(attribute_table, the_callback_runs_for_each_value_that_goes) {
  std::vector<removed> log;
  attribute_table table;
  const int key = table.create_key(noted_in(log));
  EXPECT_EQ(table.set(object, key, &values[0]), 0);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(table.set(object, key, &values[1]), 0) << "in the place of the other";
  EXPECT_EQ(table.remove(object, key), 0);
  EXPECT_EQ(log, (std::vector<removed>{{object, key, &values[0]}, {object, key, &values[1]}}));
}

TEST(attribute_table, an_object_that_ends_loses_the_last_value_first) {
  std::vector<removed> log;
  attribute_table table;
  const int a = table.create_key(noted_in(log)), b = table.create_key(noted_in(log));
  EXPECT_EQ(table.set(object, b, &values[0]), 0);
  EXPECT_EQ(table.set(object, a, &values[1]), 0);
  EXPECT_EQ(table.set(another, a, &values[2]), 0);
  int failed = 0;
  EXPECT_EQ(table.remove_all(object, failed), 0);
  EXPECT_EQ(log, (std::vector<removed>{{object, a, &values[1]}, {object, b, &values[0]}}));
  EXPECT_EQ(value_of(table, another, a), &values[2]);
}

TEST(attribute_table, a_value_whose_callback_fails_stays) {
  attribute_table table;
  int result = 9;
  const int key = table.create_key({[&](std::uint64_t, int, void*) { return result; }});
  EXPECT_EQ(table.set(object, key, &values[0]), 0);
  EXPECT_EQ(table.set(object, key, &values[1]), 9);
  EXPECT_EQ(table.remove(object, key), 9);
  int failed = 0;
  EXPECT_EQ(table.remove_all(object, failed), 9);
  EXPECT_EQ(failed, key);
  EXPECT_EQ(value_of(table, object, key), &values[0]);
  result = 0;
  EXPECT_EQ(table.remove_all(object, failed), 0);
  EXPECT_EQ(table.find(object, key), nullptr);
}

TEST(attribute_table, a_value_whose_callback_throws_stays) {
  attribute_table table;
  const int key = table.create_key({[](std::uint64_t, int, void*) -> int { throw std::runtime_error("boom"); }});
  EXPECT_EQ(table.set(object, key, &values[0]), 0);
  EXPECT_THROW(static_cast<void>(table.remove(object, key)), std::runtime_error);
  EXPECT_THROW(static_cast<void>(table.set(object, key, &values[1])), std::runtime_error);
  EXPECT_EQ(value_of(table, object, key), &values[0]);
  EXPECT_TRUE(table.is_key(key));
}

TEST(attribute_table, a_callback_may_change_attributes_of_the_same_object) {
  attribute_table table;
  int inner = 0;
  const int other = table.create_key({});
  bool is_inside = false;
  const int key = table.create_key({[&](std::uint64_t of, int its, void*) {
    if (is_inside) return 0;
    is_inside = true;
    inner = table.remove(of, its);  // before the outer call does
    EXPECT_EQ(table.set(of, other, &values[3]), 0);
    return 0;
  }});
  EXPECT_EQ(table.set(object, key, &values[0]), 0);
  EXPECT_EQ(table.remove(object, key), 0);
  EXPECT_EQ(inner, 0);
  EXPECT_EQ(table.find(object, key), nullptr);
  EXPECT_EQ(value_of(table, object, other), &values[3]);
}

TEST(attribute_table, a_key_may_be_freed_by_its_own_callback) {
  attribute_table table;
  const int key = table.create_key({[&](std::uint64_t, int its, void*) {
    table.free_key(its);
    return 0;
  }});
  EXPECT_EQ(table.set(object, key, &values[0]), 0);
  EXPECT_EQ(table.remove(object, key), 0);
  EXPECT_FALSE(table.is_key(key));
  EXPECT_EQ(table.keys(), 0U);
}

TEST(attribute_table, a_freed_key_lasts_as_long_as_its_values) {
  std::vector<removed> log;
  attribute_table table;
  const int key = table.create_key(noted_in(log));
  EXPECT_EQ(table.set(object, key, &values[0]), 0);
  EXPECT_EQ(table.set(another, key, &values[1]), 0);
  table.free_key(key);
  EXPECT_FALSE(table.is_key(key));
  EXPECT_EQ(value_of(table, object, key), &values[0]);
  EXPECT_EQ(table.remove(object, key), 0);
  EXPECT_EQ(table.keys(), 1U);
  EXPECT_EQ(table.remove(another, key), 0);
  EXPECT_EQ(table.keys(), 0U);
  EXPECT_EQ(log.size(), 2U);
  EXPECT_FALSE(table.is_key(attribute_table::first_key + 1000)) << "never made";
}

TEST(attribute_table, when_all_numbers_have_been_keys_there_is_no_other) {
  attribute_table table(std::numeric_limits<int>::max() - 1);
  const int last = table.create_key({});
  EXPECT_TRUE(table.is_key(last));
  EXPECT_THROW(static_cast<void>(table.create_key({})), std::length_error);
  table.free_key(last);
  EXPECT_THROW(static_cast<void>(table.create_key({})), std::length_error) << "numbers do not come again";
}

TEST(attribute_table, a_duplicate_gets_what_callbacks_say) {
  attribute_table table;
  int result = 0;
  const int copied = table.create_key({nullptr, [&](std::uint64_t of, int, void* value, std::optional<void*>& copy) {
                                         EXPECT_EQ(of, object);
                                         copy = static_cast<int*>(value) + 1;
                                         return result;
                                       }});
  const int left_out = table.create_key({nullptr, [](std::uint64_t, int, void*, std::optional<void*>&) { return 0; }});
  const int alone = table.create_key({});
  EXPECT_EQ(table.set(object, copied, &values[0]), 0);
  EXPECT_EQ(table.set(object, left_out, &values[1]), 0);
  EXPECT_EQ(table.set(object, alone, &values[2]), 0);
  int failed = 0;
  EXPECT_EQ(table.copy_all(object, another, failed), 0);
  EXPECT_EQ(value_of(table, another, copied), &values[1]);
  EXPECT_EQ(table.find(another, left_out), nullptr);
  EXPECT_EQ(table.find(another, alone), nullptr);
  table.free_key(copied);
  EXPECT_EQ(table.remove(object, copied), 0);
  EXPECT_TRUE(table.has_key(copied)) << "the duplicate has a value of it";
  EXPECT_FALSE(table.is_key(copied));
  EXPECT_EQ(table.remove(another, copied), 0);
  EXPECT_FALSE(table.has_key(copied));

  const int failing = table.create_key(
      {nullptr, [&](std::uint64_t, int, void*, std::optional<void*>&) { return result; }});
  result = 7;
  EXPECT_EQ(table.set(object, failing, &values[3]), 0);
  EXPECT_EQ(table.copy_all(object, another, failed), 7);
  EXPECT_EQ(failed, failing);
}

}  // namespace
