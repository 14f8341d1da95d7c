// Loops without a pragma whose iterations do not depend on each other, as far as one can see from the source.
#pragma once

#include <clang/AST/Stmt.h>

#include <string>

#include "mpi2pure/source.hpp"

namespace mpi2pure {

// Why they do not; empty: it cannot be said.
std::string why_independent(const clang::ForStmt& loop, const source_file& file, const clang::ASTContext& context);

}  // namespace mpi2pure
