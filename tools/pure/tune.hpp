// `pure bench tune`: finds, by measurement, the tuning table of collectives for this machine.
//
// For each collective and each number of ranks, one parameter of its row after the other: candidates are measured in
// turn (A B A B), the ratios of neighbouring samples are compared, and a candidate that is faster than the built-in
// value is measured once more against it, with new samples. Only what is faster then, too, replaces it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "coll/tuning.hpp"

namespace pure::tool {

struct tune_options {
  std::vector<int> ranks;  ///< how many; empty: what suits the machine
  bool quick = false;
};

/// One value that replaces a built-in one, and what was measured.
struct tuned_value {
  struct at_size {
    std::size_t bytes;
    double old_us, new_us;  // medians
    double ratio;           // new / old; the median of those of neighbouring samples
  };
  detail::collective kind;
  int ranks;
  bool shared_cores;
  std::string parameter;
  std::size_t old_value, new_value;
  std::vector<at_size> measured;
};

struct tune_result {
  std::vector<core::tuning_row> rows;  ///< of the collectives for which something changes
  std::vector<tuned_value> changes;
  int values = 0;  ///< how many were looked at
};

/// 2, 4, 8, ... up to the cores that the process may use, and twice and four times as many.
std::vector<int> ranks_to_tune();

/// Calls progress("3 of 33: reduce, 2 ranks") before each part. Throws pure::Error if a job cannot start. PURE_CHECK
/// and the like are not in force meanwhile.
tune_result tune(const tune_options& options, const std::function<void(const std::string&)>& progress);

/// The changes as a table.
std::string tune_text(const tune_result& result);

}  // namespace pure::tool
