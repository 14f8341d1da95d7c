#include "machine/helper_places.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/printable_text.hpp"
#include "base/text.hpp"

namespace pure::core {

namespace {

/// Empty: auto.
std::optional<std::size_t> parse(std::string_view asked) {
  if (asked == "auto") return std::nullopt;
  const auto number = parse_number(asked);
  if (!number) {
    throw Error(errc::argument,
                fmt::format("PURE_HELPERS={} is not possible: it is the number of helper threads, or auto "
                            "for one on each core without a rank",
                            printable_word(asked)));
  }
  return static_cast<std::size_t>(*number);
}

/// One place for each core that has no rank, or for each that ranks which are not bound leave over.
std::vector<rank_place> free_places(const topology& machine, std::span<const rank_place> ranks) {
  std::set<int> taken;
  std::size_t unbound = 0;
  for (const rank_place& rank : ranks) {
    if (rank.cpus.empty()) ++unbound;
    for (const int cpu : rank.keeps_share ? rank.share : rank.cpus) taken.insert(machine.find(cpu)->core);
  }
  std::vector<rank_place> places;
  int last_core = -1;
  for (const hardware_thread& thread : machine.hardware_threads()) {
    if (!thread.allowed || thread.core == last_core || taken.contains(thread.core)) continue;
    last_core = thread.core;
    places.push_back({.cpus = {thread.cpu}, .core = thread.core, .numa = thread.numa, .package = thread.package});
  }
  places.resize(places.size() - std::min(places.size(), unbound));
  if (unbound > 0) std::fill(places.begin(), places.end(), rank_place{});
  return places;
}

std::size_t left_by_quota(const topology& machine, std::size_t ranks) {
  if (!machine.cpu_quota()) return machine.allowed_cpus().size();
  const auto granted = static_cast<std::size_t>(std::ceil(*machine.cpu_quota()));
  return granted - std::min(granted, ranks);
}

}  // namespace

void check_helpers(std::string_view asked) { parse(asked); }

std::vector<rank_place> places_for_helpers(const topology& machine, std::span<const rank_place> ranks,
                                           std::string_view asked) {
  const auto number = parse(asked);
  if (number == std::size_t{0}) return {};
  std::vector<rank_place> places = free_places(machine, ranks);
  const std::size_t wanted = number.value_or(std::min(places.size(), left_by_quota(machine, ranks.size())));
  if (wanted > places.size()) {
    throw Error(
        errc::argument,
        fmt::format("PURE_HELPERS={}: each helper needs a core without a rank. This process may use {}, and {} leave{} "
                    "{}; start fewer ranks, or take auto",
                    asked, counted(static_cast<unsigned>(machine.allowed_cores()), "core"),
                    counted(ranks.size(), "rank"), ranks.size() == 1 ? "s" : "",
                    places.empty() ? "none" : fmt::format("{}", places.size())));
  }
  places.resize(wanted);
  return places;
}

}  // namespace pure::core
