// The functions that set signgam, which is a variable of each rank: lgamma and its relatives, by the forms that return
// the sign. Any thread.
#include <cmath>

#include "libc/hidden_state.hpp"
#include "libc/replacements.hpp"

__extension__ typedef __float128 quadruple;  // C's _Float128, which C++ has not in GCC 12
extern "C" quadruple lgammaf128_r(quadruple, int*) noexcept;

namespace pure::core {

namespace {

float rank_lgammaf(float x) { return lgammaf_r(x, hidden_state_here().variables.signgam); }
double rank_lgamma(double x) { return lgamma_r(x, hidden_state_here().variables.signgam); }
long double rank_lgammal(long double x) { return lgammal_r(x, hidden_state_here().variables.signgam); }
quadruple rank_lgammaf128(quadruple x) { return lgammaf128_r(x, hidden_state_here().variables.signgam); }

}  // namespace

std::span<const replacement> math_replacements() noexcept {
  static const replacement table[] = {
      replaced_by("lgamma", rank_lgamma),         replaced_by("gamma", rank_lgamma),
      replaced_by("lgammaf", rank_lgammaf),       replaced_by("gammaf", rank_lgammaf),
      replaced_by("lgammal", rank_lgammal),       replaced_by("gammal", rank_lgammal),
      replaced_by("lgammaf32", rank_lgammaf),     replaced_by("lgammaf64", rank_lgamma),
      replaced_by("lgammaf32x", rank_lgamma),     replaced_by("lgammaf64x", rank_lgammal),
      replaced_by("lgammaf128", rank_lgammaf128),
  };
  return table;
}

}  // namespace pure::core
