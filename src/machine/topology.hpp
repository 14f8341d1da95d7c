// What the machine looks like: sockets, NUMA nodes, cores and hardware threads, and which of them this process may use.
//
// A topology is plain data, fixed once it is made. of_this_machine() asks hwloc once, at its first call (a few
// milliseconds), and any thread may call it; a program that changes its own affinity later does not change the answer.
// hwloc itself is behind machine/hwloc_machine.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pure::core {

/// One cpu as the kernel counts them. The other numbers are ours: dense from 0, over the whole machine, in hwloc's
/// logical order, so neighbours have neighbouring numbers.
struct hardware_thread {
  int cpu = 0;  ///< the kernel's number, as in `taskset -c` and /proc/cpuinfo
  int core = 0;
  int sibling = 0;  ///< which hardware thread of its core, from 0
  int numa = 0;
  int package = 0;  ///< the socket
  bool allowed = true;
};

class topology {
 public:
  /// The machine, with the cpus that the process's affinity mask allows, and the cgroup's quota.
  static const topology& of_this_machine();

  /// A machine that does not exist, in hwloc's words: "pack:2 numa:1 core:4 pu:2". All its cpus are allowed, or only
  /// those given. Throws pure::Error if hwloc does not understand it.
  static topology imagined(const std::string& description, std::span<const int> allowed_cpus = {},
                           std::optional<double> cpu_quota = {});

  /// The same machine with only these of its cpus, of which at least one is allowed here.
  [[nodiscard]] topology restricted_to(std::span<const int> cpus) const;

  /// Ordered by core, then by hardware thread; includes those that are not allowed.
  [[nodiscard]] std::span<const hardware_thread> hardware_threads() const noexcept { return threads_; }
  /// The hardware thread that the kernel calls `cpu`; null if there is none.
  [[nodiscard]] const hardware_thread* find(int cpu) const noexcept;

  [[nodiscard]] int cores() const noexcept { return cores_; }
  [[nodiscard]] int numa_nodes() const noexcept { return numa_nodes_; }
  [[nodiscard]] int packages() const noexcept { return packages_; }

  /// Cores of which at least one hardware thread is allowed; never 0.
  [[nodiscard]] int allowed_cores() const noexcept { return allowed_cores_; }
  /// In ascending order; never empty.
  [[nodiscard]] std::span<const int> allowed_cpus() const noexcept { return allowed_cpus_; }
  /// The processor time that the cgroup grants, in cores; empty if it sets no limit.
  [[nodiscard]] std::optional<double> cpu_quota() const noexcept { return cpu_quota_; }

  /// How many ranks a job has if nobody says: one for each allowed core, but no more than the quota rounded up.
  [[nodiscard]] int default_ranks() const noexcept;

 private:
  topology(std::vector<hardware_thread> threads, std::optional<double> cpu_quota);

  std::vector<hardware_thread> threads_;
  std::vector<int> index_of_cpu_;  ///< into threads_; -1: there is no such cpu
  std::vector<int> allowed_cpus_;
  std::optional<double> cpu_quota_;
  int cores_ = 0;
  int numa_nodes_ = 0;
  int packages_ = 0;
  int allowed_cores_ = 0;
};

/// The version of hwloc that is in use, "2.9.0".
std::string hwloc_version_text();

}  // namespace pure::core
