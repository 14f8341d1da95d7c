// pure: looks at an installation of Pure, and at runs. One subcommand for each thing to look at: `info`, `globals`,
// `bench tune`, `trace` and `attach`.
#include <exception>
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

constexpr const char* footer =
    "Examples:\n"
    "  pure info                      what this installation, this machine and this environment are\n"
    "  pure info --json | jq .job     the same for programs\n"
    "  purerun -n 8 --map-by numa pure info    what a job started like this would get\n"
    "  pure info --tuning             which algorithms collectives use\n"
    "  pure bench tune --output tuning.json    measures which suit this machine; PURE_TUNING=tuning.json uses them\n"
    "  pure trace run.json --png run.png       draws the timeline that `purerun --trace run.json` has written\n"
    "  pure attach 4711               what the ranks of the running program with that process number do\n"
    "  pure globals ./solver          its writable global variables, which all ranks share\n"
    "\n"
    "Exit status: 0; 1 if the environment would keep a job from starting, or a command fails; 2 for wrong use.\n";

constexpr const char* tune_footer =
    "Compares the algorithms of collectives, with 2, 4, 8, ... ranks up to the cores, and with twice and four times as\n"
    "many; takes some minutes. What is not faster by 5 % than the built-in choice, measured twice, does not replace it.\n"
    "Nothing else should run meanwhile. Progress goes to stderr, the result to stdout.\n"
    "\n"
    "Exit status: 0; 1 if it could not measure or write; 2 for wrong use.\n";

// Names of commands come first: of two that are as near, they are meant.
void add_names(const CLI::App& of, std::vector<std::string>& names) {
  for (const CLI::Option* option : of.get_options()) names.push_back(option->get_name());
  for (const CLI::App* command : of.get_subcommands([](const CLI::App*) { return true; })) {
    names.insert(names.begin(), command->get_name());
    add_names(*command, names);
  }
}

// The name of a subcommand or option that somebody meant, as "; did you mean X?".
std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  std::vector<std::string> names;
  add_names(app, names);
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  for (const std::string& argument : arguments) {
    const std::string_view meant = pure::core::nearest(argument, candidates);
    if (!meant.empty() && meant != argument) return fmt::format(" (did you mean {}?)", meant);
  }
  return "";
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
  app.set_help_flag("-h,--help", "print this text");
  bool version = false;
  app.add_flag("--version", version, "print the version");
  app.footer(footer);

  bool as_json = false;
  CLI::App* const info = app.add_subcommand("info", "version, build, machine, mapping of ranks, settings, kernel");
  info->add_flag("--json", as_json, "print it as JSON");
  bool tuning = false;
  info->add_flag("--tuning", tuning,
                 "the table that chooses the algorithms of collectives instead; as JSON, a file for PURE_TUNING");

  CLI::App* const bench = app.add_subcommand("bench", "measures");
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
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    pure::core::say("pure: {}{}.\nTry `pure --help`.\n", pure::core::printable_word(error.what()),
                    suggestion(app, arguments));
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
