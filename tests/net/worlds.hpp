// Parts of a job, for random programs and plans of fewer ranks than it has.
#pragma once

#include <pure.h>

#include <cstdint>
#include <vector>

namespace net_test {

/// The caller in a part of the job: its communicator and its rank there; PURE_COMM_NULL and -1 if it is in none.
struct part_of_job {
  pure_comm comm = PURE_COMM_NULL;
  int rank = -1;
};

/// Of each number of ranks two: both have the same ranks, as many of one process as of another where there are so many,
/// and first rank 0. So a program of two ranks has them in different processes.
class parts_of_job {
 public:
  /// Collective.
  parts_of_job() {
    const int rank = pure_rank(), size = pure_size();
    pure_comm here = PURE_COMM_NULL, dealt = PURE_COMM_NULL;
    int rank_here = 0, place = 0;
    pure_comm_split_type(PURE_COMM_WORLD, PURE_COMM_TYPE_PROCESS, rank, &here);
    pure_comm_rank(here, &rank_here);
    pure_comm_split(PURE_COMM_WORLD, 0, rank_here * size + rank, &dealt);
    pure_comm_rank(dealt, &place);
    for (int n = 1; n <= size; ++n) {
      dealt_.push_back(part(place < n, place));
      in_blocks_.push_back(part(place < n, rank));
    }
  }
  /// With an even seed in the order of the job's ranks; with an odd one no two of one process after each other, if it
  /// can be.
  [[nodiscard]] part_of_job of(int ranks, std::uint64_t seed) const {
    return (seed % 2 == 0 ? in_blocks_ : dealt_)[static_cast<std::size_t>(ranks) - 1];
  }

 private:
  static part_of_job part(bool is_in_it, int key) {
    part_of_job made;
    pure_comm_split(PURE_COMM_WORLD, is_in_it ? 0 : PURE_UNDEFINED, key, &made.comm);
    if (is_in_it) pure_comm_rank(made.comm, &made.rank);
    return made;
  }

  std::vector<part_of_job> dealt_, in_blocks_;
};

}  // namespace net_test
