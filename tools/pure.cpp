// pure: looks at an installation of Pure. One subcommand for each thing to look at; so far, `info`.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <pure/version.hpp>

#include "base/text.hpp"
#include "pure/info.hpp"

namespace {

constexpr int wrong_use = 2;

constexpr const char* footer =
    "Examples:\n"
    "  pure info                      what this installation, this machine and this environment are\n"
    "  pure info --json | jq .job     the same for programs\n"
    "  purerun -n 8 --map-by numa pure info    what a job started like this would get\n"
    "\n"
    "Exit status: 0; 1 if the environment would keep a job from starting; 2 for wrong use.\n";

// The name of a subcommand or option that somebody meant, as "; did you mean X?".
std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
    for (const CLI::Option* option : command->get_options()) names.push_back(option->get_name());
  }
  for (const CLI::Option* option : app.get_options()) names.push_back(option->get_name());
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  for (const std::string& argument : arguments) {
    const std::string_view meant = pure::core::nearest(argument, candidates);
    if (!meant.empty() && meant != argument) return fmt::format(" (did you mean {}?)", meant);
  }
  return "";
}

int print_info(bool as_json) {
  const pure::tool::info all = pure::tool::gather_info();
  fmt::print("{}", as_json ? info_json(all) : info_text(all));
  return all.problems.empty() ? 0 : 1;
}

int run(int argc, char** argv) {
  CLI::App app("Looks at an installation of Pure.", "pure");
  app.set_help_flag("-h,--help", "print this text");
  bool version = false;
  app.add_flag("--version", version, "print the version");
  app.footer(footer);

  bool as_json = false;
  CLI::App* const info = app.add_subcommand("info", "version, build, machine, mapping of ranks, settings, kernel");
  info->add_flag("--json", as_json, "print it as JSON");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    fmt::print(stderr, "pure: {}{}.\nTry `pure --help`.\n", error.what(), suggestion(app, arguments));
    return wrong_use;
  }
  if (version) {
    fmt::print("pure {}\n", PURE_VERSION);
    return 0;
  }
  if (info->parsed()) return print_info(as_json);
  fmt::print(stderr, "{}", app.help());
  return wrong_use;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "pure: {}\n", error.what());
    return 1;
  }
}
