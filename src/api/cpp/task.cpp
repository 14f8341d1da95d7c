// The library side of PureTask and of the parallel loops.
#include <pure/detail/loops.hpp>
#include <pure/detail/tasks.hpp>
#include <pure/paper_task.hpp>

#include "task/chunks.hpp"
#include "task/parallel_loop.hpp"

namespace pure::detail {

static_assert(most_chunks == core::task_slot::most_chunks);

chunk_id_t task_chunks() { return core::chunks_of_task({"PureTask", {}}); }

items indices_of_chunks(std::size_t size, std::size_t items_per_unit, chunk_id_t start, chunk_id_t end,
                        chunk_id_t chunks) noexcept {
  const core::index_span span = core::items_of_chunks(size, items_per_unit, start, end, chunks);
  return {span.first, span.count};
}

void run_chunks(const char* operation, pure_call_site site, chunk_function work, void* context, chunk_id_t chunks) {
  core::run_chunks({operation, site}, {work, context}, chunks);
}

void run_task(const char* operation, const pure_call_site& site, chunk_function work, void* context) {
  core::run_task({operation, site}, {work, context});
}

void run_loop(const char* operation, pure_call_site site, loop_function work, void* context, const loop_shape& shape) {
  core::run_loop({operation, site}, work, context, {shape.iterations, shape.unit, shape.lead, shape.chunk});
}

}  // namespace pure::detail
