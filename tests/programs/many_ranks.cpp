// For tests/errors/many_ranks.sh: what the ranks take that stand at a barrier, and none of which has ever talked to
// another. Prints the resident memory that the job has added, without the ranks' stacks, in kB.
//
// usage: many_ranks STACK_KB     the size of a rank's stack
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <pure/pure.hpp>
#include <string>

namespace {

struct resident {
  long all_kb = 0;
  long stacks_kb = 0;  // of the mappings that have a stack's size
};

constexpr unsigned long most_thread_local_kb = 64;  // of this program, which a stack has besides

resident now(unsigned long stack_kb) {
  resident found;
  std::ifstream maps("/proc/self/smaps");
  bool is_stack = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long from = 0, to = 0;
    long kb = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx rw-p", &from, &to) == 2) {
      const unsigned long size_kb = (to - from) / 1024;
      is_stack = size_kb >= stack_kb && size_kb < stack_kb + most_thread_local_kb;
    } else if (std::sscanf(line.c_str(), "Rss: %ld", &kb) == 1) {
      found.all_kb += kb;
      if (is_stack) found.stacks_kb += kb;
    }
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned long stack_kb = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
  const resident before = now(stack_kb);
  return pure::run(argc, argv, [&](pure::comm world) {
    world.barrier();
    world.barrier();
    if (world.rank() == 0) {
      const resident there = now(stack_kb);
      if (there.stacks_kb == 0) std::printf("no stack of %lu kB was found\n", stack_kb);
      std::printf("%ld\n", there.all_kb - before.all_kb - there.stacks_kb);
    }
    world.barrier();
  });
}
