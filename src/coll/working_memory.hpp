// Memory in which a rank works while it moves on one operation. Own thread of the rank only.
//
// Always: nothing is kept in it between polls. So all operations of a rank on a communicator use the same, and nobody
// gives it back before the communicator ends.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned_bytes.hpp"

namespace pure::core {

class working_memory {
 public:
  /// For intermediate results. Aligned, with unknown contents.
  std::byte* scratch(std::size_t bytes) {
    if (scratch_bytes_ < bytes) {
      scratch_ = make_aligned(bytes);
      scratch_bytes_ = bytes;
    }
    return scratch_.get();
  }

  /// An array of pointers, one for each of so many ranks.
  [[nodiscard]] std::vector<const void*>& operands(int ranks) {
    operands_.resize(static_cast<std::size_t>(ranks));
    return operands_;
  }

 private:
  std::vector<const void*> operands_;  // empty until it is asked for
  aligned_bytes scratch_;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace pure::core
