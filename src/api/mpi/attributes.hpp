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

/// Functions of a program for the values of a key, which are not called as the standard ABI has it: a door of another
/// interface calls them, with the name of the object. Null: nothing is done; a copy that is 1 is the pointer itself.
/// They return classes, or codes, of the core's.
struct called_callbacks {
  using any_function = void (*)();
  any_function copy, remove;
  int (*copy_by)(any_function copy, std::uintptr_t object, int key, void* extra_state, void* value, void** made,
                 int* flag);
  int (*remove_by)(any_function remove, std::uintptr_t object, int key, void* value, void* extra_state);
  void* extra_state;
};
enum class attributed { communicator, datatype, window };
/// As MPI_Comm_create_keyval and its kin. Throws std::length_error.
int create_called_key(const call& by, attributed of, const called_callbacks& callbacks);

}  // namespace pure::core::mpi
