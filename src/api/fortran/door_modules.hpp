// The symbols that the modules of all MPIs have, by gfortran's names. Each door for Fortran includes it once, in one
// file.
#pragma once

#include "api/fortran/side.hpp"

/// Handles of mpi_f08 are compared as their numbers.
#define PURE_FORTRAN_EQUALITY(equal, different)                                                 \
  integer equal(const integer* left, const integer* right) { return logical(*left == *right); } \
  integer different(const integer* left, const integer* right) { return logical(*left != *right); }

namespace pure::fortran {

extern "C" {

/// By which it is told from the library whose name it has (loader/mpi_libraries.hpp).
extern const char pure_foreign_door[];
const char pure_foreign_door[] = "a door of Pure";

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
