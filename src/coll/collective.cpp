#include "coll/collective.hpp"

#include <fmt/core.h>

#include <memory>

#include "coll/algorithms.hpp"
#include "coll/buffer_checks.hpp"
#include "coll/pending_collective.hpp"
#include "coll/signature.hpp"
#include "comm/point_to_point.hpp"
#include "comm/wait_kinds.hpp"
#include "runtime/wait.hpp"

namespace pure::core {

namespace {

/// Waits until `step` is complete.
template <class Step>
void finish(communicator& on, const call& by, Step& step) {
  if (step.poll()) return;
  const auto now = [&] {
    return wait_reason{by, same_call_by, on.number_of(step.waits_for()), wait_reason::no_tag, step.waits_for_call()};
  };
  wait_reason why = now();
  bool is_complete = false;  // a wait asks again after it was told, a step must not be polled again
  wait_until(on.owner(), why, [&] {
    is_complete = is_complete || step.poll();
    if (!is_complete) why.turn_to(now());
    return is_complete;
  });
}

void run(communicator& on, const call& by, collective_member& member, const collective_arguments& what) {
  choose_algorithm(member, what, [&]<class Algorithm>(auto&&... arguments) -> void {
    Algorithm step(arguments...);
    finish(on, by, step);
    if (!step.disagreement().empty()) [[unlikely]]
      throw_bad_argument(on, by, errc::mismatch, step.disagreement());
  });
}

/// PURE_CHECK.
void run_checked(communicator& on, const call& by, collective_member& member, const collective_arguments& what) {
  if (!waits_for_all(what)) lets_know(member);
  const std::unique_ptr<compared_calls> calls = compare_calls(member, by, what);
  finish(on, by, *calls);
  if (waits_for_all(what)) lets_know(member);
  choose_compared_algorithm(member, what, [&]<class Algorithm>(auto&&... arguments) -> void {
    Algorithm step(arguments...);
    if (!calls->conflict().empty()) {
      step.cancel();
      throw_bad_argument(on, by, errc::mismatch, calls->conflict());
    }
    finish(on, by, step);
    if (!step.disagreement().empty()) throw_bad_argument(on, by, errc::mismatch, explain(step, calls.get()));
  });
}

handle adopt(communicator& on, const call& by, const collective_arguments& what, bool is_persistent) {
  check_arguments(on, by, what);
  auto made = std::make_unique<pending_collective>(on, by, what, is_persistent);
  if (!is_persistent) made->start(by);
  pending_collective& adopted = *made;
  const handle name = on.requests().adopt(by, std::move(made));
  adopted.hold_communicator();
  if (is_persistent) collective_member::of(on).count_persistent();
  return name;
}

}  // namespace

void run_collective(communicator& on, const call& by, const collective_arguments& what) {
  check_arguments(on, by, what);
  if (activity* const log = on.owner().log(); log != nullptr) [[unlikely]]
    ++log->counts.collectives;
  if (on.size() == 1) return run_alone(what);
  collective_member& member = collective_member::of(on);
  if (member.checks()) [[unlikely]]
    return run_checked(on, by, member, what);
  if (!is_nothing(what)) run(on, by, member, what);
}

handle start_collective(communicator& on, const call& by, const collective_arguments& what) {
  return adopt(on, by, what, false);
}

handle make_persistent_collective(communicator& on, const call& by, const collective_arguments& what) {
  return adopt(on, by, what, true);
}

}  // namespace pure::core
