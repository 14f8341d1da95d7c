// The collective oracle's random plans on ranks in several processes: collectives FIRST_SEED PLANS SHARED_FILE
//
// The same plans and checks as in tests/stress/collectives_oracle_test.cpp. Plans of more ranks than the job has are
// left out; the others run on ranks of all processes. SHARED_FILE: a new one, in which the processes, all of one
// machine, count who has entered a barrier.
#include <pure.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/core.h>

#include "net/worlds.hpp"
#include "support/collective_oracle/generate.hpp"
#include "support/collective_oracle/pure_h_door.hpp"
#include "support/collective_oracle/run.hpp"

namespace {

using namespace collective_oracle;

constexpr std::size_t most_operations = std::size_t{1} << 24;  // of all plans

std::atomic<int>* counts_in(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  const std::size_t bytes = most_operations * sizeof(std::atomic<int>);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return nullptr;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? nullptr : static_cast<std::atomic<int>*>(mapped);
}

}  // namespace

int main(int argc, char** argv) {
  const int rank = pure_rank(), size = pure_size();
  std::atomic<int>* entered = argc == 4 ? counts_in(argv[3]) : nullptr;
  if (entered == nullptr) {
    if (rank == 0) fmt::print(stderr, "usage: {} FIRST_SEED PLANS SHARED_FILE\n", argv[0]);
    return 2;
  }
  const net_test::parts_of_job parts;
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t end = first + std::strtoull(argv[2], nullptr, 10);
  std::size_t plans = 0, operations = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const plan p = random_plan(seed);
    if (p.ranks > size || operations + p.operations.size() > most_operations) continue;
    shared_run run(p, entered + operations);
    if (const net_test::part_of_job on = parts.of(p.ranks, seed); on.rank >= 0) {
      pure_h_door through;
      rank_runner(run, through, true, on.comm).run();
    }
    if (!run.complaint.empty()) {
      fmt::print(stderr, "{}\nin this plan:\n{}repeat it with the arguments {} 1\n", run.complaint, to_text(p), seed);
      return 1;
    }
    ++plans;
    operations += p.operations.size();
  }
  if (rank == 0) fmt::print("{} plans, {} collectives: right\n", plans, operations);
  return plans > 0 ? 0 : 1;
}
