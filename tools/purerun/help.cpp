#include "purerun/help.hpp"

#include <fmt/core.h>

#include "base/settings.hpp"

namespace purerun {

std::string help_footer() {
  std::string text =
      "Options after PROGRAM belong to the program. Without -n a job has one rank for\n"
      "each core that this process may use (its affinity mask, and the processor time\n"
      "that its cgroup grants). -np is -n, as for mpirun.\n"
      "\n"
      "Mappings (--map-by):\n"
      "  core          share out the cores: each rank has neighbouring ones, and its\n"
      "                own thread the first; more ranks than cores go to second\n"
      "                hardware threads, then round again\n"
      "  numa, node    deal the ranks out to the NUMA nodes in turn\n"
      "  socket        deal the ranks out to the sockets in turn\n"
      "  none          bind nothing\n"
      "  file:PATH     a line 'RANK CPU-LIST' for each rank of the job, such as\n"
      "                '3 4-7,12'; # starts a comment\n"
      "Threads that a rank makes (OpenMP's, say) may run on its whole share, or on\n"
      "K cpus (--cpus-per-rank K). --report-bindings shows both.\n"
      "\n"
      "Several processes (-N, --ppn, --hosts): those of this machine are started by\n"
      "purerun itself, and share memory, if the program is one of Pure and is linked\n"
      "with no MPI, or with --mpi none or --ranks-as processes. All others are started\n"
      "by an MPI's mpiexec, or by srun in a Slurm allocation of several nodes.\n"
      "-n counts the ranks of all of them; --placement says which process has which.\n"
      "\n"
      "An MPI program built with purecc or purecxx is loaded once for each rank:\n"
      "its ranks are threads of one process, and each has the global variables for\n"
      "itself. Where that cannot be, or the program does to its process what ranks\n"
      "would feel (fork, dup2, getpid, ...), they are processes. One line says\n"
      "which, and why (docs/private_globals.md). A program without any MPI, which\n"
      "starts no other, each rank runs by itself.\n"
      "\n"
      "Placements (--placement):\n"
      "  block         consecutive ranks for each process\n"
      "  round-robin   the ranks are dealt out to the processes in turn\n"
      "  file:PATH     lines 'RANKS PROCESS', such as '0-3,8 1'; # starts a comment\n"
      "  order:PATH    a file MPICH_RANK_ORDER, as CrayPAT writes it\n"
      "\n"
      "Settings (--set NAME=VALUE, or in the environment; options override them):\n";
  const pure::core::settings defaults;
  for (const pure::core::setting_row& row : pure::core::setting_rows()) {
    if (!row.internal) text += fmt::format("  {:<25}  {}\n", row.name, setting_text(defaults, row));
  }
  text +=
      "PURE_ may be left out. `pure info` shows the values that are in force, and says\n"
      "what they mean; so does docs/settings.md.\n"
      "\n"
      "Signals: INT, TERM, HUP, QUIT, USR1 and USR2 are passed on to the program. It\n"
      "dies with purerun.\n"
      "\n"
      "Exit status: the program's own; of several processes that of the one that ended\n"
      "the job, or else what their launcher makes of theirs (on this machine never 0 if\n"
      "a signal to purerun ended them); 128+N if signal N ended it; and of purerun\n"
      "itself\n"
      "  2    wrong options, settings or mapping: the program was not started\n"
      "  3    the program is built for another MPI, and was not started; or it ended\n"
      "       well, but neither it nor a program that it started is built with Pure\n"
      "  126  PROGRAM cannot be executed, or has more rights than its caller and so\n"
      "       reads no settings (set-user-ID)\n"
      "  127  PROGRAM was not found\n"
      "\n"
      "Examples:\n"
      "  purerun ./stencil\n"
      "      one rank for each core\n"
      "  purerun -n 4 ./stencil --size 1000\n"
      "      4 ranks; --size is for stencil\n"
      "  purerun -n 8 --map-by numa --report-bindings ./stencil\n"
      "      in turn on the NUMA nodes; prints where each runs\n"
      "  purerun -n 4 --helpers auto ./stencil\n"
      "      the other cores execute chunks of the ranks' tasks\n"
      "  purerun -n 4 --stats --trace stencil.json ./stencil\n"
      "      what the ranks did, in numbers and as a timeline\n"
      "  purerun -n 8 --check ./stencil\n"
      "      finds wrong buffers, types, requests and collectives (docs/checks.md)\n"
      "  purerun -n 2 --set eager_limit=16K --set ring_bytes=128K ./stencil\n"
      "      with settings of its own\n"
      "  purerun -n 4 ./job.sh\n"
      "      a script that starts the program\n"
      "  purerun --ranks-as processes -n 8 ./stencil\n"
      "      8 processes of one rank on this machine, without an MPI\n"
      "  purerun -N 2 -n 8 ./stencil\n"
      "      2 processes of 4 ranks on this machine\n"
      "  purerun -n 64 --ppn 2 --hosts a,b ./stencil\n"
      "      64 ranks in 4 processes, 2 on each machine\n"
      "  purerun -n 64 --ppn numa --hostfile machines --placement round-robin ./stencil\n"
      "      a process for each NUMA node of the machines in a file\n"
      "  purerun -N 2 --mpi openmpi --dry-run ./stencil\n"
      "      only prints the command that would start it\n";
  return text;
}

}  // namespace purerun
