#include "machine/bindings_picture.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"

namespace pure::core {
namespace {

constexpr std::size_t widest_picture_line = 78;  // `pure info` puts two spaces before it

// How much of the machine a line shows.
enum class scope { machine, package, numa_node };

bool shares(scope part, const hardware_thread& a, const hardware_thread& b) {
  switch (part) {
    case scope::package: return a.package == b.package;
    case scope::numa_node: return a.numa == b.numa;
    default: return true;
  }
}

// The cores of `part` around `at`, with those of `cpus` marked, and otherwise those of `share`.
std::string drawing(const topology& machine, scope part, const hardware_thread& at, std::span<const int> cpus,
                    std::span<const int> share) {
  std::string text;
  const hardware_thread* last = nullptr;
  bool core_is_allowed = false;
  for (const hardware_thread& thread : machine.hardware_threads()) {
    if (!shares(part, thread, at)) continue;
    if (last == nullptr || last->core != thread.core) {
      if (last == nullptr)
        text += '[';
      else if (last->package != thread.package)
        text += "] [";
      else if (last->numa != thread.numa)
        text += '|';
      text += '-';
      core_is_allowed = false;
    }
    core_is_allowed = core_is_allowed || thread.allowed;
    const auto is_one_of = [&](std::span<const int> set) {
      return std::binary_search(set.begin(), set.end(), thread.cpu);
    };
    if (is_one_of(cpus))
      text.back() = 'B';
    else if (is_one_of(share) && text.back() != 'B')
      text.back() = '=';
    else if (core_is_allowed && text.back() == '-')
      text.back() = '.';
    last = &thread;
  }
  return text + ']';
}

// The largest part of which every drawing has at most that width; none: not even a NUMA node.
std::optional<scope> widest_scope(const topology& machine, std::size_t width) {
  for (const scope part : {scope::machine, scope::package, scope::numa_node}) {
    const auto threads = machine.hardware_threads();
    const bool fits = std::all_of(threads.begin(), threads.end(), [&](const hardware_thread& at) {
      // The first thread of each core is enough, and far cheaper on a large machine.
      return at.sibling != 0 || drawing(machine, part, at, {}, {}).size() <= width;
    });
    if (fits) return part;
  }
  return {};
}

// "core 3", "cores 0-3"
std::string named_list(std::string_view noun, const std::set<int>& numbers) {
  const std::vector<int> list(numbers.begin(), numbers.end());
  return fmt::format("{}{} {}", noun, list.size() == 1 ? "" : "s", cpu_list_text(list));
}

struct row {
  std::array<std::string, 6> words;
  const rank_place* place;
};

bool has_wider_share(const rank_place& place) { return !place.share.empty() && place.share != place.cpus; }

row row_for(const topology& machine, const rank_place& place, const std::string& who) {
  if (place.cpus.empty()) return {{who, "not bound"}, &place};
  std::set<int> packages, nodes, cores;
  for (const int cpu : place.cpus) {
    const hardware_thread& thread = *machine.find(cpu);
    packages.insert(thread.package);
    nodes.insert(thread.numa);
    cores.insert(thread.core);
  }
  return {{who, named_list("socket", packages), named_list("numa", nodes), named_list("core", cores),
           named_list("cpu", {place.cpus.begin(), place.cpus.end()}),
           has_wider_share(place) ? "threads " + cpu_list_text(place.share) : ""},
          &place};
}

// Of one place; empty where the place is not in one such part of the machine.
std::string drawing_of(const topology& machine, const rank_place& place, scope part) {
  if (place.cpus.empty()) return "";
  const hardware_thread& at = *machine.find(place.cpus.front());
  const bool is_inside = std::all_of(place.cpus.begin(), place.cpus.end(),
                                     [&](int cpu) { return shares(part, at, *machine.find(cpu)); });
  return is_inside ? drawing(machine, part, at, place.cpus, place.share) : "";
}

// A line that is too long, as lists of cpus may make it, goes on below, after a comma or a space.
std::string broken(std::string line) {
  constexpr std::string_view indent = "    ";
  std::string text;
  while (line.size() > widest_picture_line) {
    const auto at = line.find_last_of(", ", widest_picture_line - 1);
    if (at == std::string::npos || at < indent.size()) break;
    text += line.substr(0, at + 1);
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
    line.erase(0, line.find_first_not_of(' ', at + 1));
    line.insert(0, indent);
  }
  return text + line + '\n';
}

using word_widths = std::array<std::size_t, 6>;

word_widths widths_of(const std::vector<row>& rows) {
  word_widths widths{};
  for (const row& each : rows) {
    for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], each.words[i].size());
  }
  return widths;
}

