// Programs that call MPI beside Pure: own_mpi MODE
//
//   mixed     all ranks exchange messages of Pure, and messages of MPI, under the lock, at the same time
//   meetings  barriers of Pure, each followed by an all-reduce of MPI among the first ranks of the processes
//   apart     ranks count together under the lock, with a plain variable of their process; and share a loop under it
//   started   the program itself starts MPI, for several threads, and ends it
//   single, ending, ended
//             the program itself starts MPI, for one thread; ends it while ranks run; runs ranks when it has ended it
//   taken     the program ends the MPI that Pure has started, after all ranks
//   stolen    the same, while ranks run
//   waiting, returning
//             a rank that has the lock waits for another process; returns from main
//   crash     rank 1 writes where nothing is: the MPI, and what it has installed for that, was there before Pure
#define PURE_MAIN_RUNS_ONCE
#include <mpi.h>
#include <pure.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <vector>

#include <pure/pure.hpp>

namespace {

constexpr std::size_t sizes[] = {8, 1000, 6000, 40'000, 300'000};

void fill(std::vector<unsigned char>& bytes, int from, int step) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<unsigned char>(static_cast<std::size_t>(from * 31 + step * 7) + i);
  }
}

bool is_right(const std::vector<unsigned char>& bytes, int from, int step) {
  std::vector<unsigned char> expected(bytes.size());
  fill(expected, from, step);
  return bytes == expected;
}

/// A message of MPI on its way round the ranks, while its ranks do other things. All ranks of a process have one number
/// in MPI, so a tag says for whom it is.
class mpi_ring {
 public:
  mpi_ring(const pure::comm& world, MPI_Comm on, int step) : world_(world), step_(step) {
    const std::size_t bytes = sizes[static_cast<std::size_t>(step) % std::size(sizes)];
    out_.resize(bytes);
    in_.resize(bytes);
    fill(out_, world.rank(), step);
    const int processes = size_of(on), each = world.size() / processes;
    const pure::mpi_lock alone;
    MPI_Irecv(in_.data(), static_cast<int>(bytes), MPI_BYTE, left() / each, world.rank(), on, &requests_[0]);
    MPI_Isend(out_.data(), static_cast<int>(bytes), MPI_BYTE, right() / each, right(), on, &requests_[1]);
  }
  bool is_complete() {
    int flag = 0;
    const pure::mpi_lock alone;
    MPI_Testall(2, requests_, &flag, MPI_STATUSES_IGNORE);
    return flag != 0;
  }
  [[nodiscard]] bool is_right() const { return ::is_right(in_, left(), step_); }

 private:
  static int size_of(MPI_Comm on) {
    int size = 0;
    MPI_Comm_size(on, &size);
    return size;
  }
  [[nodiscard]] int left() const { return (world_.rank() - 1 + world_.size()) % world_.size(); }
  [[nodiscard]] int right() const { return (world_.rank() + 1) % world_.size(); }

  const pure::comm& world_;
  int step_;
  std::vector<unsigned char> out_, in_;
  MPI_Request requests_[2];
};

/// Of the program, for the calls of all ranks of this process.
MPI_Comm own_communicator = MPI_COMM_NULL;

/// By all ranks: one of each process makes it.
void make_own_communicator(const pure::comm& world) {
  const pure::comm here = *world.split_type(pure::split_by::process);
  world.barrier();
  if (here.rank() == 0) {
    const pure::mpi_lock alone;
    MPI_Comm_dup(MPI_COMM_WORLD, &own_communicator);
  }
  here.barrier();
}

