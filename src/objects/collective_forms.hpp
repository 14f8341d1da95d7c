// The three forms of a collective of data of any datatype: `describe` is a member of described_collective for a door,
// which is called with `arguments`. Own thread of the rank only.
#pragma once

#include <memory>
#include <utility>

#include "coll/collective.hpp"
#include "coll/refused_calls.hpp"
#include "objects/described_collective.hpp"

namespace pure::core {

namespace described {

template <class Member>
struct class_of_member;
template <class Class, class Result, class... Arguments>
struct class_of_member<Result (Class::*)(Arguments...) const> {
  using type = Class;
};
/// The described_collective of which `describe` is a member.
template <auto describe>
using of = typename class_of_member<decltype(describe)>::type;

}  // namespace described

template <auto describe, class... Arguments>
void run_described(communicator& on, const call& by, const Arguments&... arguments) {
  collective_stage around(false);
  const collective_arguments what = counting_refusals(
      on, by, refused_form::at_once, [&] { return (described::of<describe>(on, by, around).*describe)(arguments...); });
  around.before();
  run_collective(on, by, what);
  around.after();
}

/// check(): of the door, before it looks at the arguments.
template <auto describe, class Check, class... Arguments>
handle start_described(communicator& on, const call& by, const Check& check, const Arguments&... arguments) {
  auto around = std::make_unique<collective_stage>(true);
  const collective_arguments what = counting_refusals(on, by, refused_form::at_once, [&] {
    check();
    return (described::of<describe>(on, by, *around).*describe)(arguments...);
  });
  if (!around->is_used()) around.reset();
  return start_collective(on, by, what, std::move(around));
}

template <auto describe, class Check, class... Arguments>
handle prepare_described(communicator& on, const call& by, const Check& check, const Arguments&... arguments) {
  auto around = std::make_unique<collective_stage>(true);
  const collective_arguments what = counting_refusals(on, by, refused_form::persistent, [&] {
    check();
    return (described::of<describe>(on, by, *around).*describe)(arguments...);
  });
  if (!around->is_used()) around.reset();
  return make_persistent_collective(on, by, what, std::move(around));
}

}  // namespace pure::core
