// What decides how a rank's messages go: constant as long as the rank lives. Each part of its match engine has a copy,
// so that the short path reads it at a fixed place in the part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "runtime/rank.hpp"
#include "transport/cells.hpp"

namespace pure::core {

class message_checks;
class remote_ranks;

/// For messages that are longer than the eager limit, between ranks of a process.
enum class cell_use : std::uint8_t { never, by_measurement, always };

struct message_terms {
  remote_ranks* remote = nullptr;    // null: all ranks are in this process
  activity* log = nullptr;           // null: nothing is logged
  message_checks* checks = nullptr;  // null unless messages are checked (PURE_CHECK)
  std::size_t eager_limit_bytes = 0;
  /// Messages with more bytes than these go through cells, if there are any.
  std::size_t cells_from_bytes = no_cells;
  cell_use cells = cell_use::never;
  std::size_t most_packed_bytes = 0;  // of a message whose pieces its sender packs (PURE_PACKED_COPY_MAX)
  std::size_t short_path_end = 0;     // eager messages with fewer bytes take the short path; 0 if all are watched

  /// From here on a message through cells takes less time than one in the lines of its ring (D-cells).
  static constexpr std::size_t worth_cells_bytes = 192;
  static constexpr std::size_t no_cells = std::numeric_limits<std::size_t>::max();

  /// The longest message that goes through cells, whole or in pieces.
  static constexpr std::size_t most_bytes_through_cells(std::size_t most_packed) noexcept {
    return std::max(most_bytes_in_cells, most_packed);
  }

  /// Messages are logged or checked, and none takes the short path.
  [[nodiscard]] bool is_watched() const noexcept { return short_path_end == 0; }
};

}  // namespace pure::core
