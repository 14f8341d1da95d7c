// mpi2pure: translates MPI programs. `mpi2pure --help` is its manual.
#include <clang/Driver/Types.h>
#include <clang/Tooling/ArgumentsAdjusters.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "mpi2pure/changes.hpp"
#include "mpi2pure/command_line.hpp"
#include "mpi2pure/port.hpp"
#include "mpi2pure/tasks.hpp"
#include "mpi2pure/text.hpp"

namespace mpi2pure {
namespace {

std::string real_path(const std::string& path) {
  llvm::SmallString<256> found;
  if (llvm::sys::fs::real_path(path, found)) throw usage_error{"there is no file " + path};
  return std::string(found.str());
}

// Refuses those of which Clang would not say what is wrong.
void require_source(const std::string& path, const clang::tooling::CompilationDatabase& database) {
  if (llvm::sys::fs::is_directory(path)) throw usage_error{path + " is a folder: give the files in it"};
  errno = 0;
  if (!std::ifstream(path)) throw usage_error{path + " cannot be read: " + std::strerror(errno)};
  for (const clang::tooling::CompileCommand& command : database.getCompileCommands(real_path(path))) {
    for (const std::string& word : command.CommandLine) {
      if (begins_with(word, "-x")) return;  // Says which language it is.
    }
  }
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const auto type = clang::driver::types::lookupTypeForExtension(dot == std::string::npos ? "" : name.substr(dot + 1));
  if (type == clang::driver::types::TY_INVALID || !clang::driver::types::isDerivedFromC(type))
    throw usage_error{path + " is no C or C++ by its name; give the files that are, or their language, as in: -- -x c"};
}

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

// The current folder, if it has all files, or else the nearest one that has; with a slash at the end.
std::string tree_of(const std::vector<std::string>& files) {
  const auto has_all = [&](const std::string& folder) {
    for (const std::string& file : files) {
      if (file.compare(0, folder.size(), folder) != 0) return false;
    }
    return true;
  };
  const std::string here = real_path(".") + "/";
  if (has_all(here)) return here;
  std::string folder = folder_of(files.front());
  while (!has_all(folder)) folder = folder_of(folder.substr(0, folder.size() - 1));
  return folder;
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) llvm::errs() << "mpi2pure: " << path << " cannot be written\n";
  return static_cast<bool>(out);
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool write_to_folder(const std::string& folder, const std::string& name, const std::string& text) {
  const std::string path = folder + "/" + name;
  if (llvm::sys::fs::create_directories(folder_of(path))) {
    llvm::errs() << "mpi2pure: the folder " << folder_of(path) << " cannot be made\n";
    return false;
  }
  return write_file(path, text);
}

// Whether everything could be written.
template <typename Made>
bool put_out(const command_line& command, const Made& made, const std::string& root,
             const std::vector<std::string>& files) {
  bool is_written = true;
  const auto edits = made.edits();
  for (const auto& [file, of_file] : edits) {  // All of a program, or nothing.
    if (command.output != command_line::in_place || llvm::sys::fs::can_write(file)) continue;
    llvm::errs() << "mpi2pure: nothing was written: " << file << " may not be written\n";
    return false;
  }
  for (const auto& [file, of_file] : edits) {
    const std::string name = file.substr(root.size());
    const std::string& text = made.original(file);
    if (command.output == command_line::diff) llvm::outs() << unified_diff(name, text, of_file);
    if (command.output == command_line::in_place) is_written &= write_file(file, with_edits(text, of_file));
    if (command.output == command_line::folder)
      is_written &= write_to_folder(command.output_folder, name, with_edits(text, of_file));
  }
  if (command.output != command_line::folder) return is_written;
  for (const std::string& file : files) {
    if (edits.count(file) == 0)
      is_written &= write_to_folder(command.output_folder, file.substr(root.size()), read_file(file));
  }
  return is_written;
}

void report(const std::set<remark>& remarks, const std::string& root, const char* kind) {
  for (const remark& one : remarks) {
    const std::string shown = one.file.compare(0, root.size(), root) == 0 ? one.file.substr(root.size()) : one.file;
    llvm::errs() << shown << ":" << one.line << ": " << kind << one.text << "\n";
  }
}

void report_failed(int failed) {
  if (failed == 1) llvm::errs() << "mpi2pure: a file was not understood, and nothing was changed by what it says\n";
  if (failed == 2) llvm::errs() << "mpi2pure: the compilation database does not have all files\n";
}

int run_tasks(const command_line& command, const clang::tooling::CompilationDatabase& database,
              const std::vector<std::string>& files, const std::string& root) {
  changes made;
  const tasks_options options{root, command.suggests};
  clang::tooling::ClangTool tool(database, files);
  tool.clearArgumentsAdjusters();
  tool.appendArgumentsAdjuster([](const clang::tooling::CommandLineArguments& words, llvm::StringRef file) {
    std::vector<std::string> flags = flags_of_interest(words);
    flags.insert(flags.end(), {annotated(rank_local), "-fsyntax-only", file.str()});
    return flags;
  });
  const std::string omp_h = text_of_omp_h(), omp_h_path = std::string(omp_h_folder) + "/omp.h";
  if (omp_h.empty())
    llvm::errs() << "mpi2pure: there is no omp.h, of GCC or Clang, for programs that include it (Debian: libomp-dev)\n";
  else
    tool.mapVirtualFile(omp_h_path, omp_h);
  const int failed = tool.run(tasks_action(options, made).get());

  const bool is_written = put_out(command, made, root, files);
  const std::set<remark> left = made.left();
  report(left, root, "");
  report(made.suggestions(), root, "suggestion: ");
  report_failed(failed);
  if (!is_written) return 1;
  llvm::errs() << "mpi2pure: loops changed: " << made.loops_changed() << ", left: " << left.size() << "\n";
  return failed != 0 || !left.empty() ? 1 : 0;
}

int run_port(const command_line& command, const clang::tooling::CompilationDatabase& database,
             const std::vector<std::string>& files, const std::string& root) {
  ported result;
  const std::set<std::string> strange = port(database, files, root, result);
  if (!strange.empty()) {
    std::string named;
    for (const std::string& file : strange) named += (named.empty() ? "" : ", ") + file.substr(root.size());
    llvm::errs() << "mpi2pure: nothing was written: " << named << (strange.size() == 1 ? " was" : " were")
                 << " not understood; a variable changes in all files or in none. Are the compiler, as mpicc, and its "
                    "flags behind --?\n";
    return 1;
  }
  check_port(database, files, result);
  const bool is_written = put_out(command, result, root, files);
  report(result.left(), root, "");
  if (!is_written) return 1;
  llvm::errs() << "mpi2pure: files changed: " << result.edits().size() << ", names: " << result.names_changed()
               << ", variables: " << result.variables_changed() << ", left: " << result.left().size() << "\n";
  return !result.left().empty() ? 1 : 0;
}

int run(int count, char** arguments) {
  const command_line command = read_command_line(count, arguments);
  std::vector<std::string> files;
  for (const std::string& file : command.files) {
    const std::string real = real_path(file);
    if (std::find(files.begin(), files.end(), real) == files.end()) files.push_back(real);
  }
  const std::string root = tree_of(files);
  if (command.output == command_line::folder && llvm::sys::fs::exists(command.output_folder) &&
      !llvm::sys::fs::is_directory(command.output_folder))
    throw usage_error{"--output " + command.output_folder + ": this is a file, where a folder is needed"};
  const std::unique_ptr<clang::tooling::CompilationDatabase> database = database_for(command);
  for (const std::string& file : command.files) require_source(file, *database);
  return command.task == command_line::port ? run_port(command, *database, files, root)
                                            : run_tasks(command, *database, files, root);
}

}  // namespace
}  // namespace mpi2pure

int main(int count, char** arguments) {
  try {
    return mpi2pure::run(count, arguments);
  } catch (const mpi2pure::usage_error& wrong) {
    llvm::errs() << "mpi2pure: " << wrong.text << "\nmpi2pure --help says more.\n";
    return 2;
  }
}
