// Which ranks each process of a job has, both ways: from a rank to its process and its index there, and back.
//
//   block        consecutive ranks for each process, their numbers equal or one more for the first ones
//   round-robin  rank r is in process r mod the number of processes
//   file:PATH    lines "RANKS PROCESS", such as "0-3,8 1"; # starts a comment
//   order:PATH   a file MPICH_RANK_ORDER, as CrayPAT and grid_order write it for MPICH_RANK_REORDER_METHOD=3: ranks and
//                ranges, separated by commas or white space, # starts a comment. In that order they fill the processes,
//                block by block
//
// Every process has at least one rank. Plain data; all processes compute the same one from the same words. Any thread.
#pragma once

#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pure::core {

class rank_placement {
 public:
  /// Both positive, and not more processes than ranks (pure::Error otherwise, as for all that follow).
  static rank_placement block(int ranks, int processes);
  static rank_placement round_robin(int ranks, int processes);
  /// Consecutive ranks; so many for each process.
  static rank_placement block_of(std::span<const int> ranks_of_processes);
  /// `name` is how the text is called in errors: "NAME:LINE: what is wrong".
  static rank_placement from_file(int ranks, int processes, std::istream& text, std::string_view name);
  static rank_placement from_order(int ranks, int processes, std::istream& text, std::string_view name);

  /// As the words of PURE_PLACEMENT say; reads the file.
  static rank_placement of(std::string_view words, int ranks, int processes);
  /// The path in such words; empty if there is none. Throws for words that mean nothing.
  static std::string path_in(std::string_view words);

  [[nodiscard]] int ranks() const noexcept { return static_cast<int>(process_of_.size()); }
  [[nodiscard]] int processes() const noexcept { return static_cast<int>(first_.size()) - 1; }

  [[nodiscard]] int process_of(int rank) const noexcept { return process_of_[static_cast<std::size_t>(rank)]; }
  /// The rank's place among the ranks of its process, from 0.
  [[nodiscard]] int index_of(int rank) const noexcept { return index_of_[static_cast<std::size_t>(rank)]; }
  /// By index; ascending, except for an order, where they are as listed.
  [[nodiscard]] std::span<const int> ranks_of(int process) const noexcept {
    const auto at = static_cast<std::size_t>(process);
    return std::span(ranks_).subspan(first_[at], first_[at + 1] - first_[at]);
  }

 private:
  /// `ranks`: all ranks, those of process 0 first; `counts`: how many each process has.
  rank_placement(std::vector<int> ranks, std::span<const int> counts);

  std::vector<int> ranks_;          // grouped by process
  std::vector<std::size_t> first_;  // by process: its first in ranks_; and one more, the end
  std::vector<int> process_of_;     // by rank
  std::vector<int> index_of_;       // by rank
};

}  // namespace pure::core
