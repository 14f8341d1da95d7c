#include "network/open_network.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/text.hpp"
#include "network/network_plugin.hpp"

namespace pure::core {
namespace {

const network_kind* kind_named(const std::vector<const network_kind*>& among, std::string_view name) {
  const auto found = std::find_if(among.begin(), among.end(),
                                  [&](const network_kind* each) { return each->name() == name; });
  return found != among.end() ? *found : nullptr;
}

[[noreturn]] void refuse_network(const std::string& text) { throw Error(errc::state, text); }

std::string_view name_for_people(std::string_view network) {
  const network_kind* const known = kind_named(known_networks(), network);
  return known != nullptr ? known->name_for_people() : network;
}

std::string remedy_for(std::string_view network) {
  const network_kind* const known = kind_named(known_networks(), network);
  return known != nullptr ? known->remedy() : fmt::format("there is no network of the name {}", network);
}

/// What is built in needs nothing to be there, and is no MPI.
bool is_built_in(const network_kind& which) { return which.remedy().empty(); }

std::string way_to_start(const network_kind& which) {
  return is_built_in(which) ? "start with `purerun --mpi none`"
                            : fmt::format("start with its mpiexec, or `purerun --mpi {}`", which.name());
}

/// The MPIs among them.
std::string listed(std::vector<const network_kind*> there) {
  std::erase_if(there, [](const network_kind* each) { return is_built_in(*each); });
  std::string text;
  for (const network_kind* const each : there)
    text += (text.empty() ? "" : " and ") + std::string(each->name_for_people());
  return text.empty() ? "no MPI" : text;
}

}  // namespace

std::vector<const network_kind*> known_networks() {
  std::vector<const network_kind*> all = plugin_networks();
  for (const network_kind* const each : built_in_networks()) {
    if (kind_named(all, each->name()) != nullptr)
      throw std::logic_error(fmt::format("a plug-in and a built-in network have the name {}", each->name()));
    all.push_back(each);
  }
  return all;
}

std::vector<const network_kind*> networks_there(const settings& values) {
  std::vector<const network_kind*> all = known_networks();
  std::erase_if(all, [&](const network_kind* each) { return !each->is_there(values); });
  return all;
}

void check_launch(const settings& values, const process_launch& launched) {
  if (values.processes == 0 || values.processes == launched.processes) return;
  if (launched.by == nullptr) {
    refuse_network(fmt::format(
        "{} are asked for (PURE_PROCESSES), but this one was started by itself. `purerun -N {} PROGRAM` starts them; if a "
        "script stands between, its last command must be the program itself, with the environment that it was given.",
        counted(static_cast<std::uint64_t>(values.processes), "process"), values.processes));
  }
  refuse_network(
      fmt::format("{} {} asked for (PURE_PROCESSES), but {} has started {}. Either say the same to both, or start with "
                  "`purerun -N`, which does.",
                  counted(static_cast<std::uint64_t>(values.processes), "process"),
                  values.processes == 1 ? "is" : "are", launched.launcher_name(), launched.processes));
}

const network_kind& choose_network(const settings& values, const process_launch& launched,
                                   const std::vector<const network_kind*>& there) {
  const std::string_view suits = launched.network();
  const std::string started = fmt::format("{} has started {} processes", launched.launcher_name(), launched.processes);
  if (launched.by != nullptr && !launched.by->lacks.empty())
    refuse_network(fmt::format("{}, but {}", started, launched.by->lacks));
  if (values.network != "auto") {
    if (!suits.empty() && suits != values.network) {
      const network_kind* const known = kind_named(known_networks(), values.network);
      refuse_network(fmt::format("{}, but PURE_NETWORK={} asks for {}{}.", started, values.network,
                                 name_for_people(values.network), known == nullptr ? "" : ": " + way_to_start(*known)));
    }
    if (const network_kind* const named = kind_named(there, values.network)) return *named;
    refuse_network(fmt::format("PURE_NETWORK={}: Pure has been built for {}; {}.", values.network, listed(there),
                               remedy_for(values.network)));
  }
  if (!suits.empty()) {
    if (const network_kind* const suitable = kind_named(there, suits)) return *suitable;
    const auto other = std::find_if(there.begin(), there.end(),
                                    [](const network_kind* each) { return !is_built_in(*each); });
    const std::string instead = other == there.end()
                                    ? "start with `purerun --mpi none`, or "
                                    : fmt::format("start with `purerun --mpi {}`, or ", (*other)->name());
    refuse_network(
        fmt::format("{}, but Pure has been built for {}: {}{}.", started, listed(there), instead, remedy_for(suits)));
  }
  std::vector<const network_kind*> possible = there;
  std::erase_if(possible, [&](const network_kind* each) { return !each->can_connect(launched); });
  if (possible.empty())
    refuse_network(
        fmt::format("{}, but Pure has been built for {}: {}.", started, listed(there), remedy_for("openmpi")));
  const network_kind* const preferred = launched.by != nullptr ? kind_named(possible, launched.by->prefers) : nullptr;
  return preferred != nullptr ? *preferred : *possible.front();
}

std::unique_ptr<network> open_network(const settings& values, const process_launch& launched, network_opening opening) {
  const network_kind& chosen = choose_network(values, launched, networks_there(values));
  opening.expected_processes = launched.processes;
  opening.is_on_one_host = launched.processes_on_host == launched.processes;
  opening.message_bytes = values.net_message_bytes;
  opening.sums_messages = values.check;
  std::unique_ptr<network> opened = chosen.open(values, launched, opening);
  if (opened == nullptr) {
    refuse_network(fmt::format("{} cannot connect the processes that {} has started: {}.", chosen.name_for_people(),
                               launched.launcher_name(), opening.error.data()));
  }
  return opened;
}

}  // namespace pure::core
