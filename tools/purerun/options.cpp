#include "purerun/options.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string_view>

#include <fmt/core.h>
#include <CLI/CLI.hpp>

#include <pure/error.hpp>
#include <pure/version.hpp>

#include "base/environment.hpp"
#include "base/output.hpp"
#include "base/printable_text.hpp"
#include "base/settings.hpp"
#include "base/text.hpp"
#include "gateway/special_ways.hpp"
#include "help_text.hpp"
#include "machine/helper_places.hpp"
#include "machine/mapping.hpp"
#include "machine/rank_placement.hpp"
#include "network/process_launcher.hpp"
#include "purerun/help.hpp"
#include "purerun/launcher.hpp"
#include "purerun/mpirun_habits.hpp"
#include "purerun/rank_options.hpp"

namespace purerun {
namespace {

using pure::core::counted;
using pure::core::printable_word;
using pure::core::setting_row;

struct raw_options {
  std::string ranks, ranks_as, globals;
  std::string map_by;
  std::string cpus_per_rank;
  bool report_bindings = false;
  std::string processes, ppn, hosts, hostfile, mpi, mpiexec, mpiexec_args, interface, placement;
  bool async_progress = false;
  bool dry_run = false, explain = false;
  std::string helpers;
  std::string trace;
  std::string hang_timeout;
  bool stats = false;
  bool check = false;
  bool reproducible_sums = false;
  bool version = false;
  std::vector<std::string> settings;
};

// `what`: the number that the option gives.
void set_number(std::vector<std::string>& environment, std::string_view setting, std::string_view option,
                std::string_view what, const std::string& text) {
  const setting_row& row = pure::core::setting_named(setting);
  try {
    pure::core::settings checked;
    set_from_text(checked, row, text);
  } catch (const pure::Error&) {
    throw usage_error(fmt::format("{} {}: {} is {}.", option, printable_word(text), what, allowed_text(row)));
  }
  set_variable(environment, row.name, text);
}

void set_one(std::vector<std::string>& environment, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos) {
    throw usage_error(
        fmt::format("--set {}: write it as NAME=VALUE, as in --set spin_us=50.", printable_word(assignment)));
  }
  const setting_row& row = pure::core::setting_named(assignment.substr(0, equals));
  if (row.internal) throw usage_error(fmt::format("--set {}: that is for purerun itself.", row.name));
  set_variable(environment, row.name, assignment.substr(equals + 1));
}

int process_count(std::string_view option, const std::string& text) {
  const setting_row& row = pure::core::setting_named("PURE_PROCESSES");
  try {
    pure::core::settings checked;
    set_from_text(checked, row, text);
    return checked.processes;
  } catch (const pure::Error&) {
    throw usage_error(fmt::format("{} {}: the number of processes is {}{}.", option, printable_word(text),
                                  allowed_text(row), option == "--ppn" ? ", or numa" : ""));
  }
}

process_request request_from(const raw_options& raw, const CLI::App& app, options& result) {
  process_request asked;
  if (app.count("-N") != 0) asked.counts.in_all = process_count("-N", raw.processes);
  if (raw.ppn == "numa") {
    asked.per_numa_node = true;
    asked.counts.per_host = pure::core::topology::of_this_machine().numa_nodes();
  } else if (app.count("--ppn") != 0) {
    asked.counts.per_host = process_count("--ppn", raw.ppn);
  }
  if (app.count("--hosts") != 0 && app.count("--hostfile") != 0) {
    throw usage_error("--hosts and --hostfile both name the machines: use one of them.");
  }
  if (app.count("--hosts") != 0) asked.hosts = parse_hosts(raw.hosts);
  if (app.count("--hostfile") != 0) asked.hosts = read_hostfile(raw.hostfile);
  if (app.count("--mpi") != 0) {
    if (raw.mpi != "auto" && raw.mpi != "none" && raw.mpi != "mpich" && raw.mpi != "openmpi") {
      throw usage_error(fmt::format("--mpi {}: it is auto, none, mpich or openmpi.", printable_word(raw.mpi)));
    }
    asked.mpi = raw.mpi;
  }
  const auto is_given = [&app](const char* option) { return app.count(option) != 0; };
  if (is_given("--ranks-as") && raw.ranks_as.empty()) throw usage_error("--ranks-as: threads, processes or auto?");
  if (is_given("--globals") && raw.globals.empty()) throw usage_error("--globals: private or shared?");
  rank_request ranks{.wish = {.kind = raw.ranks_as, .globals = raw.globals}, .is_explained = raw.explain};
  for (const char* const option : {"--ppn", "--hosts", "--hostfile"}) {
    if (is_given(option)) ranks.machines_option = option;
  }
  choose_ranks(ranks, asked, result);
  asked.mpiexec = raw.mpiexec;
  asked.interface = raw.interface;
  for (const std::string_view word : pure::core::split(raw.mpiexec_args, ' ')) {
    if (!word.empty()) asked.launcher_words.emplace_back(word);
  }
  if (asked.mpi == "none" && (!asked.hosts.empty() || !asked.mpiexec.empty())) {
    throw usage_error(
        "--mpi none is for processes of this machine, which purerun starts itself: leave out --hosts, --hostfile and --mpiexec.");
  }
  if (!asked.counts.in_all && app.count("--ppn") + app.count("--hosts") + app.count("--hostfile") == 0) {
    for (const char* const option : {"--mpi", "--mpiexec", "--mpiexec-args", "--network-interface", "--placement"}) {
      if (app.count(option) == 0) continue;
      throw usage_error(
          fmt::format("{} is for several processes: ask for them with -N, --ppn, --hosts or --hostfile.", option));
    }
  }
  return asked;
}

// The program may start in another directory: a script may change it.
std::string absolute(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

// The environment as a whole, with what the options did not touch. `are_here`: processes that purerun starts itself.
void check(std::vector<std::string>& environment, int processes, bool are_here) {
  const pure::core::settings values = settings_of(environment);
  pure::core::check_helpers(values.helpers);
  static_cast<void>(pure::core::special_ways::without(values.net_without));
  const std::string path = pure::core::map_by_path(values.map_by);
  const bool says_how_many = values.cpus_per_rank != 0;
  const bool says_where = !path.empty() || says_how_many || values.helpers != pure::core::settings{}.helpers;
  const pure::core::mapping_wish wish{values.map_by, values.cpus_per_rank};
  if (says_where && processes == 1) {  // the machines of several processes are looked at there
    const auto& machine = pure::core::topology::of_this_machine();
    const auto places = map_ranks(machine, values.ranks > 0 ? values.ranks : machine.default_ranks(), wish);
    pure::core::places_for_helpers(machine, places, values.helpers);
  } else if ((!path.empty() || says_how_many) && are_here && values.ranks > 0) {
    static_cast<void>(map_ranks(pure::core::topology::of_this_machine(), values.ranks, wish));
  }
  if (!path.empty()) set_variable(environment, "PURE_MAP_BY", "file:" + absolute(path));

  const std::string order = pure::core::rank_placement::path_in(values.placement);
  if (values.ranks > 0 && processes > 1) pure::core::rank_placement::of(values.placement, values.ranks, processes);
  if (!order.empty()) {
    const std::string kind = values.placement.substr(0, values.placement.find(':') + 1);
    set_variable(environment, "PURE_PLACEMENT", kind + absolute(order));
  }
}

// By process: "rank 2", "ranks 2-3,8". Empty where the number of ranks is not known yet.
std::vector<std::string> ranks_of_processes(const pure::core::settings& values, int processes) {
  std::vector<std::string> all;
  if (values.ranks == 0) return all;
  const auto placement = pure::core::rank_placement::of(values.placement, values.ranks, processes);
  for (int process = 0; process < processes; ++process) {
    const auto its = placement.ranks_of(process);
    all.push_back((its.size() == 1 ? "rank " : "ranks ") + pure::core::cpu_list_text(its));
  }
  return all;
}

// In the order of --help.
void add_options(CLI::App& app, raw_options& raw) {
  std::string group;
  const auto add = [&](const char* names, std::string& value, const char* text, const char* meaning) {
    app.add_option(names, value, meaning)->option_text(text)->take_last()->group(group);
  };
  const auto add_flag = [&](const char* names, bool& value, const char* meaning) {
    app.add_flag(names, value, meaning)->group(group);
  };
  group = "Options";
  add("-n,--ranks", raw.ranks, "N", "how many ranks");
  add("--ranks-as", raw.ranks_as, "threads|processes|auto",
      "what a rank is: a thread (default for pure.h), a process of its own on this machine, or what suits (default for MPI programs)");
  add("--globals", raw.globals, "private|shared",
      "of ranks that are threads: each has the program's global variables for itself (default for MPI programs), or all share them (for pure.h)");
  add("--map-by", raw.map_by, "WHAT", "where ranks run: core (default), numa, socket, none, file:PATH");
  add("--cpus-per-rank", raw.cpus_per_rank, "K",
      "how many cpus each rank has for threads that the program makes, such as OpenMP's (default: all, shared out)");
  add("--helpers", raw.helpers, "N|auto",
      "how many threads without a rank execute chunks of tasks, on cores without a rank");
  add_flag("--reproducible-sums", raw.reproducible_sums,
           "round reductions' sums of float and double once, however the ranks are grouped");
  app.add_option("--set", raw.settings, "give a setting a value, any number of times")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);
  add_flag("--explain", raw.explain, "print what a rank will be and why, what each has for itself, and what all share");
  add_flag("--dry-run", raw.dry_run, "print what would be executed, and do nothing");
  app.set_help_flag("-h,--help", "print this text");
  add_flag("--version", raw.version, "print the version");

  group = "Options (to look at a run)";
  add_flag("--check", raw.check, "look for errors in the use of buffers, types, requests and collectives");
  add_flag("--stats", raw.stats, "print at the end what each rank did: computing, waiting, stealing, messages");
  add("--trace", raw.trace, "FILE", "write a timeline for Perfetto and `pure trace`");
  add_flag("--report-bindings", raw.report_bindings, "print where each rank runs, as a picture");
  add("--hang-timeout", raw.hang_timeout, "SECONDS",
      "warn when a rank waits for so long, with what every rank does, and where");

  group = "Options (for several processes)";
  add("-N,--processes", raw.processes, "P", "how many processes share the ranks; without --hosts on this machine");
  add("--ppn", raw.ppn, "K|numa", "how many processes each machine has, or one for each of its NUMA nodes");
  add("--hosts", raw.hosts, "LIST", "the machines, as in a,b or a:2,b:2 with the processes of each");
  add("--hostfile", raw.hostfile, "FILE", "the same, one machine in a line");
  add("--placement", raw.placement, "WHAT",
      "which ranks a process has: block (default), round-robin, file:PATH, order:PATH");
  add("--mpi", raw.mpi, "auto|none|mpich|openmpi", "which MPI connects the processes; none: memory that they share");
  add("--mpiexec", raw.mpiexec, "PATH", "its launcher, if it is not the one in PATH");
  add("--mpiexec-args", raw.mpiexec_args, "WORDS", "more options for it");
  add("--network-interface", raw.interface, "NAME", "the network to use, such as eth0");
  add_flag("--async-progress", raw.async_progress,
           "move messages between processes on while ranks compute, by a thread of each process");
}

options only_text(std::string text) {
  options result;
  result.text = std::move(text);
  return result;
}

[[noreturn]] void refuse_unknown_option(const CLI::App& app, const std::string& argument) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::string word = argument.substr(0, argument.find('='));
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  const std::string_view meant = pure::core::nearest(word, candidates);
  throw usage_error(fmt::format("there is no option {}{}.", printable_word(word),
                                meant.empty() ? "" : fmt::format(" (did you mean {}?)", meant)));
}

