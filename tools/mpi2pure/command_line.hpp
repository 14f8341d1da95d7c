// What the command says, and with which flags the compiler sees a file.
#pragma once

#include <clang/Tooling/CompilationDatabase.h>

#include <memory>
#include <string>
#include <vector>

namespace mpi2pure {

struct command_line {
  enum task_of { tasks, port } task = tasks;
  enum output_of { diff, in_place, folder } output = diff;
  bool has_output = false;  // One of --diff, -i and --output is given.
  std::string output_folder;
  bool suggests = false;
  std::string build_folder;
  std::vector<std::string> files;
  bool has_flags = false;
  std::vector<std::string> flags;  // Behind --.
};

struct usage_error {
  std::string text;
};

// Throws usage_error. Prints what --help and --version ask for, and ends the program.
command_line read_command_line(int count, char** arguments);

// Throws usage_error.
std::unique_ptr<clang::tooling::CompilationDatabase> database_for(const command_line& command);

// An omp.h that Clang understands, and the folder, of no disk, in which a translation unit finds it; empty: there is
// none.
inline constexpr const char* omp_h_folder = "/mpi2pure/include";
std::string text_of_omp_h();

// The flag that makes a word before a variable, such as PURE_RANK_LOCAL, an annotation of that text.
std::string annotated(const std::string& word);

// The flags of a command that matter for what its source means, and where the headers of MPI and OpenMP are.
std::vector<std::string> flags_of_interest(const std::vector<std::string>& command);

}  // namespace mpi2pure
