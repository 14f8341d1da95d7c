// The library side of PureTask and of the parallel loops.
#include <pure/detail/loops.hpp>
#include <pure/detail/tasks.hpp>
#include <pure/paper_task.hpp>

#include "api/cpp/boundary.hpp"
#include "task/chunks.hpp"
#include "task/parallel_loop.hpp"

namespace pure::detail {

static_assert(most_chunks == core::task_slot::most_chunks);

failure* pure_cxx_task_chunks(chunk_id_t* chunks) {
  return at_boundary([&] { *chunks = core::chunks_of_task({"PureTask", {}}); });
}

items pure_cxx_indices_of_chunks(std::size_t size, std::size_t items_per_unit, chunk_id_t start, chunk_id_t end,
                                 chunk_id_t chunks) noexcept {
  const core::index_span span = core::items_of_chunks(size, items_per_unit, start, end, chunks);
  return {span.first, span.count};
}

failure* pure_cxx_run_chunks(const char* operation, pure_call_site site, chunk_function work, void* context,
                             chunk_id_t chunks) {
  return at_boundary([&] { core::run_chunks({operation, site}, {work, context}, chunks); });
}

failure* pure_cxx_run_task(const char* operation, const pure_call_site* site, chunk_function work, void* context) {
  return at_boundary([&] { core::run_task({operation, *site}, {work, context}); });
}

failure* pure_cxx_run_loop(const char* operation, pure_call_site site, loop_function work, void* context,
                           const loop_shape* shape) {
  return at_boundary([&] {
    core::run_loop({operation, site}, work, context, {shape->iterations, shape->unit, shape->lead, shape->chunk});
  });
}

}  // namespace pure::detail
