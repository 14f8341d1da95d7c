#include "pure/info.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <pure/error.hpp>
#include <pure/version.hpp>

#include "base/environment.hpp"
#include "base/text.hpp"
#include "coll/tuning.hpp"
#include "help_text.hpp"
#include "machine/bindings_picture.hpp"
#include "machine/huge_pages.hpp"
#include "own_mpi.hpp"
#include "pure/build.hpp"
#include "pure/kernel.hpp"
#include "pure/message_ways.hpp"
#include "pure/networks.hpp"

namespace pure::tool {
namespace {

constexpr std::string_view refused = "environment, refused";

// Runs one check, and makes a problem of what it throws. True if there is none.
template <class Check>
bool passes(std::vector<std::string>& problems, Check check) {
  try {
    check();
    return true;
  } catch (const Error& error) {
    problems.emplace_back(error.what());
    return false;
  }
}

void read_environment(info& all) {
  // Row by row, so that one wrong value does not hide the others.
  for (const core::setting_row& row : core::setting_rows()) {
    const char* const text = core::environment_variable(std::string(row.name).c_str());
    std::string_view from = "default";
    if (text != nullptr && *text != '\0') {
      const bool good = passes(all.problems, [&] { set_from_text(all.values, row, text); });
      from = good ? "environment" : refused;
    }
    all.settings.push_back({&row, setting_text(all.values, row), from});
  }
  for (const std::string_view name : core::unknown_settings(core::environment())) {
    if (core::is_mistyped_setting(name)) passes(all.problems, [&] { core::refuse_unknown_setting(name); });
  }
  if (std::string foreign = core::text_of_foreign_settings(core::environment()); !foreign.empty()) {
    all.warnings.push_back(std::move(foreign));
  }
  if (core::is_environment_ignored()) {
    all.warnings.emplace_back(
        "This program has more rights than whoever started it: its environment counts for nothing.");
  }
  passes(all.problems, [&] { check_together(all.values); });
  if (!all.values.tuning.empty()) passes(all.problems, [&] { core::tuning{all.values.tuning}; });
}

std::string indented(std::string_view lines) {
  std::string text;
  for (const std::string_view line : core::split(core::trimmed(lines), '\n')) text += fmt::format("  {}\n", line);
  return text;
}

std::string field(const std::string& name, const std::string& value) { return help_text::entry(name, 17, value); }

// So that it can go on in the next line.
std::string with_spaces(const std::string& list) {
  std::string text;
  for (const char c : list) text += c == ',' ? std::string(", ") : std::string(1, c);
  return text;
}

std::string quota_text(const core::topology& machine) {
  if (!machine.cpu_quota()) return "no limit of processor time";
  return fmt::format("processor time of {:.2f} cores", *machine.cpu_quota());
}

// Of a job whose processes purerun starts itself.
std::string processes_text(const kernel_facts& kernel) {
  if (!kernel.why_no_segment.empty()) return "none without an MPI: " + kernel.why_no_segment;
  return fmt::format(
      "large messages {}; who sleeps {}; {}",
      kernel.may_read_peers ? "go on while their sender computes"
                            : "wait for their sender, for the kernel forbids to read its memory",
      kernel.has_doorbells ? "is woken" : "looks again and again, for there are no sockets to be woken by",
      kernel.has_common_fence ? "messages cost no fence" : "every message costs a fence");
}

// For programs that know MPI only.
std::string mpi_text() {
  const std::string folder = own_mpi::folder();
  if (folder.empty()) return "none: this copy of Pure has no libmpi_abi, so it runs no MPI programs";
  return fmt::format("5.0, by {} of the standard ABI, in {}", own_mpi::library, folder);
}

// What ranks of MPI programs are where neither purerun's options nor the program decide.
const char* mpi_ranks_as() { return own_mpi::launcher().empty() ? "processes" : "threads"; }

std::string mpi_ranks_text() {
  if (own_mpi::launcher().empty()) return "processes: this copy of Pure has nothing that loads programs for each rank";
  return "threads with globals of their own; processes where that cannot be (purerun --explain PROGRAM)";
}

// Null where nobody asks for huge pages.
nlohmann::json granted_json(const info& all) {
  const auto kind = core::page_kind_of(all.values.huge_pages);
  return kind == core::page_kind::normal ? nlohmann::json() : nlohmann::json(why_not_granted(kind).empty());
}

}  // namespace

info gather_info() {
  info all{};
  read_environment(all);
  all.machine = &core::topology::of_this_machine();
  all.ranks = all.values.ranks > 0 ? all.values.ranks : all.machine->default_ranks();
  passes(all.problems, [&] {
    all.places = map_ranks(*all.machine, all.ranks, {all.values.map_by, all.values.cpus_per_rank});
  });
  return all;
}

std::string info_text(const info& all) {
  const build_facts built = build();
  const kernel_facts kernel = look_at_kernel();
  std::string text = fmt::format("Pure {}\n\nBuild\n", PURE_VERSION);
  text += field("compiler", built.compiler) + field("build", built.kind) + field("hwloc", built.hwloc);
  text += field("MPI", mpi_text());
  if (!own_mpi::folder().empty()) text += field("its ranks", mpi_ranks_text());
  text += field("network", "between machines: " + networks_text(networks_between_machines(all.values)));

  const std::string cpus = core::cpu_list_text(all.machine->allowed_cpus());
  text += fmt::format("\nMachine\n  {}\n", machine_text(*all.machine));
  text += field("allowed",
                fmt::format("{} ({}: {})", core::counted(static_cast<unsigned>(all.machine->allowed_cores()), "core"),
                            core::counted(all.machine->allowed_cpus().size(), "cpu"),
                            cpus.size() > 40 ? with_spaces(cpus) : cpus));
  text += field("cgroup", quota_text(*all.machine));
  text += "\nKernel\n" + field("release", kernel.release);
  text += field("membarrier", kernel.has_membarrier ? "private expedited: waking a parked rank costs senders nothing"
                                                    : "not offered: every send pays for a full fence");
  text += field("huge pages", kernel.huge_pages) + field("processes", processes_text(kernel));
  if (const auto kind = core::page_kind_of(all.values.huge_pages); kind != core::page_kind::normal) {
    const std::string why = why_not_granted(kind);
    text += core::wrapped(fmt::format("{}: {}", all.values.huge_pages, why.empty() ? "granted" : "not granted: " + why),
                          17, help_text::columns);
  }

  text += "\nA job that starts now\n";
  text += all.places.empty() ? "  cannot start, see below\n"
                             : indented(bindings_picture(*all.machine, all.places, all.values.map_by));

  text += "\nSettings\n";
  for (const setting_in_force& setting : all.settings) {
    if (setting.row->internal) continue;
    text += fmt::format("  {:<25}  {:<35}  {}\n", setting.row->name, setting.value,
                        setting.from == refused ? "refused" : setting.from);
    text += core::wrapped(fmt::format("{}. Allowed: {}.", setting.row->meaning, allowed_text(*setting.row)), 6,
                          help_text::columns);
  }

  if (!all.warnings.empty()) text += "\nWarnings\n";
  for (const std::string& warning : all.warnings) text += core::wrapped(warning, 2, help_text::columns);
  if (!all.problems.empty()) text += "\nProblems (no job can start)\n";
  for (const std::string& problem : all.problems) text += core::wrapped(problem, 2, help_text::columns);
  return text;
}

std::string info_json(const info& all) {
  using nlohmann::json;
  const build_facts built = build();
  const kernel_facts kernel = look_at_kernel();

  json threads = json::array();
  for (const core::hardware_thread& thread : all.machine->hardware_threads()) {
    threads.push_back({{"cpu", thread.cpu},
                       {"core", thread.core},
                       {"sibling", thread.sibling},
                       {"numa", thread.numa},
                       {"socket", thread.package},
                       {"allowed", thread.allowed}});
  }
  json places = json::array();
  for (const core::rank_place& place : all.places) {
    places.push_back({{"rank", places.size()},
                      {"cpus", place.cpus},
                      {"share", place.share},
                      {"core", place.core},
                      {"numa", place.numa},
                      {"socket", place.package},
                      {"ranks_on_core", place.ranks_on_core},
                      {"ranks_on_cpu", place.ranks_on_cpu}});
  }
  json settings = json::array();
  const core::settings defaults;
  for (const setting_in_force& setting : all.settings) {
    if (setting.row->internal) continue;
    settings.push_back({{"name", setting.row->name},
                        {"value", setting.value},
                        {"default", setting_text(defaults, *setting.row)},
                        {"from", setting.from},
                        {"allowed", allowed_text(*setting.row)},
                        {"meaning", setting.row->meaning},
                        {"read_by", setting.row->read_by}});
  }
  json networks = json::array();
  for (const found_network& each : networks_between_machines(all.values)) {
    networks.push_back({{"name", each.name}, {"version", each.version}, {"problem", each.problem}});
  }
  const json of_build{{"compiler", built.compiler},     {"kind", built.kind},
                      {"hwloc", built.hwloc},           {"mpi_folder", own_mpi::folder()},
                      {"mpi_ranks_as", mpi_ranks_as()}, {"networks", std::move(networks)}};
  const json everything{{"version", PURE_VERSION},
                        {"build", of_build},
                        {"machine",
                         {{"sockets", all.machine->packages()},
                          {"numa_nodes", all.machine->numa_nodes()},
                          {"cores", all.machine->cores()},
                          {"allowed_cores", all.machine->allowed_cores()},
                          {"cpu_quota", all.machine->cpu_quota() ? json(*all.machine->cpu_quota()) : json()},
                          {"hardware_threads", std::move(threads)}}},
                        {"kernel",
                         {{"release", kernel.release},
                          {"membarrier", kernel.has_membarrier},
                          {"huge_pages", kernel.huge_pages},
                          {"processes",
                           {{"read_each_other", kernel.may_read_peers},
                            {"are_woken", kernel.has_doorbells},
                            {"have_common_fence", kernel.has_common_fence},
                            {"no_shared_memory", kernel.why_no_segment}}},
                          {"huge_pages_granted", granted_json(all)}}},
                        {"job", {{"ranks", all.ranks}, {"map_by", all.values.map_by}, {"places", std::move(places)}}},
                        {"messages", message_ways_json(all.values)},
                        {"settings", std::move(settings)},
                        {"warnings", all.warnings},
                        {"problems", all.problems}};
  return everything.dump(2) + "\n";
}

}  // namespace pure::tool
