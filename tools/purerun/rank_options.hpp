// What the choice of a rank's kind (ranks_as.hpp) means for the rest of what purerun was asked for: how many processes
// there are, what is executed, and with which variables.
#pragma once

#include <string>

#include "purerun/launcher.hpp"
#include "purerun/options.hpp"
#include "purerun/ranks_as.hpp"

namespace purerun {

struct rank_request {
  rank_wish wish;
  std::string machines_option{};  ///< --ppn, --hosts or --hostfile, if one was given
  bool is_explained = false;      ///< only text is wanted
};

/// Of the program in `result.command`. Changes the request for processes, and in the result what starts the program.
/// Where it is to be explained, only the result's text. Throws usage_error and program_error.
void choose_ranks(const rank_request& ranks, process_request& asked, options& result);

}  // namespace purerun
