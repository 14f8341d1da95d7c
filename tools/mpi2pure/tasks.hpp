// `mpi2pure tasks`: looks at one translation unit after the other.
#pragma once

#include <clang/Tooling/Tooling.h>

#include <memory>
#include <string>

#include "mpi2pure/changes.hpp"

namespace mpi2pure {

struct tasks_options {
  std::string root;       // The tree: what lies outside of it is not changed.
  bool suggests = false;  // Also loops without a pragma.
};

std::unique_ptr<clang::tooling::FrontendActionFactory> tasks_action(const tasks_options& options, changes& made);

}  // namespace mpi2pure
