// purerun --explain: what a rank of a program will be, and why; what each has for itself, what all share, and how much
// memory that takes.
#pragma once

#include <string>
#include <vector>

#include "purerun/mpi_program.hpp"
#include "purerun/ranks_as.hpp"

namespace purerun {

/// What was asked for, and found out.
struct explained_program {
  std::string path, name;  ///< where it is; as it was named
  linked_mpi its;
  rank_wish wish;
  int ranks = 1;
  const std::vector<std::string>* environment = nullptr;  ///< in which it would run
};

/// Lines for people. Throws usage_error and program_error where that program would not be started.
std::string explanation_of(const explained_program& program);

}  // namespace purerun
