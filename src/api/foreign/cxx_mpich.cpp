// libmpichcxx.so.12, libmpicxx.so.12: there because programs may be linked with it that do not use MPI's C++ bindings,
// which it has not. purerun names what a program wants of them.
#include "api/foreign/core.hpp"

/// By which it is told from the library whose name it has (loader/mpi_libraries.hpp).
extern "C" __attribute__((visibility("default"))) const char pure_foreign_door[] = "a door of Pure";
