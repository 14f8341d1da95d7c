// A rank from its start to its status, on either system.
#include <cstdio>

#include "team.hpp"

namespace windows {

int run_rank(team& ranks, int job_rank, int job_size, const char* name, program run, int argc, char** argv) {
  try {
    if (ranks.size() != job_size) {
      throw failure(
          text("the %d ranks of this job are not all where they can share a window, only %d of them with rank "
               "0: start them on one machine, on Pure in one process",
               job_size, ranks.size()));
    }
    return run(ranks, argc, argv);
  } catch (const failure& e) {
    if (job_rank == 0) std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 2;
  }
}

}  // namespace windows
