#!/usr/bin/env bash
# A rank of a job of several processes starts programs that are built with Pure: jobs of their own, in one process or
# several, over either MPI; the job that started them goes on, and is still known to be at work.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi
jobs=$build/tests/net/jobs

# starts NETWORK TEXT COMMAND: its last rank starts that; it says so, and both end well.
starts() {
  local network=$1 text=$2 command=$3
  timeout 60 purerun -n 4 -N 2 --mpi "$network" "$jobs" starts "$command" > out 2> err < /dev/null ||
    fail "$network, $command: status $?: $(cat out err)"
  grep -qx "$text" out || fail "$network, $command: no '$text' in: $(cat out err)"
  grep -qx 'started, as one of 4 ranks: 0' out || fail "$network, $command: $(cat out err)"
  [[ ! -s err ]] || fail "$network, $command: it says $(cat err)"
}

# A job inside has ended, but not the one outside, whose launcher is ended: no status of 0.
cut_off() {
  local network=$1 launcher try
  rm -f out
  purerun -n 2 -N 2 --mpi "$network" "$jobs" starts 'purerun -n 2 every_rank; sleep 20' > out 2> err < /dev/null &
  launcher=$!
  for try in {1..1000}; do
    grep -q '2 ranks' out && break
    sleep 0.05
  done
  kill -TERM "$(pgrep -P "$launcher")"
  wait "$launcher" && fail "$network: a job is cut off whose inner job had ended, and its status is 0: $(cat out err)"
}

for network in $(networks); do
  beside starts "$network" '2 ranks' 'purerun -n 2 every_rank'
  beside starts "$network" '2 ranks' 'PURE_RANKS=2 every_rank'
  [[ $network == none ]] || beside cut_off "$network" # there purerun is the launcher
  for inner in $(networks); do
    beside starts "$network" '3 ranks' "purerun -n 3 -N 3 --mpi $inner every_rank"
  done
  beside ends 1 'pure: rank 1 called exit(3)' -n 2 -N 2 --mpi "$network" "$jobs" starts 'purerun -n 2 bad_call exit_3'
done
together
finish
