// What stands in a loop's body: what keeps it from being done by other ranks, the variables of the function around it
// that it uses, and its atomic updates.
#pragma once

#include <clang/AST/StmtOpenMP.h>

#include <map>
#include <set>
#include <vector>

#include "mpi2pure/loop_form.hpp"
#include "mpi2pure/macros.hpp"

namespace mpi2pure {

struct atomic_update {
  const clang::OMPAtomicDirective* directive;
  std::size_t begin, end;  // From the line of its pragma to behind the statement.
  clang::SourceRange target, operand;
  std::string op;      // + - * / & | ^ << >>
  bool operand_first;  // target = operand OP target
};

// How a body uses a variable that the function around it declares.
struct usage {
  bool is_only_read = true;         // As a whole: never written, and its address is not taken.
  bool is_array_as_pointer = true;  // Only its elements are named, so that a pointer to the first one will do.
  std::vector<clang::SourceLocation> places;
};

struct loop_body {
  std::map<const clang::VarDecl*, usage> uses;
  std::set<const clang::VarDecl*> globals;
  std::set<const clang::VarDecl*> declared;  // By the body.
  std::vector<atomic_update> atomics;
  std::map<const clang::VarDecl*, const clang::Stmt*> counted;  // By which loop, of variables from outside of the body.
};

// Throws refusal. `thread_counts` is numbers_of_threads().
loop_body read_body(const clang::Stmt* body, const clang::FunctionDecl* function,
                    const std::set<const clang::ValueDecl*>& thread_counts, const source_file& file,
                    const clang::ASTContext& context);

}  // namespace mpi2pure
