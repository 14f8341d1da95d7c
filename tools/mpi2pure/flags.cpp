// Flags that matter for the meaning of a source. The others (optimization, warnings, what only GCC knows) are left out.
#include <llvm/Support/FileSystem.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "mpi2pure/command_line.hpp"

#include "mpi2pure/text.hpp"

namespace mpi2pure {
namespace {

// What a wrapper of an MPI prints for -show, which all of them know; nothing if it is none.
std::vector<std::string> asked(const std::string& compiler) {
  const std::string name = compiler.substr(compiler.rfind('/') + 1);
  const bool is_wrapper = name.find("mpi") != std::string::npos || begins_with(name, "purec");
  if (!is_wrapper || compiler.find('\'') != std::string::npos) return {};
  std::FILE* pipe = popen(("'" + compiler + "' -show 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return {};
  std::vector<std::string> words(1);
  int quote = 0;  // In which c is: Intel MPI's wrapper puts folders between quotes.
  for (int c; (c = std::fgetc(pipe)) != EOF;) {
    if (quote != 0 ? c == quote : c == '"' || c == '\'')
      quote = quote != 0 ? 0 : c;
    else if (quote != 0 || (c != ' ' && c != '\n'))
      words.back() += static_cast<char>(c);
    else if (!words.back().empty())
      words.emplace_back();
  }
  pclose(pipe);
  return words;
}

void add_if_of_interest(const std::vector<std::string>& words, std::size_t& at, std::vector<std::string>& flags) {
  static const std::vector<std::string> with_value = {"-D",         "-U",       "-I",       "-isystem", "-iquote",
                                                      "-idirafter", "-include", "-imacros", "-x"};
  static const std::vector<std::string> as_they_are = {"-ansi",           "-pthread",      "-nostdinc",
                                                       "-fno-exceptions", "-fno-rtti",     "-funsigned-char",
                                                       "-fsigned-char",   "-fshort-enums", "-ffast-math"};
  const std::string& word = words[at];
  if (begins_with(word, "-std=") || std::count(as_they_are.begin(), as_they_are.end(), word) != 0)
    return flags.push_back(word);
  for (const std::string& option : with_value) {
    if (!begins_with(word, option)) continue;
    flags.push_back(word);
    if (word == option && at + 1 < words.size()) flags.push_back(words[++at]);
    return;
  }
}

// The omp.h of Clang, if its package is there, or of the newest GCC.
std::string path_of_omp_h() {
  std::string found;
  std::error_code error;
  for (const char* top : {"/usr/lib/gcc", "/usr/lib/llvm-" LLVM_MAJOR_TEXT "/lib/clang"}) {
    for (llvm::sys::fs::recursive_directory_iterator at(top, error), end; at != end && !error; at.increment(error)) {
      const std::string& path = at->path();
      if (path.size() > 14 && path.compare(path.size() - 14, 14, "/include/omp.h") == 0) found = std::max(found, path);
    }
  }
  return found;
}

}  // namespace

// GCC's says which function frees what another one has made, in a way that Clang does not know: malloc(omp_free).
std::string text_of_omp_h() {
  std::ifstream in(path_of_omp_h(), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const std::string attribute = "__malloc__ (";
  for (std::size_t at = 0; (at = text.find(attribute, at)) != std::string::npos;) {
    at += attribute.size() - 2;
    text.erase(at, text.find(')', at) + 1 - at);
  }
  return text;
}

std::string annotated(const std::string& word) { return "-D" + word + "=__attribute__((annotate(\"" + word + "\")))"; }

std::vector<std::string> flags_of_interest(const std::vector<std::string>& command) {
  std::vector<std::string> result;
  if (!command.empty()) result.push_back(command.front());
  std::size_t at = 1;
  std::string compiler = command.empty() ? "" : command.front();
  // Behind --, a compiler may come first: Clang's tools put their own name before it.
  if (command.size() > 1 && command[1][0] != '-') {
    std::string suffix = command[1].substr(std::min(command[1].rfind('.'), command[1].size()));
    if (suffix.find('/') != std::string::npos ||
        !(suffix == ".c" || suffix == ".cpp" || suffix == ".cc" || suffix == ".cxx" || suffix == ".C" ||
          suffix == ".h" || suffix == ".hpp"))
      compiler = command[at++];
  }
  for (; at < command.size(); ++at) add_if_of_interest(command, at, result);
  const std::vector<std::string> wrapper = asked(compiler);
  for (std::size_t word = 0; word < wrapper.size(); ++word) add_if_of_interest(wrapper, word, result);
  result.insert(result.end(), {"-w", "-fopenmp", "-UPURE_TASKS", "-resource-dir", CLANG_RESOURCE_FOLDER});
  result.insert(result.end(), {"-idirafter", omp_h_folder});
  return result;
}

}  // namespace mpi2pure
