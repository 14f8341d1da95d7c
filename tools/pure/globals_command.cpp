#include "pure/globals_command.hpp"

#include <algorithm>
#include <exception>
#include <numeric>

#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/printable_text.hpp"
#include "base/say.hpp"
#include "base/text.hpp"
#include "help_text.hpp"
#include "pure/globals_lines.hpp"
#include "pure/globals_list.hpp"
#include "standard_output.hpp"

namespace pure::tool {
namespace {

constexpr const char* globals_footer =
    "Ranks are threads of one process, so they share what a program written for\n"
    "processes has once per process: global variables, static members of classes and\n"
    "static variables of functions. Each of those listed is one of:\n"
    "  - different from rank to rank: write thread_local before it (C: _Thread_local;\n"
    "    OpenMP: threadprivate), which gives each rank one of its own, or make it a\n"
    "    variable of a function\n"
    "  - the same for all, and written by one rank before the others read it, with a\n"
    "    barrier between: it may stay\n"
    "  - never written after the start: make it const, and it is listed no more\n"
    "\n"
    "Files and lines come from debug information: compile with -g. Constants, what is\n"
    "thread_local, and what the compiler, the C and C++ libraries, Pure and an MPI\n"
    "add is not listed.\n"
    "\n"
    "Examples:\n"
    "  pure globals ./solver\n"
    "      its own\n"
    "  pure globals --libraries ./solver\n"
    "      and those of the libraries that it needs, but for the system's\n"
    "  pure globals ./solver ./plugin.so\n"
    "      and those of a library that it loads itself\n"
    "  pure globals --json ./solver | jq '.files[0].globals[] | .name'\n"
    "      for programs\n"
    "\n"
    "Exit status: 0, whether there are any or none; 1 if a file is none that has such\n"
    "a list; 2 for wrong use.\n";

std::string place_text(const listed_global& one) {
  if (one.file.empty()) return "";
  return one.line > 0 ? fmt::format("{}:{}", one.file, one.line) : one.file;
}

// "thread_local", "and 2 more".
std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& each : words) text += (text.empty() ? "" : ", ") + each;
  return text;
}

std::string notes_text(const listed_file& file) {
  std::string text;
  const auto note = [&](const std::string& what) { text += core::wrapped(what, 2, help_text::columns); };
  if (!file.is_complete) {
    note(
        "note: it is stripped: only what it exports is known, so the list is incomplete. Build it without -s, and do not strip it.");
  }
  if (file.is_static) note("note: it is linked statically: variables of the C library are among these.");
  if (!file.globals.empty() && !can_read_debug_information()) {
    note("note: this `pure` was built without libdw (Debian: libdw-dev), so it knows no files and lines.");
  } else if (!file.globals.empty() && !file.has_debug_information) {
    note("note: it has no debug information, so files and lines are not known: compile with -g.");
  }
  if (file.is_loaded && !file.globals.empty()) {
    note(
        "note: it is an MPI program, which purerun loads once for each rank. With --globals shared, the ranks of a process share these.");
  }
  if (file.constants > 0) note(fmt::format("left out: {}.", core::counted(file.constants, "constant")));
  if (!file.system_copies.empty()) {
    note(fmt::format("left out: {} of the system's libraries ({}).",
                     file.system_copies.size() == 1 ? "a variable" : "variables", listed(file.system_copies)));
  }
  if (!file.mpi_copies.empty()) {
    note(fmt::format("left out: {} of an MPI ({}).", file.mpi_copies.size() == 1 ? "a variable" : "variables",
                     listed(file.mpi_copies)));
  }
  return text;
}

