#!/usr/bin/env bash
# bench/apps/dt: the published checksums of all graphs, with any number of ranks, on Pure and on MPI, with tasks and with
# OpenMP; what it refuses.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

dt=("$apps"/dt/{main,graph,classes,features,traffic}.c)
mapfile -t mpis < <(found_mpis)
compile purecc "${c_flags[@]}" "${dt[@]}" "$apps/dt/loops.c" -o dt
compile purecc "${c_flags[@]}" "${dt[@]}" "$apps/dt/loops_tasks.c" -o dt_tasks
compile purecc "${c_flags[@]}" -fopenmp "${dt[@]}" "$apps/dt/loops_openmp.c" -o dt_openmp
for mpi in "${mpis[@]}"; do compile "mpicc.$mpi" "${c_flags[@]}" "${dt[@]}" "$apps/dt/loops.c" -o "dt.$mpi"; done
here=$work

# verified SYSTEM RANKS PROGRAM ARGUMENT...
verified() {
  on "$1" "$2" "$here/$3" "${@:4}" > said 2>&1 || fail "$*: status $?: $(cat said)"
  grep -q '^result: .*verified=yes$' said || fail "$*: $(cat said)"
}
every_graph() {
  local graph class
  for graph in BH WH SH; do
    for class in S W; do verified "$@" "$graph" "$class"; done
  done
}
for ranks in 1 2 4 8; do
  beside every_graph threads "$ranks" dt
  beside every_graph threads "$ranks" dt_tasks
done
beside every_graph processes 3 dt_tasks
export OMP_NUM_THREADS=2
beside every_graph threads 2 dt_openmp
unset OMP_NUM_THREADS
for mpi in "${mpis[@]}"; do beside every_graph "$mpi" 2 "dt.$mpi"; done
as_published() { verified threads 12 dt SH S && verified threads 5 dt_tasks BH S && verified threads 2 dt_tasks SH W --repeat 3; }
beside as_published

# refused STATUS TEXT ARGUMENT...
refused() {
  local status=$1 text=$2
  shift 2
  purerun_ends "$status" -n 2 "$here/dt" "$@"
  [[ $(grep -cF -- "$text" err) == 1 ]] || fail "dt $*: not once '$text': $(cat err)"
}
refusals() {
  refused 2 "there is no graph 'XH'; there are BH, WH and SH" XH
  refused 2 "there is no class 'E'; there are S, W, A, B, C and D" SH E
  refused 2 "there is no class 'SS'" SH SS
  refused 2 "'x' is one argument too many" SH S x
  refused 2 '--repeat takes a whole number from 1 to 1000000' SH S --repeat
  refused 2 '--repeat takes a whole number from 1 to 1000000' SH S --repeat 2x
  refused 2 '--repeat takes a whole number from 1 to 1000000' SH S --repeat 0
  refused 1 'class D of SH needs' SH D
  purerun_ends 0 -n 2 "$here/dt" --help
  grep -q '^usage: dt' out || fail "no help: $(cat out)"
}
beside refusals
together
finish
