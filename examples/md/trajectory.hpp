// Where the atoms are, and how fast, as a file that viewers and analysis tools read (OVITO, ASE, VMD): extended XYZ, a
// frame behind the other. Atoms stand in the order of their lattice sites, so that the file is the same for any number
// of ranks, but for rounding.
//
// All ranks call its functions together; rank 0 gathers all atoms (56 bytes for each) and writes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "messages.hpp"
#include "simulation.hpp"

namespace md {

class trajectory {
 public:
  /// Begins the file anew. No path: frames go nowhere. Throws failure, on all ranks, if it cannot be opened.
  trajectory(const std::string& path, messages& job, simulation& s);

  /// The atoms after `step` steps, at that time. Throws failure if it cannot be written.
  void frame(std::int64_t step, double time_fs);

 private:
  struct closer {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };

  void fail_together(int error, const char* what);

  std::string path_;
  messages& job_;
  simulation& simulation_;
  std::unique_ptr<std::FILE, closer> file_;  // rank 0's
};

}  // namespace md
