// For runs of a program whose ranks are in several processes of one machine, over Pure or over an MPI: the clock, and
// the outcomes of all, put together at rank 0.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/oracle/rank_runner.hpp"

namespace oracle {

/// Meet: a barrier of the program's ranks. The processes are those of one machine, and their clock its clock.
template <class Meet>
class process_run final : public rank_runner::shared {
 public:
  process_run(const program& of, Meet meet) : shared(of), meet_(std::move(meet)) {}
  void meet() override { meet_(); }
  std::uint64_t tick() noexcept override {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }

 private:
  Meet meet_;
};

/// An outcome as bytes. Each is written by one rank and zero elsewhere, so that `or` puts them together.
struct flat_outcome {
  std::uint64_t bytes, began;
  int complete, source, tag, from_message;
  char complaint[224];
};
static_assert(std::is_trivially_copyable_v<flat_outcome>);

/// What the ranks of a run have noted, at rank 0. combine(mine, all, bytes): the bitwise or of all ranks, at rank 0.
struct noted {
  std::vector<outcome> outcomes;
  std::vector<std::uint64_t> completed;
};
template <class Combine>
noted put_together(const rank_runner::shared& run, int rank, Combine combine) {
  const auto of_all = [&combine]<class T>(const std::vector<T>& mine) {
    std::vector<T> all(mine.size());
    combine(mine.data(), all.data(), mine.size() * sizeof(T));
    return all;
  };
  std::vector<flat_outcome> flat(run.outcomes.size());
  for (std::size_t r = 0; r < flat.size(); ++r) {
    if (run.p.receives[r].at != rank) continue;
    const outcome& o = run.outcomes[r];
    flat[r] = {o.bytes, o.began, o.complete ? 1 : 0, o.source, o.tag, o.from_message, {}};
    std::strncpy(flat[r].complaint, o.complaint.c_str(), sizeof flat[r].complaint - 1);
  }
  noted all;
  for (const flat_outcome& o : of_all(flat)) {
    all.outcomes.push_back({o.complete != 0, o.source, o.tag, o.bytes, o.from_message, o.complaint, o.began});
  }
  all.completed = of_all(run.completed);
  return all;
}

}  // namespace oracle
