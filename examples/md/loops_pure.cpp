// Loops on Pure: ranks that wait for a message take over some of the iterations.
#include <pure.h>
#include <pure/parallel.hpp>

#include "loops.hpp"

namespace md {

loops::loops(tasks how) : how_(how) {}

void loops::run(std::size_t n, const std::function<void(std::size_t)>& body) const {
  switch (how_) {
    case tasks::none:
      for (std::size_t i = 0; i < n; ++i) body(i);
      return;
    case tasks::pure_task: {
      PureTask task = [n, &body](chunk_id_t start_chunk, chunk_id_t end_chunk) {
        auto [min_idx, max_idx] = pure_unaligned_idx_range<std::size_t>(n, start_chunk, end_chunk);
        for (auto i = min_idx; i <= max_idx; ++i) body(static_cast<std::size_t>(i));
      };
      task.execute();
      return;
    }
    case tasks::parallel_for: pure::parallel_for(n, body); return;
  }
}

std::string loops::description() const {
  switch (how_) {
    case tasks::pure_task: return "shared, as PureTask";
    case tasks::parallel_for: return "shared, by pure::parallel_for";
    default: return "not shared";
  }
}

}  // namespace md
