#include "coll/flat.hpp"

namespace pure::core {

void flat_reduction::combine() {
  const reduction& how = what_.how;
  std::ptrdiff_t offset = 0;
  std::size_t count = what_.count;
  if (what_.kind == collective::reduce_scatter) {
    offset = what_.recv_blocks.offset(rank());
    count = what_.recv_blocks.bytes(rank()) / how.element_bytes;
    if (count == 0) return;
  }
  const int n = operands_.end;
  const auto operand = [&](int q) -> const void* { return on_.own_or_posted(q, sequence_).data() + offset; };
  if (sums_exactly()) {
    std::vector<const void*>& all = on_.memory().operands(size());
    for (int q = 0; q < n; ++q) all[static_cast<std::size_t>(q)] = operand(q);
    how.sum_exactly(all.data(), n, what_.recv, count);
  } else if (what_.kind == collective::scan || what_.kind == collective::exscan) {
    fold_left(how, n, operand, what_.recv, count);
  } else {
    fold_right(how, n, operand, what_.recv, count);
  }
}

}  // namespace pure::core
