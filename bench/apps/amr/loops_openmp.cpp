// The loop of loops.hpp, shared with the threads of OpenMP.
#include "loops.hpp"

void amr::run_loop(std::size_t count, iterations* compute, void* context) {
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < count; ++i) compute(i, i + 1, context);
}
