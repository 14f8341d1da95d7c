// What `mpi2pure port` leaves; behind an @, a part of the reason.
#include <mpi.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

static std::mutex guard;            // @ std::mutex
static std::atomic<int> together;   // @ std::atomic
static int in_region;               // used below
static int in_thread;               // used below
static double begun = MPI_Wtime();  // @ begins with what MPI says
extern int elsewhere;               // @ is defined in none of the files
int plain, function(int);           // @ declared together with a function
template <int* where>
struct points {};
static int pointed;
points<&pointed> to_it;  // @ template argument
#define JOIN(name) MPI_##name

static void work() { ++in_thread; }

int main(int argc, char** argv) {
  int size = 0;
  MPI_Init(&argc, &argv);
  MPI_File file;                           // @ MPI_File has no twin
  MPI_Comm_get_parent(nullptr);            // @ MPI_Comm_get_parent has no twin: planned
  JOIN(Barrier)(MPI_COMM_WORLD);           // @ puts the name MPI_Barrier together
  size = elsewhere + plain + std::rand();  // @ what rand keeps
  std::strtok(argv[0], "x");               // @ take strtok_r
#ifdef MPI_INT                             // @ #ifdef asks for MPI_INT
  size += 1;
#endif
#ifdef NOT_DEFINED
  MPI_Barrier(MPI_COMM_WORLD);  // @ is left out with these flags
#endif
#pragma omp parallel
  ++in_region;  // @ in_region is used by threads of OpenMP
  std::thread(work).join();
  MPI_Finalize();
}
