// Which algorithm a collective uses: one table, by collective, number of ranks, and whether they share cores.
//
// The table is read once, when a job starts: the built-in one, or the file that PURE_TUNING names (`pure bench tune`
// writes one for a machine, `pure info --tuning` prints what is in force). Constant afterwards; any thread.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <pure/detail/collectives.hpp>

namespace pure::core {

/// How one collective is done on one communicator. What is larger than copied_bytes is not copied, but reduced by the
/// Partitioned Reducer (paper, 4.2.2) or copied once, straight between the buffers of the ranks.
struct algorithm_choice {
  /// The largest data that goes through the dropboxes: of one rank, or for a scatter or all-to-all of all its blocks.
  std::size_t copied_bytes = 2048;
  /// In the dropboxes, each rank looks at all others (0), or at its neighbours in a tree in which a rank of the lowest
  /// level has this many children less one. Barrier, bcast, reduce and allreduce only.
  int tree_radix = 0;
  /// Of the work that ranks share, the pieces that they claim.
  std::size_t piece_bytes = 8192;

  friend bool operator==(const algorithm_choice&, const algorithm_choice&) = default;
};

struct tuning_row {
  detail::collective kind;
  int most_ranks;     // the row is for communicators of at most so many ranks
  bool shared_cores;  // of ranks some of which share a core
  algorithm_choice use;
};

class tuning {
 public:
  static constexpr std::size_t most_copied_bytes = 64 * 1024;

  /// The built-in table.
  tuning();
  /// Of a file. Throws pure::Error (argument) that says what is wrong with it, and in which row.
  explicit tuning(const std::string& path);
  /// With these rows before the built-in ones.
  explicit tuning(const std::vector<tuning_row>& first);

  /// The first row that fits; the built-in table, and any file, have one for every case.
  [[nodiscard]] const algorithm_choice& choose(detail::collective kind, int ranks, bool shared_cores) const noexcept;

  /// The rows that can be chosen, by collective and by shared_cores; of each such group, with more and more ranks.
  [[nodiscard]] std::vector<tuning_row> rows_in_force() const;

  /// For any number of ranks.
  static constexpr int any_ranks = std::numeric_limits<int>::max();

 private:
  std::vector<tuning_row> rows_;
};

/// The text of a file with these rows.
std::string tuning_file_text(const std::vector<tuning_row>& rows);

/// If it can be done by a tree: then tree_radix matters.
[[nodiscard]] constexpr bool has_tree(detail::collective kind) noexcept {
  using detail::collective;
  return kind == collective::barrier || kind == collective::bcast || kind == collective::reduce ||
         kind == collective::allreduce;
}

/// "allreduce"; and back, false if there is none.
std::string_view name_of(detail::collective kind) noexcept;
bool collective_named(std::string_view name, detail::collective& found) noexcept;

}  // namespace pure::core
