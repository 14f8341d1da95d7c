// Loops on MPI and OpenMP: the threads of a rank share them. OMP_NUM_THREADS says how many there are.
#include <omp.h>

#include "failure.hpp"
#include "loops.hpp"
#include "text.hpp"

namespace md {

loops::loops(tasks how) : how_(how) {
  if (how_ != tasks::none) throw failure("--tasks: only Pure has tasks; here OMP_NUM_THREADS threads share the loops");
}

void loops::run(std::size_t n, const std::function<void(std::size_t)>& body) const {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < n; ++i) body(i);
}

std::string loops::description() const { return text("shared by the %d threads of a rank", omp_get_max_threads()); }

}  // namespace md
