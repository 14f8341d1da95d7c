// Fortran's side as a door: for programs that were compiled with another MPI's mpif.h and modules. It calls the door
// for C, whose mpi.h it has. Only side.hpp includes this.
#pragma once

namespace pure::fortran {

extern "C" {
#pragma GCC visibility push(default)

/// The next call of the door for C by this thread is made for a program's call that returns to that address.
extern thread_local const void* pure_core_caller;

// The door for C has these for this one (api/foreign/for_fortran.cpp). Classes and codes are of this interface.
int pure_foreign_raise(const char* function, int error_class, const char* text);
int pure_foreign_op_create_fortran(any_procedure function, int commutes, int is_large, MPI_Op* op);
/// `of`: 0 communicators, 1 windows, 2 files, 3 sessions.
int pure_foreign_create_errhandler_fortran(int of, any_procedure function, MPI_Errhandler* made);

// ---- constants that are addresses: the program's own variables, where it has any ----

#ifdef PURE_FOREIGN_MPICH
struct first_constants {
  integer bottom, in_place, status_ignore[5];
};
struct other_constants {
  integer statuses_ignore[5], errcodes_ignore;
};
extern first_constants mpipriv1_;
extern other_constants mpipriv2_;
extern char mpiprivc_[2];
extern integer mpifcmb5_, mpifcmb9_;  // MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY
// Those of mpi_f08 that its header has not got.
extern integer __mpi_f08_link_constants_MOD_mpi_unweighted, __mpi_f08_link_constants_MOD_mpi_weights_empty;
extern integer __mpi_f08_link_constants_MOD_mpi_errcodes_ignore;
extern char __mpi_f08_link_constants_MOD_mpi_argv_null, __mpi_f08_link_constants_MOD_mpi_argvs_null;
#endif  // Open MPI's are the door's for C, and in its header

#pragma GCC visibility pop
}

inline auto* raise_in_pure() { return pure_foreign_raise; }
inline auto* create_op_in_pure() { return pure_foreign_op_create_fortran; }
inline auto* create_handler_in_pure() { return pure_foreign_create_errhandler_fortran; }

inline void called_from(const void* address) { pure_core_caller = address; }

#ifdef PURE_FOREIGN_MPICH
inline void* address_of(const void* given) {
  if (given == &mpipriv1_.bottom || given == MPIR_F08_MPI_BOTTOM) return MPI_BOTTOM;
  if (given == &mpipriv1_.in_place || given == MPIR_F08_MPI_IN_PLACE) return MPI_IN_PLACE;
  return const_cast<void*>(given);
}
inline int* weights_of(const integer* given) {
  if (given == &mpifcmb5_ || given == &__mpi_f08_link_constants_MOD_mpi_unweighted) return MPI_UNWEIGHTED;
  const bool is_empty = given == &mpifcmb9_ || given == &__mpi_f08_link_constants_MOD_mpi_weights_empty;
  return is_empty ? MPI_WEIGHTS_EMPTY : const_cast<int*>(given);
}
inline int* error_codes_of(integer* given) {
  const bool is_ignored = given == &mpipriv2_.errcodes_ignore ||
                          given == &__mpi_f08_link_constants_MOD_mpi_errcodes_ignore;
  return is_ignored ? MPI_ERRCODES_IGNORE : given;
}
inline MPI_Status* status_of(MPI_Status* given) {
  const void* const at = given;
  return at == mpipriv1_.status_ignore || at == MPIR_F08_MPI_STATUS_IGNORE_OBJ ? MPI_STATUS_IGNORE : given;
}
inline MPI_Status* statuses_of(MPI_Status* given) {
  const void* const at = given;
  return at == mpipriv2_.statuses_ignore || at == MPIR_F08_MPI_STATUSES_IGNORE_OBJ ? MPI_STATUSES_IGNORE : given;
}
inline bool is_argument_constant(const char* given) {
  return (given >= mpiprivc_ && given < mpiprivc_ + 2) || given == &__mpi_f08_link_constants_MOD_mpi_argv_null ||
         given == &__mpi_f08_link_constants_MOD_mpi_argvs_null;
}
#else
inline void* address_of(const void* given) {
  if (given == &mpi_fortran_bottom_) return MPI_BOTTOM;
  if (given == &mpi_fortran_in_place_) return MPI_IN_PLACE;
  return const_cast<void*>(given);
}
inline int* weights_of(const integer* given) {
  if (given == &mpi_fortran_unweighted_) return MPI_UNWEIGHTED;
  return given == &mpi_fortran_weights_empty_ ? MPI_WEIGHTS_EMPTY : const_cast<int*>(given);
}
inline int* error_codes_of(integer* given) {
  return given == &mpi_fortran_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : given;
}
inline MPI_Status* status_of(MPI_Status* given) {
  const void* const at = given;
  return at == mpi_fortran_status_ignore_ ? MPI_STATUS_IGNORE : given;
}
inline MPI_Status* statuses_of(MPI_Status* given) {
  const void* const at = given;
  return at == mpi_fortran_statuses_ignore_ ? MPI_STATUSES_IGNORE : given;
}
inline bool is_argument_constant(const char* given) {
  return given == &mpi_fortran_argv_null_ || given == &mpi_fortran_argvs_null_;
}
#endif
inline void* automatic_back(void* given) { return given; }

// ---- handles ----

/// No handle at all: a call has made none.
template <class Handle>
inline constexpr Handle none = Handle{};

#ifdef PURE_FOREIGN_MPICH
inline int comm_of(integer number) { return number; }
inline int type_of(integer number) { return number; }
inline int errhandler_of(integer number) { return number; }
inline MPI_File file_of(integer number) { return MPI_File_f2c(number); }
inline int group_of(integer number) { return number; }
inline int info_of(integer number) { return number; }
inline int message_of(integer number) { return number; }
inline int op_of(integer number) { return number; }
inline int request_of(integer number) { return number; }
inline int session_of(integer number) { return number; }
inline int win_of(integer number) { return number; }
inline integer number_of(int handle) { return handle; }
inline integer number_of(MPI_File file) { return MPI_File_c2f(file); }
inline void read(integer number, int& to) { to = number; }
inline void read(integer number, MPI_File& to) { to = file_of(number); }
#else
#define PURE_FORTRAN_HANDLE(c_type, short_name, function)                                \
  inline c_type short_name##_of(integer number) { return MPI_##function##_f2c(number); } \
  inline integer number_of(c_type handle) { return MPI_##function##_c2f(handle); }       \
  inline void read(integer number, c_type& to) { to = short_name##_of(number); }
PURE_FORTRAN_HANDLE(MPI_Comm, comm, Comm)
PURE_FORTRAN_HANDLE(MPI_Datatype, type, Type)
PURE_FORTRAN_HANDLE(MPI_Errhandler, errhandler, Errhandler)
PURE_FORTRAN_HANDLE(MPI_File, file, File)
PURE_FORTRAN_HANDLE(MPI_Group, group, Group)
PURE_FORTRAN_HANDLE(MPI_Info, info, Info)
PURE_FORTRAN_HANDLE(MPI_Message, message, Message)
PURE_FORTRAN_HANDLE(MPI_Op, op, Op)
PURE_FORTRAN_HANDLE(MPI_Request, request, Request)
PURE_FORTRAN_HANDLE(MPI_Session, session, Session)
PURE_FORTRAN_HANDLE(MPI_Win, win, Win)
#undef PURE_FORTRAN_HANDLE
#endif

inline bool is_null(MPI_Request request) { return request == MPI_REQUEST_NULL; }
/// A handle has one number, which it keeps: what it is now, too.
template <class Handle>
void give_ended(Handle now, integer* number) {
  *number = number_of(now);
}
/// A key of attributes: MPICH counts those that it sets itself from the next number on.
inline int key_in_c(integer keyval) {
#ifdef PURE_FOREIGN_MPICH
  const int before = keyval - 1;
  return has_number_as_value(before) || before == MPI_WIN_BASE || before == MPI_WIN_SIZE ? before : keyval;
#else
  return keyval;
#endif
}

}  // namespace pure::fortran
