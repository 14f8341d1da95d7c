// Names that Fortran compilers give a procedure: in lower case with one underscore behind it (gfortran, flang, ifx,
// nvfortran), with two (-fsecond-underscore), with none (-fno-underscoring, xlf), or in upper case. A function is
// defined by its profiling name; the others are weak, so that a program may have one of its own in front of it
// (MPI 5.0, 15.2). Those of a door are for the program; those of an archive for the image that has it.
#pragma once

#ifdef PURE_FORTRAN_OF_DOOR
#define PURE_FORTRAN_HIDDEN(alias)
#else
#define PURE_FORTRAN_HIDDEN(alias) "\n\t.hidden " alias
#endif
#define PURE_FORTRAN_NAME(alias, is) asm(".globl " alias PURE_FORTRAN_HIDDEN(alias) "\n\t.set " alias ", " is "\n")
#define PURE_FORTRAN_WEAK_NAME(alias, is) asm(".weak " alias PURE_FORTRAN_HIDDEN(alias) "\n\t.set " alias ", " is "\n")

#define PURE_FORTRAN_NAMES_OF(lower, upper, is) \
  PURE_FORTRAN_WEAK_NAME(lower "_", is);        \
  PURE_FORTRAN_WEAK_NAME(lower "__", is);       \
  PURE_FORTRAN_WEAK_NAME(lower, is);            \
  PURE_FORTRAN_WEAK_NAME(upper, is);            \
  PURE_FORTRAN_NAME("p" lower "__", is);        \
  PURE_FORTRAN_NAME("p" lower, is);             \
  PURE_FORTRAN_NAME("P" upper, is)

/// The other names of the function plower_, which is defined in the same file.
#define PURE_FORTRAN_NAMES(lower, upper) PURE_FORTRAN_NAMES_OF(#lower, #upper, "p" #lower "_")
/// mpi_f08 calls the same function by a name of its own: its handles lie where an INTEGER does.
#define PURE_FORTRAN_NAMES_AND_F08(lower, upper)                       \
  PURE_FORTRAN_NAMES_OF(#lower, #upper, "p" #lower "_");               \
  PURE_FORTRAN_NAMES_OF(#lower "_f08", #upper "_F08", "p" #lower "_"); \
  PURE_FORTRAN_NAME("p" #lower "_f08_", "p" #lower "_")
