#!/usr/bin/env bash
# purerun for several processes: the command lines that it makes for each launcher, and what it refuses. No MPI is needed.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"
unset PURE_OTHER_JOBS # no setting, but those that are given

for name in PMI_RANK PMI_SIZE OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE SLURM_JOB_ID SLURM_STEP_ID; do unset "$name"; done
launcher() { printf '#!/bin/sh\necho "%s"\n' "$2" | script "$1"; }
launcher hydra 'HYDRA build details: Version: 4.0.2'
launcher prte 'mpiexec (Open MPI) 5.0.11'
launcher intel 'Intel(R) MPI Library, with HYDRA inside'
launcher unknown 'something else'
printf '#!/bin/sh\nexit 0\n' | script app
mkdir both one none
touch both/libpure_net_mpich.so both/libpure_net_openmpi.so one/libpure_net_openmpi.so
export PURE_PLUGIN_DIR=$PWD/both
root=$([[ $(id -u) == 0 ]] && echo ' --allow-run-as-root')
open="./prte -n 2 --bind-to none --map-by slot:OVERSUBSCRIBE --mca mpi_yield_when_idle 0$root"
on_hydra=(--mpiexec ./hydra --dry-run)
on_open=(--mpiexec ./prte --dry-run)

# prints TEXT ARGUMENT...: the command, without the settings before it.
prints() {
  local expected=$1
  shift
  ends 0 '' "$@"
  local got
  got=$(sed -E 's/^env ([A-Za-z_]+=[^ ]* )*//' out)
  [[ $got == "$expected" ]] || fail "purerun $*: it prints '$got', not '$expected'"
}
# sets NAME=VALUE: among the settings that were printed.
sets() {
  grep -qF -- " $1 " out || fail "no $1 in: $(cat out)"
}

prints './hydra -n 2 ./app -x y' -N 2 "${on_hydra[@]}" ./app -x y
sets PURE_PROCESSES=2
sets PURE_NETWORK=mpich
prints "$open ./app 'a b'" -N 2 "${on_open[@]}" ./app 'a b'
sets PURE_NETWORK=openmpi
prints './hydra -n 3 ./app' -n 8 --ppn 3 "${on_hydra[@]}" ./app
sets PURE_RANKS=8
prints './hydra -n 3 ./app' -N 3 --ppn 4 "${on_hydra[@]}" ./app
prints './hydra -n 4 -hosts a:2,b:2 ./app' -n 64 --ppn 2 --hosts a,b "${on_hydra[@]}" ./app
prints './hydra -n 3 -hosts a:2,b:1 ./app' -N 3 --ppn 2 --hosts a,b,c "${on_hydra[@]}" ./app
prints './hydra -n 5 -hosts a:3,b:2 ./app' -N 5 --hosts a,b "${on_hydra[@]}" ./app
prints './hydra -n 6 -hosts a:4,b:1,c:1 ./app' --hosts a:4,b,c "${on_hydra[@]}" ./app
prints './hydra -n 5 -hosts a:4,b:1 ./app' -N 5 --hosts a:4,b,c "${on_hydra[@]}" ./app
prints './hydra -n 2 -hosts a:1,b:1 -iface eth0 ./app' --hosts a,b --network-interface eth0 "${on_hydra[@]}" ./app
sets UCX_NET_DEVICES=eth0
prints "$open --host a:1,b:1 -x PURE_PLUGIN_DIR -x PURE_RANKS -x PURE_NETWORK -x PURE_PROCESSES ./app" -n 4 --hosts a,b \
  "${on_open[@]}" ./app
prints "$open --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 ./app" -N 2 --network-interface eth0 "${on_open[@]}" ./app
prints "$open --mca pml ob1 -q ./app" -N 2 --mpiexec-args '--mca pml ob1  -q' "${on_open[@]}" ./app
printf '# machines\na\nb:3 # more\n\nc slots=2 max_slots=4\n' > machines
prints './hydra -n 6 -hosts a:1,b:3,c:2 ./app' --hostfile machines "${on_hydra[@]}" ./app
printf '0-2 0\n3 1\n' > ranks
prints './hydra -n 2 ./app' -N 2 -n 4 --placement file:ranks "${on_hydra[@]}" ./app
sets "PURE_PLACEMENT=file:$PWD/ranks"
prints './app' -N 1 -n 4 --dry-run ./app
sets PURE_PROCESSES=1
prints './app' --ranks-as threads -n 4 --dry-run ./app
PURE_PLUGIN_DIR=$PWD/one prints "$open ./app" -N 2 "${on_open[@]}" ./app

