#include "purerun/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <pure/error.hpp>
#include <pure/version.hpp>

#include "base/settings.hpp"
#include "base/text.hpp"
#include "runtime/helper_places.hpp"
#include "runtime/mapping.hpp"

namespace purerun {
namespace {

using pure::core::setting_row;

// What comes after the options in --help.
std::string help_footer() {
  std::string text =
      "Options after PROGRAM belong to the program. Without -n a job has one rank for each core that this\n"
      "process may use (its affinity mask, and the processor time that its cgroup grants).\n"
      "\n"
      "Mappings (--map-by):\n"
      "  core       fill the cores in order; more ranks than cores go to second hardware threads, then round again\n"
      "  numa       deal the ranks out to the NUMA nodes in turn\n"
      "  socket     deal the ranks out to the sockets in turn\n"
      "  none       bind nothing\n"
      "  file:PATH  a line 'RANK CPU-LIST' for each rank, such as '3 4-7,12'; # starts a comment\n"
      "\n"
      "Settings (--set NAME=VALUE; PURE_ may be left out; or variables of the environment, which options override):\n";
  const pure::core::settings defaults;
  for (const setting_row& row : pure::core::setting_rows()) {
    if (!row.internal) text += fmt::format("  {:<22} {}\n", row.name, setting_text(defaults, row));
  }
  text +=
      "`pure info` shows the values that are in force; docs/settings.md says what they mean.\n"
      "\n"
      "Signals: INT, TERM, HUP, QUIT, USR1 and USR2 are passed on to the program. It dies with purerun.\n"
      "\n"
      "Exit status: the program's own; 128+N if signal N ended it; and of purerun itself\n"
      "  2    wrong options, settings or mapping: the program was not started\n"
      "  3    the program ended well, but neither it nor a program that it started is built with Pure\n"
      "  126  PROGRAM cannot be executed\n"
      "  127  PROGRAM was not found\n"
      "\n"
      "Examples:\n"
      "  purerun ./stencil                      one rank for each core\n"
      "  purerun -n 4 ./stencil --size 1000     4 ranks; --size is for stencil\n"
      "  purerun -n 8 --map-by numa --report-bindings ./stencil\n"
      "  purerun -n 4 --helpers auto ./stencil  the other cores execute chunks of the ranks' tasks\n"
      "  purerun -n 4 --stats --trace stencil.json ./stencil\n"
      "  purerun -n 8 --check ./stencil         finds wrong buffers, types, requests and collectives (docs/checks.md)\n"
      "  purerun -n 2 --set eager_limit=16K --set ring_bytes=128K ./stencil\n"
      "  purerun -n 4 ./job.sh                  a script that starts the program\n";
  return text;
}

class formatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: purerun [OPTIONS] PROGRAM [ARGUMENTS...]\n";
  }
  std::string make_footer(const CLI::App*) const override { return help_footer(); }
};

struct raw_options {
  std::string ranks;
  std::string map_by;
  bool report_bindings = false;
  std::string helpers;
  std::string trace;
  std::string hang_timeout;
  bool stats = false;
  bool check = false;
  bool reproducible_sums = false;
  bool version = false;
  std::vector<std::string> settings;
};

void set_variable(std::vector<std::string>& environment, std::string_view name, std::string_view value) {
  std::erase_if(environment, [&](const std::string& e) { return e.starts_with(fmt::format("{}=", name)); });
  environment.push_back(fmt::format("{}={}", name, value));
}

void set_ranks(std::vector<std::string>& environment, const std::string& text) {
  const setting_row& row = pure::core::setting_named("PURE_RANKS");
  if (text == "p") throw usage_error("write -n N, not -np N.");
  try {
    pure::core::settings checked;
    set_from_text(checked, row, text);
  } catch (const pure::Error&) {
    throw usage_error(fmt::format("-n {}: the number of ranks is {}.", text, allowed_text(row)));
  }
  set_variable(environment, row.name, text);
}

void set_one(std::vector<std::string>& environment, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw usage_error(fmt::format("--set {}: write it as NAME=VALUE, as in --set spin_us=50.", assignment));
  }
  const setting_row& row = pure::core::setting_named(assignment.substr(0, equals));
  if (row.internal) throw usage_error(fmt::format("--set {}: that is for purerun itself.", row.name));
  set_variable(environment, row.name, assignment.substr(equals + 1));
}

// The environment as a whole, with what the options did not touch.
void check(std::vector<std::string>& environment) {
  std::vector<const char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  const pure::core::settings values = pure::core::read_settings(pointers.data());

  pure::core::check_helpers(values.helpers);
  const std::string path = pure::core::map_by_path(values.map_by);
  if (path.empty() && values.helpers == pure::core::settings{}.helpers) return;
  const auto& machine = pure::core::topology::of_this_machine();
  const auto places = map_ranks(machine, values.ranks > 0 ? values.ranks : machine.default_ranks(), values.map_by);
  pure::core::places_for_helpers(machine, places, values.helpers);
  if (path.empty()) return;
  // The program may start in another directory: a script may change it.
  set_variable(environment, "PURE_MAP_BY", "file:" + std::filesystem::absolute(path).lexically_normal().string());
}

