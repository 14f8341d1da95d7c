#!/usr/bin/env bash
# Jobs of several processes, as users start them: they run as one, and end as one.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi
jobs=$build/tests/net/jobs
read -r first last < <(python3 -c 'import os; cpus = os.sched_getaffinity(0); print(min(cpus), max(cpus))')

for network in $(networks); do
  for processes in 2 3 4; do
    timeout 60 purerun -n 5 -N "$processes" --mpi "$network" "$jobs" hello > out 2>&1 < /dev/null ||
      fail "$network, $processes processes: $(cat out)"
    [[ $(sort out) == "$(printf 'rank %d of 5\n' 0 1 2 3 4)" ]] || fail "$network, $processes processes: $(cat out)"
  done
  ends 0 '10 in 2 processes' -n 5 -N 2 --mpi "$network" "$jobs" halves
  timeout 60 purerun -n 4 -N 2 --mpi "$network" "$jobs" cancel || fail "$network: cancel: status $?"
  timeout 60 purerun -n 2 -N 2 --mpi "$network" "$jobs" silent || fail "$network: silent: status $?"

  # A mapping file has the ranks of the whole job, and puts them where it says: not on the shares of their processes.
  printf '%s\n' "0 $last" "1 $first" "2 $last" > map
  ends 0 '' -n 3 -N 2 --mpi "$network" --map-by file:map --report-bindings "$jobs" hello
  grep -qE "rank 1 .* cpu $first " err || grep -qE "ranks 0-1 .* cpu $first " err || fail "$network: rank 1: $(cat err)"
  grep -qE "rank 2 .* cpu $last " err || fail "$network: rank 2: $(cat err)"
  printf '%s\n' "0 $first" "1 $first" '2 99999' > map
  ends 1 'map:3: cpu 99999 does not exist' -n 3 -N 2 --mpi "$network" --map-by file:map "$jobs" hello

  # The process of the failing rank says why; the job's status is not 0, and nobody is left waiting.
  for rank in 0 3; do
    ends 1 "pure_send_msg: rank $rank of world: destination rank 4 is out of range" \
      -n 4 -N 2 --mpi "$network" "$jobs" fail "$rank"
    ends 3 "rank $rank called exit(3)" -n 4 -N 2 --mpi "$network" "$jobs" exit "$rank"
  done
  timeout 60 purerun -n 4 -N 2 --mpi "$network" "$jobs" crash 2 > out 2>&1 < /dev/null &&
    fail "$network: a crash is no failure"
  grep -q 'rank 2 crashed: SIGABRT' out || fail "$network: no word of the crash in: $(cat out)"

  # kill -9 of one process in the middle of traffic
  rm -f out
  purerun -n 6 -N 3 --mpi "$network" "$jobs" ring > out 2>&1 < /dev/null &
  launcher=$!
  for try in {1..300}; do
    mapfile -t pids < <(sed -n 's/^rank [0-9]* is in process //p' out | sort -u)
    ((${#pids[@]} == 3)) && break
    sleep 0.1
  done
  ((${#pids[@]} == 3)) || fail "$network: the ring did not start: $(cat out)"
  kill -KILL "${pids[1]}"
  gone_soon "${pids[@]}" "$launcher" || fail "$network: processes are left 5 s after one was killed in traffic"
  wait "$launcher" && fail "$network: a killed process is no failure"
  echo "$network: killed in traffic: all gone after $took"
done

ends 2 'ranks cannot be placed by "nonsense"' -n 4 -N 2 --placement nonsense "$jobs" hello
finish
