// What the user sees: a heading, a line every so many steps, progress in between on a terminal, and a summary.
// All ranks call its functions together; rank 0 prints.
#pragma once

#include "loops.hpp"
#include "messages.hpp"
#include "options.hpp"
#include "potential.hpp"
#include "simulation.hpp"

namespace md {

class report {
 public:
  report(const options& o, messages& job, const potential& p, const loops& l, simulation& s);

  /// Prints the state after `step` steps. Throws failure if the energy is no longer a number.
  void line(std::int64_t step);
  /// Shows how far we are; cheap enough to be called in every step.
  void progress(std::int64_t step);
  void summary();

 private:
  void heading(const potential& p, const loops& l) const;
  void clear_progress();

  const options& options_;
  messages& job_;
  simulation& simulation_;
  bool speaks_;
  bool on_terminal_;
  bool progress_shown_ = false;
  double start_s_ = 0;
  double last_line_s_ = 0;
  double last_progress_s_ = 0;
  std::int64_t last_step_ = 0;
  observation first_, last_;
};

}  // namespace md
