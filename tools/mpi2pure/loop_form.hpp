// The header of a loop in OpenMP's canonical form, taken apart: which variable, from where to where, in which steps.
#pragma once

#include <clang/AST/Stmt.h>

#include <string>
#include <vector>

#include "mpi2pure/source.hpp"

namespace mpi2pure {

// Why a loop stays as it is.
struct refusal {
  std::string reason;
  const clang::Stmt* at = nullptr;  // What is in the way; null: the loop itself.
};

struct loop_level {
  enum relation_of { less, less_equal, greater, greater_equal, not_equal };

  const clang::VarDecl* variable;
  bool is_declared_here;      // By the loop itself.
  std::string type;           // What declares the variable in a chunk.
  std::string lower, upper;   // As in the source.
  std::string compared_type;  // In which the source compares; empty: that of `upper`, which depends on a template.
  bool lower_needs_cast;      // The variable's type is another one than that.
  bool is_iterator;           // Or a pointer.
  relation_of relation;
  bool goes_down;
  std::string step;  // How much, as a positive number; "1" where it is known to be one.
  const clang::Stmt* body;
};

// The loop and those which are collapsed with it, from the outermost to the innermost. Throws refusal.
std::vector<loop_level> read_loops(const clang::Stmt* statement, unsigned depth, const source_file& file,
                                   const clang::ASTContext& context);

// How the source would write a type. `name` is what it declares.
std::string declaration(clang::QualType type, const std::string& name, const clang::ASTContext& context);

}  // namespace mpi2pure
