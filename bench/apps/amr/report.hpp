// Where the time goes, and what rank 0 prints of it. All functions that print are collective.
#pragma once

#include <array>
#include <vector>

#include "checksum.hpp"
#include "mesh.hpp"

namespace amr {

// Computing is what loops over blocks and faces do; communicating is time in the calls of MPI for faces, waiting
// included.
enum class phase { computing, communicating, refining, balancing, checking };
constexpr std::size_t phases = 5;

class stopwatch {
 public:
  // Does it, and counts its time to the phase.
  template <typename function>
  void time(phase p, const function& work) {
    const double start = MPI_Wtime();
    work();
    seconds_[static_cast<std::size_t>(p)] += MPI_Wtime() - start;
  }
  // Part of the first phase's time belongs to the second.
  void reassign(phase from, phase to, double seconds) {
    seconds_[static_cast<std::size_t>(from)] -= seconds;
    seconds_[static_cast<std::size_t>(to)] += seconds;
  }
  // Notes how long this step has computed.
  void end_step();
  [[nodiscard]] const std::array<double, phases>& seconds() const { return seconds_; }
  [[nodiscard]] const std::vector<double>& computing_of_steps() const { return computing_of_steps_; }

 private:
  std::array<double, phases> seconds_{};
  std::vector<double> computing_of_steps_;
  double computing_before_ = 0;
};

// What the blocks will need on this node, and what it has: false, and said, where that is not enough.
bool memory_suffices(const mesh& m);

// A line of the table: of the steps since the last line.
class table {
 public:
  explicit table(const mesh& m);
  void line(const mesh& m, const stopwatch& watch, int step, double seconds);

 private:
  std::size_t steps_seen_ = 0;
};

void print_check(const mesh& m, const char* when, const checksum& now, const checksum& start);

struct totals {
  double seconds;
  int steps;
  long long messages, bytes;  // sent by this rank
  long long swept;            // cells, of all variables, by this rank or in its place
};
void print_summary(const mesh& m, const stopwatch& watch, const totals& t, const checksum& start, const checksum& end);

}  // namespace amr
