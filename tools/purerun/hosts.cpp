#include "purerun/hosts.hpp"

#include <netdb.h>

#include <algorithm>
#include <sstream>

#include <fmt/core.h>

#include "base/printable_text.hpp"
#include "base/small_file.hpp"
#include "base/text.hpp"
#include "purerun/options.hpp"

namespace purerun {
namespace {

using pure::core::counted;
using pure::core::printable_word;

constexpr int most_processes = 1'000'000;

int parse_count(std::string_view text, const std::string& where) {
  const auto count = pure::core::parse_number(text);
  if (!count || *count < 1 || *count > most_processes) {
    throw usage_error(fmt::format("{}: '{}' is no number of processes.", printable_word(where), printable_word(text)));
  }
  return static_cast<int>(*count);
}

host parse_host(std::string_view text, const std::string& where) {
  const auto colon = text.rfind(':');
  host read{std::string(pure::core::trimmed(text.substr(0, colon))), 0};
  if (colon != std::string_view::npos) read.processes = parse_count(pure::core::trimmed(text.substr(colon + 1)), where);
  if (read.name.empty() || read.name.find_first_of(" \t,") != std::string::npos || read.name.front() == '-') {
    throw usage_error(
        fmt::format("{}: '{}' is no name of a machine.", printable_word(where), printable_word(read.name)));
  }
  return read;
}

std::size_t total(const std::vector<host>& hosts) {
  std::size_t sum = 0;
  for (const host& each : hosts) sum += static_cast<std::size_t>(each.processes);
  return sum;
}

}  // namespace

std::vector<host> parse_hosts(std::string_view list) {
  std::vector<host> hosts;
  for (const std::string_view each : pure::core::split(list, ',')) hosts.push_back(parse_host(each, "--hosts"));
  return hosts;
}

std::vector<host> read_hostfile(const std::string& path) {
  std::string text;
  const std::string problem = pure::core::read_small_file(path, text);
  if (!problem.empty()) throw usage_error(fmt::format("--hostfile {}: it {}.", printable_word(path), problem));
  std::istringstream file(text);
  std::vector<host> hosts;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view content = pure::core::trimmed(std::string_view(line).substr(0, line.find('#')));
    if (content.empty()) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    const auto space = content.find_first_of(" \t");
    host read = parse_host(content.substr(0, space), where);
    // Open MPI's words; of those only the number of slots is ours.
    for (std::string_view rest = space == std::string_view::npos ? "" : content.substr(space); !rest.empty();) {
      rest = pure::core::trimmed(rest);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
      if (word.starts_with("slots=")) {
        read.processes = parse_count(word.substr(6), where);
      } else if (!word.starts_with("max_slots=") && !word.starts_with("max-slots=")) {
        throw usage_error(fmt::format("{}: '{}' is not understood; a line is NAME, NAME:N or NAME slots=N.",
                                      printable_word(where), printable_word(word)));
      }
      rest.remove_prefix(word.size());
    }
    hosts.push_back(std::move(read));
  }
  if (hosts.empty()) throw usage_error(fmt::format("--hostfile {}: it names no machine.", printable_word(path)));
  return hosts;
}

std::vector<host> share_out(std::vector<host> hosts, const process_counts& asked) {
  const bool have_counts = std::any_of(hosts.begin(), hosts.end(),
                                       [](const host& each) { return each.processes != 0; });
  if (asked.per_host) {
    for (host& each : hosts) {
      if (each.processes != 0 && each.processes < *asked.per_host) {
        throw usage_error(fmt::format("--ppn {}: the machine {} has only {} in the list.", *asked.per_host, each.name,
                                      counted(static_cast<std::uint64_t>(each.processes), "process")));
      }
      each.processes = *asked.per_host;
    }
  } else if (!have_counts && asked.in_all) {
    const int machines = static_cast<int>(hosts.size());
    for (int i = 0; i < machines; ++i) {
      hosts[static_cast<std::size_t>(i)].processes = *asked.in_all / machines + (i < *asked.in_all % machines ? 1 : 0);
    }
  } else {
    for (host& each : hosts) each.processes = std::max(each.processes, 1);
  }
  if (asked.in_all) {
    const std::size_t room = total(hosts);
    if (room < static_cast<std::size_t>(*asked.in_all)) {
      throw usage_error(
          fmt::format("-N {}: the machines have room for {}. Name more machines (--hosts), or allow more on each "
                      "(--ppn, or NAME:N in the list).",
                      *asked.in_all, counted(room, "process")));
    }
    int left = *asked.in_all;
    for (host& each : hosts) {
      each.processes = std::min(each.processes, left);
      left -= each.processes;
    }
  }
  std::erase_if(hosts, [](const host& each) { return each.processes == 0; });
  return hosts;
}

std::string hosts_text(const std::vector<host>& hosts) {
  std::string text;
  for (const host& each : hosts) text += fmt::format("{}{}:{}", text.empty() ? "" : ",", each.name, each.processes);
  return text;
}

std::string text_of_unknown_hosts(const std::vector<host>& hosts) {
  std::string names, why;
  for (const host& each : hosts) {
    addrinfo* found = nullptr;
    const int problem = getaddrinfo(each.name.c_str(), nullptr, nullptr, &found);
    if (problem == 0) {
      freeaddrinfo(found);
      continue;
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", printable_word(each.name));
    why = gai_strerror(problem);
  }
  if (names.empty()) return {};
  return fmt::format(
      "warning: no address is found for {} ({}): look at --hosts or --hostfile. Unless ssh knows such a name, the job cannot "
      "start.",
      names, why);
}

}  // namespace purerun
