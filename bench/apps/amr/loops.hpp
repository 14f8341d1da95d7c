// The one loop behind all that takes time (stencil_loops.cpp). It is written three times:
//
//   loops.cpp         by one thread
//   loops_tasks.cpp   shared with ranks that wait (pure/tasks.h)
//   loops_openmp.cpp  shared with OpenMP's threads
//
// Iterations are independent of each other, and what they compute does not depend on who computes it.
#pragma once

#include <cstddef>

namespace amr {

using iterations = void(std::size_t first, std::size_t last, void* context);

// Calls `compute` for parts of 0, ..., count - 1, each index once, in any order, several parts at the same time.
void run_loop(std::size_t count, iterations* compute, void* context);

// body(i) for all of these indices.
template <typename body>
void for_each_index(std::size_t count, body compute) {
  const auto part = [](std::size_t first, std::size_t last, void* context) {
    for (std::size_t i = first; i < last; ++i) (*static_cast<const body*>(context))(i);
  };
  run_loop(count, part, &compute);
}

}  // namespace amr
