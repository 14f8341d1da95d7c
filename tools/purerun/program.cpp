#include "purerun/program.hpp"

#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "base/text.hpp"
#include "purerun/options.hpp"

namespace purerun {
namespace {

namespace fs = std::filesystem;
using pure::core::printable_word;

bool is_executable_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

// A file of the same directory with nearly that name.
std::string similar_file(const fs::path& path) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator entry(path.parent_path(), error), end; !error && entry != end; entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view meant = pure::core::nearest(path.filename().string(), candidates);
  return meant.empty() ? "" : (path.parent_path() / meant).string();
}

void check_path(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    if (status.type() == fs::file_type::none) {
      throw program_error(not_executable, fmt::format("{}: {}.", printable_word(path), error.message()));
    }
    const std::string meant = similar_file(path);
    throw program_error(not_found,
                        fmt::format("{}: there is no such file{}.", printable_word(path),
                                    meant.empty() ? "" : fmt::format(" (did you mean {}?)", printable_word(meant))));
  }
  if (fs::is_directory(status))
    throw program_error(not_executable, fmt::format("{} is a directory, not a program.", printable_word(path)));
  if (!is_executable_file(path)) {
    throw program_error(not_executable, fmt::format("{} is not an executable file (if it is a script: chmod +x {}).",
                                                    printable_word(path), printable_word(path)));
  }
}

// The word after #! in a script; otherwise empty.
std::string interpreter_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("#!")) return {};
  const std::string_view rest = pure::core::trimmed(std::string_view(line).substr(2));
  return std::string(rest.substr(0, rest.find(' ')));
}

struct found_in_path {
  std::string program;  // empty: there is none
  std::string refused;  // a file of that name that cannot be executed
};

found_in_path look_in_path(const std::string& name) {
  const char* const variable = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): one thread
  const std::string path = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
  found_in_path found;
  for (const std::string_view folder : pure::core::split(path, ':')) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    if (!name.empty() && is_executable_file(file)) {
      found.program = file.string();
      return found;
    }
    std::error_code ignored;
    if (found.refused.empty() && fs::is_regular_file(file, ignored)) found.refused = file.string();
  }
  return found;
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) {
    check_path(name);
    return name;
  }
  const found_in_path found = look_in_path(name);
  if (!found.program.empty()) return found.program;
  if (!found.refused.empty()) check_path(found.refused);  // it is there, but not executable

  std::error_code ignored;
  const bool is_here = !name.empty() && fs::exists(name, ignored);
  throw program_error(not_found,
                      fmt::format("{}: there is no such program in PATH{}.", name.empty() ? "''" : printable_word(name),
                                  is_here ? fmt::format("; for the file here write ./{}", printable_word(name)) : ""));
}

std::string executable_named(const std::string& word) {
  if (word.find('/') == std::string::npos) return look_in_path(word).program;
  return is_executable_file(word) ? word : "";
}

void refuse_privileged(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !interpreter_of(path).empty()) return;  // the kernel gives scripts no rights
  std::string why;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != getuid())
    why = "is set-user-ID";
  else if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status.st_gid != getgid())
    why = "is set-group-ID";
  else if (getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0)
    why = "has file capabilities";
  if (why.empty()) return;
  throw program_error(
      not_executable,
      fmt::format("{} {}: for safety such a program reads no settings, not even the number of ranks, from "
                  "its environment. Start it without purerun (it has one rank for each core, or what it "
                  "gives pure::run), or take these rights from it.",
                  printable_word(path), why));
}

program_error explain_exec_failure(const std::string& path, int error) {
  const std::string interpreter = interpreter_of(path);
  if (error == ENOENT && !interpreter.empty()) {
    return {not_executable, fmt::format("{} cannot be started: its first line names {}, which does not exist.",
                                        printable_word(path), printable_word(interpreter))};
  }
  if (error == ENOENT) {
    return {not_executable, fmt::format("{} cannot be started: the dynamic loader that it names does not exist here.",
                                        printable_word(path))};
  }
  if (error == ENOEXEC) {
    return {not_executable, fmt::format("{} is not a program that this machine can run.", printable_word(path))};
  }
  return {not_executable,
          fmt::format("{} cannot be started: {}.", printable_word(path), std::generic_category().message(error))};
}

}  // namespace purerun
