#!/usr/bin/env bash
# A rank that throws, exits or crashes ends the job with its cause, printed once, whatever the other ranks do; a deadlock
# says who waits for what.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

for ranks in 2 5; do
  # ---- a main that every rank runs ----
  for what in throw throw_while_others_compute; do fails 1 $ranks bad_call $what -- 'rank 1' 'my cause'; done
  fails 1 $ranks bad_call throw_everywhere -- 'my cause'
  fails 1 $ranks bad_call throw_something -- 'rank 1'
  for what in exit_3 exit_3_while_others_compute; do fails 3 $ranks bad_call $what -- 'rank 1 called exit(3)'; done
  fails 3 $ranks bad_call exit_3_everywhere -- 'called exit(3)'
  fails 1 $ranks bad_call _exit_0 -- 'rank 1 called _exit(0)'
  fails 4 $ranks bad_call _exit_4 -- 'rank 1 called _exit(4)'
  fails 5 $ranks bad_call _Exit_5 -- 'rank 1 called _Exit(5)'
  fails 6 $ranks bad_call quick_exit_6 -- 'rank 1 called quick_exit(6)'
  fails 7 $ranks bad_call pure_abort_7 -- 'rank 1' 'pure_abort(7)' 'bad_call.cpp:'
  fails 1 $ranks bad_call pure_abort_0 -- 'rank 1' 'pure_abort(0)' 'bad_call.cpp:'
  fails 7 $ranks bad_call pure_abort_everywhere -- 'pure_abort(7)'
  fails 1 $ranks bad_call no_memory -- 'rank 1: out of memory'
  fails 1 $ranks bad_call no_memory_in_noexcept -- 'rank 1: out of memory'
  # Statuses of which whoever waits for the process would see 0.
  fails 1 $ranks bad_call exit_256 -- 'rank 1 called exit(256)'
  fails 1 $ranks bad_call _exit_256 -- 'rank 1 called _exit(256)'
  fails 1 $ranks bad_call _Exit_m256 -- 'rank 1 called _Exit(-256)'
  fails 1 $ranks bad_call quick_exit_512 -- 'rank 1 called quick_exit(512)'
  fails 1 $ranks bad_call pure_abort_256 -- 'rank 1: pure_abort(256)'
  fails 1 $ranks bad_call return_256 -- 'rank 1 returned 256' 'the status is 1'
  # By a thread that is no rank.
  fails 3 $ranks bad_call thread_exits_3 -- 'a thread that is no rank called exit(3) while ranks were running'
  for status in 0 256; do fails 1 $ranks bad_call thread_exits_$status -- "a thread that is no rank called exit($status)"; done
  fails 1 $ranks bad_call thread_quick_exits_0 -- 'a thread that is no rank called quick_exit(0)'
  fails 1 $ranks bad_call thread__exits_0 -- 'a thread that is no rank called _exit(0)'
  fails 1 $ranks bad_call thread_pure_aborts_256 -- 'pure_abort(256)'
  fails 134 $ranks bad_call abort -- 'rank 1 crashed' 'SIGABRT'
  for what in segv segv_while_others_compute; do
    fails 139 $ranks bad_call $what -- 'rank 1 crashed' 'SIGSEGV' 'at address 0x10'
  done
  fails 139 $ranks bad_call segv_everywhere -- 'crashed' 'SIGSEGV'
  fails 139 $ranks bad_call overflow -- 'rank 1 crashed' 'SIGSEGV' 'its stack of' 'is full' 'PURE_STACK_BYTES'
  fails 139 $ranks bad_call large_array -- 'rank 1 crashed' 'SIGSEGV' 'its stack of' 'is full' 'PURE_STACK_BYTES'
  fails 139 $ranks bad_call sent_segv -- 'rank 1 got SIGSEGV, which its own process has sent'
  fails 9 $ranks bad_call return_9 --

  fails 1 $ranks bad_call deadlock_with_one_that_has_returned -- 'deadlock' \
    'rank 0 waits in pure_recv_msg for a message from rank 1, tag 3' "1 of $ranks ranks had returned" 'bad_call.cpp:'
  fails 1 $ranks bad_call deadlock_with_one_that_has_exited -- 'deadlock' 'rank 0 waits' "1 of $ranks ranks"

  # ---- pure::run ----
  fails 1 $ranks bad_run throw -- 'rank 1' 'my cause'
  fails 1 $ranks bad_run throw_everywhere -- 'my cause'
  fails 1 $ranks bad_run throw_something -- 'rank 1'
  beside fails 1 $ranks bad_run throw_while_others_compute -- 'rank 1' 'my cause' 'did not reach a call of Pure within 2 s'
  beside fails 1 $ranks bad_run throw_while_others_sleep -- 'rank 1' 'my cause' 'did not reach a call of Pure within 2 s'
  fails 1 $ranks bad_run throw_with_a_pending_send -- 'rank 1' 'my cause'
  fails 3 $ranks bad_run exit_3 -- 'rank 1 called exit(3)'
  fails 1 $ranks bad_run exit_0 -- 'rank 1 called exit(0)'
  fails 1 $ranks bad_run exit_256 -- 'rank 1 called exit(256)'
  fails 1 $ranks bad_run return_512 -- 'rank 0 returned 512' 'the status is 1'
  fails 3 $ranks bad_run exit_3_everywhere -- 'called exit(3)'
  fails 134 $ranks bad_run abort -- 'rank 1 crashed' 'SIGABRT'
  fails 139 $ranks bad_run segv -- 'rank 1 crashed' 'SIGSEGV'
  fails 1 $ranks bad_run deadlock_with_one_that_has_returned -- 'deadlock' \
    'rank 0 waits in recv for a message from rank 1, tag 3' "1 of $ranks ranks had returned" 'bad_run.cpp:'
