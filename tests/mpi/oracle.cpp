// The oracle's random programs under a real MPI: mpiexec -n RANKS oracle FIRST_SEED PROGRAMS
//
// The same programs, steps and checks as in tests/stress/oracle_test.cpp: what the standard fixes, both must do. A
// complaint here is a fault of the model, of the runner, or of that MPI. Programs of more than RANKS ranks are left
// out; the others run on the first processes, the rest waits. Outcomes are judged by rank 0.
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <fmt/core.h>

#include "mpi/programs.hpp"
#include "support/oracle/c_runner.hpp"
#include "support/oracle/mpi_door.hpp"

namespace {

using namespace oracle;

/// The ranks are processes of one machine, and their clock its clock.
class process_run final : public rank_runner::shared {
 public:
  process_run(const program& of, MPI_Comm world) : shared(of), world_(world) {}
  void meet() override { MPI_Barrier(world_); }
  std::uint64_t tick() noexcept override {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }

 private:
  MPI_Comm world_;
};

/// An outcome as bytes. Each is written by one process and zero elsewhere, so that `or` puts them together.
struct flat_outcome {
  std::uint64_t bytes, began;
  int complete, source, tag, from_message;
  char complaint[224];
};
static_assert(std::is_trivially_copyable_v<flat_outcome>);

template <class T>
std::vector<T> put_together(const std::vector<T>& mine) {
  std::vector<T> all(mine.size());
  const auto bytes = static_cast<int>(mine.size() * sizeof(T));
  MPI_Reduce(mine.data(), all.data(), bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
  return all;
}

std::vector<outcome> put_together(const program& p, const std::vector<outcome>& mine, int rank) {
  std::vector<flat_outcome> flat(mine.size());
  for (std::size_t r = 0; r < mine.size(); ++r) {
    if (p.receives[r].at != rank) continue;
    const outcome& o = mine[r];
    flat[r] = {o.bytes, o.began, o.complete ? 1 : 0, o.source, o.tag, o.from_message, {}};
    std::strncpy(flat[r].complaint, o.complaint.c_str(), sizeof flat[r].complaint - 1);
  }
  std::vector<outcome> all;
  for (const flat_outcome& o : put_together(flat)) {
    all.push_back({o.complete != 0, o.source, o.tag, o.bytes, o.from_message, o.complaint, o.began});
  }
  return all;
}

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
  process_run of_program(p, all.in_order[n]);
  if (rank < p.ranks()) {
    mpi_door door(p, rank, all.in_order[n], all.reversed[n], faults);
    c_runner runner(of_program, door);
    runner.run(rank);
    runner.end();
  }
  const std::vector<outcome> outcomes = put_together(p, of_program.outcomes, rank);
  const std::vector<std::uint64_t> completed = put_together(of_program.completed);
  MPI_Barrier(MPI_COMM_WORLD);  // the next program's messages must not meet this one's receives
  return rank == 0 ? judge(p, outcomes, completed) : "";
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
    const program p = make_program(seed);
    if (p.ranks() > size) continue;
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
    fmt::print("{} programs, {} receives, on at most {} ranks: allowed by the standard. MPI {}.{}, {:.40}{}{}\n",
               programs, receives, size, MPI_VERSION, MPI_SUBVERSION, std::string(version, std::strcspn(version, "\n")),
               faults.null_status ? "; known fault: the status of MPI_Irecv from MPI_PROC_NULL" : "",
               faults.isendrecv_status ? "; known fault: the status of MPI_Isendrecv" : "");
  }
  MPI_Finalize();
  return programs > 0 ? 0 : 1;
}
