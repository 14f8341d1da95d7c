// The loop of loops.hpp, shared with the ranks of this process that wait.
#include <pure/tasks.h>

#include "loops.hpp"

void amr::run_loop(std::size_t count, iterations* compute, void* context) {
  pure_parallel_for(count, compute, context, nullptr);
}
