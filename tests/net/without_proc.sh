#!/usr/bin/env bash
# Where no /proc is mounted, deadlocks are found, programs that wait for threads of their own are not taken for one, and
# several processes start.
mpis=system # the current Open MPI's own launcher does not start there
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

unshare -m mount -t tmpfs none /proc 2> /dev/null || skip 'a namespace for mounts takes root'

# without_proc STATUS TEXT COMMAND...: it ends so, and says that.
without_proc() {
  local status=$1 text=$2 got
  shift 2
  timeout 60 unshare -m bash -c 'mount -t tmpfs none /proc && exec "$@"' - "$@" > out 2> err < /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "$*: status $got, not $status: $(cat out err)"
  if [[ -n $text ]]; then
    grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
  elif [[ -s err ]]; then
    fail "$*: it says $(cat err)"
  fi
}

# in_no_time COMMAND...: it ends well, and takes at most 1 s more than where there is one.
in_no_time() {
  local begin=${EPOCHREALTIME/./} with without
  timeout 60 "$@" > out 2> err < /dev/null || fail "$*: $(cat out err)"
  with=$((${EPOCHREALTIME/./} - begin)) begin=${EPOCHREALTIME/./}
  without_proc 0 '' "$@"
  without=$((${EPOCHREALTIME/./} - begin))
  ((without < with + 1000000)) || fail "$*: $without us without /proc, and $with with it"
}
in_no_time purerun -n 4 says well
in_no_time purerun -n 4 -N 4 --mpi none says well
in_no_time purerun -n 4 --ranks-as processes says well

beside without_proc 0 '' env PURE_RANKS=2 says well
beside without_proc 1 'deadlock' env PURE_RANKS=2 says deadlock
beside without_proc 1 'unless the thread that Pure has not started' env PURE_RANKS=2 PURE_HANG_TIMEOUT=1 PURETEST_LATE_MS=3000 hang foreign_thread_ends_it
beside without_proc 0 '' purerun -n 2 says well
beside without_proc 3 'not built with Pure' purerun --ranks-as threads env true
beside without_proc 0 'without starting any rank' purerun no_rank
# MPICH's own UCX cannot be started there; what Pure has to find, it finds.
for network in $(networks); do
  beside without_proc 0 '' purerun -N 2 -n 2 --mpi "$network" --dry-run says well
  [[ $network == openmpi ]] || continue
  beside without_proc 1 'deadlock' purerun -N 2 -n 2 --mpi "$network" says deadlock
done
together
[[ -z $(find /tmp -maxdepth 1 -name 'purerun.??????' -user "$(id -u)" -newer "$work" 2> /dev/null) ]] || fail 'purerun has left a file in /tmp'
finish
