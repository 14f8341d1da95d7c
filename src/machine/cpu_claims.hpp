// Which cpus of this machine jobs of Pure have for their ranks, so that jobs beside each other take different ones.
//
// A job claims the cpus to which its ranks' own threads are bound; whole shares where somebody has said how many cpus a
// rank has. A claim is a lock of the kernel, of the byte of a file in /dev/shm that has the cpu's number (an open file
// description lock, F_OFD_SETLK): the kernel takes it back when the process has ended, however that was, and there is
// no daemon. Who sees another /dev/shm, as containers do, is not seen. Where there is none, every job is alone.
//
// Who looks for cpus and then claims them has a further byte meanwhile, so that jobs which start together do not claim
// half of what each needs. Nobody waits longer than a fifth of a second for that: a process that has been stopped there
// keeps no other from starting.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/guarded_descriptor.hpp"
#include "machine/mapping.hpp"
#include "machine/topology.hpp"

namespace pure::core {

/// Claims of one job. They end with the object, and with the process; but a child of fork() holds them, too, until it
/// ends or executes another program. One thread at a time.
class cpu_claims {
 public:
  /// None. `path`: of the file, which is made where there is none.
  explicit cpu_claims(const char* path = "/dev/shm/pure-cpus");

  /// Which of `among` another job has. A question: nothing is claimed.
  [[nodiscard]] std::vector<int> taken(std::span<const int> among) const;
  /// Claims each that no other job has. Whether these were all.
  bool claim(std::span<const int> cpus);
  void release(std::span<const int> cpus);

 private:
  friend class turn_to_choose;
  bool lock(long byte) const noexcept;
  void unlock(long byte) const noexcept;
  guarded_descriptor file_;
};

/// For a job's ranks, which only need to be mapped now.
struct free_part {
  std::optional<topology> rest;  ///< the machine without what other jobs have; empty: they have none of it
  bool is_enough = true;         ///< if not, ranks are bound nowhere
};

/// Finds cpus for so many ranks, and claims them. With a mapping file ("file:PATH") or "none" nothing is looked for,
/// and a file's cpus are claimed as far as they can be. Throws as map_ranks() where the whole machine has no room.
free_part claim_free_cpus(cpu_claims& claims, const topology& machine, int ranks, const mapping_wish& wish);

/// For people, where there were not enough.
std::string text_of_no_free_cpus(const cpu_claims& claims, const topology& machine);

}  // namespace pure::core
