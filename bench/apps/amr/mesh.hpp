// The mesh as a rank knows it: the directory of all blocks, and its own blocks with their cells.
//
// What changes the mesh is collective, and done alike by all ranks, which therefore agree on the directory at all
// times. Before fill() blocks have no cells: the first refinements and their sharing out cost no memory.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "block.hpp"
#include "directory.hpp"
#include "options.hpp"

namespace amr {

struct mesh {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int ranks = 1;
  int3 roots{};
  int finest = 0;  // level
  layout form{};
  directory all;
  std::vector<block> blocks;  // own, sorted by key

  [[nodiscard]] box box_of(const block_id& b) const;
};

// The root blocks without cells, shared out in their order.
void make_roots(mesh& m, const options& o);
// Start values for all cells.
void fill(mesh& m);

// Notes which blocks are touched by an object now.
void note_touched(mesh& m, const std::vector<object>& objects);

// The new owner of each block, in the directory's order. Blocks move whole, but for what note_touched notes.
void move_blocks(mesh& m, const std::vector<int>& new_owners);

struct block_counts {
  std::vector<long long> per_level;
  int least = 0, most = 0;  // of a rank
  long long all = 0;
};
block_counts count(const mesh& m);

}  // namespace amr
