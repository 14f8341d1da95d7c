// Values of attributes between the languages (MPI 5.0, 19.3.7). A program in Fortran sets an integer of the size of an
// address, and one in C gets a pointer to it: so the value in C is the address of a *cell*, which holds the integer. A
// value that C has set is a pointer, which Fortran gets as an integer. Cells of equal integers are one, and last. Any
// thread.
#pragma once

#include "api/fortran/side.hpp"

namespace pure::fortran {

/// The address of the cell that holds the integer.
void* cell_of(MPI_Aint value);
/// The integer for Fortran of a value that C has.
MPI_Aint value_in(void* given);
/// Likewise, of a key of communicators or windows, the predefined ones among them.
MPI_Aint value_in(int keyval, void* given);

}  // namespace pure::fortran
