// The oracle of the collectives itself: it accepts collectives made of messages, and finds every planted mistake.
#include <gtest/gtest.h>

#include "support/collective_oracle/generate.hpp"
#include "support/collective_oracle/naive_door.hpp"
#include "support/collective_oracle/run.hpp"
#include "support/environment.hpp"

namespace {

using namespace collective_oracle;

template <mistake made>
struct door_with : naive_door {
  door_with() : naive_door(made) {}
};

std::string complaint_of(mistake made, std::uint64_t seed) {
  const plan p = random_plan(seed, 5);
  switch (made) {
#define CASE(name) \
  case mistake::name: return run_plan<door_with<mistake::name>>(p, false)
    CASE(none);
    CASE(folds_backwards);
    CASE(forgets_the_last_rank);
    CASE(takes_root_0);
    CASE(writes_behind_the_buffer);
    CASE(writes_before_the_buffer);
    CASE(changes_the_input);
    CASE(ignores_displacements);
    CASE(enters_no_barrier);
    CASE(swaps_two_elements);
#undef CASE
  }
  return "";
}

TEST(collectives_oracle_model, accepts_collectives_made_of_messages) {
  const std::uint64_t first = test_support::first_seed();
  for (int i = 0; i < test_support::repetitions(60); ++i) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(i);
    ASSERT_EQ(complaint_of(mistake::none, seed), "") << to_text(random_plan(seed, 5));
  }
}

TEST(collectives_oracle_model, finds_every_mistake) {
  for (int m = 1; m < mistakes; ++m) {
    int tried = 0;
    while (tried < 200 && complaint_of(static_cast<mistake>(m), 1 + static_cast<std::uint64_t>(tried)).empty()) ++tried;
    EXPECT_LT(tried, 200) << "mistake " << m;
  }
}

// The operators of the oracle are associative on its values: that is what makes every grouping of ranks right.
TEST(collectives_oracle_model, operators_are_associative) {
  for (operator_code op = PURE_SUM; op <= last_operator; ++op) {
    for (std::uint64_t t = PURE_BYTE; t <= last_type; ++t) {
      const auto type = static_cast<pure_datatype>(t);
      if (!is_allowed(op, type)) continue;
      constexpr std::size_t count = 300;
      const std::size_t bytes = count * size_of(type);
      std::vector<std::byte> x[3], left, right;
      for (std::uint64_t i = 0; i < 3; ++i) {
        x[i].resize(bytes);
        fill_operands(x[i].data(), op, type, count, 1000 * i + op * 100 + static_cast<std::uint64_t>(t));
      }
      std::vector<std::byte> xy = x[1], yz = x[2];
      fold(op, type, x[0].data(), xy.data(), count);
      left = x[2];
      fold(op, type, xy.data(), left.data(), count);
      fold(op, type, x[1].data(), yz.data(), count);
      fold(op, type, x[0].data(), yz.data(), count);
      for (std::size_t i = 0; i < bytes; i += size_of(type)) {
        ASSERT_TRUE(is_same_result(op, type, left.data() + i, yz.data() + i)) << "op " << op << ", type " << t;
      }
    }
  }
}

}  // namespace
