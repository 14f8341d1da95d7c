// pure: looks at an installation of Pure, and at runs. One subcommand for each thing to look at: `info`, `globals`,
// `bench tune`, `trace` and `attach`.
#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <pure/version.hpp>

#include "base/printable_text.hpp"
#include "base/say.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "help_text.hpp"
#include "pure/attach_command.hpp"
#include "pure/globals_command.hpp"
#include "pure/info.hpp"
#include "pure/trace_command.hpp"
#include "pure/tune_command.hpp"
#include "pure/tuning_text.hpp"
#include "pure/whole_number.hpp"
#include "standard_output.hpp"

namespace {

constexpr int wrong_use = 2;

const std::string info_examples =
    "Examples:\n"
    "  pure info\n"
    "      what this installation, this machine and this environment are\n"
    "  pure info --json | jq .job\n"
    "      the same for programs\n"
    "  purerun -n 8 --map-by numa pure info\n"
    "      what a job started like this would get\n"
    "  pure info --tuning\n"
    "      which algorithms collectives use, and which way messages go\n";

const std::string footer = info_examples +
                           "  pure bench tune --output tuning.json\n"
                           "      measures which suit this machine; PURE_TUNING=tuning.json uses them\n"
                           "  pure trace run.json --png run.png\n"
                           "      draws the timeline that `purerun --trace run.json` has written\n"
                           "  pure attach 4711\n"
                           "      what the ranks of the running program with that process number do\n"
                           "  pure globals ./solver\n"
                           "      its writable global variables, which all ranks share\n"
                           "\n"
                           "`pure SUBCOMMAND --help` says more about each.\n"
                           "\n"
                           "Exit status: 0; 1 if the environment would keep a job from starting, or a\n"
                           "command fails; 2 for wrong use.\n";

const std::string info_footer = info_examples +
                                "\n"
                                "Exit status: 0; 1 if the environment would keep a job from starting; 2 for wrong\n"
                                "use.\n";

constexpr const char* bench_footer = "`pure bench tune --help` says more.\n";

constexpr const char* tune_footer =
    "Compares the algorithms of collectives, with 2, 4, 8, ... ranks up to the cores,\n"
    "and with twice and four times as many; takes some minutes. What is not faster by\n"
    "5 % than the built-in choice, measured twice, does not replace it. Nothing else\n"
    "should run meanwhile. Progress goes to stderr, the result to stdout.\n"
    "\n"
    "Exit status: 0; 1 if it could not measure or write; 2 for wrong use.\n";

std::vector<std::string> names_of_options(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* each : app.get_options()) {
    for (const std::string& name : each->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(each->get_name());
  }
  return names;
}

const CLI::App& command_reached(const CLI::App& app) {
  const CLI::App* reached = &app;
  for (auto below = app.get_subcommands(); !below.empty(); below = reached->get_subcommands()) reached = below.front();
  return *reached;
}

// What is wrong: first a word that the command does not know, with the one that was meant. Other words are values, such
// as names of files, and mean no option.
std::string explanation(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& reached = command_reached(app);
  const std::vector<std::string> unknown = app.remaining(true);
  const auto refuse = [](std::string_view what, const std::string& word, const std::vector<std::string>& names) {
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string_view meant = pure::core::nearest(word, candidates);
    return fmt::format("there is no {} {}{}", what, pure::core::printable_word(word),
                       meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant));
  };
  const auto is_option = [](const std::string& word) { return word.size() > 1 && word.front() == '-'; };
  const std::vector<std::string> commands = names_of_commands(reached);
  if (!commands.empty() && !unknown.empty() && !is_option(unknown.front())) {
    return refuse("subcommand", unknown.front(), commands);
  }
  const auto option = std::find_if(unknown.begin(), unknown.end(), is_option);
  if (option != unknown.end()) return refuse("option", option->substr(0, option->find('=')), names_of_options(reached));
  if (!commands.empty()) return "which subcommand?";
  if (!unknown.empty()) return fmt::format("not expected: {}", pure::core::printable_word(unknown.front()));
  return pure::core::printable_word(error.what());
}

std::string full_name(const CLI::App& reached) {
  const CLI::App* const above = reached.get_parent();
  return above == nullptr ? reached.get_name() : full_name(*above) + " " + reached.get_name();
}

int print_info(bool as_json) {
  const pure::tool::info all = pure::tool::gather_info();
  standard_output::print("{}", as_json ? info_json(all) : pure::core::printable(info_text(all)));
  return all.problems.empty() ? 0 : 1;
}

int print_tuning(bool as_json) {
  standard_output::print("{}", as_json ? tuning_file_text(pure::tool::table_in_force().rows_in_force())
                                       : pure::tool::tuning_in_force_text());
  return 0;
}

int run(int argc, char** argv) {
  CLI::App app("Looks at an installation of Pure, and at runs.", "pure");
  app.formatter(std::make_shared<help_text::formatter>());
  app.set_help_flag("-h,--help", "print this text");
  bool version = false;
  app.add_flag("--version", version, "print the version");
  app.footer(footer);
  app.require_subcommand(0, 1);

  bool as_json = false;
  CLI::App* const info = app.add_subcommand("info", "version, build, machine, mapping of ranks, settings, kernel");
  info->add_flag("--json", as_json, "print it as JSON");
  bool tuning = false;
  info->add_flag(
      "--tuning", tuning,
      "the table that chooses the algorithms of collectives, and the ways of messages, instead; as JSON, the "
      "table alone, a file for PURE_TUNING");

  info->footer(info_footer);

  CLI::App* const bench = app.add_subcommand("bench", "measures");
  bench->footer(bench_footer);
  bench->require_subcommand(1);
  pure::tool::tune_command tune;
  CLI::App* const bench_tune = bench->add_subcommand("tune", "the tuning table of collectives for this machine");
  bench_tune->footer(tune_footer);
  bench_tune->add_option("--output", tune.output, "write the table to this file, for PURE_TUNING")->option_text("FILE");
  bench_tune->add_option("--ranks", tune.options.ranks, "with these numbers of ranks only")
      ->option_text("N,...")
      ->delimiter(',')
      ->transform(pure::tool::whole_number("number of ranks", 2, pure::core::setting_named("PURE_RANKS").highest));
  bench_tune->add_flag("--quick", tune.options.quick, "a few seconds: shows that it works, and measures little");

  pure::tool::trace_command trace;
  CLI::App* const draw_trace = add_trace_command(app, trace);
  pure::tool::attach_command attach;
  CLI::App* const ask_ranks = add_attach_command(app, attach);
  pure::tool::globals_command globals;
  CLI::App* const list_globals = add_globals_command(app, globals);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    standard_output::write(app.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    const std::string text = explanation(app, error);
    pure::core::say("pure: {}{}\nTry `{} --help`.\n", text, text.ends_with('?') ? "" : ".",
                    full_name(command_reached(app)));
    return wrong_use;
  }
  if (version) {
    standard_output::print("pure {}\n", PURE_VERSION);
    return 0;
  }
  if (info->parsed()) return tuning ? print_tuning(as_json) : print_info(as_json);
  if (bench_tune->parsed()) return run_tune(tune);
  if (draw_trace->parsed()) return run_trace(trace);
  if (ask_ranks->parsed()) return run_attach(attach);
  if (list_globals->parsed()) return run_globals(globals);
  pure::core::say("{}", app.help());
  return wrong_use;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return standard_output::close("pure", run(argc, argv));
  } catch (const std::exception& error) {
    pure::core::say("pure: {}\n", error.what());
    return 1;
  }
}
