// The modes of floating-point arithmetic of chunks: those of the rank whose task it is, whoever runs them.
#include <pure.h>

#include <gtest/gtest.h>

#include <cfenv>
#include <stdexcept>

#include <pure/pure.hpp>

#include "support/encounter.hpp"
#include "task/arithmetic_modes.hpp"

namespace pure::core {
namespace {

using test_support::encounter;
using test_support::while_others_wait;

/// Not computed by the compiler.
double third() {
  const volatile double one = 1, three = 3;
  return one / three;
}
long double long_third() {
  const volatile long double one = 1, three = 3;
  return one / three;
}

class rounding {
 public:
  explicit rounding(int how) : before_(fegetround()) { fesetround(how); }
  rounding(const rounding&) = delete;
  rounding& operator=(const rounding&) = delete;
  ~rounding() { fesetround(before_); }

 private:
  const int before_;
};

TEST(arithmetic_modes, are_set_and_given_back) {
  const rounding nearest(FE_TONEAREST);
  const double usual = third();
  arithmetic_modes upward;
  {
    const rounding up(FE_UPWARD);
    upward = arithmetic_modes::here();
  }
  EXPECT_EQ(fegetround(), FE_TONEAREST);
  {
    const with_arithmetic_modes other(upward);
    EXPECT_EQ(fegetround(), FE_UPWARD);
    EXPECT_NE(third(), usual);
    const with_arithmetic_modes the_same(upward);
    EXPECT_EQ(fegetround(), FE_UPWARD);
  }
  EXPECT_EQ(fegetround(), FE_TONEAREST);
  EXPECT_EQ(third(), usual);
}

TEST(arithmetic_modes, leave_the_flags_of_exceptions_alone) {
  std::feclearexcept(FE_ALL_EXCEPT);
  const arithmetic_modes clear = arithmetic_modes::here();
  third();  // inexact
  {
    const rounding up(FE_UPWARD);
    const with_arithmetic_modes other(clear);
    EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
  }
  EXPECT_NE(std::fetestexcept(FE_INEXACT), 0);
  const arithmetic_modes raised = arithmetic_modes::here();
  std::feclearexcept(FE_ALL_EXCEPT);
  raised.set_here();
  EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST(arithmetic_modes, of_a_stolen_chunk_are_those_of_its_owner) {
  while_others_wait(3, [](pure::comm) {
    for (const int how : {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
      const rounding of_owner(how);
      const double expected = third();
      const long double long_expected = long_third();
      encounter place;
      PureTask task = [&](chunk_id_t) {
        place.meet();
        EXPECT_EQ(fegetround(), how);
        EXPECT_EQ(third(), expected);
        EXPECT_EQ(long_third(), long_expected);
      };
      task.execute();
    }
  });
}

TEST(arithmetic_modes, of_a_thief_are_its_own_again) {
  pure::run(2, [](pure::comm world) {
    if (world.rank() == 1) {
      const rounding own(FE_TOWARDZERO);
      const double expected = third();
      EXPECT_EQ(world.recv<int>(0), 17);
      EXPECT_EQ(fegetround(), FE_TOWARDZERO);
      EXPECT_EQ(third(), expected);
      return;
    }
    const rounding of_owner(FE_UPWARD);
    for (const bool throws : {false, true}) {
      encounter place;
      PureTask task = [&](chunk_id_t) {
        place.meet();
        if (throws && !place.is_owner()) throw std::domain_error("of a thief");
      };
      if (throws) {
        EXPECT_THROW(task.execute(), std::domain_error);
      } else {
        task.execute();
      }
    }
    world.send(17, 1);
  });
}

}  // namespace
}  // namespace pure::core