# Which way is `auto` on one machine, where there are MPIs: a program of Pure that needs none has its processes started by
# purerun itself; whatever may be, or may start, a program that needs one, by the MPI.
way() { # shm|mpi ARGUMENT...
  purerun -N 2 --dry-run "${@:2}" > out 2> err
  local got=mpi
  ! grep -qF ' PURE_NETWORK=shm ' out || got=shm
  [[ $got == "$1" ]] || fail "purerun -N 2 ${*:2}: not by $1: $(cat out err)"
}
way shm every_rank
way shm --mpi auto --placement round-robin every_rank
way mpi ./app                                  # a script
way mpi sh -c every_rank                       # not of Pure
way mpi --mpiexec ./hydra every_rank
way mpi --mpiexec-args -q every_rank
way mpi --network-interface lo every_rank
way mpi --hosts localhost every_rank
PURE_NETWORK=mpich way mpi every_rank
cxx=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")
link() { "$cxx" -Wl,--no-as-needed,-rpath,"$PWD" -L . "$@" || fail "$cxx $*"; }
echo 'extern "C" int pure_like() { return 0; }' > library.cpp
echo 'extern "C" int pure_like(); int main() { return pure_like(); }' > main.cpp
link -shared -fPIC -Wl,-soname,libmpi.so.99 library.cpp -o libmpi.so.99
link -shared -fPIC library.cpp -o libplain.so
link -shared -fPIC library.cpp ./libmpi.so.99 -o libsolver.so
link main.cpp -lplain -o needs_none
link main.cpp -lsolver -o needs_one_by_a_library
link main.cpp ./libmpi.so.99 -o needs_one
way shm ./needs_none
way mpi ./needs_one
echo 'extern "C" int MPI_Init() { return 0; }' > mpi.cpp
link main.cpp mpi.cpp -lplain -o has_one_inside # as of libmpi.a
way mpi ./has_one_inside
way mpi ./needs_one_by_a_library
mv libplain.so libhidden.so
way mpi ./needs_none # nobody knows what a library needs that is not there

# A machine without an address is named, once, before the launcher says what it has to say.
ends 0 'purerun: warning: ' -n 4 --hosts localhost,nowhere.invalid:2,nobody.invalid --mpiexec ./hydra ./app
grep -qE '^purerun: warning: no address is found for nowhere\.invalid, nobody\.invalid \(.+\): look at --hosts or --hostfile' err ||
  fail "machines without an address: $(cat err)"
ends 0 '' -n 4 --hosts localhost --mpiexec ./hydra ./app

# Slurm: srun in its allocations, unless machines or an mpiexec are named.
launcher srun 'slurm 23'
export SLURM_JOB_ID=17 SLURM_JOB_NUM_NODES=4
slurm() { PATH=$PWD:$PATH prints "$@"; }
srun=$PWD/srun
slurm "$srun --nodes=4 --ntasks=8 --ntasks-per-node=2 --mpi=pmi2 --cpu-bind=none --kill-on-bad-exit=1 ./app" -n 64 --ppn 2 \
  --mpi mpich --dry-run ./app
slurm "$srun --nodes=4 --ntasks=4 --ntasks-per-node=1 --mpi=pmix --cpu-bind=none --kill-on-bad-exit=1 ./app" --ppn 1 \
  --mpi openmpi --dry-run ./app
slurm "$srun --nodes=3 --ntasks=3 --mpi=pmi2 --cpu-bind=none --kill-on-bad-exit=1 ./app" -N 3 --mpi mpich --dry-run ./app
slurm './hydra -n 2 -hosts localhost:2 ./app' -N 2 --hosts localhost "${on_hydra[@]}" ./app
PATH=$PWD:$PATH ends 2 'the allocation has 4 nodes, room for 8 processes' -N 9 --ppn 2 --mpi mpich ./app
# Of one machine purerun starts the processes itself, if it runs there, and not where the allocation was made.
export SLURM_JOB_NUM_NODES=1 SLURM_JOB_NODELIST=node7
on_node() { PATH=$PWD:$PATH SLURMD_NODENAME=$1 way "${@:2}"; }
on_node node7 shm every_rank
on_node node7 mpi ./app
on_node '' mpi every_rank
on_node node8 mpi every_rank
SLURM_JOB_NUM_NODES=2 SLURM_JOB_NODELIST='node[7-8]' on_node node7 mpi every_rank
unset SLURM_JOB_ID SLURM_JOB_NUM_NODES SLURM_JOB_NODELIST

