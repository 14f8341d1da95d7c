// A loop of a rank whose iterations waiting ranks take over: what the doors' parallel loops are made of.
//
// A loop with a chunk size is a task of so many chunks; one without is dealt in batches by the clock
// (task/adaptive_loop.hpp). Own thread of the rank only; a loop in a chunk, and one of a job of one rank, runs in
// place.
#pragma once

#include <cstdint>

#include "base/call.hpp"
#include "task/task_slot.hpp"

namespace pure::core {

/// Does iterations first..first+count-1. Called on any rank's thread, by several at the same time; count > 0.
using loop_function = void (*)(void* context, std::uint64_t first, std::uint64_t count);

/// How a loop may be cut: at iterations k * unit - lead, for any k.
struct loop_shape {
  std::uint64_t iterations = 0;  // less than 2^63
  std::uint64_t unit = 1;
  std::uint64_t lead = 0;   // less than `unit`: the first unit is shorter by that much
  std::uint64_t chunk = 0;  // in iterations, rounded up to whole units; 0: by measurement
};

/// Does all iterations, each once, and returns when all are done. In a chunk, and in a job of one rank, it calls
/// work(context, 0, iterations), or once per chunk. Throws what the first failing call of `work` has thrown; state,
/// outside a rank.
void run_loop(const call& by, loop_function work, void* context, const loop_shape& shape);

/// Does chunks 0..chunks-1 of a task; the same for these. 0: nothing is done, and nothing is an error.
void run_chunks(const call& by, const task& what, std::uint32_t chunks);

/// How many chunks the tasks of the rank have that runs here, be it in a chunk. Throws state, outside a rank.
[[nodiscard]] std::uint32_t chunks_of_task(const call& by);

/// The same with so many.
void run_task(const call& by, const task& what);

}  // namespace pure::core
