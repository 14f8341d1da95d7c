// The library side of PureTask and of the parallel loops.
#include <fmt/core.h>

#include <pure/detail/tasks.hpp>
#include <pure/error.hpp>
#include <pure/paper_task.hpp>

#include "runtime/call_error.hpp"
#include "runtime/forked_child.hpp"
#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "task/chunks.hpp"
#include "task/task_service.hpp"

namespace pure::detail {

namespace {

[[noreturn]] void throw_outside(const core::call& by) {
  throw core::call_error(by, errc::state,
                         core::is_forked_from_worker()
                             ? core::forked_child_text()
                             : "called outside a rank; a task is executed by a rank, inside main or pure::run");
}

/// The rank that runs here, be it in a chunk.
const core::rank_context& runner(const core::call& by) {
  if (const core::rank_context* const rank = core::rank_of_thread()) return *rank;
  throw_outside(by);
}

}  // namespace

chunk_id_t task_chunks() { return static_cast<chunk_id_t>(runner({"PureTask", {}}).owner().values().max_task_chunks); }

items indices_of_chunks(std::size_t size, std::size_t items_per_unit, chunk_id_t start, chunk_id_t end,
                        chunk_id_t chunks) noexcept {
  const core::index_span span = core::items_of_chunks(size, items_per_unit, start, end, chunks);
  return {span.first, span.count};
}

namespace {

/// Where no rank is: a task in a chunk runs in place.
void run_without_rank(const core::call& by, chunk_function work, void* context, chunk_id_t chunks) {
  if (core::rank_in_chunk() == nullptr) throw_outside(by);
  work(context, 0, chunks - 1);
}

}  // namespace

void run_chunks(const char* operation, pure_call_site site, chunk_function work, void* context, chunk_id_t chunks) {
  if (chunks == 0) return;
  const core::call by{operation, site};
  core::rank_context* const rank = core::self();
  if (rank == nullptr) [[unlikely]]
    return run_without_rank(by, work, context, chunks);
  core::task_service::of(*rank).execute(by, {work, context}, chunks);
}

void run_task(const char* operation, const pure_call_site& site, chunk_function work, void* context) {
  const core::call by{operation, site};
  core::rank_context* const rank = core::self();
  if (rank == nullptr) [[unlikely]]
    return run_without_rank(by, work, context, task_chunks());
  core::task_service& tasks = core::task_service::of(*rank);
  tasks.execute(by, {work, context}, tasks.chunks_of_paper_task());
}

}  // namespace pure::detail
