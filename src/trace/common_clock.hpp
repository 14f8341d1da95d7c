// One clock for the processes of a job: that of process 0. now_ns() is the same for all processes of a machine, but
// counts from another moment on each machine, and a little faster or slower.
//
// Process 0 exchanges some dozens of short messages with the first process of each machine, and takes the shortest
// round trip: the other clock was read somewhere inside it, so half of it is the most by which the middle can be wrong
// (Cristian, 1989). Two such looks, before and after the job, give a line; times between them lie on it.
//
// Plain data for one thread, except that any thread may read while nobody looks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/process_meeting.hpp"

namespace pure::core {

/// A message to another machine and back: process 0's clock before and after, and the other one between.
struct clock_round_trip {
  std::int64_t sent_ns = 0;
  std::int64_t theirs_ns = 0;
  std::int64_t received_ns = 0;
};

/// Another machine's clock, as process 0 found it.
struct clock_offset {
  std::int64_t at_ns = 0;           // by that clock
  std::int64_t ahead_ns = 0;        // of process 0's
  std::int64_t uncertainty_ns = 0;  // `ahead_ns` is wrong by no more than this

  /// By the shortest of some round trips.
  static clock_offset of(std::span<const clock_round_trip> round_trips) noexcept;
};

class common_clock {
 public:
  /// Process 0 looks at the clocks of all machines, and tells all processes. Collective: before the job, and after it.
  void look(process_meeting& all);

  /// A time of this machine by the common clock. After the first look, or in a job of one process.
  [[nodiscard]] std::int64_t from_here(std::int64_t here_ns) const noexcept;
  /// The same for another machine.
  [[nodiscard]] std::int64_t from(int host, std::int64_t there_ns) const noexcept;

  /// What a look has found, by machine: nothing for one that has not been made.
  [[nodiscard]] const std::vector<clock_offset>& first_look() const noexcept { return first_; }
  [[nodiscard]] const std::vector<clock_offset>& last_look() const noexcept { return last_; }
  /// The most by which a time of any machine can be wrong, if clocks go evenly.
  [[nodiscard]] std::int64_t uncertainty_ns() const noexcept;

 private:
  static constexpr int round_trips = 40;

  int host_ = 0;
  std::vector<clock_offset> first_;
  std::vector<clock_offset> last_;
};

}  // namespace pure::core