refuses() {
  ends 2 "$@" ./app
  grep -qF 'purerun --help' err || fail "purerun $*: it does not mention --help"
}
refuses 'the number of processes is 1 to' -N 0
refuses 'the number of processes is 1 to' -N two
refuses 'the number of processes is 1 to 1000000, or numa' --ppn node
refuses 'that takes 2 machines; name them with --hosts' -N 3 --ppn 2 "${on_hydra[@]}"
refuses '3 processes cannot share 2 ranks' -n 2 -N 3 "${on_hydra[@]}"
refuses 'have room for 4 processes' -N 5 --hosts a:2,b:2 "${on_hydra[@]}"
refuses 'the machine a has only 1 process in the list' --ppn 2 --hosts a:1,b "${on_hydra[@]}"
refuses "'0' is no number of processes" --hosts a:0
refuses "'' is no name of a machine" --hosts a,,b
refuses "'-x' is no name of a machine" --hosts=-x
refuses 'use one of them' --hosts a --hostfile machines
refuses 'it cannot be read' --hostfile nowhere
printf 'a slots=two\n' > bad
refuses "bad:1: 'two' is no number" --hostfile bad
printf 'a\nb cores=2\n' > bad
refuses "bad:2: 'cores=2' is not understood" --hostfile bad
printf '# none\n' > bad
refuses 'it names no machine' --hostfile bad
refuses 'it is auto, none, mpich or openmpi' -N 2 --mpi intel
refuses '--mpi none is for processes of this machine' --hosts a,b --mpi none
refuses 'it is threads, processes or auto' --ranks-as fibers
refuses 'makes 4 processes of 4 ranks, but -N says 2' --ranks-as processes -n 4 -N 2
refuses 'is for this machine, and --ppn for several' --ranks-as processes --ppn 2
ends 2 '--mpi is for several processes' --mpi mpich every_rank
ends 2 '--placement is for several processes' --placement block every_rank
refuses 'did you mean round-robin?' -N 2 --placement roundrobin "${on_hydra[@]}"
refuses 'no line for rank 4' -N 2 -n 5 --placement file:ranks "${on_hydra[@]}"
refuses 'cannot be read' -N 2 -n 5 --placement order:nowhere "${on_hydra[@]}"
refuses 'there is no such program' -N 2 --mpiexec ./nowhere
refuses 'belongs to Open MPI, not to MPICH' -N 2 --mpi mpich --mpiexec ./prte
refuses 'belongs to Intel MPI; Pure has been built for MPICH and Open MPI' -N 2 --mpiexec ./intel
refuses 'belongs to an unknown MPI' -N 2 --mpiexec ./unknown
PMI_RANK=0 PMI_SIZE=2 refuses 'is itself one of 2 processes that mpiexec of MPICH' -N 2 "${on_hydra[@]}"
PURE_PLUGIN_DIR=$PWD/one refuses '--mpi mpich: Pure has been built for Open MPI only' -N 2 --mpi mpich
PURE_PLUGIN_DIR=$PWD/one refuses 'belongs to MPICH; Pure has been built for Open MPI' -N 2 --mpiexec ./hydra
PURE_PLUGIN_DIR=$PWD/none refuses 'Install MPICH (Debian: mpich libmpich-dev) or Open MPI' -N 2 --mpiexec ./hydra

# One process needs none of that, nor looks for it.
PURE_PLUGIN_DIR=$PWD/none ends 3 'not built with Pure' -N 1 ./app
# Nor do several on this machine, where there is no MPI.
PURE_PLUGIN_DIR=$PWD/none ends 3 'not built with Pure' -N 2 ./app
ends 0 '' --ranks-as processes -n 3 ./app
finish
