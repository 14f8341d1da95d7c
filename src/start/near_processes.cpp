#include "start/near_processes.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <pure/error.hpp>

#include "base/say.hpp"
#include "net_shm/job_segment.hpp"
#include "net_shm/open.hpp"
#include "net_shm/shm_network.hpp"
#include "start/network_meeting.hpp"

namespace pure::core {

namespace {

/// What each process tells all others first.
struct near_offer {
  std::uint64_t is_wanted = 0;
  std::uint64_t most = 0;           // processes that share one memory
  std::uint64_t pid_namespace = 0;  // numbers of processes are the same for those who have the same; 0: not known
  std::uint64_t net_namespace = 0;  // the sockets by which they wake each other, likewise
  std::array<char, 96> memory{};    // of the first of a group: how the others reach it (job_segment::text); or empty
};

/// And then, with what it has got.
struct near_answer {
  std::uint64_t is_ready = 0;
  network_limits limits;
};

/// Why a group shares no memory: a process of it, and what that one lacks.
struct obstacle {
  int process = 0;
  std::string what;
};

bool has_host_of_several(const network_peers& peers) {
  return peers.host_names.size() < static_cast<std::size_t>(peers.processes);
}

bool is_wanted(const settings& values, const network_peers& peers) {
  return values.near_network == "shm" || (values.near_network == "auto" && peers.host_names.size() > 1);
}

/// 0: not known.
std::uint64_t own_namespace(const char* path) noexcept {
  struct stat status {};
  return stat(path, &status) == 0 ? status.st_ino : 0;
}

/// This process, and those of its host that share a memory with it if all goes well, in their order.
std::vector<int> own_group(const network_peers& peers, int most) {
  std::vector<int> host;
  for (int process = 0; process < peers.processes; ++process) {
    const auto host_of = [&](int one) { return peers.host_of[static_cast<std::size_t>(one)]; };
    if (host_of(process) == host_of(peers.process)) host.push_back(process);
  }
  const std::size_t size = most == 0 ? static_cast<std::size_t>(net_shm::most_processes)
                                     : static_cast<std::size_t>(most);
  const auto own = static_cast<std::size_t>(std::find(host.begin(), host.end(), peers.process) - host.begin());
  const std::size_t first = own / size * size;
  const std::size_t end = std::min(first + size, host.size());
  return {host.begin() + static_cast<std::ptrdiff_t>(first), host.begin() + static_cast<std::ptrdiff_t>(end)};
}

class near_opening {
 public:
  near_opening(network& far, const settings& values, const network_opening& opening)
      : meeting_(far),
        peers_(far.peers()),
        group_(own_group(peers_, values.near_processes)),
        opening_(opening),
        cells_(net_shm::cell_manner::of(values)),
        number_(static_cast<int>(std::find(group_.begin(), group_.end(), peers_.process) - group_.begin())) {
    opening_.message_bytes = peers_.message_bytes;
    opening_.sums_messages = values.check;
  }

  /// Null: this process has no near ones. Both calls of all_gather() are made by all processes, whatever happens.
  std::unique_ptr<network> open(const settings& values) {
    near_offer own;
    own.is_wanted = is_wanted(values, peers_) ? 1 : 0;
    own.most = static_cast<std::uint64_t>(values.near_processes);
    own.pid_namespace = own_namespace("/proc/self/ns/pid");
    own.net_namespace = own_namespace("/proc/self/ns/net");
    std::optional<net_shm::job_segment> made;
    if (own.is_wanted != 0 && group_.size() > 1 && number_ == 0) make_memory(made, own);
    std::vector<near_offer> offers(static_cast<std::size_t>(peers_.processes));
    meeting_.all_gather(&own, sizeof own, offers.data());

    std::unique_ptr<net_shm::shm_network> near;
    std::optional<obstacle> found = obstacle_among(own, offers);
    if (!found && group_.size() > 1) near = reach_memory(offers[static_cast<std::size_t>(group_.front())]);
    near_answer mine{near != nullptr ? std::uint64_t{1} : 0, network_limits::of(peers_)};
    if (near != nullptr) mine.limits = mine.limits.common_with(network_limits::of(near->peers()));
    std::vector<near_answer> answers(static_cast<std::size_t>(peers_.processes));
    meeting_.all_gather(&mine, sizeof mine, answers.data());

    if (!meeting_.take_kept().empty()) throw std::logic_error("a process has sent a message before all have met");

    for (const near_answer& each : answers) {
      limits_ = limits_.common_with(each.limits);
      is_any_near_ = is_any_near_ || each.is_ready != 0;
    }
    const auto lost = std::find_if(group_.begin(), group_.end(),
                                   [&](int one) { return answers[static_cast<std::size_t>(one)].is_ready == 0; });
    if (lost == group_.end()) {
      near->meet_others();  // who have come before they answered: nobody waits here, who would have to move on an MPI
      return near;
    }
    // Who has asked for it hears that there is none; a container may forbid it, say. One of the group says so: the
    // first, if all know why, else the first that knows.
    if (values.near_network == "shm" && group_.size() > 1 && peers_.process == (found ? group_.front() : *lost)) {
      if (!found) found = {*lost, why_};
      say("pure: note: process {} and the others of its host share no memory (process {}: {}): their messages go over "
          "{}\n",
          group_.front(), found->process, found->what, peers_.library);
    }
    return nullptr;
  }

