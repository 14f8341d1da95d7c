#include "machine/mapping.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <optional>
#include <sstream>
#include <system_error>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/printable_text.hpp"
#include "base/small_file.hpp"
#include "base/text.hpp"
#include "machine/cpu_shares.hpp"

namespace pure::core {
namespace {

constexpr std::string_view file_prefix = "file:";
constexpr std::array<std::string_view, 5> words = {"core", "numa", "node", "socket", "none"};

[[noreturn]] void refuse(const std::string& why) { throw Error(errc::argument, "impossible mapping: " + why); }

/// Which parts of the machine take ranks in turn; null: it is one.
int hardware_thread::*group_of(std::string_view map_by) noexcept {
  if (map_by == "socket") return &hardware_thread::package;
  return map_by == "core" ? nullptr : &hardware_thread::numa;
}

// ---- what follows from the cpus ------------------------------------------------------------------------------------

void find_neighbourhood(const topology& machine, rank_place& place) {
  bool first = true;
  for (const int cpu : place.cpus) {
    const hardware_thread& thread = *machine.find(cpu);
    const auto merge = [&](int& common, int own) { common = first || common == own ? own : -1; };
    merge(place.core, thread.core);
    merge(place.numa, thread.numa);
    merge(place.package, thread.package);
    first = false;
  }
}

// The cores that these cpus belong to, ascending.
std::vector<int> cores_of(const topology& machine, std::span<const int> cpus) {
  std::vector<int> cores;
  cores.reserve(cpus.size());
  for (const int cpu : cpus) cores.push_back(machine.find(cpu)->core);
  std::sort(cores.begin(), cores.end());
  cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
  return cores;
}

// For each rank: how many ranks one of its units (cores, or cpus) has on average, rounded up. A rank with several units
// counts as a part of a rank on each; one with none is not bound, and has all of `allowed`.
std::vector<int> ranks_per_unit(const std::vector<std::vector<int>>& units_of_rank, const std::vector<int>& allowed) {
  std::vector<double> ranks_on;
  const auto add = [&](const std::vector<int>& units, double ranks) {
    for (const int unit : units) {
      const auto index = static_cast<std::size_t>(unit);
      if (ranks_on.size() <= index) ranks_on.resize(index + 1);
      ranks_on[index] += ranks / static_cast<double>(units.size());
    }
  };
  const auto average = [&](const std::vector<int>& units) {
    constexpr double rounding_error = 1e-6;  // of sums of fractions
    double sum = 0;
    for (const int unit : units) sum += ranks_on[static_cast<std::size_t>(unit)];
    return std::max(1, static_cast<int>(std::ceil(sum / static_cast<double>(units.size()) - rounding_error)));
  };

  double unbound = 0;
  for (const auto& units : units_of_rank) {
    add(units, 1);
    if (units.empty()) ++unbound;
  }
  add(allowed, unbound);

  const int average_of_all = average(allowed);
  std::vector<int> result;
  result.reserve(units_of_rank.size());
  for (const auto& units : units_of_rank) result.push_back(units.empty() ? average_of_all : average(units));
  return result;
}

void count_neighbours(const topology& machine, std::vector<rank_place>& places) {
  std::vector<std::vector<int>> cores, cpus;
  for (const rank_place& place : places) {
    cores.push_back(cores_of(machine, place.cpus));
    cpus.push_back(place.cpus);
  }
  const auto allowed = machine.allowed_cpus();
  const auto on_core = ranks_per_unit(cores, cores_of(machine, allowed));
  const auto on_cpu = ranks_per_unit(cpus, {allowed.begin(), allowed.end()});
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    places[rank].ranks_on_core = on_core[rank];
    places[rank].ranks_on_cpu = on_cpu[rank];
  }
}

void complete(const topology& machine, std::vector<rank_place>& places) {
  for (rank_place& place : places) find_neighbourhood(machine, place);
  count_neighbours(machine, places);
}

// ---- files ---------------------------------------------------------------------------------------------------------

struct file_line {
  int rank;
  std::vector<int> cpus;
};

// What is wrong with a line goes to `refuse_line`, which does not return.
template <class Refuse>
std::optional<file_line> parse_line(std::string_view line, int ranks, Refuse refuse_line) {
  line = trimmed(line.substr(0, line.find('#')));
  if (line.empty()) return std::nullopt;
  const auto gap = line.find_first_of(" \t");
  if (gap == std::string_view::npos)
    refuse_line(fmt::format("\"{}\" is not a rank and a list of cpus, as in \"3 4-7,12\"", printable_word(line)));

  const auto rank = parse_number(line.substr(0, gap));
  if (!rank) refuse_line(fmt::format("\"{}\" is not the number of a rank", printable_word(line.substr(0, gap))));
  if (*rank >= static_cast<std::uint64_t>(ranks)) {
    refuse_line(fmt::format("there is no rank {}: the job has {}, numbered from 0", *rank,
                            counted(static_cast<unsigned>(ranks), "rank")));
  }
  const std::string_view list = trimmed(line.substr(gap));
  auto cpus = parse_cpu_list(list);
  if (!cpus) refuse_line(fmt::format("\"{}\" is not a list of cpus, as in \"4-7,12\"", printable_word(list)));
  return file_line{static_cast<int>(*rank), std::move(*cpus)};
}

template <class Refuse>
void check_cpus(const topology& machine, std::span<const int> cpus, Refuse refuse_line) {
  for (const int cpu : cpus) {
    const hardware_thread* const thread = machine.find(cpu);
    if (thread != nullptr && thread->allowed) continue;
    refuse_line(fmt::format("cpu {} {}; this process may use {}", cpu,
                            thread == nullptr ? "does not exist" : "is not allowed here (affinity mask or cgroup)",
                            cpu_list_text(machine.allowed_cpus())));
  }
}

}  // namespace

