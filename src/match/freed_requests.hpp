// The requests that a rank has freed before they were complete (MPI 4.1, 3.7.3): nobody waits for them, so they are
// looked at now and then. Own thread of the rank only.
//
// Invariant: each is in here until try_end() has said once that it is over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "match/handle_table.hpp"

namespace pure::core {

class freed_requests {
 public:
  void add(handle freed) { all_.push_back(freed); }
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::span<const handle> all() const noexcept { return all_; }

  /// Calls try_end(handle) for at most `most` of them in turn: there may be thousands. Those for which that is true
  /// are gone then. True if there was one.
  template <class TryEnd>
  bool look(std::size_t most, TryEnd try_end) {
    bool any = false;
    for (std::size_t left = std::min(all_.size(), most); left > 0; --left) {
      if (next_ >= all_.size()) next_ = 0;
      if (!try_end(all_[next_])) {
        ++next_;
        continue;
      }
      all_[next_] = all_.back();
      all_.pop_back();
      any = true;
    }
    return any;
  }

 private:
  std::vector<handle> all_;
  std::size_t next_ = 0;  // to be looked at
};

}  // namespace pure::core
