// Entries that only doors of other binary interfaces know (api/foreign): functions of the program, which a door calls
// with names of its own; and a question that is no call of MPI.
#include <pure/export.hpp>

#include <iterator>

#include "api/mpi/attributes.hpp"
#include "api/mpi/door_state.hpp"
#include "api/mpi/later_duplicates.hpp"
#include "api/mpi/operators.hpp"

using namespace pure::core;
using namespace pure::core::mpi;

extern "C" {

PURE_API int pure_core_mpi_op_create_named(void (*function)(), int commutes, int is_large, int is_number,
                                           program_function::type_namer namer, op_handle* op);
int pure_core_mpi_op_create_named(void (*function)(), int commutes, int is_large, int is_number,
                                  program_function::type_namer namer, op_handle* op) {
  const function_form form = is_number != 0 ? (is_large != 0 ? function_form::number_large : function_form::number)
                                            : (is_large != 0 ? function_form::c_large : function_form::c);
  return mpi_call(is_large != 0 ? "MPI_Op_create_c" : "MPI_Op_create", constants::comm_null,
                  __builtin_return_address(0), [&](const call& by) {
                    check_pointer(by, op, constants::err_arg, "op");
                    *op = make_operator(by, {function, form, namer}, commutes != 0);
                  });
}

PURE_API int pure_core_mpi_create_errhandler_called(int of, void (*function)(), error_handler::caller caller,
                                                    errhandler_handle* made);
int pure_core_mpi_create_errhandler_called(int of, void (*function)(), error_handler::caller caller,
                                           errhandler_handle* made) {
  constexpr const char* names[] = {"MPI_Comm_create_errhandler", "MPI_Win_create_errhandler",
                                   "MPI_File_create_errhandler"};
  static_assert(static_cast<int>(raised_on::sort::file) + 1 == std::size(names));
  return mpi_call(names[of], constants::comm_null, __builtin_return_address(0), [&](const call& by) {
    check_pointer(by, made, constants::err_arg, "errhandler");
    *made = make_handler(by, {static_cast<raised_on::sort>(of), function, caller});
  });
}

PURE_API int pure_core_mpi_create_keyval_called(int of, void (*copy)(), void (*remove)(),
                                                decltype(called_callbacks::copy_by) copy_by,
                                                decltype(called_callbacks::remove_by) remove_by, void* extra_state,
                                                int* keyval);
int pure_core_mpi_create_keyval_called(int of, void (*copy)(), void (*remove)(),
                                       decltype(called_callbacks::copy_by) copy_by,
                                       decltype(called_callbacks::remove_by) remove_by, void* extra_state,
                                       int* keyval) {
  constexpr const char* names[] = {"MPI_Comm_create_keyval", "MPI_Type_create_keyval", "MPI_Win_create_keyval"};
  static_assert(static_cast<int>(attributed::window) + 1 == std::size(names));
  return mpi_call(names[of], constants::comm_null, __builtin_return_address(0), [&](const call& by) {
    check_pointer(by, keyval, constants::err_arg, "keyval");
    *keyval = create_called_key(by, static_cast<attributed>(of), {copy, remove, copy_by, remove_by, extra_state});
  });
}

/// `give` puts the communicator where `to` is, null at first.
PURE_API int pure_core_mpi_comm_idup_given(comm_handle comm, info_handle info, int has_info,
                                           void (*give)(void* to, comm_handle made), void* to, request_handle* request);
int pure_core_mpi_comm_idup_given(comm_handle comm, info_handle info, int has_info,
                                  void (*give)(void* to, comm_handle made), void* to, request_handle* request) {
  return mpi_call(has_info != 0 ? "MPI_Comm_idup_with_info" : "MPI_Comm_idup", comm, __builtin_return_address(0),
                  [&](const call& by) {
                    handle made;
                    start_duplicate_given(
                        by, communicator_of(by, comm), info, to, [give, to](comm_handle its) { give(to, its); },
                        request == nullptr ? nullptr : &made);
                    *request = made.is_null() ? constants::request_null : request_handle{made.value};
                  });
}

/// Where the calling rank has the last error code as a door numbers it, for programs to point to. `door`: 0 or 1. After
/// a call of this rank that has found the attribute.
PURE_API int* pure_core_mpi_place_of_last_code(int door);
int* pure_core_mpi_place_of_last_code(int door) {
  return &pure::core::mpi::door_state::of(*rank_or_null())
              .values_of_worlds.last_codes_of_doors.at(static_cast<std::size_t>(door));
}

/// Whether there is such a communicator in the calling rank. A question, which is no call of MPI.
PURE_API int pure_core_mpi_is_communicator(comm_handle comm);
int pure_core_mpi_is_communicator(comm_handle comm) {
  const rank_context* const rank = rank_or_null();
  return rank != nullptr && communicator_table::of(*rank).find(core_handle(comm)) != nullptr ? 1 : 0;
}

}  // extern "C"
