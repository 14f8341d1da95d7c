// The oracle's random programs under a real MPI: mpiexec -n RANKS oracle FIRST_SEED PROGRAMS
//
// The same programs, steps and checks as in tests/stress/oracle_test.cpp: what the standard fixes, both must do. A
// complaint here is a fault of the model, of the runner, or of that MPI. Programs of more than RANKS ranks are left
// out; the others run on the first processes, the rest waits. Outcomes are judged by rank 0.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "mpi/programs.hpp"
#include "support/oracle/c_runner.hpp"
#include "support/oracle/mpi_door.hpp"
#include "support/oracle/processes.hpp"

namespace {

using namespace oracle;

/// The first n processes, for every n, in both orders.
struct worlds {
  std::vector<MPI_Comm> in_order, reversed;
};

worlds make_worlds(int rank, int size) {
  worlds made{{MPI_COMM_NULL}, {MPI_COMM_NULL}};
  for (int n = 1; n <= size; ++n) {
    const int color = rank < n ? 0 : MPI_UNDEFINED;
    made.in_order.emplace_back();
    made.reversed.emplace_back();
    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &made.in_order.back());
    MPI_Comm_split(MPI_COMM_WORLD, color, -rank, &made.reversed.back());
  }
  return made;
}

/// What is wrong with the outcome, at rank 0.
std::string run(const program& p, const worlds& all, const mpi_faults& faults, int rank) {
  const auto n = static_cast<std::size_t>(p.ranks());
  process_run of_program(p, [world = all.in_order[n]] { MPI_Barrier(world); });
  if (rank < p.ranks()) {
    mpi_door door(p, rank, all.in_order[n], all.reversed[n], faults);
    c_runner runner(of_program, door);
    runner.run(rank);
    runner.end();
  }
  const noted found = put_together(of_program, rank, [](const void* mine, void* of_all, std::size_t bytes) {
    MPI_Reduce(mine, of_all, static_cast<int>(bytes), MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
  });
  MPI_Barrier(MPI_COMM_WORLD);  // the next program's messages must not meet this one's receives
  return rank == 0 ? judge(p, found.outcomes, found.completed) : "";
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3) {
    if (rank == 0) fmt::print(stderr, "usage: mpiexec -n RANKS {} FIRST_SEED PROGRAMS\n", argv[0]);
    MPI_Finalize();
    return 2;
  }
  const std::uint64_t first = std::strtoull(argv[1], nullptr, 10);
  const int wanted = std::atoi(argv[2]);
  const worlds all = make_worlds(rank, size);
  const mpi_faults faults = mpi_faults::find();
  std::size_t programs = 0, receives = 0;
  for (std::uint64_t seed = first; seed < first + static_cast<std::uint64_t>(wanted); ++seed) {
    program p = make_program(seed);
    if (p.ranks() > size) continue;
    for (message& each : p.messages) {
      if (faults.cancelled_sends && each.how == sending::cancelled_first) each.how = sending::synchronous;
    }
    const std::string complaint = run(p, all, faults, rank);
    if (!complaint.empty()) {
      fmt::print(stderr, "{}\nthis program:\n{}repeat it with the arguments {} 1\n", complaint, text_of(p), seed);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    ++programs;
    receives += p.receives.size();
  }
  if (rank == 0) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    fmt::print("{} programs, {} receives, on at most {} ranks: allowed by the standard. MPI {}.{}, {:.40}{}{}{}\n",
               programs, receives, size, MPI_VERSION, MPI_SUBVERSION, std::string(version, std::strcspn(version, "\n")),
               faults.null_status ? "; known fault: the status of MPI_Irecv from MPI_PROC_NULL" : "",
               faults.isendrecv_status ? "; known fault: the status of MPI_Isendrecv" : "",
               faults.cancelled_sends ? "; known fault: MPI_Cancel of a send" : "");
  }
  MPI_Finalize();
  return programs > 0 ? 0 : 1;
}
