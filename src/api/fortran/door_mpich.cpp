// Symbols of MPICH's modules besides procedures of MPI, by gfortran's names.
#include "api/fortran/door_modules.hpp"

namespace pure::fortran {

extern "C" {

// The constants of mpif.h that are addresses, where the program has none.
first_constants mpipriv1_;
other_constants mpipriv2_;
char mpiprivc_[2] = {' ', ' '};
integer mpifcmb5_, mpifcmb9_;
integer __mpi_f08_link_constants_MOD_mpi_unweighted, __mpi_f08_link_constants_MOD_mpi_weights_empty;
integer __mpi_f08_link_constants_MOD_mpi_errcodes_ignore;
char __mpi_f08_link_constants_MOD_mpi_argv_null, __mpi_f08_link_constants_MOD_mpi_argvs_null;

PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_comm_eq, __mpi_f08_types_MOD_mpi_comm_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_comm_f08_eq_f, __mpi_f08_types_MOD_mpi_comm_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_comm_f_eq_f08, __mpi_f08_types_MOD_mpi_comm_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_commeq, __mpi_constants_MOD_commneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_datatype_eq, __mpi_f08_types_MOD_mpi_datatype_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_datatype_f08_eq_f, __mpi_f08_types_MOD_mpi_datatype_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_datatype_f_eq_f08, __mpi_f08_types_MOD_mpi_datatype_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_datatypeeq, __mpi_constants_MOD_datatypeneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_errhandler_eq, __mpi_f08_types_MOD_mpi_errhandler_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_errhandler_f08_eq_f, __mpi_f08_types_MOD_mpi_errhandler_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_errhandler_f_eq_f08, __mpi_f08_types_MOD_mpi_errhandler_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_errhandlereq, __mpi_constants_MOD_errhandlerneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_file_eq, __mpi_f08_types_MOD_mpi_file_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_file_f08_eq_f, __mpi_f08_types_MOD_mpi_file_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_file_f_eq_f08, __mpi_f08_types_MOD_mpi_file_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_fileeq, __mpi_constants_MOD_fileneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_group_eq, __mpi_f08_types_MOD_mpi_group_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_group_f08_eq_f, __mpi_f08_types_MOD_mpi_group_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_group_f_eq_f08, __mpi_f08_types_MOD_mpi_group_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_groupeq, __mpi_constants_MOD_groupneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_info_eq, __mpi_f08_types_MOD_mpi_info_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_info_f08_eq_f, __mpi_f08_types_MOD_mpi_info_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_info_f_eq_f08, __mpi_f08_types_MOD_mpi_info_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_infoeq, __mpi_constants_MOD_infoneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_message_eq, __mpi_f08_types_MOD_mpi_message_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_message_f08_eq_f, __mpi_f08_types_MOD_mpi_message_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_message_f_eq_f08, __mpi_f08_types_MOD_mpi_message_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_messageeq, __mpi_constants_MOD_messageneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_op_eq, __mpi_f08_types_MOD_mpi_op_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_op_f08_eq_f, __mpi_f08_types_MOD_mpi_op_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_op_f_eq_f08, __mpi_f08_types_MOD_mpi_op_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_opeq, __mpi_constants_MOD_opneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_request_eq, __mpi_f08_types_MOD_mpi_request_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_request_f08_eq_f, __mpi_f08_types_MOD_mpi_request_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_request_f_eq_f08, __mpi_f08_types_MOD_mpi_request_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_requesteq, __mpi_constants_MOD_requestneq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_session_eq, __mpi_f08_types_MOD_mpi_session_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_session_f08_eq_f, __mpi_f08_types_MOD_mpi_session_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_session_f_eq_f08, __mpi_f08_types_MOD_mpi_session_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_win_eq, __mpi_f08_types_MOD_mpi_win_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_win_f08_eq_f, __mpi_f08_types_MOD_mpi_win_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_win_f_eq_f08, __mpi_f08_types_MOD_mpi_win_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_wineq, __mpi_constants_MOD_winneq)

// And so are those of C.
#define PURE_FORTRAN_SAME_IN_C(of)                                              \
  integer __mpi_f08_types_MOD_mpi_##of##_c2f(integer handle) { return handle; } \
  integer __mpi_f08_types_MOD_mpi_##of##_f2c(integer number) { return number; }
PURE_FORTRAN_SAME_IN_C(comm)
PURE_FORTRAN_SAME_IN_C(datatype)
PURE_FORTRAN_SAME_IN_C(errhandler)
PURE_FORTRAN_SAME_IN_C(group)
PURE_FORTRAN_SAME_IN_C(info)
PURE_FORTRAN_SAME_IN_C(message)
PURE_FORTRAN_SAME_IN_C(op)
PURE_FORTRAN_SAME_IN_C(request)
PURE_FORTRAN_SAME_IN_C(session)
PURE_FORTRAN_SAME_IN_C(win)

// A status is the same five words everywhere.
void __mpi_f08_types_MOD_mpi_status_c_assign_f08(MPI_Status* to, const MPI_Status* from) { *to = *from; }
void __mpi_f08_types_MOD_mpi_status_f08_assign_c(MPI_Status* to, const MPI_Status* from) { *to = *from; }
void __mpi_f08_types_MOD_mpi_status_f082f(const MPI_Status* from, MPI_Status* to, integer* ierror) {
  *to = *from;
  give_error(ierror, MPI_SUCCESS);
}
void __mpi_f08_types_MOD_mpi_status_f2f08(const MPI_Status* from, MPI_Status* to, integer* ierror) {
  *to = *from;
  give_error(ierror, MPI_SUCCESS);
}

// MPI_Sizeof, of which the modules have one for each type: of the module mpi for variables and for arrays.
#define PURE_FORTRAN_SIZE(name, bytes)                     \
  void name(const void*, integer* size, integer* ierror) { \
    *size = bytes;                                         \
    give_error(ierror, MPI_SUCCESS);                       \
  }
#define PURE_FORTRAN_SIZES(kind, bytes)                         \
  PURE_FORTRAN_SIZE(__mpi_sizeofs_MOD_mpi_sizeof_##kind, bytes) \
  PURE_FORTRAN_SIZE(__mpi_sizeofs_MOD_mpi_sizeof_##kind##v, bytes)
PURE_FORTRAN_SIZES(ch, 1)
PURE_FORTRAN_SIZES(cx, 8)
PURE_FORTRAN_SIZES(d, 8)
PURE_FORTRAN_SIZES(i, 4)
PURE_FORTRAN_SIZES(i1, 1)
PURE_FORTRAN_SIZES(i2, 2)
PURE_FORTRAN_SIZES(i8, 8)
PURE_FORTRAN_SIZES(l, 4)
PURE_FORTRAN_SIZES(r, 4)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_character, 1)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_logical, 4)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xint8, 1)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xint16, 2)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xint32, 4)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xint64, 8)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xreal32, 4)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xreal64, 8)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xreal128, 16)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xcomplex32, 8)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xcomplex64, 16)
PURE_FORTRAN_SIZE(__mpi_f08_types_MOD_mpi_sizeof_xcomplex128, 32)

}  // extern "C"

}  // namespace pure::fortran
