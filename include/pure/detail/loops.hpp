// What the parallel loops ask of the library. Not for programs.
#pragma once

#include <cstdint>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/export.hpp>

namespace pure::detail {

/// Does iterations first..first+count-1. Called on any rank's thread, by several at the same time; count > 0. May throw
/// (in_program).
using loop_function = void (*)(void* context, std::uint64_t first, std::uint64_t count);

/// How a loop may be cut: at iterations k * unit - lead, for any k.
struct loop_shape {
  std::uint64_t iterations = 0;  // less than 2^63
  std::uint64_t unit = 1;
  std::uint64_t lead = 0;   // less than `unit`: the first unit is shorter by that much
  std::uint64_t chunk = 0;  // in iterations, rounded up to whole units; 0: by measurement
};

extern "C" PURE_API failure* pure_cxx_run_loop(const char* operation, pure_call_site site, loop_function work,
                                               void* context, const loop_shape* shape);

/// Does all iterations, each once, with the help of ranks that wait, and returns when all are done. `operation`: a
/// name for errors and reports, valid for ever. In a chunk, and in a job of one rank, it calls work(context, 0,
/// iterations), or once per chunk. Throws what the first failing call of `work` has thrown; state, outside a rank.
inline void run_loop(const char* operation, pure_call_site site, loop_function work, void* context,
                     const loop_shape& shape) {
  check(pure_cxx_run_loop(operation, site, work, context, &shape));
}

}  // namespace pure::detail
