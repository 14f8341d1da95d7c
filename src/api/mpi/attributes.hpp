// What ends an object does with its attributes, for the bodies that end objects (MPI 5.0, 7.7). Own thread of the rank
// only.
#pragma once

#include <cstdint>

#include "api/mpi/door.hpp"
#include "objects/attribute_table.hpp"

namespace pure::core::mpi {

/// Of an object that is about to end. Throws what a function of the program has returned; the others stay then.
void delete_attributes(const call& by, attribute_table& table, std::uint64_t object);
/// A duplicate of the communicator gets what the program says. Throws likewise.
void copy_attributes(const call& by, communicator& from, communicator& to);
/// MPI_Finalize begins: those of MPI_COMM_SELF, the last that was set first, and then those of MPI_COMM_WORLD (MPI 5.0,
/// 11.2.4).
void delete_attributes_at_end(const call& by);

}  // namespace pure::core::mpi
