// Which operations of its rank are finished: those of one communicator may be pending together, and end in any order.
//
// Own thread of the rank only. Always: all up to operation count() are finished, and the one after it is not.
// Modelled by tests/model/dropbox.pml.
#pragma once

#include <cstdint>
#include <vector>

namespace pure::core {

class finished_operations {
 public:
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// Operation `sequence`, which was not finished before. True if it was the next one: then count() is larger now.
  bool add(std::uint64_t sequence) noexcept {
    if (sequence == count_ + 1) [[likely]] {
      ++count_;
      if (has_beyond_) close_gap();
      return true;
    }
    add_beyond(sequence);
    return false;
  }

 private:
  void add_beyond(std::uint64_t sequence) noexcept;
  void close_gap() noexcept;

  std::uint64_t count_ = 0;
  std::uint64_t beyond_ = 0;               // bit i: operation count_ + 1 + i is finished, too
  bool has_beyond_ = false;                // beyond_ or far_beyond_ has something
  std::vector<std::uint64_t> far_beyond_;  // operations that are finished, too, and for which beyond_ has no bit
};

}  // namespace pure::core
