// What PureTask and the parallel loops ask of the library. C++17. Not for programs.
#pragma once

#include <cstdint>

#include <pure/call_site.hpp>
#include <pure/detail/failure.hpp>
#include <pure/export.hpp>

namespace pure::detail {

/// Does chunks first..last, both included. Called on any rank's thread, by several at the same time. May throw
/// (in_program).
using chunk_function = void (*)(void* context, std::uint32_t first, std::uint32_t last);

/// The most chunks that one task has.
inline constexpr std::uint32_t most_chunks = 0xffff;

extern "C" {
PURE_API failure* pure_cxx_run_chunks(const char* operation, pure_call_site site, chunk_function work, void* context,
                                      std::uint32_t chunks);
PURE_API failure* pure_cxx_run_task(const char* operation, const pure_call_site* site, chunk_function work,
                                    void* context);
}

/// Does chunks 0..chunks-1 of a task of the calling rank, with the help of ranks that wait, and returns when all are
/// done. `operation`: a name for errors and reports, valid for ever. Inside a chunk the task runs in place. Throws what
/// the first failing chunk has thrown; state, outside a rank.
inline void run_chunks(const char* operation, pure_call_site site, chunk_function work, void* context,
                       std::uint32_t chunks) {
  check(pure_cxx_run_chunks(operation, site, work, context, chunks));
}

/// The same with as many chunks as the setting PURE_MAX_TASK_CHUNKS says.
inline void run_task(const char* operation, const pure_call_site& site, chunk_function work, void* context) {
  check(pure_cxx_run_task(operation, &site, work, context));
}

}  // namespace pure::detail
