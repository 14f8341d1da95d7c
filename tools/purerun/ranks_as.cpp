#include "purerun/ranks_as.hpp"

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "purerun/options.hpp"
#include "purerun/shared_globals.hpp"

namespace purerun {

rank_kind choose_rank_kind(const std::string& asked, const linked_mpi& its, const std::string& path,
                           const std::string& name) {
  const bool is_mpi_program = its.family == mpi_family::pure;
  if (asked.empty() || asked == "processes") return {.is_process = asked == "processes" || is_mpi_program, .note = ""};
  if (asked != "threads" && asked != "auto") {
    throw usage_error(
        fmt::format("--ranks-as {}: it is threads, processes or auto.", pure::core::printable_word(asked)));
  }
  if (!is_mpi_program) {
    if (asked == "threads") return {};
    return {.is_process = false,
            .note = fmt::format("{}: ranks are threads, since it is not linked with Pure's libmpi_abi.", name)};
  }
  const std::string shared = text_of_globals_between_ranks(path);
  if (asked == "threads") {
    return {.is_process = false,
            .note = shared.empty() ? "" : fmt::format("warning: as threads the ranks share {}", shared)};
  }
  if (shared.empty())
    return {.is_process = false,
            .note = fmt::format("{}: ranks are threads, since it has no writable global variables.", name)};
  return {.is_process = true, .note = fmt::format("{}: ranks are processes; threads would share {}", name, shared)};
}

}  // namespace purerun
