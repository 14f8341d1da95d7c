// The passes of `mpi2pure port` over a translation unit. Each adds to what is known of the whole program.
#pragma once

#include "mpi2pure/names.hpp"
#include "mpi2pure/port_unit.hpp"

namespace mpi2pure {

// Names of MPI, as Clang resolves them, and the include of its header.
void port_names(clang::ASTContext& context, const port_unit& unit, const preprocessed& seen, const names& table,
                ported& result);

// Variables that ranks must not share, and functions of libraries that keep something for the whole process.
void port_globals(clang::ASTContext& context, const port_unit& unit, ported& result);

// In C: a pointer to void becomes another one, and a number an enumeration, by a cast, as C++ wants it.
void port_casts(clang::ASTContext& context, const port_unit& unit, ported& result);

// Of a function of libc that keeps a state for the process: what to do; empty: it has none.
std::string remedy_for_library(const std::string& name);

}  // namespace mpi2pure