  [[nodiscard]] const std::vector<int>& group() const noexcept { return group_; }
  [[nodiscard]] bool is_any_near() const noexcept { return is_any_near_; }
  [[nodiscard]] const network_limits& limits() const noexcept { return limits_; }

 private:
  void make_memory(std::optional<net_shm::job_segment>& made, near_offer& own) {
    try {
      made.emplace(static_cast<int>(group_.size()), net_shm::segment_maker::process);
      if (made->text().size() >= own.memory.size())
        throw std::logic_error("how to reach the memory takes too much room");
      std::memcpy(own.memory.data(), made->text().data(), made->text().size());
    } catch (const Error& error) {
      why_ = error.what();
    }
  }

  /// Of what all of the group know.
  [[nodiscard]] std::optional<obstacle> obstacle_among(const near_offer& own,
                                                       const std::vector<near_offer>& offers) const {
    for (const int one : group_) {
      const near_offer& its = offers[static_cast<std::size_t>(one)];
      if (its.is_wanted == 0) return obstacle{one, "PURE_NEAR_NETWORK is not the same"};
      if (its.most != own.most) return obstacle{one, "PURE_NEAR_PROCESSES is not the same"};
      if (its.pid_namespace != own.pid_namespace || its.pid_namespace == 0)
        return obstacle{one, "it numbers processes otherwise, as in a container (a pid namespace)"};
      if (its.net_namespace != own.net_namespace || its.net_namespace == 0)
        return obstacle{one, "it has other sockets, as in a container (a network namespace)"};
    }
    if (offers[static_cast<std::size_t>(group_.front())].memory.front() != '\0') return {};
    return obstacle{group_.front(), why_};  // which the first one knows, who says it
  }

  std::unique_ptr<net_shm::shm_network> reach_memory(const near_offer& of_first) {
    try {
      auto segment = std::make_shared<net_shm::opened_segment>(of_first.memory.data(), static_cast<int>(group_.size()),
                                                               net_shm::segment_maker::process);
      auto near = std::make_unique<net_shm::shm_network>(opening_, std::move(segment), number_, cells_);
      near->come();
      return near;
    } catch (const Error& error) {
      why_ = error.what();
      return {};
    }
  }

  network_meeting meeting_;
  const network_peers& peers_;
  const std::vector<int> group_;
  network_opening opening_;
  const net_shm::cell_manner cells_;
  const int number_;  // in the group
  network_limits limits_{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}};
  bool is_any_near_ = false;
  std::string why_;
};

}  // namespace

void add_near_network(std::unique_ptr<network>& over, const settings& values, const process_launch& launched,
                      const network_opening& opening, const std::shared_ptr<const shared_failure>& failure) {
  if (launched.network() == net_shm::shared_memory_kind::own_name || !has_host_of_several(over->peers())) return;
  near_opening near(*over, values, opening);
  std::unique_ptr<network> opened = near.open(values);
  if (!near.is_any_near()) return;
  over = std::make_unique<two_level_network>(std::move(over), std::move(opened), near.group(), near.limits(), failure);
}

}  // namespace pure::core
