#include "coll/collective.hpp"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "coll/algorithms.hpp"
#include "coll/buffer_checks.hpp"
#include "coll/pending_collective.hpp"
#include "coll/refused_calls.hpp"
#include "coll/spanning_signatures.hpp"
#include "coll/spread.hpp"
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
    if (step.disagrees()) [[unlikely]]
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
    if (step.disagrees()) throw_bad_argument(on, by, errc::mismatch, explain(step, calls.get()));
  });
}

handle adopt(communicator& on, const call& by, const collective_arguments& what, bool is_persistent,
             std::unique_ptr<collective_staging> around) {
  counting_refusals(on, by, is_persistent ? refused_form::persistent : refused_form::at_once,
                    [&] { check_arguments(on, by, what); });
  require_open(on, by);
  auto made = std::make_unique<pending_collective>(on, by, what, is_persistent, std::move(around));
  if (!is_persistent) made->start(by);
  pending_collective& adopted = *made;
  const handle name = on.requests().adopt(by, std::move(made));
  adopted.hold_communicator();
  if (is_persistent) collective_member::of(on).count_persistent();
  return name;
}

}  // namespace

void require_open(communicator& on, const call& by) {
  if (on.size() == 1) return;
  const std::string* const why = collective_member::of(on).calls().because();
  if (why == nullptr) return;
  throw_bad_argument(
      on, by, errc::state,
      fmt::format("this rank makes no collectives on the communicator any more, because an earlier one was "
                  "refused, and the other ranks of its process cannot know that ({}): make another "
                  "communicator, by dup",
                  *why));
}

void count_refused(communicator& on, const call& by, const Error& why, refused_form form) {
  if (on.size() == 1 || on.is_freed()) return;
  collective_member& member = collective_member::of(on);
  if (form == refused_form::persistent) {
    collective_member::make_persistent(on, 0)->leave();
    return member.count_persistent();
  }
  if (member.is_spanning() && member.over().own_members().size() > 1) return member.calls().close(why.what());
  if (member.checks()) {
    if (member.is_spanning()) {
      member.pass_over();
    } else {
      const collective_arguments none;
      signature_exchange told(member, by, none, true);
      finish(on, by, told);
    }
  }
  member.pass_over();
}

void run_collective(communicator& on, const call& by, const collective_arguments& what) {
  counting_refusals(on, by, refused_form::at_once, [&] { check_arguments(on, by, what); });
  if (activity* const log = on.owner().log(); log != nullptr) [[unlikely]]
    ++log->counts.collectives;
  if (on.size() == 1) return run_alone(what);
  collective_member& member = collective_member::of(on);
  if (member.calls().needs_a_look()) [[unlikely]] {
    require_open(on, by);
    return run_checked(on, by, member, what);
  }
  if (is_nothing(what)) [[unlikely]]
    return member.pass_over();
  run(on, by, member, what);
}

handle start_collective(communicator& on, const call& by, const collective_arguments& what,
                        std::unique_ptr<collective_staging> around) {
  return adopt(on, by, what, false, std::move(around));
}

handle make_persistent_collective(communicator& on, const call& by, const collective_arguments& what,
                                  std::unique_ptr<collective_staging> around) {
  return adopt(on, by, what, true, std::move(around));
}

}  // namespace pure::core
