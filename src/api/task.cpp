// The serial executor of PureTask: the owner runs all chunks, as one range.
#include <fmt/core.h>

#include <pure/error.hpp>
#include <pure/paper_task.hpp>

#include "runtime/job.hpp"
#include "runtime/rank.hpp"
#include "task/chunks.hpp"

namespace pure::detail {

chunk_id_t task_chunks() {
  const core::rank_context* const rank = core::self();
  if (rank == nullptr) {
    throw Error(errc::state, "PureTask: called outside a rank; a task is executed by a rank, inside main or pure::run");
  }
  return static_cast<chunk_id_t>(rank->owner().values().max_task_chunks);
}

index_range indices_of_chunks(std::size_t size, std::size_t items_per_unit, chunk_id_t start, chunk_id_t end,
                              chunk_id_t chunks) noexcept {
  const core::index_span span = core::items_of_chunks(size, items_per_unit, start, end, chunks);
  return {span.first, span.count};
}

}  // namespace pure::detail

void PureTask::run(std::optional<void*> per_exe_args) {
  body_(0, pure::detail::task_chunks() - 1, per_exe_args);  // one range: there is nobody to leave a part to
}
