// Entries that only Fortran's side knows (api/fortran), which belongs to the program and calls MPI in C: where the
// program has called it, errors that it finds itself, and callbacks that are called with INTEGERs.
#include <pure/export.hpp>

#include <iterator>

#include "api/mpi/door_state.hpp"
#include "api/mpi/operators.hpp"

namespace pure::core::mpi {

constinit thread_local const void* caller_of_side = nullptr;

}  // namespace pure::core::mpi

using namespace pure::core;
using namespace pure::core::mpi;

extern "C" {

PURE_API void pure_core_mpi_called_from(const void* address);
void pure_core_mpi_called_from(const void* address) { caller_of_side = address; }

PURE_API int pure_core_mpi_raise(const char* function, int error_class, const char* text);
int pure_core_mpi_raise(const char* function, int error_class, const char* text) {
  return mpi_call(function, constants::comm_null, __builtin_return_address(0),
                  [&](const call& by) { throw_error(by, error_class, text); });
}

PURE_API int pure_core_mpi_op_create_fortran(void (*function)(), int commutes, int is_large, op_handle* op);
int pure_core_mpi_op_create_fortran(void (*function)(), int commutes, int is_large, op_handle* op) {
  const function_form form = is_large != 0 ? function_form::fortran_large : function_form::fortran;
  return mpi_call(is_large != 0 ? "MPI_Op_create_c" : "MPI_Op_create", constants::comm_null,
                  __builtin_return_address(0),
                  [&](const call& by) { *op = make_operator(by, function, form, commutes != 0); });
}

PURE_API int pure_core_mpi_create_errhandler_fortran(int of, void (*function)(), errhandler_handle* made);
int pure_core_mpi_create_errhandler_fortran(int of, void (*function)(), errhandler_handle* made) {
  struct known {
    const char* operation;
    raised_on::sort of;
  };
  constexpr known all[] = {{"MPI_Comm_create_errhandler", raised_on::sort::communicator},
                           {"MPI_Win_create_errhandler", raised_on::sort::window},
                           {"MPI_File_create_errhandler", raised_on::sort::file}};
  if (of < 0 || of >= static_cast<int>(std::size(all)))
    return refuse("MPI_Session_create_errhandler", constants::comm_null, __builtin_return_address(0));
  return mpi_call(all[of].operation, constants::comm_null, __builtin_return_address(0),
                  [&](const call& by) { *made = make_handler(by, all[of].of, function, true); });
}

}  // extern "C"
