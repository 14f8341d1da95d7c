// What PureTask and the parallel loops ask of the library. C++17. Not for programs.
#pragma once

#include <cstddef>
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

/// Indices first..last of `size` items for chunks start..end of `chunks`; `items_per_unit` items are never parted.
struct items {
  std::size_t first, count;
};
extern "C" {
PURE_API failure* pure_cxx_task_chunks(std::uint32_t* chunks);
PURE_API items pure_cxx_indices_of_chunks(std::size_t size, std::size_t items_per_unit, std::uint32_t start,
                                          std::uint32_t end, std::uint32_t chunks) noexcept;
}

/// The number of chunks of the calling rank's tasks (the setting PURE_MAX_TASK_CHUNKS).
inline std::uint32_t task_chunks() {
  std::uint32_t chunks = 0;
  check(pure_cxx_task_chunks(&chunks));
  return chunks;
}
inline items indices_of_chunks(std::size_t size, std::size_t items_per_unit, std::uint32_t start, std::uint32_t end,
                               std::uint32_t chunks) noexcept {
  return pure_cxx_indices_of_chunks(size, items_per_unit, start, end, chunks);
}

}  // namespace pure::detail
