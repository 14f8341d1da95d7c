// The cpus of a machine shared out among ranks.
//
// A rank's own thread runs on one cpu of its share; threads that the program makes (of OpenMP, say) may run on all of
// it. Shares are of neighbouring cpus, and of whole cores where there are as many cores as ranks.
// Pure functions; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "machine/topology.hpp"

namespace pure::core {

struct cpu_share {
  int own = 0;            ///< of the rank's own thread
  std::vector<int> cpus;  ///< ascending, with `own`
};

/// By rank. `group`: whose parts (NUMA nodes, sockets) take ranks in turn, a full one left out until all are full;
/// null: the whole machine is one.
///   cpus_per_rank 0   all allowed cpus are shared out: the ranks of a group have equal shares of its cores. More ranks
///                     than cores: the further ones go to the cores' second hardware threads, and then round again
///   cpus_per_rank K   K cpus for each rank, of whole cores while there are enough of them: what is left over belongs
///                     to none
/// Throws pure::Error (argument): there are fewer than K for each.
std::vector<cpu_share> share_out(const topology& machine, std::size_t ranks, int hardware_thread::*group,
                                 int cpus_per_rank);

}  // namespace pure::core
