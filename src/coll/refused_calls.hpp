// Collectives whose arguments are wrong at one rank, which that rank sees alone and before it communicates.
//
// Such a call is an error of its rank, and counts: in it the rank does nothing, but its next collective on the
// communicator meets the next one of the others, and never this one. They are not told, for that would be a message in
// every collective: whoever needs what the rank would have given waits for it, and the deadlock that this is ends the
// job. With PURE_CHECK, where ranks of one process compare their calls, all of them get an error.
//
// Where several of the communicator's ranks are in this process and others elsewhere, the rank cannot know in how many
// steps the others do the call here (spanning.hpp): so it makes no collectives on the communicator any more. Each is an
// error (state).
#pragma once

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"

namespace pure::core {

/// What kind of call it is: a persistent collective has its place among those that are made, where nobody starts it.
enum class refused_form { at_once, persistent };

/// For this rank, whose call `by` is refused because of `why`.
void count_refused(communicator& on, const call& by, const Error& why, refused_form form = refused_form::at_once);

/// check(), by which a rank's arguments are looked at; if it throws, the call counts as refused.
template <class Check>
decltype(auto) counting_refusals(communicator& on, const call& by, refused_form form, Check&& check) {
  try {
    return check();
  } catch (const Error& why) {
    count_refused(on, by, why, form);
    throw;
  }
}

/// Throws state if the rank makes no collectives on the communicator any more.
void require_open(communicator& on, const call& by);

}  // namespace pure::core
