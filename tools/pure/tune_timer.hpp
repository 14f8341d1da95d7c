// How long a collective takes with a table: a job of its own for each sample, whose PURE_TUNING names that table.
//
// Up to 1 KiB the repetitions of a sample are one loop; larger data is timed repetition by repetition, from the first
// rank that starts to the last that returns, without writing and checking (as in bench/micro/collective.hpp). The
// slowest fifth is left out.
//
// One thread, which is no rank. Changes the environment of the process.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coll/tuning.hpp"

namespace pure::tool {

/// A folder for tables, removed with everything in it at the end.
class table_folder {
 public:
  table_folder();
  ~table_folder();
  table_folder(const table_folder&) = delete;
  table_folder& operator=(const table_folder&) = delete;

  /// The path of a file in which all collectives have these algorithm_choice, for any number of ranks.
  std::string path_of(const core::algorithm_choice& use);

 private:
  std::string path_;
};

/// Whether some ranks of a job of so many share a core. Throws pure::Error if no such job can start.
bool ranks_share_cores(int ranks);

class tune_timer {
 public:
  /// Samples take about `batch_seconds` for each size.
  tune_timer(detail::collective kind, int ranks, bool shared_cores, std::vector<std::size_t> sizes,
             double batch_seconds);

  /// The seconds of one repetition, for each size.
  std::vector<double> sample(const std::string& table_path);

  [[nodiscard]] const std::vector<std::size_t>& sizes() const noexcept { return sizes_; }

 private:
  friend class rank_of_timer;

  const detail::collective kind_;
  const int ranks_;
  const bool shared_cores_;
  const std::vector<std::size_t> sizes_;
  const double batch_seconds_;
  std::vector<long> repetitions_;  // of a sample; 0: not known yet
  std::vector<double> seconds_;    // of the latest sample; written by rank 0
};

}  // namespace pure::tool
