// lgamma and its relatives for each rank: libc's values, bit for bit, and a sign for each rank.
#include <gtest/gtest.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/environment.hpp"
#include "support/loaded_rank.hpp"

namespace gamma_test {

using namespace pure::core;
using test_support::as_rank;
using test_support::new_rank;

template <class Number>
void compare(const char* name, Number (*libc)(Number)) {
  const auto ours = test_support::replaced<Number(Number)>(math_replacements(), name);
  std::vector<Number> numbers = {0,
                                 Number(-0.0),
                                 1,
                                 2,
                                 -1,
                                 -2,
                                 Number(-0.5),
                                 Number(-1.5),
                                 Number(-2.5),
                                 std::numeric_limits<Number>::infinity(),
                                 -std::numeric_limits<Number>::infinity(),
                                 std::numeric_limits<Number>::quiet_NaN(),
                                 std::numeric_limits<Number>::max(),
                                 std::numeric_limits<Number>::lowest(),
                                 std::numeric_limits<Number>::denorm_min()};
  std::mt19937_64 random(5);
  for (int i = 0; i < test_support::repetitions(2000); ++i)
    numbers.push_back(
        std::ldexp(static_cast<Number>(static_cast<std::int64_t>(random())), -56 - static_cast<int>(random() % 8)));
  hidden_state& one = new_rank();
  hidden_state& other = new_rank();
  int sign_in_program = 0;
  one.variables.signgam = &sign_in_program;
  for (const Number number : numbers) {
    signgam = 77;
    errno = 0;
    const Number expected = libc(number);
    const int sign = signgam;
    const int error = errno;
    sign_in_program = 77;
    Number value = 0;
    {
      const as_rank here(one);
      errno = 0;
      value = ours(number);
      ASSERT_EQ(errno, error) << number;
    }
    {
      const as_rank here(other);
      ours(Number(-0.5));
      ASSERT_EQ(other.own.signgam, -1);
      ours(3);
      ASSERT_EQ(other.own.signgam, 1);
    }
    ASSERT_EQ(std::memcmp(&value, &expected, sizeof(Number) == 16 ? 10 : sizeof value), 0) << number;
    ASSERT_EQ(sign_in_program, sign) << number;
    ASSERT_EQ(signgam, sign);
  }
}

TEST(rank_gamma, is_libcs_with_a_sign_for_each_rank) {
  compare<double>("lgamma", lgamma);
  compare<double>("gamma", gamma);
  compare<float>("lgammaf", lgammaf);
  compare<float>("gammaf", gammaf);
  compare<long double>("lgammal", lgammal);
  compare<long double>("gammal", gammal);
}

}  // namespace gamma_test