ranks_to_map ranks_to_map::all(int ranks) {
  if (ranks < 1) refuse(fmt::format("a job needs at least one rank, not {}.", ranks));
  ranks_to_map made{.of_job = ranks, .own = std::vector<int>(static_cast<std::size_t>(ranks)), .beside = {}};
  std::iota(made.own.begin(), made.own.end(), 0);
  return made;
}

mapped_ranks map_by_file(const topology& machine, const ranks_to_map& ranks, std::istream& file,
                         std::string_view name) {
  enum class where : unsigned char { elsewhere, here, beside };
  std::vector<where> place_of(static_cast<std::size_t>(ranks.of_job), where::elsewhere);
  for (const int rank : ranks.own) place_of[static_cast<std::size_t>(rank)] = where::here;
  for (const int rank : ranks.beside) place_of[static_cast<std::size_t>(rank)] = where::beside;
  std::vector<std::vector<int>> cpus_of(place_of.size());
  std::vector<int> defined_at(place_of.size(), 0);  // the line; 0: not yet
  const std::string shown = printable_word(name);
  std::string text;
  for (int number = 1; std::getline(file, text); ++number) {
    const auto refuse_line = [&](const std::string& why) { refuse(fmt::format("{}:{}: {}.", shown, number, why)); };
    auto line = parse_line(text, ranks.of_job, refuse_line);
    if (!line) continue;
    const auto rank = static_cast<std::size_t>(line->rank);
    if (defined_at[rank] != 0) refuse_line(fmt::format("rank {} has a line already: line {}", rank, defined_at[rank]));
    defined_at[rank] = number;
    if (place_of[rank] == where::here) check_cpus(machine, line->cpus, refuse_line);
    // A cpu that this machine lacks is an error of the process whose rank it is.
    if (place_of[rank] == where::beside)
      std::erase_if(line->cpus, [&](int cpu) { return machine.find(cpu) == nullptr; });
    cpus_of[rank] = std::move(line->cpus);
  }
  if (file.bad()) refuse(fmt::format("{}: reading it failed.", shown));
  const auto missing = std::find(defined_at.begin(), defined_at.end(), 0);
  if (missing != defined_at.end()) {
    refuse(fmt::format("{}: there is no line for rank {}; the job has {}.", shown, missing - defined_at.begin(),
                       counted(static_cast<unsigned>(ranks.of_job), "rank")));
  }
  std::vector<rank_place> places;
  for (const std::vector<int>* const group : {&ranks.own, &ranks.beside}) {
    for (const int rank : *group) {
      const std::vector<int>& cpus = cpus_of[static_cast<std::size_t>(rank)];
      places.push_back({.cpus = cpus, .share = cpus});
    }
  }
  complete(machine, places);  // all together, for they share cores
  const auto share_a_core = [&](const rank_place& one, const rank_place& other) {
    const std::vector<int> cores = cores_of(machine, one.cpus), others = cores_of(machine, other.cpus);
    return std::find_first_of(cores.begin(), cores.end(), others.begin(), others.end()) != cores.end();
  };
  const auto first_beside = places.begin() + static_cast<std::ptrdiff_t>(ranks.own.size());
  for (auto own = places.begin(); own != first_beside; ++own) {
    own->is_beside = std::any_of(first_beside, places.end(),
                                 [&](const auto& each) { return share_a_core(*own, each); });
  }
  return {.own = {places.begin(), first_beside}, .beside = {first_beside, places.end()}};
}

std::string map_by_path(std::string_view map_by) {
  if (std::find(words.begin(), words.end(), map_by) != words.end()) return {};
  if (map_by.starts_with(file_prefix)) {
    const std::string_view path = map_by.substr(file_prefix.size());
    if (path.empty()) refuse("file: needs the path of a file, as in file:ranks.txt.");
    return std::string(path);
  }
  if (map_by.find('/') != std::string_view::npos) return std::string(map_by);
  const std::string_view meant = nearest(map_by, words);
  std::error_code ignored;
  const bool is_file = std::filesystem::exists(std::filesystem::path(map_by), ignored);
  refuse(fmt::format("ranks cannot be mapped by \"{}\": it is core, numa, socket, none, or file:PATH{}.",
                     printable_word(map_by),
                     is_file          ? fmt::format("; for the file write file:{}", printable_word(map_by))
                     : !meant.empty() ? fmt::format(" (did you mean {}?)", meant)
                                      : ""));
}

mapped_ranks map_ranks(const topology& machine, const ranks_to_map& ranks, const mapping_wish& wish) {
  if (const std::string path = map_by_path(wish.map_by); !path.empty()) {
    std::string content;
    const std::string problem = read_small_file(path, content);
    if (!problem.empty()) refuse(fmt::format("{} {}.", printable_word(path), problem));
    std::istringstream file(content);
    return map_by_file(machine, ranks, file, path);
  }
  std::vector<rank_place> places;
  if (wish.map_by == "none") {
    places.resize(ranks.own.size());
  } else {
    for (cpu_share& each : share_out(machine, ranks.own.size(), group_of(wish.map_by), wish.cpus_per_rank))
      places.push_back({.cpus = {each.own}, .share = std::move(each.cpus), .keeps_share = wish.cpus_per_rank != 0});
  }
  complete(machine, places);
  return {.own = std::move(places), .beside = {}};
}

std::vector<rank_place> map_ranks(const topology& machine, int ranks, const mapping_wish& wish) {
  return map_ranks(machine, ranks_to_map::all(ranks), wish).own;
}

}  // namespace pure::core
