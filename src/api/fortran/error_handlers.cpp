// MPI_Comm_create_errhandler and its kin (MPI 5.0, 9.3).
#include "api/fortran/callbacks.hpp"

namespace pure::fortran {

namespace {

using handler = void(integer* object, integer* error_code);
constexpr std::size_t most_handlers = 32;

template <std::size_t at>
struct call_of_comm;
template <std::size_t at>
struct call_of_win;
template <std::size_t at>
struct call_of_file;
template <std::size_t at>
struct call_of_session;
trampolines<MPI_Comm_errhandler_function, call_of_comm, most_handlers> of_communicators;
trampolines<MPI_Win_errhandler_function, call_of_win, most_handlers> of_windows;
trampolines<MPI_File_errhandler_function, call_of_file, most_handlers> of_files;
trampolines<MPI_Session_errhandler_function, call_of_session, most_handlers> of_sessions;

template <class Handle>
void call(any_procedure procedure, Handle* object, int* error_code) {
  integer number = number_of(*object);
  reinterpret_cast<handler*>(procedure)(&number, error_code);
}

template <std::size_t at>
struct call_of_comm {
  static void call(MPI_Comm* object, int* code, ...) { fortran::call(of_communicators.procedures[at], object, code); }
};
template <std::size_t at>
struct call_of_win {
  static void call(MPI_Win* object, int* code, ...) { fortran::call(of_windows.procedures[at], object, code); }
};
template <std::size_t at>
struct call_of_file {
  static void call(MPI_File* object, int* code, ...) { fortran::call(of_files.procedures[at], object, code); }
};
template <std::size_t at>
struct call_of_session {
  static void call(MPI_Session* object, int* code, ...) { fortran::call(of_sessions.procedures[at], object, code); }
};

enum class sort : int { communicator, window, file, session };

template <class Trampolines, class Create>
void create(const char* function, sort of, any_procedure procedure, Trampolines& in_c, Create* create_in_c,
            integer* made, integer* ierror) {
  MPI_Errhandler handle = none<MPI_Errhandler>;
  int code = MPI_SUCCESS;
  if (create_handler_in_pure() != nullptr) {
    code = create_handler_in_pure()(static_cast<int>(of), procedure, &handle);
  } else {
    const auto called = in_c.of(procedure);
    if (called == nullptr)
      return raise(function, MPI_ERR_INTERN, "no more than 32 functions can be error handlers with this MPI", ierror);
    code = create_in_c(called, &handle);
  }
  give(handle, made);
  give_error(ierror, code);
}

}  // namespace

extern "C" {

void pmpi_comm_create_errhandler_(any_procedure function, integer* errhandler, integer* ierror) {
  called_from(__builtin_return_address(0));
  create("MPI_Comm_create_errhandler", sort::communicator, function, of_communicators, MPI_Comm_create_errhandler,
         errhandler, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_comm_create_errhandler, MPI_COMM_CREATE_ERRHANDLER);

void pmpi_errhandler_create_(any_procedure function, integer* errhandler, integer* ierror) {
  called_from(__builtin_return_address(0));
  create("MPI_Errhandler_create", sort::communicator, function, of_communicators, MPI_Comm_create_errhandler,
         errhandler, ierror);
}
PURE_FORTRAN_NAMES(mpi_errhandler_create, MPI_ERRHANDLER_CREATE);

void pmpi_win_create_errhandler_(any_procedure function, integer* errhandler, integer* ierror) {
  called_from(__builtin_return_address(0));
  create("MPI_Win_create_errhandler", sort::window, function, of_windows, MPI_Win_create_errhandler, errhandler,
         ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_win_create_errhandler, MPI_WIN_CREATE_ERRHANDLER);

void pmpi_file_create_errhandler_(any_procedure function, integer* errhandler, integer* ierror) {
  called_from(__builtin_return_address(0));
  create("MPI_File_create_errhandler", sort::file, function, of_files, MPI_File_create_errhandler, errhandler, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_file_create_errhandler, MPI_FILE_CREATE_ERRHANDLER);

void pmpi_session_create_errhandler_(any_procedure function, integer* errhandler, integer* ierror) {
  called_from(__builtin_return_address(0));
  create("MPI_Session_create_errhandler", sort::session, function, of_sessions, MPI_Session_create_errhandler,
         errhandler, ierror);
}
PURE_FORTRAN_NAMES_AND_F08(mpi_session_create_errhandler, MPI_SESSION_CREATE_ERRHANDLER);

}  // extern "C"

}  // namespace pure::fortran
