// From a directive to the edits that put a task beside its loop.
#pragma once

#include <clang/AST/StmtOpenMP.h>

#include <set>
#include <vector>

#include "mpi2pure/emit.hpp"

namespace mpi2pure {

// What is known of the translation unit that is looked at.
struct surroundings {
  const clang::ASTContext& context;
  const source_file& file;
  const clang::FunctionDecl* function;
  const macro_events& macros;
  const std::set<const clang::ValueDecl*>& thread_counts;
};

// A parallel region whose loops are shared one after the other.
struct region {
  loop_clauses clauses;
  std::vector<const clang::OMPExecutableDirective*> loops;
  std::set<const clang::VarDecl*> declared;  // Outside of the loops: each thread has its own.
};

// Whether it does nothing but loops, once or by every thread. Throws refusal.
region read_region(const clang::OMPParallelDirective& directive, const surroundings& around);

// The loops of a parallel region, as far as they are seen, for what is said of them.
std::vector<const clang::OMPExecutableDirective*> loops_in(const clang::Stmt* statement);

// `number` counts the loops of a function. Throws refusal.
std::vector<edit> edits_of_loop(const clang::OMPExecutableDirective& directive, const region* of,
                                const surroundings& around, unsigned number);

}  // namespace mpi2pure
