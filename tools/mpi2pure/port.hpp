// `mpi2pure port`: from mpi.h to pure.h.
#pragma once

#include <clang/Tooling/CompilationDatabase.h>

#include <set>
#include <string>
#include <vector>

#include "mpi2pure/ported.hpp"

namespace mpi2pure {

// Looks at all files, which lie in `root`, and decides. Returns those that were not understood, of which nothing is in
// the result: it must not be written then, since they may declare and use variables that it changes.
std::set<std::string> port(const clang::tooling::CompilationDatabase& database, const std::vector<std::string>& files,
                           const std::string& root, ported& result);

// Compiles what would be written, as C++17 with pure.h, and adds the compiler's errors to what is left.
void check_port(const clang::tooling::CompilationDatabase& database, const std::vector<std::string>& files,
                ported& result);

}  // namespace mpi2pure
