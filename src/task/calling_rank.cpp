#include "task/calling_rank.hpp"

#include "runtime/call_error.hpp"
#include "runtime/forked_child.hpp"
#include "task/task_service.hpp"

namespace pure::core {

void throw_outside_rank(const call& by) {
  if (is_forked_from_worker()) throw call_error(by, errc::state, forked_child_text());
  if (rank_in_chunk() != nullptr) throw call_error(by, errc::state, why_no_calls(*rank_in_chunk()));
  throw call_error(
      by, errc::state,
      "called outside a rank; call it inside a main that every rank runs (the program includes pure.h, and "
      "PURE_MAIN_RUNS_ONCE is not defined), inside pure::run, or between pure_init and pure_finalize");
}

}  // namespace pure::core
