#!/usr/bin/env bash
# A program that hangs is ended soon with a report that explains it, also while one of its ranks goes on computing.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

# hangs RANKS PROGRAM TEXT...: it is ended before the rank that computes is done (30 s), with all the texts.
hangs() {
  local ranks=$1 what=$2 start=$SECONDS
  shift 2
  fails 1 "$ranks" hang "$what" -- 'deadlock' 'hang.cpp:' 'stack of rank' 'main' "$@"
  ((SECONDS - start < 25)) || fail "hang $what: it took $((SECONDS - start)) s"
}

# warns RANKS MILLISECONDS TIMEOUT NUMBER: so many warnings about a hang that lasts so long, and that a thread that Pure
# has not started may end: after 10 s or PURE_HANG_TIMEOUT. The job goes on.
warns() {
  local said="$work/said"
  PURE_RANKS=$1 PURETEST_LATE_MS=$2 PURE_HANG_TIMEOUT=$3 timeout -k 1 100 hang foreign_thread_ends_it > "$said.out" 2> "$said.err"
  echo $? >> "$said.err"
  [[ $(tail -1 "$said.err") == 1 && $(< "$said.out") == 'it went well' &&
    $(grep -c 'unless the thread that Pure has not started' "$said.err") == "$4" &&
    $(grep -c '^  cycle: rank 0 waits for 1 waits for 0' "$said.err") == "$4" ]] &&
    ! grep -q 'pure: deadlock' "$said.err" || fail "foreign threads ($1 ranks, PURE_HANG_TIMEOUT=$3): $(cat "$said.out" "$said.err")"
}

# ended WHO...: a hang that such a thread may end, ends the job all the same when it has lasted for PURE_HANG_ENDS; the
# warning before says when.
ended() {
  local said="$work/said" start=$SECONDS
  PURE_RANKS=2 PURETEST_LATE_MS=40000 PURE_HANG_TIMEOUT=1 PURE_HANG_ENDS=3 timeout -k 1 100 "$@" hang foreign_thread_ends_it \
    > "$said.out" 2> "$said.err"
  echo $? >> "$said.err"
  [[ $(tail -1 "$said.err") == 1 && ! -s $said.out ]] && ((SECONDS - start < 25)) &&
    grep -qE '^  .*the job is ended when they have waited for 3 s \(PURE_HANG_ENDS\)' <(tr -s '\n ' ' ' < "$said.err" | sed 's/^/  /') &&
    grep -q '^pure: deadlock: ' "$said.err" && grep -q '^  cycle: rank 0 waits for 1 waits for 0' "$said.err" &&
    grep -q '^  They have waited for 3 s, which ends the job (PURE_HANG_ENDS): the thread' "$said.err" ||
    fail "PURE_HANG_ENDS, ${*:-threads}: $(cat "$said.out" "$said.err")"
}

# Hanging jobs spend their time asleep, or beside a rank that computes. The longest is the first.
beside warns 2 15000 0 1
for ranks in 1 2 5; do beside hangs $ranks nobody_sends "cycle: rank 0 waits for" 'take(int, int)' 'every rank that still runs waits'; done
beside hangs 2 crossed_sends 'rank 0 waits in pure_send_msg' 'by rank 1' 'cycle: rank 0 waits for 1 waits for 0' 'give_large(int)'
beside hangs 2 wrong_tag 'rank 0 waits in pure_recv_msg for a message from rank 1, tag 9' 'for a message from rank 0, tag 2'

# Rank 2 or 3 computes meanwhile.
whatever='wait for ever, whatever the others do'
beside hangs 3 crossed_sends "ranks 0-1 $whatever" 'cycle: rank 0 waits for 1 waits for 0' 'compute_ms(int)'
beside hangs 3 wrong_tag "ranks 0-1 $whatever" 'cycle: rank 0 waits for 1 waits for 0'
beside hangs 4 three_in_a_circle "ranks 0-2 $whatever" 'cycle: rank 0 waits for 1 waits for 2 waits for 0' 'stack of ranks 0-2'
beside hangs 4 behind_a_circle "ranks 0-2 $whatever" 'cycle: rank 0 waits for 1 waits for 0' 'rank 2 waits in pure_recv_msg'
beside hangs 3 for_itself 'rank 0 waits for ever' 'cycle: rank 0 waits for 0'
gone='rank 0 waits for rank 1, whose main has returned'
beside hangs 3 sender_has_returned 'rank 0 waits for ever' "$gone" '1 of 3 ranks had returned'
beside hangs 3 receiver_has_returned 'rank 0 waits for ever' "$gone" 'by rank 1'
beside hangs 3 sender_has_exited 'rank 0 waits for ever' "$gone"
beside hangs 3 member_has_returned 'rank 0 waits for ever' "$gone" 'pure_barrier'
beside hangs 3 member_waits_for_a_message "ranks 0-1 $whatever" 'cycle: rank 0 waits for 1 waits for 0' 'pure_barrier' 'pure_recv_msg'
beside hangs 3 member_of_a_split_has_returned 'rank 0 waits for ever' "$gone" 'pure_comm_split'
beside hangs 3 buffers_that_stay_full "ranks 0-1 $whatever" 'cycle: rank 0 waits for 1 waits for 0' 'buffered message by rank 1, tag 3'
beside hangs 3 synchronous_to_each_other "ranks 0-1 $whatever" 'cycle: rank 0 waits for 1 waits for 0' 'pure_ssend_msg'
beside hangs 3 probes_of_each_other "ranks 0-1 $whatever" 'cycle: rank 0 waits for 1 waits for 0' 'pure_probe' 'pure_mprobe'
beside hangs 3 persistent_with_wrong_tags "ranks 0-1 $whatever" 'cycle: rank 0 waits for 1 waits for 0' 'tag 4, at'
beside hangs 3 second_half_of_a_pair "ranks 0-1 $whatever" 'the receive of its message by rank 1, tag 5'

# Threads that Pure has not started.
beside hangs 2 foreign_thread_has_ended 'cycle: rank 0 waits for 1 waits for 0'
beside warns 2 6000 2 2
beside warns 3 6000 2 2
beside ended
beside ended purerun --ranks-as processes -n 2
together

finish
