#!/usr/bin/env bash
# Programs that wait for long, and look as if they hung, are left alone. The races are for
# tests/stress/hang_watch_stress_test.cpp.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

programs=(late_sender late_receiver nearly_a_circle any_source_in_a_circle wait_any_in_a_circle test_in_a_loop
  probe_in_a_circle late_synchronous pair_of_messages buffered_messages persistent_from_a_late_sender
  returned_after_isend returned_while_others_exchange late_member root_that_runs_ahead message_behind_a_collective
  blocking_behind_a_collective long_chunks busy_ring)

# Programs that wait spend their time asleep: all at once. Parking at once gives the watch the most to see.
one() {
  local ranks=$1 what=$2 said="$work/$1.$2"
  PURE_SPIN_US=0 PURE_RANKS=$ranks timeout -k 1 60 hang "$what" > "$said.out" 2> "$said.err" < /dev/null
  echo $? > "$said.status"
}
for ranks in 3 4 20; do
  for what in "${programs[@]}"; do one $ranks "$what" & done
  wait
done
for ranks in 3 4 20; do
  for what in "${programs[@]}"; do
    said="$work/$ranks.$what"
    [[ $(< "$said.status") == 0 && ! -s $said.err ]] || fail "hang $what ($ranks ranks): status $(< "$said.status"): $(< "$said.err")"
    [[ $(grep -c 'it went well' "$said.out") == "$ranks" ]] || fail "hang $what ($ranks ranks): $(< "$said.out")"
  done
done

finish
