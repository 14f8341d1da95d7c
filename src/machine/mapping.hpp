// Where the ranks of a job run: the mapping from ranks to cpus.
//
// Given the topology, the number of ranks and a word (PURE_MAP_BY, purerun --map-by) the mapping is always the same.
//   core            the cores are shared out (machine/cpu_shares.hpp): each rank has neighbouring ones, as many as
//   there
//                   are for each, and its own thread the first of them
//   numa, socket    the same, but NUMA nodes or sockets take ranks in turn; a full one is left out until all are full
//   node            means numa
//   none            nothing is bound
//   file:PATH       a line "RANK CPU-LIST" for each rank ("3 4-7,12"); # starts a comment. A name with a slash is a
//                   path without "file:", too
// A file has the ranks of the whole job, also if these are in several processes: each process takes the lines of its
// own ranks. The other ways place the ranks of one process, on the cpus that are its share of the machine.
// Pure functions of their arguments (map_by_file reads the file); any thread may call them.
#pragma once

#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "machine/topology.hpp"

namespace pure::core {

/// The user's wish. `cpus_per_rank` counts for core, numa and socket; 0: as many as there are for each.
struct mapping_wish {
  std::string_view map_by;
  int cpus_per_rank = 0;
};

/// Where one rank runs. For core, numa and socket its own thread has one cpu.
struct rank_place {
  std::vector<int> cpus;  ///< what the rank's own thread is bound to, ascending; empty: not bound
  std::vector<int> share =
      {};         ///< where threads may run that its program makes, ascending, with `cpus`; empty: anywhere
  int core = -1;  ///< -1: not bound, or bound to more than one core; likewise the next two
  int numa = -1;
  int package = -1;
  int ranks_on_core = 1;     ///< how many ranks, with this one, a core of its cpus has on average, rounded up
  int ranks_on_cpu = 1;      ///< the same for a cpu: more than 1 means that ranks take turns
  bool is_beside = false;    ///< a file has put a rank of another process on one of its cores
  bool keeps_share = false;  ///< somebody has said how many cpus each rank gets: no helper runs on them
};

/// Which ranks of a job one process maps, by their numbers.
struct ranks_to_map {
  int of_job = 0;
  std::vector<int> own;     ///< at least one
  std::vector<int> beside;  ///< of other processes on this machine

  /// A job of one process.
  static ranks_to_map all(int ranks);
};

/// The places of the mapped ranks, in the same order.
struct mapped_ranks {
  std::vector<rank_place> own;
  std::vector<rank_place> beside;  ///< a file names them, and their cpus count as shared; otherwise empty
};

/// Throws pure::Error (argument) for an unknown word, or for a file that is missing, malformed, or names a cpu for an
/// own rank that this process may not use; cpus of ranks of other processes are not looked at. More ranks than cores
/// are fine, unless each is to have so many cpus.
mapped_ranks map_ranks(const topology& machine, const ranks_to_map& ranks, const mapping_wish& wish);

/// The same for the text of a mapping file. `name` is how the file is called in errors: "NAME:LINE: what is wrong".
mapped_ranks map_by_file(const topology& machine, const ranks_to_map& ranks, std::istream& file, std::string_view name);

/// The places of ranks 0 to ranks-1 of a job of one process. Throws for ranks < 1, too.
std::vector<rank_place> map_ranks(const topology& machine, int ranks, const mapping_wish& wish);

/// The path in a map_by that means a file ("file:here", "./here"); empty if it is a word. Throws for an unknown word.
std::string map_by_path(std::string_view map_by);

}  // namespace pure::core
