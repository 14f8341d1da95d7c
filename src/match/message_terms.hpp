// What decides how a rank's messages go: constant as long as the rank lives. Each part of its match engine has a copy,
// so that the short path reads it at a fixed place in the part.
#pragma once

#include <cstddef>

#include "runtime/rank.hpp"

namespace pure::core {

class message_checks;
class remote_ranks;

struct message_terms {
  remote_ranks* remote = nullptr;    // null: all ranks are in this process
  activity* log = nullptr;           // null: nothing is logged
  message_checks* checks = nullptr;  // null unless messages are checked (PURE_CHECK)
  std::size_t eager_limit_bytes = 0;
  std::size_t short_path_end = 0;  // eager messages with fewer bytes take the short path; 0 if all are watched

  /// Messages are logged or checked, and none takes the short path.
  [[nodiscard]] bool is_watched() const noexcept { return short_path_end == 0; }
};

}  // namespace pure::core
