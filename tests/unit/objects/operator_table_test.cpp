// Operators of programs: one object for each function of a door, which outlives its handles.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>

#include "objects/operator_table.hpp"

namespace {

using pure::core::operator_table;
using pure::core::program_operator;

int made = 0;

class counted_operator final : public program_operator {
 public:
  explicit counted_operator(std::uint64_t door) : door_(door) { ++made; }
  [[nodiscard]] pure::detail::reduction on(pure_datatype type) const noexcept override {
    return {.context = this, .element_bytes = 8, .identity = door_ << 32 | static_cast<std::uint64_t>(type)};
  }
  [[nodiscard]] pure::core::program_combination on_derived(std::uint64_t) const noexcept override { return {}; }

 private:
  const std::uint64_t door_;
};

std::unique_ptr<const program_operator> by_one_door(operator_table::any_function, operator_table::any_function) {
  return std::make_unique<counted_operator>(1);
}
std::unique_ptr<const program_operator> by_another_door(operator_table::any_function, operator_table::any_function) {
  return std::make_unique<counted_operator>(2);
}
bool has_no_memory = false;
std::unique_ptr<const program_operator> by_a_poor_door(operator_table::any_function, operator_table::any_function) {
  if (has_no_memory) throw std::bad_alloc();
  return std::make_unique<counted_operator>(3);
}

void some_function() {}
void some_other_function() {}

TEST(operator_table, one_object_for_each_function) {
  made = 0;
  operator_table table(0);
  const std::uint64_t a = table.add(some_function, by_one_door);
  const std::uint64_t b = table.add(some_function, by_one_door);
  const std::uint64_t c = table.add(some_other_function, by_one_door);
  EXPECT_NE(a, b);
  EXPECT_EQ(table.find(a), table.find(b));
  EXPECT_NE(table.find(a), table.find(c));
  EXPECT_EQ(made, 2);
  EXPECT_EQ(table.functions(), 2U);
  EXPECT_EQ(table.live(), 3U);
}

TEST(operator_table, doors_do_not_call_each_others_functions) {
  operator_table table(0);
  const program_operator* const one = table.find(table.add(some_function, by_one_door));
  const program_operator* const other = table.find(table.add(some_function, by_another_door));
  EXPECT_NE(one, other);
  EXPECT_EQ(one->on(PURE_INT).identity >> 32, 1U);
  EXPECT_EQ(other->on(PURE_INT).identity >> 32, 2U);
}

TEST(operator_table, a_reduction_outlives_the_handle) {
  operator_table table(0);
  const std::uint64_t op = table.add(some_function, by_one_door);
  const pure::detail::reduction pending = table.find(op)->on(PURE_DOUBLE);
  table.free(op);
  EXPECT_EQ(table.find(op), nullptr);
  EXPECT_EQ(table.live(), 0U);
  EXPECT_EQ(static_cast<const program_operator*>(static_cast<const counted_operator*>(pending.context))
                ->on(PURE_DOUBLE)
                .identity,
            pending.identity);
  EXPECT_EQ(table.find(table.add(some_function, by_one_door))->on(PURE_DOUBLE).context, pending.context);
}

TEST(operator_table, one_too_many_is_refused) {
  operator_table table(0, 2);
  const std::uint64_t first = table.add(some_function, by_one_door);
  table.add(some_function, by_one_door);
  EXPECT_THROW(table.add(some_function, by_one_door), std::length_error);
  EXPECT_EQ(table.live(), 2U);
  table.free(first);
  EXPECT_NO_THROW(table.add(some_function, by_one_door));
}

TEST(operator_table, a_function_for_which_there_was_no_memory_can_be_tried_again) {
  operator_table table(0);
  has_no_memory = true;
  EXPECT_THROW(table.add(some_function, by_a_poor_door), std::bad_alloc);
  EXPECT_EQ(table.live(), 0U);
  has_no_memory = false;
  const std::uint64_t op = table.add(some_function, by_a_poor_door);
  ASSERT_NE(table.find(op), nullptr);
  EXPECT_EQ(table.find(op)->on(PURE_INT).identity >> 32, 3U);
}

}  // namespace
