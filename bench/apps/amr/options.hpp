// What the command line asks for. Parsing prints nothing and calls no MPI: all ranks find the same, and rank 0 says it.
#pragma once

#include <string>
#include <vector>

#include "objects.hpp"

namespace amr {

struct options {
  enum class balancing { off, start, on };
  int3 blocks{4, 4, 4};  // root blocks of the cube
  int cells = 8;         // along a block's edge
  int variables = 8;
  int together = 2;  // variables of a group
  int levels = 2;    // the finest
  int steps = 20;
  int stages = 4;  // exchanges and sweeps of every variable in a step
  int refine_every = 2;
  int points = 7;  // of the stencil
  balancing balance = balancing::on;
  double threshold_percent = 10;
  int work_in_objects = 1;  // sweeps of a block that an object touches
  int checksum_every = 0;   // 0: at the start and the end
  int report_every = 5;
  std::vector<object> objects;
};

struct parsed_options {
  options wanted;
  std::string error;  // one sentence, or empty
  bool help = false;
};

parsed_options parse(int argc, char** argv);
// What cannot be run with so many ranks: one sentence, or empty.
std::string impossible(const options& o, int ranks);

extern const char help_text[];

}  // namespace amr
