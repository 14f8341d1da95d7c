// The command lines of the three programs.
//
// Each parse() gives the exit status if the program is to end: after --help, or after a message about what is wrong,
// both of which only the rank that speaks prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace windows {

struct stencil_options {
  std::vector<int> sizes = {64, 256, 1024};
  int ranks_x = 0, ranks_y = 0;  // 0: as square as possible
  int steps = 0;                 // 0: by size
  int rounds = 3;
  std::vector<std::string> modes = {"messages", "fence", "put", "notified", "direct"};
  std::vector<std::string> placements = {"separate", "contiguous"};
  bool verify = false;
};
std::optional<int> parse(int argc, char** argv, bool speaks, stencil_options& options);

struct cg_options {
  int nx = 24, ny = 24, nz = 64;
  double diagonal = 26;
  double tolerance = 1e-8;
  int most_iterations = 1000;
  std::vector<int> subdomains;  // empty: as many as ranks
  std::vector<std::string> methods = {"own", "levels", "doacross"};
  bool verify = false;
};
std::optional<int> parse(int argc, char** argv, bool speaks, cg_options& options);

struct qmc_options {
  int grid = 48;
  int orbitals = 64;
  int walkers = 16, particles = 16, generations = 1000;
  double step = 0.05;
  std::vector<std::string> tables = {"own", "shared", "parts"};
  bool verify = false;
};
std::optional<int> parse(int argc, char** argv, bool speaks, qmc_options& options);

}  // namespace windows
