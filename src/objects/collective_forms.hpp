// The three forms of a collective of any door: one body, told by `how`. Own thread of the rank only.
#pragma once

#include <memory>
#include <utility>

#include "coll/collective.hpp"
#include "coll/neighbour_exchange.hpp"
#include "coll/refused_calls.hpp"
#include "objects/collective_call.hpp"
#include "objects/neighbour_call.hpp"

namespace pure::core {

struct collective_form {
  enum class kind { blocking, started, persistent };

  kind is = kind::blocking;
  handle* request = nullptr;  // where its name goes; null: the program says no place, or the call has none

  [[nodiscard]] static collective_form blocking() noexcept { return {}; }
  [[nodiscard]] static collective_form started(handle* request) noexcept { return {kind::started, request}; }
  [[nodiscard]] static collective_form persistent(handle* request) noexcept { return {kind::persistent, request}; }
};

/// `describe`: makes the arguments of a collective_call; throws for a request without a place, too.
template <class Describe>
void make_collective(const collective_door& door, communicator& on, const call& by, const collective_form& how,
                     const Describe& describe) {
  const bool is_blocking = how.is == collective_form::kind::blocking;
  const bool is_persistent = how.is == collective_form::kind::persistent;
  collective_stage around(!is_blocking);
  const collective_arguments what = counting_refusals(on, by,
                                                      is_persistent ? refused_form::persistent : refused_form::at_once,
                                                      [&] { return describe(collective_call(door, on, by, around)); });
  if (is_blocking) {
    around.before();
    run_collective(on, by, what);
    around.after();
    return;
  }
  auto lasting = around.is_used() ? std::make_unique<collective_stage>(std::move(around)) : nullptr;
  *how.request = is_persistent ? make_persistent_collective(on, by, what, std::move(lasting))
                               : start_collective(on, by, what, std::move(lasting));
}

/// A collective among neighbours: `describe` is told a neighbour_call.
template <class Describe>
void make_among_neighbours(const collective_door& door, communicator& on, const call& by, const collective_form& how,
                           const Describe& describe) {
  neighbour_call what(door, on, by);
  describe(what);
  if (how.is == collective_form::kind::blocking) {
    run_neighbour_exchange(on, by, std::move(what.sent()), std::move(what.received()));
  } else {
    *how.request = start_neighbour_exchange(on, by, std::move(what.sent()), std::move(what.received()),
                                            how.is == collective_form::kind::persistent);
  }
}

}  // namespace pure::core
