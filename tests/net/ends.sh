#!/usr/bin/env bash
# Whichever process of a job ends, and however: the others end too, within 5 s, and none stays behind, not even a launcher
# that has missed it.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

needs_mpi
jobs=$build/tests/net/jobs

# started NETWORK PROGRAM...: a job of 3 processes that say "process N is PID"; these in `pids`, purerun's in `launcher`.
started() {
  rm -f out
  # `env` lifts the ban on INT and QUIT that bash puts on what it starts in the background.
  env --default-signal=INT,QUIT purerun -n 3 -N 3 --mpi "$@" > out 2> err < /dev/null &
  launcher=$!
  local try
  for try in {1..300}; do
    mapfile -t pids < <(sed -n 's/^process [0-9]* is //p' out)
    ((${#pids[@]} == 3)) && return 0
    sleep 0.1
  done
  fail "$1: the processes did not start: $(cat out err)"
  kill "$launcher"
  return 1
}

# overdue NETWORK COMMAND: a job whose mpiexec does this after its end, which a rank brings about with status 3.
overdue() {
  local network=$1 real
  read -ra real < <(purerun -N 2 --mpi "$network" --dry-run true | sed 's/^env [^/]*//')
  printf '%s\n' '#!/bin/sh' "[ \"\$1\" != --version ] || exec ${real[0]} --version" "$2" "${real[0]} \"\$@\"" \
    'exec sleep 1000' > "mpiexec.$network"
  chmod +x "mpiexec.$network"
  ends 3 'was still there 4 s after the job had ended' -n 4 -N 2 --mpiexec "./mpiexec.$network" "$jobs" exit 1
  grep -q 'rank 1 called exit(3)' err || fail "$network, overdue: no cause in: $(cat err)"
}

# silent NETWORK: a launcher that says 0 although it has cut the job off, which MPICH's does in some of a hundred runs.
silent() {
  local network=$1 real
  read -ra real < <(purerun -N 2 --mpi "$network" --dry-run true | sed 's/^env [^/]*//')
  printf '%s\n' '#!/bin/bash' "[ \"\$1\" != --version ] || exec ${real[0]} --version" \
    "${real[0]} \"\$@\" & trap 'kill -TERM \$!; wait; exit 0' TERM; wait; exit 0" > "silent.$network"
  chmod +x "silent.$network"
  if started "$network" --mpiexec "./silent.$network" "$traffic" wait; then
    kill -TERM "$(pgrep -P "$launcher")"
    gone_soon "${pids[@]}" "$launcher" || fail "$network: processes are left 5 s after their launcher"
    wait "$launcher" && fail "$network: a job that was cut off in silence is no failure"
    grep -q 'somebody has cut it off' err || fail "$network: a job cut off in silence: $(cat err)"
  fi
  ends 3 'rank 1 called exit(3)' -n 4 -N 2 --mpiexec "./silent.$network" "$jobs" exit 1
}

for network in $(networks); do
  # purerun itself is the launcher where there is no MPI.
  if [[ $network != none ]]; then
    silent "$network"
    overdue "$network" ''
  fi
  if started "$network" "$traffic" wait; then
    kill -KILL "${pids[1]}"
    gone_soon "${pids[@]}" "$launcher" || fail "$network: processes are left 5 s after one was killed"
    wait "$launcher" && fail "$network: a killed process is no failure"
    if [[ $network == none ]]; then
      grep -q '^purerun: process \([0-2]\) of 3 ([^ ]*), which had rank \1, was killed by signal 9 (SIGKILL)' err || fail "none: no cause in: $(cat err)"
    fi
    echo "$network: one process killed: all gone after $took"
  fi
  for signal in TERM QUIT; do
    if started "$network" "$traffic" wait; then
      kill -$signal "$launcher"
      gone_soon "${pids[@]}" "$launcher" || fail "$network: processes are left 5 s after purerun got SIG$signal"
      wait "$launcher" && fail "$network: a job that was ended by SIG$signal is no failure"
      echo "$network: SIG$signal to purerun: all gone after $took"
    fi
  done
  # To the launcher, behind purerun's back, and to one of the processes.
  for signal in TERM INT HUP KILL; do
    [[ $network != none ]] || break
    if started "$network" "$traffic" wait; then
      kill -$signal "$(pgrep -P "$launcher")"
      gone_soon "${pids[@]}" "$launcher" || fail "$network: processes are left 5 s after mpiexec got SIG$signal"
      wait "$launcher" && fail "$network: a job whose mpiexec got SIG$signal is no failure"
      echo "$network: SIG$signal to mpiexec: all gone after $took"
    fi
  done
  if started "$network" "$traffic" wait; then
    kill -TERM "${pids[1]}"
    gone_soon "${pids[@]}" "$launcher" || fail "$network: processes are left 5 s after one got SIGTERM"
    wait "$launcher" && fail "$network: a process that was ended by SIGTERM is no failure"
  fi
  if started "$network" "$jobs" obedient; then
    kill -USR1 "$launcher"
    gone_soon "${pids[@]}" "$launcher" || fail "$network: processes are left 5 s after they were asked to end"
    wait "$launcher" || fail "$network: a job that ends well when it is asked to is a failure: $?, $(cat err)"
  fi
  if started "$network" "$traffic" wait; then
    kill -KILL "$launcher"
    gone_soon "${pids[@]}" || fail "$network: processes are left 5 s after purerun was killed"
    echo "$network: purerun killed: all gone after $took"
    wait "$launcher" 2> /dev/null
  fi
  gone "${pids[@]}" || kill -KILL "${pids[@]}"
done
[[ $network == none ]] || overdue "$network" "trap '' TERM" # which goes on nevertheless
finish
