#include "aggregation/call_checks.hpp"

#include <fmt/core.h>

#include <utility>

#include "runtime/call_error.hpp"

namespace pure::core {

call_checks::call_checks(rank_context& owner, const handler_state& handlers, const rank_stage& stage, int rank,
                         int ranks, shared_name name) noexcept
    : owner_(owner), handlers_(handlers), stage_(stage), rank_(rank), ranks_(ranks), name_(std::move(name)) {}

void call_checks::throw_wrong(const call& by, errc code, const std::string& text) const {
  throw call_error(by, code, fmt::format("rank {} of aggregation \"{}\": {}", rank_, *name_, text));
}

void call_checks::require_owner(const call& by) const {
  if (self() == &owner_ || (is_in_handler() && rank_in_chunk() == &owner_)) [[likely]]
    return;
  if (rank_in_chunk() != nullptr) {
    throw_wrong(by, errc::state,
                "called inside a chunk of a task: items are sent and handled by the rank itself, before or after it");
  }
  const std::string who = self() == nullptr ? "a thread that is no rank" : fmt::format("rank {}", self()->number());
  throw_wrong(by, errc::state, fmt::format("used by {}: an aggregation belongs to its rank's own thread", who));
}

void call_checks::require_sender(const call& by) const {
  require_owner(by);
  using stage = rank_stage::stage;
  switch (stage_.now()) {
    case stage::open:
    case stage::finishing: return;
    case stage::quiet:
      throw_wrong(by, errc::state,
                  "an item is sent while the rank waits in finish with nothing left to do: only this aggregation's own "
                  "handlers and work may send then");
    case stage::failed: throw_wrong(by, errc::state, "it has failed: an exception has ended its finish or a handler");
    case stage::closed: throw_wrong(by, errc::state, "the rank's main has ended");
  }
}

void call_checks::require_open(const call& by, const char* what) const {
  require_owner(by);
  if (is_in_handler()) throw_wrong(by, errc::state, fmt::format("{} in a handler: handlers may send and flush", what));
  if (stage_.is(rank_stage::stage::open)) return;
  require_sender(by);
  throw_wrong(by, errc::state, fmt::format("{} inside finish, by its work: that is under way already", what));
}

void call_checks::require_rank(const call& by, int dest) const {
  if (static_cast<unsigned>(dest) >= static_cast<unsigned>(ranks_))
    throw_wrong(by, errc::rank, fmt::format("there is no rank {}: they are 0 to {}", dest, ranks_ - 1));
}

}  // namespace pure::core
