// Making communicators from communicators, and freeing them (MPI 4.1, 7.4.2 and 7.4.3).
//
// One of the ranks that take part leads: the others tell it what they want, it makes what the new communicators share,
// and tells each rank which is its own. These messages travel in contexts of their own of the parent. Everything here
// but free() blocks until all who take part have called it. The error of one rank is the error of all, be it in that
// rank's arguments or seen by the leader only; nothing is made then. Exceptions are what ranks need to find each other:
// the communicator, and the group and the tag of create_group(), errors of which the caller alone gets, before anything
// is sent.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <pure/error.hpp>

#include "base/call.hpp"
#include "comm/communicator.hpp"
#include "comm/group.hpp"

namespace pure::core {

/// What the ranks of a part share; the values are those of pure_split_type in pure.h.
enum class split_kind { machine = 1, process, numa, core, l3, package, hw_guided, hw_unguided, resource_guided };

/// A kind, and what MPI's guided kinds say besides (MPI 4.1, 7.4.2). The same on all ranks; to mean no communicator, a
/// rank passes `undefined` as its kind.
struct split_wish {
  split_kind kind;
  std::optional<std::string> hardware = {};     // "hwloc://L3Cache", or "mpi_shared_memory"; of the guided kinds
  std::optional<std::string> process_set = {};  // "mpi://WORLD", or "mpi://SELF"; of resource_guided
};

/// For an interface that finds a rank's arguments wrong: takes part in what all ranks of `from`, or all of `members`,
/// make together, so that all of them throw. The caller throws `why` when this returns.
void refuse_creation(communicator& from, const call& by, const Error& why);
void refuse_group_creation(communicator& from, const call& by, std::span<const int> members, int tag, const Error& why);

/// All made communicators belong to the table of from's owner.
communicator& duplicate(communicator& from, const call& by);

/// Null for a rank without a color. Throws argument, mismatch.
communicator* split(communicator& from, const call& by, std::optional<int> color, int key);

/// Null for a rank that is bound to no single part of the kind that is asked for, or passes `undefined`, and where that
/// kind is not known. hw_unguided: by the kind of hardware that makes the fewest parts of those that make several; for
/// one rank there is none. `found`: what the ranks of the communicator share, by name. Throws argument, mismatch.
communicator* split(communicator& from, const call& by, const split_wish& wanted, int key,
                    std::string* found = nullptr);

/// Null for a rank that is not in its group. Throws group: no subset of from's ranks, or no agreement; mismatch.
communicator* create(communicator& from, const call& by, std::span<const int> members);

/// The same among the members only.
communicator& create_group(communicator& from, const call& by, std::span<const int> members, int tag);
/// What the members need to find each other. Throws tag, and group: no subset of from's ranks, or not the caller's.
void check_group_creation(const communicator& from, const call& by, std::span<const int> members, int tag);

/// ident: what both ranks share is the same; congruent: other contexts, the same ranks in the same order. Local.
[[nodiscard]] comparison compare(const communicator& a, const communicator& b);

/// Ends the use of a communicator by its owner; does not block. What is pending on it completes as if nothing had been
/// said, and persistent requests go on to work. Throws comm for world and self.
void free(communicator& unused, const call& by);

}  // namespace pure::core
