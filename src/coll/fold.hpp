// Combining the operands of ranks, always in the order of the ranks, and always grouped alike: the same bits on every
// run. Reductions fold from the right, x0 op (x1 op (x2 op x3)), which is what a user function of MPI's form does in
// place; scans from the left, so that each rank's result is a step of the next one's.
#pragma once

#include <cstddef>
#include <cstring>

#include <pure/detail/collectives.hpp>

namespace pure::core {

using detail::reduction;

/// out = x(0) op (... op x(n-1)), `count` elements; n > 0. x(i) gives the address of an operand. `out` overlaps none of
/// them.
template <class Operand>
void fold_right(const reduction& how, int n, const Operand& x, void* out, std::size_t count) {
  if (n == 1) {
    std::memcpy(out, x(0), count * how.element_bytes);
    return;
  }
  how.combine(how.context, x(n - 2), x(n - 1), out, count);
  for (int i = n - 3; i >= 0; --i) how.combine(how.context, x(i), out, out, count);
}

/// out = ((x(0) op x(1)) op ...) op x(n-1). `out` overlaps none of them.
template <class Operand>
void fold_left(const reduction& how, int n, const Operand& x, void* out, std::size_t count) {
  if (n == 1) {
    std::memcpy(out, x(0), count * how.element_bytes);
    return;
  }
  how.combine(how.context, x(0), x(1), out, count);
  for (int i = 2; i < n; ++i) how.combine(how.context, out, x(i), out, count);
}

}  // namespace pure::core