done

for spin in 0 1000; do
  export PURE_SPIN_US=$spin
  fails 1 2 bad_call deadlock -- 'deadlock' 'bad_call.cpp:' \
    'rank 0 waits in pure_recv_msg for a message from rank 1, tag 3' \
    'rank 1 waits in pure_recv_msg for a message from rank 0, tag 3'
  fails 1 2 bad_call deadlock_of_sends -- 'deadlock' 'bad_call.cpp:' \
    'rank 0 waits in pure_send_msg' 'by rank 1, tag 7' 'rank 1 waits in pure_send_msg' 'by rank 0, tag 7'
  fails 1 2 bad_call deadlock_without_descriptors -- 'deadlock' 'rank 0 waits in pure_recv_msg for a message from rank 1' \
    'cycle: rank 0 waits for 1 waits for 0' 'stack of rank'
  fails 1 3 bad_run deadlock -- 'deadlock' 'rank 0 waits in recv' 'rank 1 waits in recv' 'rank 2 waits in recv' 'tag 17'
done
unset PURE_SPIN_US
together

# What a rank printed before is not lost, though it is a buffer that only exit flushes.
for what in print_and_throw print_and_exit_3 print_and_deadlock; do
  PURE_RANKS=2 timeout -k 1 60 bad_call $what > "$work/out" 2> /dev/null
  grep -qx 'last words' "$work/out" || fail "bad_call $what: the output was lost"
done

# Ranks that are processes and all fail: the first one's cause is the job's, and the others are counted.
processes=(purerun --ranks-as processes -n 6)
fails 1 6 "${processes[@]}" bad_call throw_everywhere -- 'my cause'
fails 3 6 "${processes[@]}" bad_call exit_3_everywhere -- 'called exit(3)'
fails 7 6 "${processes[@]}" bad_call pure_abort_everywhere -- 'pure_abort(7)'
fails 1 6 "${processes[@]}" bad_run throw_everywhere -- 'my cause'
! grep -vE '^pure: rank [0-5]: |^purerun: [1-5] more process(es)? failed before the job had ended\.$' "$work/err" ||
  fail "six processes that fail: $(cat "$work/err")"

# Ranks that are processes, and end by the same mistake: the cause of one is that of all.
for how in segv_everywhere _exit_4_everywhere; do
  { timeout -k 1 60 purerun -n 8 -N 8 --mpi none bad_call $how > "$work/out" 2> "$work/err" < /dev/null; } 2> /dev/null
  [[ $? != 0 ]] || fail "$how in 8 processes: status 0"
  [[ $(grep -c '^pure: rank' "$work/err") == 1 ]] || fail "$how in 8 processes: not one cause: $(cat "$work/err")"
done

finish
