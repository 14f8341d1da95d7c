// Functions that the door for Fortran asks of the one for C (api/fortran/of_door.hpp): callbacks with numbers of this
// interface, and errors.
#include "api/foreign/entry.hpp"

namespace pure::foreign {

namespace {

std::uint64_t number_for_function(type_handle type) { return static_cast<std::uint64_t>(MPI_Type_c2f(type_out(type))); }

template <class Handle, class Name, Handle (*out)(Name), MPI_Fint (*number)(Handle)>
void call_handler(any_function function, std::uintptr_t object, int error_class) {
  MPI_Fint named = number(out({object})), code = code_out(error_class);
  reinterpret_cast<void (*)(MPI_Fint*, MPI_Fint*)>(function)(&named, &code);
}

}  // namespace

}  // namespace pure::foreign

using namespace pure::foreign;

extern "C" {
#pragma GCC visibility push(default)

int pure_foreign_raise(const char* function, int error_class, const char* text);
int pure_foreign_raise(const char* function, int error_class, const char* text) {
  return code_out(pure_core_mpi_raise(function, code_in(error_class), text));
}

int pure_foreign_op_create_fortran(any_function function, int commutes, int is_large, MPI_Op* op);
int pure_foreign_op_create_fortran(any_function function, int commutes, int is_large, MPI_Op* op) {
  made_handle<op_handle, MPI_Op, op_in, op_out> made(op);
  const int code = pure_core_mpi_op_create_named(function, commutes, is_large, 1, number_for_function, made.place());
  made.give();
  return code_out(code);
}

int pure_foreign_create_errhandler_fortran(int of, any_function function, MPI_Errhandler* errhandler);
int pure_foreign_create_errhandler_fortran(int of, any_function function, MPI_Errhandler* errhandler) {
  constexpr handler_caller callers[] = {call_handler<MPI_Comm, comm_handle, comm_out, MPI_Comm_c2f>,
                                        call_handler<MPI_Win, win_handle, win_out, MPI_Win_c2f>,
                                        call_handler<MPI_File, file_handle, file_out, MPI_File_c2f>};
  if (of < 0 || of >= static_cast<int>(std::size(callers)))
    return code_out(pure_MPI_Session_create_errhandler(function, nullptr));
  made_handle<errhandler_handle, MPI_Errhandler, errhandler_in, errhandler_out> made(errhandler);
  const int code = pure_core_mpi_create_errhandler_called(of, function, callers[of], made.place());
  made.give();
  return code_out(code);
}

#pragma GCC visibility pop
}