// A shell may start this purerun in place of a process of another one's: what that one has set is its job's.
void leave_outer_job() {
  const auto text_of = [](const char* name) {
    const char* const text = pure::core::environment_variable(name);
    return std::string_view(text != nullptr ? text : "");
  };
  if (text_of("PURE_SEGMENT").empty()) return;
  const bool is_its_number = text_of("PURE_RANKS") == text_of("PURE_PROCESSES");
  // NOLINTBEGIN(concurrency-mt-unsafe): one thread
  if (is_its_number) unsetenv("PURE_RANKS");
  for (const char* const each : {"PURE_SEGMENT", "PURE_PROCESS_NUMBER", "PURE_PROCESSES", "PURE_NETWORK"})
    unsetenv(each);
  // NOLINTEND(concurrency-mt-unsafe)
}

}  // namespace

pure::core::settings settings_of(const std::vector<std::string>& environment) {
  std::vector<const char*> pointers;
  pointers.reserve(environment.size() + 1);
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  return pure::core::read_settings(pointers.data());
}

void set_variable(std::vector<std::string>& environment, std::string_view name, std::string_view value) {
  std::erase_if(environment, [&](const std::string& e) { return e.starts_with(fmt::format("{}=", name)); });
  environment.push_back(fmt::format("{}={}", name, value));
}

