// Symbols of MPICH's modules besides procedures of MPI, by gfortran's names.
#include "api/fortran/side.hpp"

namespace pure::fortran {

extern "C" {

/// By which it is told from the library whose name it has (loader/mpi_libraries.hpp).
extern const char pure_foreign_door[];
const char pure_foreign_door[] = "a door of Pure";

// The constants of mpif.h that are addresses, where the program has none.
first_constants mpipriv1_;
other_constants mpipriv2_;
char mpiprivc_[2] = {' ', ' '};
integer mpifcmb5_, mpifcmb9_;

// Handles of mpi_f08 are compared as their numbers.
#define PURE_FORTRAN_EQUALITY(equal, different)                                                 \
  integer equal(const integer* left, const integer* right) { return logical(*left == *right); } \
  integer different(const integer* left, const integer* right) { return logical(*left != *right); }
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
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_win_eq, __mpi_f08_types_MOD_mpi_win_neq)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_win_f08_eq_f, __mpi_f08_types_MOD_mpi_win_f08_neq_f)
PURE_FORTRAN_EQUALITY(__mpi_f08_types_MOD_mpi_win_f_eq_f08, __mpi_f08_types_MOD_mpi_win_f_neq_f08)
PURE_FORTRAN_EQUALITY(__mpi_constants_MOD_wineq, __mpi_constants_MOD_winneq)

// Predefined functions for attributes, which the modules have as procedures of their own.
#define PURE_FORTRAN_PREDEFINED(of)                                                                                  \
  void pmpi_##of##_dup_fn_(integer*, integer*, MPI_Aint*, MPI_Aint*, MPI_Aint*, integer*, integer*);                 \
  void pmpi_##of##_null_copy_fn_(integer*, integer*, MPI_Aint*, MPI_Aint*, MPI_Aint*, integer*, integer*);           \
  void pmpi_##of##_null_delete_fn_(integer*, integer*, MPI_Aint*, MPI_Aint*, integer*);                              \
  void __mpi_f08_callbacks_MOD_mpi_##of##_dup_fn(integer* object, integer* key, MPI_Aint* state, MPI_Aint* in,       \
                                                 MPI_Aint* out, integer* flag, integer* ierror) {                    \
    pmpi_##of##_dup_fn_(object, key, state, in, out, flag, ierror);                                                  \
  }                                                                                                                  \
  void __mpi_f08_callbacks_MOD_mpi_##of##_null_copy_fn(integer* object, integer* key, MPI_Aint* state, MPI_Aint* in, \
                                                       MPI_Aint* out, integer* flag, integer* ierror) {              \
    pmpi_##of##_null_copy_fn_(object, key, state, in, out, flag, ierror);                                            \
  }                                                                                                                  \
  void __mpi_f08_callbacks_MOD_mpi_##of##_null_delete_fn(integer* object, integer* key, MPI_Aint* value,             \
                                                         MPI_Aint* state, integer* ierror) {                         \
    pmpi_##of##_null_delete_fn_(object, key, value, state, ierror);                                                  \
  }
PURE_FORTRAN_PREDEFINED(comm)
PURE_FORTRAN_PREDEFINED(type)
PURE_FORTRAN_PREDEFINED(win)

}  // extern "C"

}  // namespace pure::fortran
