// What people type who know mpirun: options of MPI launchers, which purerun has otherwise or needs not, each with what
// to write instead. Pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace purerun {

/// The words of a command line, for the app: -np and --np have become -n. Throws usage_error for an option that only
/// MPI launchers have, and for several programs ("./a : -n 2 ./b"); what comes after PROGRAM is the program's
/// otherwise.
///
/// Under the name of such a launcher (`is_mpiexec`), which test suites have in them, options that ask for what is so
/// anyway, or has a counterpart, are taken: variables (-x NAME=VALUE, -env NAME VALUE) go into this process's
/// environment, and `notes` has a line for each that changes nothing, though it might have been meant to.
std::vector<std::string> without_habits(const CLI::App& app, std::span<const char* const> words, bool is_mpiexec,
                                        std::vector<std::string>& notes);
/// Whether purerun was called by such a name: mpiexec, mpirun.
bool is_called_mpiexec(std::string_view name);

/// Throws usage_error where a mapping (--map-by) is one of MPI launchers only, such as ppr:2:socket.
void refuse_foreign_mapping(std::string_view map_by);

}  // namespace purerun
