// Modelled by tests/model/dropbox.pml.
#include "coll/finished_operations.hpp"

#include <bit>

namespace pure::core {

void finished_operations::add_beyond(std::uint64_t sequence) noexcept {
  has_beyond_ = true;
  if (const std::uint64_t bit = sequence - count_ - 1; bit < 64) {
    beyond_ |= std::uint64_t{1} << bit;
  } else {
    far_beyond_.push_back(sequence);
  }
}

void finished_operations::close_gap() noexcept {
  beyond_ >>= 1;  // bit 0 stood for the operation that has just been counted
  for (;;) {
    std::erase_if(far_beyond_, [this](std::uint64_t sequence) {
      const std::uint64_t bit = sequence - count_ - 1;
      if (bit >= 64) return false;
      beyond_ |= std::uint64_t{1} << bit;
      return true;
    });
    const int more = std::countr_one(beyond_);
    if (more == 0) break;
    count_ += static_cast<std::uint64_t>(more);
    beyond_ = more == 64 ? 0 : beyond_ >> more;
  }
  has_beyond_ = beyond_ != 0 || !far_beyond_.empty();
}

}  // namespace pure::core
