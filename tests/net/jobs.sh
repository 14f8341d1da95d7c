#!/usr/bin/env bash
# Jobs of several processes, as users start them: they run as one, and end as one.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi
jobs=$build/tests/net/jobs
read -r first last < <(python3 -c 'import os; cpus = os.sched_getaffinity(0); print(min(cpus), max(cpus))')

# shape NETWORK 'OPTIONS': tasks of a job of that shape; and the process of a rank that fails says why, the job's status
# is not 0, and nobody is left waiting.
shape() {
  local network=$1 job=$2 ranks
  read -r _ ranks _ <<< "$job"
  # shellcheck disable=SC2086
  timeout 60 purerun $job --mpi "$network" "$jobs" tasks > out 2>&1 < /dev/null || fail "$network, $job: $(cat out)"
  [[ $(sort -k 2n out) == "$(seq -f "rank %g of $ranks" 0 $((ranks - 1)))" ]] || fail "$network, $job: $(cat out)"
  # shellcheck disable=SC2086
  ends 1 "pure_send_msg: rank $((ranks - 1)) of world: destination rank $ranks is out of range" \
    $job --mpi "$network" "$jobs" fail "$((ranks - 1))"
}

# Which ranks are in which process is no business of the MPI: over the first one all shapes.
for network in $(networks); do
  if [[ $network == "$(networks | sed -n 1p)" ]]; then jobs_over=$(shapes); else jobs_over='-n 6 -N 3'; fi
  while read -r job; do beside shape "$network" "$job"; done <<< "$jobs_over"$'\n''-n 5 -N 4'
done
together

# mapped: by a file, over $network.
mapped() {
  printf '%s\n' "0 $last" "1 $first" "2 $last" > map
  ends 0 '' -n 3 -N 2 --mpi "$network" --map-by file:map --report-bindings "$jobs" hello
  grep -qE "rank 1 .* cpu $first " err || grep -qE "ranks 0-1 .* cpu $first " err || fail "$network: rank 1: $(cat err)"
  grep -qE "rank 2 .* cpu $last " err || fail "$network: rank 2: $(cat err)"
  printf '%s\n' "0 $first" "1 $first" '2 99999' > map
  local status=1 # of the processes; where purerun starts them itself, it looks at the file before
  [[ $network != none ]] || status=2
  ends $status 'map:3: cpu 99999 does not exist' -n 3 -N 2 --mpi "$network" --map-by file:map "$jobs" hello
}

for network in $(networks); do
  ends 3 'rank 1 called exit(3)' -n 4 -N 2 --mpi "$network" "$jobs" exit 1
  ends 3 'rank 3 called exit(3)' -n 4 -N 4 --mpi "$network" "$jobs" exit 3
  ends 3 'rank 0 called exit(3)' -n 4 -N 3 --mpi "$network" "$jobs" exit 0
  ends 0 '10 in 2 processes' -n 5 -N 2 --mpi "$network" "$jobs" halves
  timeout 60 purerun -n 4 -N 2 --mpi "$network" "$jobs" cancel || fail "$network: cancel: status $?"
  timeout 60 purerun -n 2 -N 2 --mpi "$network" "$jobs" silent || fail "$network: silent: status $?"

  ends 1 'rank 1: out of memory: no 268435456 bytes for a message from rank 0, tag 7' -n 2 -N 2 --mpi "$network" \
    "$jobs" large_and_short

  # A receiver that computes keeps the sender of a large message, unless a thread of its process takes it in, for which
  # there is memory.
  for job in "20000 --async-progress" "300" "300 --async-progress --set async_progress_bytes=3M"; do
    read -r limit_ms options <<< "$job"
    text='not sent while'
    ((limit_ms == 300)) || text='sent while'
    rm -f file
    # shellcheck disable=SC2086
    ends 0 "$text" -n 2 -N 2 $options --mpi "$network" "$jobs" absent "$work/file" "$limit_ms"
    [[ $(< out) == "$text"* ]] || fail "$network, $job: $(cat out)"
  done
  timeout 60 purerun -n 4 -N 2 --async-progress --mpi "$network" "$jobs" cancel ||
    fail "$network: cancel, with a progress thread: status $?"
  ends 0 ' progress, ' -n 2 -N 2 --async-progress --mpi "$network" "$build/tests/programs/thread_names" progress

  # A mapping file has the ranks of the whole job, and puts them where it says: not on the shares of their processes. That is
  # no business of the MPI.
  [[ $network != "$(networks | sed -n 1p)" ]] || mapped

  timeout 60 purerun -n 4 -N 3 --mpi "$network" "$jobs" crash 2 > out 2>&1 < /dev/null &&
    fail "$network: a crash is no failure"
  grep -q 'rank 2 crashed: SIGABRT' out || fail "$network: no word of the crash in: $(cat out)"
  # Libraries of the network have handlers for this one, which know no ranks.
  timeout 60 purerun -n 2 -N 2 --mpi "$network" bad_call segv > out 2>&1 < /dev/null && fail "$network: a crash is no failure"
  grep -q 'rank 1 crashed: SIGSEGV, an invalid memory access, at address 0x10' out ||
    fail "$network: no word of the crash in: $(cat out)"

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

# A process by itself needs no such thread, and has none.
ends 0 'rank 1 of 2' -n 2 --async-progress "$jobs" hello

ends 2 'ranks cannot be placed by "nonsense"' -n 4 -N 2 --placement nonsense "$jobs" hello
finish
