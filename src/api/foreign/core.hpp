// A door of another binary interface than the standard ABI: what programs find under the name of another MPI's library,
// libmpi.so.40 or libmpich.so.12. Its functions convert their arguments, and call the core's entries.
//
// All of it is compiled once for each interface, of which `mpi.h` here is the header (write_foreign_header.py). Its
// functions are generated of the table (write_foreign_entries.py), from the templates in entry.hpp and the conversions
// in values.hpp. Freestanding: a door is a part of each rank that is a thread, and needs no library of C++. It keeps
// nothing but constants.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "api/mpi/constants.hpp"
#include "api/mpi/message_status.hpp"
#include "api/mpi/object_names.hpp"

namespace pure::foreign {

using namespace core::mpi;

extern "C" {
#pragma GCC visibility push(default)

/// The address in the program to which the call returns for which the next call of the core by this thread is made.
extern thread_local const void* pure_core_caller;

// Functions of the program, which the core calls by functions of the door that know how (api/mpi/foreign_side.cpp).
using any_function = void (*)();
using type_namer = std::uint64_t (*)(type_handle type);
using handler_caller = void (*)(any_function function, std::uintptr_t object, int error_class);
using copy_caller = int (*)(any_function copy, std::uintptr_t object, int key, void* extra_state, void* value,
                            void** made, int* flag);
using delete_caller = int (*)(any_function remove, std::uintptr_t object, int key, void* value, void* extra_state);

int pure_core_mpi_op_create_named(any_function function, int commutes, int is_large, int is_number, type_namer namer,
                                  op_handle* op);
int pure_core_mpi_create_errhandler_called(int of, any_function function, handler_caller caller,
                                           errhandler_handle* made);
int pure_core_mpi_create_keyval_called(int of, any_function copy, any_function remove, copy_caller copy_by,
                                       delete_caller remove_by, void* extra_state, int* keyval);
int pure_core_mpi_comm_idup_given(comm_handle comm, info_handle info, int has_info,
                                  void (*give)(void* to, comm_handle made), void* to, request_handle* request);
int pure_core_mpi_raise(const char* function, int error_class, const char* text);
int pure_core_mpi_is_communicator(comm_handle comm);
int* pure_core_mpi_place_of_last_code(int door);

#pragma GCC visibility pop
}  // extern "C"

/// The door for Fortran, which calls this one, has said already whom it returns to.
inline void called_from(const void* address) {
  if (pure_core_caller == nullptr) pure_core_caller = address;
}

}  // namespace pure::foreign
