// The streams of large messages from one sender of another process: contexts and tags whose next message may be
// expected before its envelope is here (expected_receives.hpp). Own thread of the receiving rank only.
#pragma once

#include <algorithm>
#include <vector>

#include "transport/record.hpp"

namespace pure::core {

class message_streams {
 public:
  [[nodiscard]] bool empty() const noexcept { return of_.empty(); }

  /// Notes the stream that a message with that envelope is of; each is there once. Throws std::bad_alloc.
  void note(const envelope& who) {
    const auto is_same = [&](const envelope& each) { return each.context == who.context && each.tag == who.tag; };
    if (!any(is_same)) of_.push_back(who);
  }

  /// Whether is_its(envelope) is true of a stream; `source` counts for nothing there.
  template <class IsIts>
  [[nodiscard]] bool any(IsIts is_its) const {
    return std::any_of(of_.begin(), of_.end(), is_its);
  }

 private:
  std::vector<envelope> of_;
};

}  // namespace pure::core