int mixed(const pure::comm& world) {
  make_own_communicator(world);
  constexpr int steps = 100;
  const int right = (world.rank() + 1) % world.size(), left = (world.rank() - 1 + world.size()) % world.size();
  for (int step = 0; step < steps; ++step) {
    mpi_ring other(world, own_communicator, step);
    int exchanges = 0;
    do {
      const std::size_t bytes = sizes[static_cast<std::size_t>(step + exchanges) % std::size(sizes)];
      std::vector<unsigned char> out(bytes), in(bytes);
      fill(out, world.rank(), step + exchanges);
      auto receiving = world.irecv_into(in, left);
      world.send(out, right);
      receiving.wait();
      if (!is_right(in, left, step + exchanges)) return 1;
      ++exchanges;
      // As many by all: until the slowest has its message of MPI.
    } while (world.all_reduce(other.is_complete() ? 0 : 1, pure::max{}) != 0);
    if (!other.is_right()) return 2;
  }
  return 0;
}

int meetings(const pure::comm& world) {
  const pure::comm here = *world.split_type(pure::split_by::process);
  make_own_communicator(world);
  int processes = 0;
  MPI_Comm_size(own_communicator, &processes);
  for (int i = 0; i < 100; ++i) {
    // Each rank sends something that is only received later: it has to get there all the same.
    const int to = (world.rank() + i) % world.size(),
              from = (world.rank() - i % world.size() + world.size()) % world.size();
    auto sending = world.isend(i, to);
    world.barrier();
    if (here.rank() == i % here.size()) {
      const pure::mpi_lock alone;
      int sum = 0;
      MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, own_communicator);
      if (sum != i * processes) return 1;
    }
    if (world.recv<int>(from) != i) return 2;
    sending.wait();
  }
  return 0;
}

int apart(const pure::comm& world) {
  static long count = 0;
  const pure::comm here = *world.split_type(pure::split_by::process);
  constexpr long each = 20'000;
  for (long i = 0; i < each; ++i) {
    const pure::mpi_lock alone;
    ++count;
  }
  here.barrier();
  if (count != each * here.size()) return 1;
  // Ranks that wait for the lock may run chunks.
  std::atomic<long> sum{0};
  const pure::mpi_lock alone;
  pure::parallel_for(500, [&](std::size_t i) {
    for (volatile int work = 0; work < 10'000;) work = work + 1;
    sum += static_cast<long>(i);
  });
  return sum == 500L * 499 / 2 ? 0 : 2;
}

/// When MPI_Finalize is called: too early, twice.
enum class end { after_run, during_run, before_run };

int started(int level, end ends = end::after_run) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, level, &provided);
  if (provided < level) return 3;
  int status = pure::run([&](pure::comm world) {
    if (ends == end::during_run && world.rank() == 0) MPI_Finalize();
    return mixed(world);
  });
  const auto add = [](pure::comm world) { return world.all_reduce(1, std::plus{}) == world.size() ? 0 : 4; };
  status += pure::run(add);
  MPI_Finalize();
  if (ends == end::before_run) status += pure::run(add);
  return status;
}

int use_wrongly(bool waits, const pure::comm& world) {
  if (world.rank() == 0) pure_mpi_lock();
  if (waits) static_cast<void>(world.recv<int>(1 - world.rank()));  // which never sends
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* const mode = argc > 1 ? argv[1] : "";
  const auto is = [mode](const char* name) { return std::strcmp(mode, name) == 0; };
  try {
    if (is("started")) return started(MPI_THREAD_SERIALIZED);
    if (is("single")) return started(MPI_THREAD_SINGLE);
    if (is("ending")) return started(MPI_THREAD_SERIALIZED, end::during_run);
    if (is("ended")) return started(MPI_THREAD_SERIALIZED, end::before_run);
    if (is("taken")) return pure::run([](pure::comm world) { return mixed(world); }) + MPI_Finalize();
    return pure::run([&](pure::comm world) {
      if (is("crash") && world.rank() == 1) *reinterpret_cast<volatile int*>(16) = 1;
      if (is("crash")) static_cast<void>(world.recv<int>(1));  // which never sends
      if (is("stolen") && world.rank() == 0) return MPI_Finalize();
      if (is("mixed")) return mixed(world);
      if (is("meetings")) return meetings(world);
      if (is("apart")) return apart(world);
      return use_wrongly(is("waiting"), world);
    });
  } catch (const pure::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
