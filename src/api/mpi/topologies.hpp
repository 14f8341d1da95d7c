// The topologies of communicators, for the bodies that use them. Own thread of the rank only.
#pragma once

#include <cstdint>

#include "api/mpi/door.hpp"
#include "comm/create.hpp"
#include "comm/refusal.hpp"
#include "objects/process_topology.hpp"

namespace pure::core::mpi {

/// Null: the communicator has none.
[[nodiscard]] const process_topology* find_topology(const communicator& of);
/// A new communicator that was made from another one; null: this rank gets none.
void give_with_topology(communicator& from, communicator* made, process_topology of, MPI_Comm* to);
void check_rank_of(const call& by, const communicator& comm, int rank);
/// check(), whose errors all ranks of `from` get, which make something together.
template <class Check>
auto checked_creation(communicator& from, const call& by, Check&& check) {
  return checked_for_all(check, [&](const Error& why) { refuse_creation(from, by, why); });
}
/// A duplicate has the same.
void copy_topology(const communicator& from, std::uint64_t to);
/// The communicator ends.
void forget_topology(const rank_context& owner, std::uint64_t comm);

}  // namespace pure::core::mpi
