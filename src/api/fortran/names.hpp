// Names that Fortran compilers give a procedure: in lower case with one underscore behind it (gfortran, flang, ifx,
// nvfortran), with two (-fsecond-underscore), with none (-fno-underscoring, xlf), or in upper case. And each by its
// profiling name.
#pragma once

#define PURE_FORTRAN_NAME(alias, is) asm(".globl " alias "\n\t.hidden " alias "\n\t.set " alias ", " is "\n")

#define PURE_FORTRAN_NAMES_OF(lower, upper, is) \
  PURE_FORTRAN_NAME(lower "__", is);            \
  PURE_FORTRAN_NAME(lower, is);                 \
  PURE_FORTRAN_NAME(upper, is);                 \
  PURE_FORTRAN_NAME("p" lower "_", is);         \
  PURE_FORTRAN_NAME("p" lower "__", is);        \
  PURE_FORTRAN_NAME("p" lower, is);             \
  PURE_FORTRAN_NAME("P" upper, is)

/// The other names of the function lower_, which is defined in the same file.
#define PURE_FORTRAN_NAMES(lower, upper) PURE_FORTRAN_NAMES_OF(#lower, #upper, #lower "_")
/// mpi_f08 calls the same function by a name of its own: its handles lie where an INTEGER does.
#define PURE_FORTRAN_NAMES_AND_F08(lower, upper)     \
  PURE_FORTRAN_NAMES_OF(#lower, #upper, #lower "_"); \
  PURE_FORTRAN_NAME(#lower "_f08_", #lower "_");     \
  PURE_FORTRAN_NAMES_OF(#lower "_f08", #upper "_F08", #lower "_")
