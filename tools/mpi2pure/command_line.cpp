#include "mpi2pure/command_line.hpp"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

namespace mpi2pure {
namespace {

constexpr const char* manual = R"(Translates programs of MPI, in C and C++.
Usage: mpi2pure SUBCOMMAND [OPTIONS] FILE... [-- FLAGS]

Subcommands:
  tasks  each loop that OpenMP says is independent becomes a call of
         pure_parallel_for or pure_parallel_reduce (pure/tasks.h) under the
         macro PURE_TASKS, beside its pragma: ranks that wait may share it.
         Compile with -DPURE_TASKS to have tasks; without, the program is what
         it was
  port   names of MPI become those of pure.h, by pure/mpi_names.h, and each
         rank, which is a thread, gets its own of every variable that is global
         or static. Give all files of the program at once. Compile the result as
         C++17, with purecxx, or with -DPURE_OVER_MPI and the compiler of an MPI

Options:
  --diff          print what would change (default)
  -i              change the files
  --output DIR    write the files to DIR, with the changed headers
  --suggest       tasks: also list loops without a pragma whose iterations seem
                  independent
  -p BUILD_DIR    where compile_commands.json is; by default in a folder above
                  the first FILE
  -h,--help       print this text
  --version       print the version

FLAGS are those with which FILE is compiled (-I, -D, -std, ...); the first may
be the compiler, as mpicc, which is asked where mpi.h is. Without --, they are
taken from compile_commands.json.

Headers in the tree are changed, too: in the current folder, or in the one that
has all FILEs.

Examples:
  mpi2pure tasks solver.c -- mpicc -O2
      prints what would change
  mpi2pure port -i main.c field.c -- mpicc -Iinclude
      translates a program of two files where they are
  mpi2pure port --output ported -p build src/main.cpp src/field.cpp
      writes it to a folder; CMake knows the flags

What cannot be done stays as it is, and is reported as FILE:LINE: reason. tasks
leaves a file that it does not understand as it is; port changes none then,
since a variable changes in all files or in none.

Exit status: 0 if all is done; 1 if something was left, or a file was not
understood or could not be written; 2 for wrong use.
)";

void read_option(command_line& command, const std::string& word, int& at, int count, char** arguments) {
  const std::size_t equals = word.find('=');
  const std::string option = word.substr(0, equals);
  const auto value = [&] {  // As in: --output DIR, --output=DIR.
    std::string given;
    if (equals != std::string::npos)
      given = word.substr(equals + 1);
    else if (at + 1 < count)
      given = arguments[++at];
    if (given.empty() || given == "--") throw usage_error{option + " needs a value"};
    return given;
  };
  const auto output = [&](command_line::output_of wanted) {
    if (command.has_output && command.output != wanted) throw usage_error{"-i, --output and --diff exclude each other"};
    command.has_output = true;
    command.output = wanted;
  };
  if (option == "--output") {
    output(command_line::folder);
    command.output_folder = value();
  } else if (option == "-p") {
    command.build_folder = value();
  } else if (word == "-i") {
    output(command_line::in_place);
  } else if (word == "--diff") {
    output(command_line::diff);
  } else if (word == "--suggest") {
    command.suggests = true;
  } else {
    throw usage_error{"there is no option " + word};
  }
}

// Behind --, what does not begin as an option.
void require_compiler(const std::string& name) {
  const bool is_path = name.find('/') != std::string::npos;
  if (name.empty() || (is_path ? !llvm::sys::fs::can_execute(name) : !llvm::sys::findProgramByName(name)))
    throw usage_error{"there is no compiler '" + name + "'; behind -- stand the compiler, as mpicc, and its flags"};
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
  if (command.files.empty())
    throw usage_error{"no file is given: mpi2pure " +
                      std::string(command.task == command_line::port ? "port" : "tasks") + " FILE... -- mpicc"};
  if (command.suggests && command.task != command_line::tasks) throw usage_error{"--suggest is one of tasks"};
  if (command.has_flags && !command.build_folder.empty())
    throw usage_error{"-p and flags behind -- exclude each other"};
  return command;
}

std::unique_ptr<clang::tooling::CompilationDatabase> database_for(const command_line& command) {
  using namespace clang::tooling;
  if (command.has_flags) {
    if (!command.flags.empty() && command.flags.front().rfind('-', 0) != 0) require_compiler(command.flags.front());
    return std::make_unique<FixedCompilationDatabase>(".", command.flags);
  }
  const std::string& folder = command.build_folder;
  std::string error;
  std::unique_ptr<CompilationDatabase> found = folder.empty() ? CompilationDatabase::autoDetectFromSource(
                                                                    command.files.front(), error)
                                                              : CompilationDatabase::loadFromDirectory(folder, error);
  if (found != nullptr) return found;
  if (folder.empty())
    throw usage_error{"how is " + command.files.front() +
                      " compiled? Give the compiler and its flags behind --, as in: -- mpicc -O2, or, with -p, the "
                      "folder of compile_commands.json, which is in none above the file"};
  if (!llvm::sys::fs::exists(folder + "/compile_commands.json"))
    throw usage_error{"there is no compile_commands.json in " + folder +
                      ": CMake writes one with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or give the flags behind --"};
  throw usage_error{"compile_commands.json in " + folder + " is none: " + llvm::StringRef(error).trim().str()};
}

}  // namespace mpi2pure
