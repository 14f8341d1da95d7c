// Entries that only Fortran's side knows (api/fortran), which belongs to the program and calls MPI in C: where the
// program has called it, errors that it finds itself, and callbacks that are called with INTEGERs.
#include <pure/export.hpp>

#include <iterator>

#include "api/mpi/bodies.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/operators.hpp"

namespace pure::core::mpi {

constinit thread_local const void* pure_core_caller = nullptr;

}  // namespace pure::core::mpi

using namespace pure::core;
using namespace pure::core::mpi;

namespace {

/// Calls a handler with the number of the object.
template <int (*number)(std::uintptr_t object)>
void call_with_number(void (*function)(), std::uintptr_t object, int code) {
  int named = number(object);
  reinterpret_cast<void (*)(int*, int*)>(function)(&named, &code);
}
int number_of_comm(std::uintptr_t object) { return bodies::Comm_toint({object}); }
int number_of_window(std::uintptr_t object) { return bodies::Win_toint({object}); }
int number_of_file(std::uintptr_t object) { return bodies::File_toint({object}); }

}  // namespace

extern "C" {

PURE_API void pure_core_mpi_called_from(const void* address);
void pure_core_mpi_called_from(const void* address) { pure_core_caller = address; }

PURE_API int pure_core_mpi_raise(const char* function, int error_class, const char* text);
int pure_core_mpi_raise(const char* function, int error_class, const char* text) {
  return mpi_call(function, constants::comm_null, __builtin_return_address(0),
                  [&](const call& by) { throw_error(by, error_class, text); });
}

PURE_API int pure_core_mpi_op_create_fortran(void (*function)(), int commutes, int is_large, op_handle* op);
int pure_core_mpi_op_create_fortran(void (*function)(), int commutes, int is_large, op_handle* op) {
  const function_form form = is_large != 0 ? function_form::number_large : function_form::number;
  return mpi_call(is_large != 0 ? "MPI_Op_create_c" : "MPI_Op_create", constants::comm_null,
                  __builtin_return_address(0), [&](const call& by) {
                    *op = make_operator(by, {function, form}, commutes != 0);
                  });
}

PURE_API int pure_core_mpi_create_errhandler_fortran(int of, void (*function)(), errhandler_handle* made);
int pure_core_mpi_create_errhandler_fortran(int of, void (*function)(), errhandler_handle* made) {
  struct known {
    const char* operation;
    raised_on::sort of;
    error_handler::caller caller;
  };
  constexpr known all[] = {
      {"MPI_Comm_create_errhandler", raised_on::sort::communicator, call_with_number<number_of_comm>},
      {"MPI_Win_create_errhandler", raised_on::sort::window, call_with_number<number_of_window>},
      {"MPI_File_create_errhandler", raised_on::sort::file, call_with_number<number_of_file>}};
  if (of < 0 || of >= static_cast<int>(std::size(all)))
    return refuse("MPI_Session_create_errhandler", constants::comm_null, __builtin_return_address(0));
  return mpi_call(all[of].operation, constants::comm_null, __builtin_return_address(0), [&](const call& by) {
    *made = make_handler(by, {all[of].of, function, all[of].caller});
  });
}

}  // extern "C"
