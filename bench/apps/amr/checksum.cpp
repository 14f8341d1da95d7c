// Sums of blocks, added up over all ranks; checksum.hpp says why they are integers.
#include "checksum.hpp"

#include <algorithm>
#include <cmath>

#include "stencil_loops.hpp"

namespace amr {

double checksum::drift_since(const checksum& start) const {
  double drift = 0;
  for (std::size_t v = 0; v < mean.size(); ++v) drift = std::max(drift, std::abs(mean[v] - start.mean[v]));
  return drift;
}

checksum take_checksum(const mesh& m) {
  const double roots = 1.0 * m.roots[0] * m.roots[1] * m.roots[2];
  const double scale = std::ldexp(1.0, 61 - static_cast<int>(std::ceil(std::log2(roots))));  // values are at most 1
  std::vector<block_sums> sums;
  sum_blocks(m.blocks, m.form, scale, sums);

  const auto variables = static_cast<std::size_t>(m.form.variables);
  std::vector<std::uint64_t> all(2 * variables + 1);  // unsigned: the sum of bits wraps around
  for (std::size_t i = 0; i < sums.size(); ++i) {
    all[2 * (i % variables)] += static_cast<std::uint64_t>(sums[i].mean);
    all[2 * (i % variables) + 1] += static_cast<std::uint64_t>(sums[i].mean_square);
    all.back() += sums[i].bits;
  }
  MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_UINT64_T, MPI_SUM, m.comm);

  checksum result;
  result.bits = all.back();
  for (std::size_t v = 0; v < variables; ++v) {
    result.mean.push_back(static_cast<double>(all[2 * v]) / scale / roots);
    result.mean_square.push_back(static_cast<double>(all[2 * v + 1]) / scale / roots);
  }
  return result;
}

}  // namespace amr
