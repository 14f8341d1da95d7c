// What the three programs need of a message-passing system: all that differs between their Pure and their MPI builds.
//
// team_pure.cpp implements it with pure::comm and pure::window, team_mpi.cpp with MPI-3's shared-memory windows; MPI
// has no notifications, so there they are counters in a window of their own. Everything else is compiled once and
// linked into both. A team or window belongs to one rank and is used by that rank only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "../md/failure.hpp"
#include "../md/text.hpp"

namespace windows {

using md::failure;
using md::text;

/// The ranks of the job, which share memory.
class team {
 public:
  struct system;
  explicit team(system& on);
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  /// "Pure", "MPICH", ...
  [[nodiscard]] static const char* name();
  /// Whether the memory of this rank's process has to be counted; all ranks of Pure are in one process.
  [[nodiscard]] bool is_first_of_its_process() const;

  /// Returns when every rank has called it.
  void barrier();
  /// Adds element by element over all ranks; every rank gets the same bits.
  void sum(std::span<double> values);
  void sum(std::span<std::uint64_t> values);

  /// What is exchanged with another rank.
  struct edge {
    int peer = 0;
    std::span<const double> out;
    std::span<double> in;
  };
  static constexpr std::size_t most_edges = 4;
  /// One message to each peer, and one from each; the peers differ. At most most_edges.
  void exchange(std::span<const edge> edges);

  [[nodiscard]] system& on() const { return on_; }

 private:
  system& on_;
  int rank_ = 0;
  int size_ = 1;
};

/// Where the memory of each rank lies: on pages of its own, or behind that of the rank before.
enum class placement { separate, contiguous };

/// Memory that all ranks address. Made and destroyed by all ranks together. T: double, float, int.
template <class T>
class window {
 public:
  window(team& on, std::size_t count, placement where, const char* name);
  ~window();
  window(const window&) = delete;
  window& operator=(const window&) = delete;

  /// The memory of a rank.
  [[nodiscard]] std::span<T> part(int rank) const;
  /// Where the memory of all ranks begins; it is one array where it is contiguous.
  [[nodiscard]] T* first() const { return part(0).data(); }

  /// By all ranks: what all have stored and put before is seen by all behind it.
  void fence();
  void put(std::span<const T> data, int rank, std::size_t offset);

  /// Adds one to a counter, 0 to 7, of a rank, which then sees what this one has stored before.
  void notify(int rank, int counter);
  void put_notify(std::span<const T> data, int rank, std::size_t offset, int counter);
  /// Waits until the counter of this rank is not 0, and takes one.
  void wait_notified(int counter);

 private:
  struct implementation;
  std::unique_ptr<implementation> on_;
};

/// A program, run by every rank; it throws failure on all ranks or on none.
using program = int (*)(team& ranks, int argc, char** argv);

/// For main. Rank 0 prints a failure, once; the status is then 2.
int launch(int argc, char** argv, const char* name, program run);

/// One rank of launch, for the implementations. job_size: with the ranks that share no memory with this one.
int run_rank(team& ranks, int job_rank, int job_size, const char* name, program run, int argc, char** argv);

}  // namespace windows
