// Whether a function may be called in a chunk, as far as its text is known.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <set>
#include <string>

namespace mpi2pure {

// The variables and members that get a number of threads anywhere in the translation unit. A loop that reads one may
// depend on it in the way that OpenMP's threads are how it is shared: if there is one, it may do what is right for one
// only.
std::set<const clang::ValueDecl*> numbers_of_threads(clang::ASTContext& context);

// Why the function may not be called in a chunk; empty: nothing speaks against it. Looks into what it calls, too.
// `thread_counts` is numbers_of_threads().
std::string why_not_called(const clang::FunctionDecl* function, const std::set<const clang::ValueDecl*>& thread_counts,
                           const clang::ASTContext& context);

// Whether it only computes: an expression that can be evaluated once or by every thread.
bool changes_nothing(const clang::Stmt* expression, const clang::ASTContext& context);

// Why a variable may not be named in a chunk; empty: it may.
std::string why_not_named(const clang::VarDecl* variable);

}  // namespace mpi2pure
