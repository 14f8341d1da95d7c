// libmpi_cxx.so.40: what programs and libraries import that were compiled with Open MPI's mpicxx, whether they use its
// C++ bindings or not. The bindings are inline but for these functions, and objects as MPI::COMM_WORLD, which are not
// here: purerun says so, by their names.
//
// An object of the bindings has a pointer to its virtual functions, and the handle of C behind it.
#include "api/foreign/core.hpp"

namespace {

template <class Handle>
struct object {
  void* virtual_functions;
  Handle handle;
};

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

/// By which it is told from the library whose name it has (loader/mpi_libraries.hpp).
extern const char pure_foreign_door[];
const char pure_foreign_door[] = "a door of Pure";

/// MPI::Comm::Comm(), which constructors of other classes call.
void pure_cxx_construct_comm(object<MPI_Comm>* made) asm("_ZN3MPI4CommC2Ev");
void pure_cxx_construct_comm(object<MPI_Comm>* made) { made->handle = MPI_COMM_NULL; }
asm("\t.globl _ZN3MPI4CommC1Ev\n\t.set _ZN3MPI4CommC1Ev, _ZN3MPI4CommC2Ev\n");

/// MPI::Datatype::Free(), MPI::Win::Free()
void pure_cxx_free_datatype(object<MPI_Datatype>* of) asm("_ZN3MPI8Datatype4FreeEv");
void pure_cxx_free_datatype(object<MPI_Datatype>* of) { MPI_Type_free(&of->handle); }
void pure_cxx_free_win(object<MPI_Win>* of) asm("_ZN3MPI3Win4FreeEv");
void pure_cxx_free_win(object<MPI_Win>* of) { MPI_Win_free(&of->handle); }

/// The function of an operator of MPI::Op::Init(), to which ompi_op_set_cxx_callback() would add the program's.
void ompi_mpi_cxx_op_intercept(void* in, void* inout, int* length, MPI_Datatype* type);
void ompi_mpi_cxx_op_intercept(void*, void*, int*, MPI_Datatype*) {}

#pragma GCC visibility pop
}
