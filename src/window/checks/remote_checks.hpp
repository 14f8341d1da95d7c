// PURE_CHECK between processes: what an origin asks the processes of its targets; these answer by
// window_checks::answer_to(). Each question waits for its answer; so what an origin has completed is known to the
// target's process before anybody else learns of it.
//
// An active message of its own for each operation: speed does not matter here.
#pragma once

#include <cstdint>
#include <span>

#include "base/call.hpp"
#include "window/checks/window_checks.hpp"
#include "window/place_in_part.hpp"

namespace pure::core {

class remote_access;

/// The questions: the first byte of the data of an rma_question. What belongs to each follows, by byte_packer.
enum class check_question : std::uint8_t { access, written, read, completed, orderings };

// By the origin; the target, or the rank that is asked for, is in another process.

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

}  // namespace pure::core