std::string file_text(const listed_file& file) {
  if (file.globals.empty()) {
    return fmt::format("{}: no writable globals{}.\n{}", file.path, file.is_complete ? "" : " that it exports",
                       notes_text(file));
  }
  const std::uint64_t bytes = std::accumulate(file.globals.begin(), file.globals.end(), std::uint64_t{0},
                                              [](std::uint64_t sum, const auto& each) { return sum + each.bytes; });
  std::string text = fmt::format("{}: {} of {}, {}\n", file.path, core::counted(file.globals.size(), "writable global"),
                                 core::counted(bytes, "byte"),
                                 file.is_loaded ? "each rank's own" : "shared by all ranks of a process");
  std::size_t name_width = 4, section_width = 7;
  for (const listed_global& each : file.globals) {
    name_width = std::max(name_width, std::min<std::size_t>(each.name.size(), 50));
    section_width = std::max(section_width, std::min<std::size_t>(each.section.size(), 20));
  }
  const auto row = [&](const std::string& size, const std::string& section, const std::string& name,
                       const std::string& place) {
    std::string line = fmt::format("{:>12}  {:<{}}  {:<{}}  {}", size, section, section_width, name, name_width, place);
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
  };
  text += row("bytes", "section", "name", "defined at");
  for (const listed_global& each : file.globals) {
    text += row(std::to_string(each.bytes), each.section, each.name,
                place_text(each) + (each.is_copy ? "  (of a library, which uses it, too)" : ""));
  }
  return text + notes_text(file);
}

nlohmann::json file_json(const listed_file& file) {
  using nlohmann::json;
  json globals = json::array();
  for (const listed_global& each : file.globals) {
    globals.push_back({{"name", core::printable(each.name)},
                       {"symbol", core::printable(each.symbol)},
                       {"address", each.address},
                       {"bytes", each.bytes},
                       {"section", core::printable(each.section)},
                       {"file", each.file.empty() ? json() : json(core::printable(each.file))},
                       {"line", each.line > 0 ? json(each.line) : json()},
                       {"of_library", each.is_copy}});
  }
  const auto names = [](const std::vector<std::string>& of) {
    json all = json::array();
    for (const std::string& each : of) all.push_back(core::printable(each));
    return all;
  };
  return {{"path", core::printable(file.path)},
          {"complete", file.is_complete},
          {"static", file.is_static},
          {"own_of_ranks", file.is_loaded},
          {"debug_information", file.has_debug_information},
          {"globals", std::move(globals)},
          {"constants", file.constants},
          {"system_copies", names(file.system_copies)},
          {"mpi_copies", names(file.mpi_copies)}};
}

// The files asked for and, if they are, their libraries, each once.
std::vector<std::string> files_of(const globals_command& asked) {
  std::vector<std::string> files = asked.files;
  if (!asked.with_libraries) return files;
  std::vector<std::string> missing;
  for (const std::string& each : asked.files) {
    for (std::string& library : own_libraries(each, missing)) {
      if (std::find(files.begin(), files.end(), library) == files.end()) files.push_back(std::move(library));
    }
  }
  for (const std::string& each : missing) {
    core::say("pure globals: note: the library {} is not found; it may be, with LD_LIBRARY_PATH.\n",
              core::printable_word(each));
  }
  return files;
}

}  // namespace

CLI::App* add_globals_command(CLI::App& app, globals_command& asked) {
  CLI::App* const globals = app.add_subcommand("globals",
                                               "the writable global variables of a program, which ranks share");
  globals->footer(globals_footer);
  globals->add_option("PROGRAM", asked.files, "the program, and libraries to look at as well")
      ->option_text("PROGRAM [LIBRARY...]")
      ->required();
  globals->add_flag("--libraries", asked.with_libraries,
                    "and the shared libraries that it needs, as far as they lie outside the system's folders");
  globals->add_flag("--json", asked.as_json, "print it as JSON");
  return globals;
}

int run_globals(const globals_command& asked) {
  bool all_are_read = true;
  nlohmann::json files = nlohmann::json::array();
  std::string text;
  for (const std::string& path : files_of(asked)) {
    try {
      const listed_file file = list_globals(path);
      if (asked.as_json)
        files.push_back(file_json(file));
      else
        text += (text.empty() ? "" : "\n") + core::printable(file_text(file));
    } catch (const std::exception& error) {
      core::say("pure globals: {}\n", core::printable_word(error.what()));
      all_are_read = false;
    }
  }
  if (asked.as_json)
    standard_output::print("{}\n", nlohmann::json{{"files", std::move(files)}}.dump(2));
  else
    standard_output::print("{}", text);
  return all_are_read ? 0 : 1;
}

}  // namespace pure::tool
