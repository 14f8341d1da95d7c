#include "mpi2pure/command_line.hpp"

#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

namespace mpi2pure {
namespace {

constexpr const char* manual = R"(Translates programs of MPI, in C and C++.

Usage: mpi2pure tasks [OPTIONS] FILE... [-- FLAGS]
       mpi2pure port [OPTIONS] FILE... [-- FLAGS]

tasks: each loop that OpenMP says is independent becomes a call of pure_parallel_for or
pure_parallel_reduce (pure/tasks.h) under the macro PURE_TASKS, beside its pragma: ranks that wait
may share it. Compile with -DPURE_TASKS to have tasks; without, the program is what it was.

port: names of MPI become those of pure.h, by pure/mpi_names.h, and each rank, which is a thread,
gets its own of every variable that is global or static. Give all files of the program at once.
Compile the result as C++17, with purecxx, or with -DPURE_OVER_MPI and the compiler of an MPI.

Headers in the tree are changed, too: in the current folder, or in the one that has all FILEs.

FLAGS are those with which FILE is compiled (-I, -D, -std, ...); the first may be the compiler, as
mpicc, which is asked where mpi.h is. Without --, they are taken from compile_commands.json.

Options:
  --diff            Print what would change (default)
  -i                Change the files
  --output DIR      Write the files to DIR, with the changed headers
  --suggest         tasks: also list loops without a pragma whose iterations seem independent
  -p BUILD_DIR      Where compile_commands.json is; by default in a folder above the first FILE
  --version         Print the version of Pure
  --help            Print this help

What cannot be done stays as it is, and is reported as FILE:LINE: reason.
Status: 0 if all is done, 1 if something was left or a file was not understood, 2 for a wrong command.
)";

void read_option(command_line& command, const std::string& option, int& at, int count, char** arguments) {
  const auto value = [&] {
    if (++at == count) throw usage_error{option + " needs a value"};
    return std::string(arguments[at]);
  };
  const auto output = [&](command_line::output_of wanted) {
    if (command.output != command_line::diff && command.output != wanted)
      throw usage_error{"-i, --output and --diff exclude each other"};
    command.output = wanted;
  };
  if (option == "-i") {
    output(command_line::in_place);
  } else if (option == "--diff") {
    output(command_line::diff);
  } else if (option == "--output") {
    output(command_line::folder);
    command.output_folder = value();
  } else if (option == "--suggest") {
    command.suggests = true;
  } else if (option == "-p") {
    command.build_folder = value();
  } else {
    throw usage_error{"there is no option " + option};
  }
}

}  // namespace

command_line read_command_line(int count, char** arguments) {
  command_line command;
  bool has_subcommand = false;
  for (int at = 1; at < count; ++at) {
    const std::string word = arguments[at];
    if (word == "--") {
      command.has_flags = true;
      command.flags.assign(arguments + at + 1, arguments + count);
      break;
    }
    if (word == "--help" || word == "-h" || word == "--version") {
      llvm::outs() << (word == "--version" ? "mpi2pure of Pure " PURE_VERSION_TEXT "\n" : manual);
      llvm::outs().flush();
      std::exit(0);
    }
    if (word.size() > 1 && word[0] == '-') {
      read_option(command, word, at, count, arguments);
    } else if (!has_subcommand) {
      if (word != "tasks" && word != "port")
        throw usage_error{"there is no command '" + word + "'; there are: tasks, port"};
      command.task = word == "port" ? command_line::port : command_line::tasks;
      has_subcommand = true;
    } else {
      command.files.push_back(word);
    }
  }
  if (!has_subcommand) throw usage_error{"say what to do: mpi2pure tasks FILE... or mpi2pure port FILE..."};
  if (command.files.empty()) throw usage_error{"no file is given"};
  if (command.suggests && command.task != command_line::tasks) throw usage_error{"--suggest is one of tasks"};
  if (command.has_flags && !command.build_folder.empty())
    throw usage_error{"-p and flags behind -- exclude each other"};
  return command;
}

std::unique_ptr<clang::tooling::CompilationDatabase> database_for(const command_line& command) {
  using namespace clang::tooling;
  if (command.has_flags) return std::make_unique<FixedCompilationDatabase>(".", command.flags);
  std::string error;
  std::unique_ptr<CompilationDatabase> found = command.build_folder.empty() ? CompilationDatabase::autoDetectFromSource(
                                                                                  command.files.front(), error)
                                                                            : CompilationDatabase::loadFromDirectory(
                                                                                  command.build_folder, error);
  if (found == nullptr)
    throw usage_error{"how is " + command.files.front() + " compiled? Give its flags behind --, or -p BUILD_DIR\n" +
                      error};
  return found;
}

}  // namespace mpi2pure
