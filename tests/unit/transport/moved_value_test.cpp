// Moved values: an object is constructed, moved and destroyed exactly once at each place, and never copied.
#include "transport/moved_value.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <typeinfo>
#include <utility>
#include <vector>

namespace pure::core {
namespace {

/// Counts the objects that exist, and remembers where it is: a byte-wise copy would be noticed.
class counted {
 public:
  explicit counted(int value) : value_(value), here_(this) { ++alive; }
  counted(counted&& from) noexcept : value_(from.value_), here_(this) {
    ++alive;
    ++moves;
  }
  counted& operator=(counted&&) = delete;
  ~counted() {
    EXPECT_EQ(here_, this);
    --alive;
  }

  [[nodiscard]] int value() const { return here_ == this ? value_ : -1; }

  static inline int alive = 0;
  static inline int moves = 0;

 private:
  int value_;
  const counted* here_;
};

template <class T>
constexpr moved_operations operations_of{
    &typeid(T),
    [](void* to, void* from) noexcept {
      auto* const object = static_cast<T*>(from);
      ::new (to) T(std::move(*object));
      std::destroy_at(object);
    },
    [](void* at) noexcept { std::destroy_at(static_cast<T*>(at)); },
    [](const void* at) noexcept -> const void* { return at; },
    [](const void*) noexcept { return sizeof(T); },
};

/// Moves `value` in: as the interfaces do, the caller's object is gone afterwards.
moved_value make(int value) {
  alignas(counted) std::byte place[sizeof(counted)];
  ::new (static_cast<void*>(place)) counted(value);
  return {operations_of<counted>, place};
}

template <class T>
bool is_a(const moved_value& holder) {
  return holder.is_taken_by(
      [](const void* type) noexcept { return *static_cast<const std::type_info*>(type) == typeid(T); });
}

int value_in(moved_value& holder) { return std::launder(static_cast<counted*>(holder.object()))->value(); }

class moved_value_test : public testing::Test {
 protected:
  void SetUp() override { counted::moves = 0; }
  void TearDown() override { EXPECT_EQ(counted::alive, 0); }
};

TEST_F(moved_value_test, an_empty_one_holds_nothing_of_any_type) {
  moved_value empty;
  EXPECT_FALSE(is_a<counted>(empty));
  moved_value also_empty(std::move(empty));
  also_empty = moved_value();
  also_empty.reset();
  EXPECT_FALSE(is_a<counted>(also_empty));
}

TEST_F(moved_value_test, owns_one_object) {
  moved_value holder = make(7);
  EXPECT_EQ(counted::alive, 1);
  EXPECT_TRUE(is_a<counted>(holder));
  EXPECT_FALSE(is_a<int>(holder));
  EXPECT_EQ(value_in(holder), 7);
  EXPECT_EQ(holder.bytes(), sizeof(counted));
  EXPECT_EQ(holder.data(), holder.object());
  holder.reset();
  EXPECT_EQ(counted::alive, 0);
  holder.reset();
}

TEST_F(moved_value_test, moving_leaves_nothing_behind) {
  moved_value first = make(7);
  moved_value second(std::move(first));
  EXPECT_FALSE(is_a<counted>(first));  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_EQ(value_in(second), 7);
  EXPECT_EQ(counted::alive, 1);
  EXPECT_EQ(counted::moves, 2) << "one into the first, one into the second";
}

TEST_F(moved_value_test, assignment_destroys_what_was_there) {
  moved_value holder = make(7);
  holder = make(8);
  EXPECT_EQ(counted::alive, 1);
  EXPECT_EQ(value_in(holder), 8);
  moved_value& same = holder;
  holder = std::move(same);
  EXPECT_EQ(value_in(holder), 8);
  holder = moved_value();
  EXPECT_EQ(counted::alive, 0);
}

TEST_F(moved_value_test, releases_to_uninitialized_memory) {
  moved_value holder = make(9);
  alignas(counted) std::byte place[sizeof(counted)];
  holder.release_to(place);
  EXPECT_FALSE(is_a<counted>(holder));
  auto* const object = std::launder(reinterpret_cast<counted*>(place));
  EXPECT_EQ(object->value(), 9);
  EXPECT_EQ(counted::alive, 1);
  std::destroy_at(object);
}

TEST_F(moved_value_test, a_vector_keeps_its_memory) {
  using numbers = std::vector<int>;
  static_assert(sizeof(numbers) <= moved_value::capacity);
  numbers original{1, 2, 3};
  const int* const memory = original.data();
  alignas(numbers) std::byte place[sizeof(numbers)];
  ::new (static_cast<void*>(place)) numbers(std::move(original));
  moved_value first(operations_of<numbers>, place);
  moved_value second(std::move(first));
  EXPECT_EQ(std::launder(static_cast<numbers*>(second.object()))->data(), memory);
}

}  // namespace
}  // namespace pure::core
