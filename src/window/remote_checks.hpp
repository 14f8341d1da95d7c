// PURE_CHECK between processes: what an origin asks the processes of its targets, and how these answer. Each question
// waits for its answer; so what an origin has completed is known to the target's process before anybody else learns of
// it.
//
// An active message of its own for each operation: speed does not matter here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/call.hpp"
#include "window/place_in_part.hpp"
#include "window/rma_wire.hpp"
#include "window/window_checks.hpp"

namespace pure::core {

class remote_access;
class window_group;

// ---- by the origin; the target, or the rank that is asked for, is in another process ----

/// window_checks::try_access there.
check_verdict ask_access(remote_access& way, const checked_operation& wanted, const place_in_part& where);
/// window_checks::note_written there, when all is done that was sent before. `data`: in a row.
void tell_written(remote_access& way, const call& by, const place_in_part& where, std::span<const std::byte> data);
/// window_checks::note_read there: on its way, and there when all is answered (remote_access::are_all_answered).
void tell_read(remote_access& way, int rank, std::uint64_t request, const rows_in_part& where);
/// window_checks::note_completed in all processes but this one: of that rank, or of all.
void tell_completed(remote_access& way, const call& by, const int* target);
/// How often that rank has let others know.
std::uint64_t ask_orderings(remote_access& way, const call& by, int rank);
/// Whether a rank of another process has let others know since the epoch of a fence began.
bool ask_whether_anybody_ordered(remote_access& way, const call& by);

// ---- by who has the network lock, in the process that is asked ----

// Of a question about a rank here, whose rows are in its part. Nothing: it makes no sense.

std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_access>& question);
std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_read>& question);
std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_written>& question);
std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_completed>& question);
std::optional<std::string> answer_to(window_group& asked, const arrived_rma<rma_check_orderings>& question);

}  // namespace pure::core
