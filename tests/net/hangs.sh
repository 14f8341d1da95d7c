#!/usr/bin/env bash
# Ranks of several processes that wait for ever are found by all processes together, and reported once for the job;
# those that only look like it are left alone.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

# found MPI 'OPTIONS' PROGRAM TEXT...: it is ended with one report for the job, which has all the texts. (Whether that was
# before the rank that computes was done, they tell.)
found() {
  local network=$1 options=$2 what=$3 text
  shift 3
  # shellcheck disable=SC2086
  purerun_ends 1 $options --mpi "$network" hang "$what"
  cat out err > said
  [[ $(grep -c '^pure: ' said) == 1 ]] || fail "$network, hang $what: not one report: $(cat said)"
  for text in 'pure: deadlock' 'hang.cpp:' 'stack of rank' "$@"; do
    grep -qF -- "$text" said || fail "$network, hang $what: no '$text' in: $(cat said)"
  done
}

# found_with_stacks MPI RANKS 'OPTIONS' PROGRAM TEXT...: the same, with the stacks of ranks 0 to RANKS-1: equal ones
# together, and threads may have been met at different points of one wait.
found_with_stacks() {
  local network=$1 ranks=$2 seen
  found "$network" "${@:3}"
  seen=$(sed -n 's/^ *stack of ranks\{0,1\} \([0-9,-]*\):.*/\1/p' said | tr ',' '\n' |
    while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done | sort -n | tr '\n' ' ')
  [[ $seen == "$(seq 0 $((ranks - 1)) | tr '\n' ' ')" ]] || fail "$network, hang $4: stacks of ranks $seen in: $(cat said)"
}

# left_alone MPI 'OPTIONS' PROGRAM...: it ends well, and nothing is said. (It parks at once: the watch has the most to see.)
left_alone() {
  # shellcheck disable=SC2086
  PURE_SPIN_US=0 ends 0 'it went well' $2 --mpi "$1" hang "${@:3}"
  grep '^pure: ' out err && fail "$1, hang $3: it says: $(cat out err)"
}

# processes_of MARK: waits for the three processes whose last argument that is: in `pids`.
processes_of() {
  local pid try
  for try in {1..600}; do
    pids=()
    for pid in $(pgrep -f " $1\$"); do
      [[ $(cat "/proc/$pid/comm" 2> /dev/null) == hang ]] && pids+=("$pid") # not those that have started them
    done
    ((${#pids[@]} == 3)) && return
    sleep 0.1
  done
  fail "$1: the processes did not start: ${pids[*]}"
  return 1
}

# One of three processes is stopped for two seconds, wherever it is.
stopped() {
  local mark=stopped.$BASHPID
  PURETEST_LATE_MS=3500 left_alone "$1" '-n 3 -N 3' busy_ring "$mark" &
  if processes_of "$mark"; then
    sleep 1
    kill -STOP "${pids[$2]}"
    sleep 2
    kill -CONT "${pids[$2]}"
  fi
  wait
}

# A thread that Pure has not started, in process 1: warnings for the job, by process 0, with what all ranks do.
warned() {
  printf '%s\n' '0 1' '1 0' > placement
  PURETEST_LATE_MS=8000 PURE_HANG_TIMEOUT=2 timeout 60 purerun -n 2 -N 2 --mpi "$1" --placement "file:$PWD/placement" \
    hang foreign_thread_ends_it > out 2> err < /dev/null
  grep -q 'it went well' out || fail "$1, foreign threads: $(cat out err)"
  [[ $(grep -c 'unless the thread that Pure has not started' err) -ge 1 ]] || fail "$1, no warning of a hang: $(cat err)"
  grep -q '^  cycle: rank 0 waits for 1 waits for 0' err || fail "$1, foreign threads: no cycle in: $(cat err)"
  grep -q 'a rank of process 0 of 2 of a job of 2 ranks has waited for' err || fail "$1, no warning of a long wait: $(cat err)"
  grep -q 'deadlock' err && fail "$1, foreign threads: $(cat err)"
}

# Of one process of a job, by `pure attach`.
attached() {
  local mark=attached.$BASHPID
  PURETEST_LATE_MS=6000 left_alone "$1" '-n 3 -N 3' late_sender "$mark" &
  local try
  if processes_of "$mark"; then
    for try in {1..200}; do # until its ranks have started
      pure attach "${pids[0]}" > attach.out 2>&1 && break
      sleep 0.1
    done
  fi
  grep -q '1 rank of process [0-9]*, process [0-2] of 3 of a job of 3 ranks, started' attach.out ||
    fail "$1, pure attach: $(cat attach.out)"
  wait
}

whatever='wait for ever, whatever the others do'
number=0
most_beside=6 # they sleep
for network in $(networks); do
  beside found "$network" '-n 3 -N 3' crossed_sends "ranks 0-1 $whatever" 'cycle: rank 0 waits for 1 waits for 0' 'give_large(int)' 'compute_ms(int)'
  beside stopped "$network" $((number++))
  beside left_alone "$network" '-n 4 -N 4' traffic_beside_waits
  # Which ranks are in which process is no business of the MPI: over the first network all shapes.
  if [[ $network == "$(networks | sed -n 1p)" ]]; then jobs_over=$(shapes); else jobs_over=$'-n 2 -N 2\n-n 6 -N 3'; fi
  while read -r job; do
    read -r _ ranks _ <<< "$job"
    beside found_with_stacks "$network" "$ranks" "$job" nobody_sends \
      'every rank that still runs waits, and nothing is in flight' \
      "cycle: rank $(seq -s ' waits for ' 0 $((ranks - 1))) waits for 0"
  done <<< "$jobs_over"
done

# The rest over one of them, in turn.
one=$(networks | sed -n 1p)
two=$(networks | tail -n 1)
beside warned "$one"
beside attached "$two"
beside found_with_stacks "$two" 5 '-n 5 -N 4' nobody_sends 'every rank that still runs waits, and nothing is in flight' \
  'cycle: rank 0 waits for 1 waits for 2 waits for 3 waits for 4 waits for 0' 'take(int, int)'
beside found_with_stacks "$one" 4 '-n 4 -N 2' nobody_answers 'every rank that still runs waits' \
  'rank 3 waits in pure_recv_msg for a message from any rank'
beside found "$one" '-n 3 -N 3' sender_has_returned 'rank 0 waits for ever' \
  'rank 0 waits for rank 1, whose main has returned' '1 of 3 ranks had returned'
beside found "$two" '-n 2 -N 2' member_has_returned 'rank 0 waits in pure_barrier' \
  'rank 0 waits for rank 1, whose main has returned'
beside found "$one" '-n 3 -N 3' member_comes_to_none_of_many \
  'rank 0 waits in pure_barrier for the same call by rank 1' 'cycle: rank 0 waits for 1 waits for 0'
beside found "$two" '-n 4 -N 2 --placement round-robin' synchronous_to_each_other "ranks 0-1 $whatever" 'pure_ssend_msg'
beside found "$one" '-n 3 -N 3' buffers_that_stay_full "ranks 0-1 $whatever" 'buffered message by rank 1, tag 3'
beside left_alone "$one" '-n 3 -N 3' late_receiver
beside left_alone "$two" '-n 3 -N 3' pair_of_messages
beside left_alone "$one" '-n 3 -N 3' test_in_a_loop
# The requests are left to Pure, which --check, on in debug builds, says.
PURE_CHECK=0 beside left_alone "$two" '-n 4 -N 2 --placement round-robin' returned_after_isend
beside left_alone "$one" '-n 4 -N 2' message_behind_a_collective
together
finish