[[noreturn]] void refuse_unknown_option(const CLI::App& app, const std::string& argument) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string word = argument.substr(0, argument.find('='));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view meant = pure::core::nearest(word, candidates);
  throw usage_error(
      fmt::format("there is no option {}{}.", word, meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant)));
}

}  // namespace

options parse_options(int argc, const char* const* argv) {
  raw_options raw;
  CLI::App app("Runs a program that is built with Pure: N ranks as threads, each on a core of its own.", "purerun");
  app.formatter(std::make_shared<formatter>());
  app.prefix_command();  // the first word that is not an option is PROGRAM; the rest belongs to it
  app.set_help_flag("-h,--help", "print this text");
  app.add_flag("--version", raw.version, "print the version");
  app.add_option("-n,--ranks", raw.ranks, "how many ranks")->option_text("N")->take_last();
  app.add_option("--map-by", raw.map_by, "where ranks run: core (default), numa, socket, none, file:PATH")
      ->option_text("WHAT")
      ->take_last();
  app.add_option("--helpers", raw.helpers,
                 "how many threads without a rank execute chunks of tasks, on cores without a rank")
      ->option_text("N|auto")
      ->take_last();
  app.add_flag("--stats", raw.stats, "print at the end what each rank did: computing, waiting, stealing, messages");
  app.add_option("--trace", raw.trace, "write a timeline for Perfetto and `pure trace`")
      ->option_text("FILE")
      ->take_last();
  app.add_option("--hang-timeout", raw.hang_timeout,
                 "warn when a rank waits for so long, with what every rank does, and where")
      ->option_text("SECONDS")
      ->take_last();
  app.add_flag("--report-bindings", raw.report_bindings, "print where each rank runs, as a picture");
  app.add_flag("--check", raw.check, "look for errors in the use of buffers, types, requests and collectives");
  app.add_flag("--reproducible-sums", raw.reproducible_sums,
               "round sums of float and double once: the same bits with any number of ranks");
  app.add_option("--set", raw.settings, "give a setting a value, any number of times")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {.command = {}, .environment = {}, .text = app.help()};
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view text = error.what();
    throw usage_error(fmt::format("{} needs a value.", text.substr(0, text.find(':'))));
  } catch (const CLI::ParseError& error) {
    throw usage_error(fmt::format("{}.", error.what()));
  }
  if (raw.version) return {.command = {}, .environment = {}, .text = "purerun " PURE_VERSION "\n"};

  options result;
  result.command = app.remaining();
  if (!result.command.empty() && result.command.front() == "--") {
    result.command.erase(result.command.begin());
  } else if (!result.command.empty() && result.command.front().starts_with('-')) {
    refuse_unknown_option(app, result.command.front());
  }
  if (result.command.empty()) throw usage_error("which program? Usage: purerun [OPTIONS] PROGRAM [ARGUMENTS...].");

  for (char** entry = environ; *entry != nullptr; ++entry) result.environment.emplace_back(*entry);
  try {
    for (const std::string& assignment : raw.settings) set_one(result.environment, assignment);
    if (app.count("-n") != 0) set_ranks(result.environment, raw.ranks);
    if (app.count("--map-by") != 0) {
      pure::core::map_by_path(raw.map_by);  // refuses an empty text, which in a variable counts as unset
      set_variable(result.environment, "PURE_MAP_BY", raw.map_by);
    }
    if (app.count("--helpers") != 0) {
      pure::core::check_helpers(raw.helpers);
      set_variable(result.environment, "PURE_HELPERS", raw.helpers);
    }
    if (app.count("--trace") != 0) {
      if (raw.trace.empty()) throw usage_error("--trace: which file?");
      set_variable(result.environment, "PURE_TRACE", std::filesystem::absolute(raw.trace).lexically_normal().string());
    }
    if (app.count("--hang-timeout") != 0) {
      if (raw.hang_timeout.empty()) throw usage_error("--hang-timeout: how many seconds?");
      set_variable(result.environment, "PURE_HANG_TIMEOUT", raw.hang_timeout);
    }
    if (raw.stats) set_variable(result.environment, "PURE_STATS", "on");
    if (raw.report_bindings) set_variable(result.environment, "PURE_REPORT_BINDINGS", "on");
    if (raw.check) set_variable(result.environment, "PURE_CHECK", "on");
    if (raw.reproducible_sums) set_variable(result.environment, "PURE_REPRODUCIBLE_SUMS", "on");
    check(result.environment);
  } catch (const pure::Error& error) {
    throw usage_error(error.what());
  }
  return result;
}

}  // namespace purerun