std::string aligned(const topology& machine, const std::vector<row>& rows, const std::optional<scope>& part) {
  const word_widths widths = widths_of(rows);
  std::string text;
  for (const row& each : rows) {
    std::string line;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > 0) line += fmt::format("{:<{}}  ", each.words[i], widths[i]);
    }
    if (part) line += drawing_of(machine, *each.place, *part);
    line.erase(line.find_last_not_of(' ') + 1);
    text += broken(std::move(line));
  }
  return text;
}

std::string legend(const topology& machine, std::optional<scope> part, bool has_shares) {
  if (!part) return "";
  const std::string_view forbidden = machine.allowed_cores() == machine.cores() ? "" : ", -: not allowed";
  std::string_view shown;
  if (part == scope::package) shown = "; only its socket";
  if (part == scope::numa_node) shown = "; only its NUMA node";
  return fmt::format(" (B: bound here{}{}{})", has_shares ? ", =: its threads" : "", forbidden, shown);
}

void add_rows(std::vector<row>& rows, const topology& machine, std::span<const rank_place> places,
              std::string_view noun, std::span<const int> numbers) {
  for (std::size_t first = 0; first < places.size();) {
    std::size_t last = first;
    const auto is_the_same = [&](const rank_place& other) {
      return other.cpus == places[first].cpus && other.share == places[first].share;
    };
    while (last + 1 < places.size() && is_the_same(places[last + 1])) ++last;
    std::set<int> who;
    for (std::size_t i = first; i <= last; ++i) who.insert(numbers.empty() ? static_cast<int>(i) : numbers[i]);
    rows.push_back(row_for(machine, places[first], named_list(noun, who)));
    first = last + 1;
  }
}

std::size_t cores_with_ranks(const topology& machine, std::span<const rank_place> places) {
  std::set<int> cores;
  for (const rank_place& place : places) {
    for (const int cpu : place.cpus) cores.insert(machine.find(cpu)->core);
  }
  return cores.size();
}

}  // namespace

std::string bindings_picture(const topology& machine, std::span<const rank_place> places, std::string_view map_by,
                             std::span<const rank_place> helpers, std::span<const int> numbers) {
  std::vector<row> rows;
  add_rows(rows, machine, places, "rank", numbers);
  add_rows(rows, machine, helpers, "helper", {});
  const word_widths widths = widths_of(rows);
  const std::size_t of_words = std::accumulate(
      widths.begin(), widths.end(), std::size_t{0},
      [](std::size_t sum, std::size_t width) { return sum + (width == 0 ? 0 : width + 2); });
  const bool has_shares = std::any_of(places.begin(), places.end(), has_wider_share);
  const auto part = widest_scope(machine, widest_picture_line - std::min(widest_picture_line, of_words));
  std::string who = counted(places.size(), "rank");
  if (!helpers.empty()) who += " and " + counted(helpers.size(), "helper thread");
  const std::size_t used_cores = cores_with_ranks(machine, places);
  if (used_cores == 0) {
    return fmt::format("{}, not bound, on {}\n{}", who, counted(static_cast<unsigned>(machine.allowed_cores()), "core"),
                       aligned(machine, rows, {}));
  }
  const std::string what = fmt::format("{} on {} of {}, mapped by {}{}", who, used_cores + helpers.size(),
                                       counted(static_cast<unsigned>(machine.cores()), "core"), map_by,
                                       legend(machine, part, has_shares));
  return broken(what) + aligned(machine, rows, part);
}

std::string machine_text(const topology& machine) {
  return fmt::format("{}, {}, {}, {}", counted(static_cast<unsigned>(machine.packages()), "socket"),
                     counted(static_cast<unsigned>(machine.numa_nodes()), "NUMA node"),
                     counted(static_cast<unsigned>(machine.cores()), "core"),
                     counted(machine.hardware_threads().size(), "hardware thread"));
}

}  // namespace pure::core
