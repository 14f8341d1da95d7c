// The oracle's random programs on ranks in several processes: oracle FIRST_SEED PROGRAMS
//
// The same programs, steps and checks as in tests/stress/oracle_test.cpp. Programs of more ranks than the job has are
// left out; the others run on ranks of all processes. Outcomes are judged by rank 0.
#include <pure.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include <fmt/core.h>

#include "net/worlds.hpp"
#include "support/oracle/c_runner.hpp"
#include "support/oracle/generate.hpp"
#include "support/oracle/model.hpp"
#include "support/oracle/processes.hpp"
#include "support/oracle/pure_h_door.hpp"

namespace {

using namespace oracle;

/// What is wrong with the outcome, at rank 0.
std::string run(const program& p, const net_test::part_of_job& on) {
  process_run of_program(p, [&on] { pure_barrier(on.comm); });
  if (on.rank >= 0) {
    pure_h_door door(p, on.comm);
    c_runner runner(of_program, door);
    runner.run(on.rank);
    runner.end();
  }
  const noted all = put_together(of_program, on.rank, [](const void* mine, void* of_all, std::size_t bytes) {
    pure_reduce(mine, of_all, static_cast<std::int64_t>(bytes), PURE_BYTE, PURE_BOR, 0, PURE_COMM_WORLD);
  });
  return on.rank == 0 ? complaint_about(p, all.outcomes, all.completed) : "";
}

}  // namespace

int main(int argc, char** argv) {
  const int rank = pure_rank(), size = pure_size();
  if (argc != 3) {
    if (rank == 0) fmt::print(stderr, "usage: {} FIRST_SEED PROGRAMS\n", argv[0]);
    return 2;
  }
  const net_test::parts_of_job parts;
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const std::uint64_t end = first + std::strtoull(argv[2], nullptr, 10);
  std::size_t programs = 0, receives = 0;
  for (std::uint64_t seed = first; seed < end; ++seed) {
    const program p = random_program(seed);
    if (p.ranks() > size) continue;
    const std::string complaint = run(p, parts.of(p.ranks(), seed));
    if (!complaint.empty()) {
      fmt::print(stderr, "{}\nthis program:\n{}repeat it with the arguments {} 1\n", complaint, to_text(p), seed);
      return 1;
    }
    ++programs;
    receives += p.receives.size();
  }
  if (rank == 0) fmt::print("{} programs, {} receives: allowed by the standard\n", programs, receives);
  return programs > 0 ? 0 : 1;
}
