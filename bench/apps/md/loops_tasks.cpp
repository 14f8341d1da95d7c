// Loops of md as an MPI program with tasks: ranks that wait for a message take over iterations of others. What
// examples/md/loops_serial.cpp is for an MPI alone.
#include <pure/tasks.h>

#include "loops.hpp"

namespace md {
namespace {

using loop_body = std::function<void(std::size_t)>;

void part_of_loop(std::size_t first, std::size_t last, void* body) {
  for (std::size_t i = first; i < last; ++i) (*static_cast<const loop_body*>(body))(i);
}

struct sized_body {
  const loop_body* body;
  std::size_t count;
};

void chunks_of_loop(unsigned first_chunk, unsigned last_chunk, void* /*per_execution*/, void* context) {
  const sized_body& loop = *static_cast<const sized_body*>(context);
  std::size_t first = 0;
  std::size_t last = 0;
  pure_task_items(loop.count, 0, first_chunk, last_chunk, &first, &last);
  for (std::size_t i = first; i < last; ++i) (*loop.body)(i);
}

}  // namespace

loops::loops(tasks how) : how_(how) {}

void loops::run(std::size_t n, const loop_body& body) const {
  switch (how_) {
    case tasks::none:
      for (std::size_t i = 0; i < n; ++i) body(i);
      return;
    case tasks::pure_task: {
      sized_body loop{&body, n};
      const pure_task task{chunks_of_loop, &loop};
      pure_task_execute(&task, nullptr);
      return;
    }
    case tasks::parallel_for: pure_parallel_for(n, part_of_loop, const_cast<loop_body*>(&body), nullptr); return;
  }
}

std::string loops::description() const {
  switch (how_) {
    case tasks::pure_task: return "shared, as a task";
    case tasks::parallel_for: return "shared, by pure_parallel_for";
    default: return "not shared";
  }
}

}  // namespace md
