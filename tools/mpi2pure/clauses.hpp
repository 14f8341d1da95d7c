// What the clauses of a directive say.
#pragma once

#include <clang/AST/StmtOpenMP.h>

#include <string>
#include <vector>

#include "mpi2pure/loop_form.hpp"

namespace mpi2pure {

struct reduction {
  const clang::VarDecl* variable;
  std::string op;  // +, *, &, |, ^, &&, ||, min or max.

  // Combining a value with itself changes nothing: parts may begin with what the variable had.
  bool is_idempotent() const { return op != "+" && op != "*" && op != "^"; }
};

struct loop_clauses {
  std::vector<const clang::VarDecl*> privates, first_privates, last_privates;
  std::vector<reduction> reductions;
  unsigned depth = 1;     // Of collapse.
  std::string condition;  // Of if; empty: none.
  std::string chunk;      // Of schedule; empty: by measurement.
  bool is_simd = false;
  std::string simd_clauses;  // What stays at the chunk's loop.

  bool is_private(const clang::VarDecl* variable) const;
};

bool has(const std::vector<const clang::VarDecl*>& variables, const clang::VarDecl* variable);

// Adds what the directive's clauses say to what is known. Throws refusal.
void read_clauses(const clang::OMPExecutableDirective& directive, const source_file& file,
                  const clang::ASTContext& context, loop_clauses& known);

}  // namespace mpi2pure
