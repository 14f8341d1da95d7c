// A rank's large sends whose rendezvous no receiver has finished. Own thread of the rank only.
//
// Invariant: a send that is in here has its place in `offered_index`. Nobody waits for it: whoever waits for a send
// tests that.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "match/send_op.hpp"

namespace pure::core {

class offered_sends {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }
  [[nodiscard]] std::size_t count() const noexcept { return all_.size(); }

  /// Throws std::bad_alloc, and then nothing has changed.
  void add(send_op& op) {
    all_.push_back(&op);
    op.offered_index = all_.size() - 1;
  }
  void remove(const send_op& op) noexcept {
    send_op* const last = all_.back();
    all_[op.offered_index] = last;
    last->offered_index = op.offered_index;
    all_.pop_back();
  }
  void clear() noexcept { all_.clear(); }

  /// Helps some of their receivers in turn, and calls end(op), which removes it, for each send that is finished: there
  /// may be thousands, and whoever tests each of them comes here each time. True if there was one.
  template <class End>
  bool look(End end) noexcept {
    constexpr std::size_t most = 32;
    bool moved = false;
    for (std::size_t left = std::min(all_.size(), most); left > 0; --left) {
      if (next_ >= all_.size()) next_ = 0;
      send_op& op = *all_[next_];
      if (op.rendezvous.help_and_test()) {
        end(op);  // the last one has its place now
        moved = true;
      } else {
        ++next_;
      }
    }
    return moved;
  }

  /// Helps the receivers of the newest only: there may be thousands, and whoever waits for their pieces also copies
  /// without them.
  void help() noexcept {
    constexpr std::size_t most = 16;
    const std::size_t count = all_.size();
    for (std::size_t i = count - std::min(count, most); i < count; ++i) all_[i]->rendezvous.help();
  }

 private:
  std::vector<send_op*> all_;
  std::size_t next_ = 0;  // to be looked at
};

}  // namespace pure::core