options parse_options(int argc, const char* const* argv) {
  raw_options raw;
  CLI::App app("Runs a program that is built with Pure: N ranks, each with its share of the cores.", "purerun");
  app.formatter(std::make_shared<help_text::formatter>("purerun [OPTIONS] PROGRAM [ARGUMENTS...]"));
  app.footer(help_footer);
  app.prefix_command();  // the first word that is not an option is PROGRAM; the rest belongs to it
  add_options(app, raw);

  std::vector<std::string> notes;
  std::vector<std::string> words = without_habits(app, std::span(argv, static_cast<std::size_t>(argc)).subspan(1),
                                                  argc > 0 && is_called_mpiexec(argv[0]), notes);
  for (const std::string& each : notes) pure::core::say_plain({"purerun: ", each, "\n"});
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return only_text(app.help());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string_view text = error.what();
    throw usage_error(fmt::format("{} needs a value.", printable_word(text.substr(0, text.find(':')))));
  } catch (const CLI::ParseError& error) {
    throw usage_error(fmt::format("{}.", printable_word(error.what())));
  }
  if (raw.version) return only_text("purerun " PURE_VERSION "\n");

  options result;
  result.command = app.remaining();
  if (!result.command.empty() && result.command.front() == "--") {
    result.command.erase(result.command.begin());
  } else if (!result.command.empty() && result.command.front().starts_with('-')) {
    refuse_unknown_option(app, result.command.front());
  }
  if (result.command.empty()) throw usage_error("which program? Usage: purerun [OPTIONS] PROGRAM [ARGUMENTS...].");

  // A job inside a process of another one is a job of its own.
  const bool is_nested = pure::core::is_inside_other_job(environ);
  leave_outer_job();
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!is_nested || !pure::core::is_of_launcher(text.substr(0, text.find('='))))
      result.environment.emplace_back(text);
  }
  try {
    for (const std::string& assignment : raw.settings) set_one(result.environment, assignment);
    if (app.count("-n") != 0) set_number(result.environment, "PURE_RANKS", "-n", "the number of ranks", raw.ranks);
    if (app.count("--map-by") != 0) {
      refuse_foreign_mapping(raw.map_by);
      pure::core::map_by_path(raw.map_by);  // refuses an empty text, which in a variable counts as unset
      set_variable(result.environment, "PURE_MAP_BY", raw.map_by);
    }
    if (app.count("--cpus-per-rank") != 0) {
      set_number(result.environment, "PURE_CPUS_PER_RANK", "--cpus-per-rank", "the number of cpus of each rank",
                 raw.cpus_per_rank);
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
    if (raw.async_progress) set_variable(result.environment, "PURE_ASYNC_PROGRESS", "on");
    if (raw.report_bindings) set_variable(result.environment, "PURE_REPORT_BINDINGS", "on");
    if (raw.check) set_variable(result.environment, "PURE_CHECK", "on");
    if (raw.reproducible_sums) set_variable(result.environment, "PURE_REPRODUCIBLE_SUMS", "on");
    process_request asked = request_from(raw, app, result);
    asked.program = result.command.front();
    if (raw.explain) return result;
    if (app.count("--placement") != 0) {
      pure::core::rank_placement::path_in(raw.placement);
      set_variable(result.environment, "PURE_PLACEMENT", raw.placement);
    }
    if (asked.per_numa_node) set_variable(result.environment, "PURE_HOST_SPLIT", "numa");
    int processes = 1;
    if (is_for_several(asked)) {
      const launch_command launch = command_for(asked, settings_of(result.environment), result.environment);
      processes = launch.processes;
      result.launcher = launch.words;
      result.network = launch.network;
      if (launch.words.empty()) result.own_processes = launch.processes;
      result.is_elsewhere = launch.is_elsewhere;
      result.hosts = launch.hosts;
    } else if (asked.counts.in_all) {
      set_variable(result.environment, "PURE_PROCESSES", "1");
    }
    check(result.environment, processes, result.own_processes > 0);
    if (result.own_processes > 1) result.ranks_of = ranks_of_processes(settings_of(result.environment), processes);
    // Debug builds look without being asked.
    const bool is_set = std::any_of(result.environment.begin(), result.environment.end(),
                                    [](const std::string& entry) { return entry.starts_with("PURE_CHECK="); });
    result.check = is_set && settings_of(result.environment).check;
    result.dry_run = raw.dry_run;
  } catch (const pure::Error& error) {
    throw usage_error(error.what());
  }
  return result;
}

}  // namespace purerun
