// Loops on MPI alone: every rank does its own.
#include "failure.hpp"
#include "loops.hpp"

namespace md {

loops::loops(tasks how) : how_(how) {
  if (how_ != tasks::none) throw failure("--tasks: only Pure has tasks; an MPI rank cannot do the work of another");
}

void loops::run(std::size_t n, const std::function<void(std::size_t)>& body) const {
  for (std::size_t i = 0; i < n; ++i) body(i);
}

std::string loops::description() const { return "not shared"; }

}  // namespace md
