#!/usr/bin/env bash
# Of a job that fails people see what Pure says, and not what the launcher of an MPI makes of it; but what only the launcher
# knows, and what is wrong with itself, they see.
mpis_alone=1
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi
jobs=$build/tests/net/jobs
ulimit -c 0

# alone NETWORK STATUS MODE TEXT: the job fails so, with Pure's text, and its stderr has nothing of anybody else. STATUS may
# be "some": after a crash it is what the launcher makes of it, or of those that it has then ended.
alone() {
  local network=$1 status=$2 mode=$3 text=$4
  local command=(-n 3 -N 2 --mpi "$network" "$jobs" "$mode" 1)
  if [[ $status == some ]]; then
    timeout 60 purerun "${command[@]}" > out 2> err < /dev/null && fail "$network, $mode: that is no failure"
    grep -qF -- "$text" err || fail "$network, $mode: no '$text' in: $(cat err)"
  else
    ends "$status" "$text" "${command[@]}"
  fi
  ! grep -vE '^(pure: |  )' err > others || fail "$network, $mode: somebody else says: $(cat others)"
}

for network in $(networks); do
  beside alone "$network" 1 fail 'pure: pure_send_msg: rank 1 of world: destination rank 3 is out of range'
  beside alone "$network" some crash 'pure: rank 1 crashed: SIGABRT'
  beside alone "$network" 7 returns ''
done
together

for network in $(networks); do
  timeout 60 purerun -n 2 -N 2 --mpi "$network" "$jobs" killed 1 > out 2>&1 < /dev/null && fail "$network: killed is no failure"
  grep -qi 'signal 9\|killed' out || fail "$network: nobody says that a process was killed: $(cat out)"
  timeout 60 purerun -N 2 --mpi "$network" --mpiexec-args --nonsense "$jobs" hello > out 2> err < /dev/null && fail "$network: --nonsense is no failure"
  grep -q nonsense err || fail "$network: the launcher's own error is lost: $(cat out err)"
done

finish
