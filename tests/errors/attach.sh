#!/usr/bin/env bash
# `pure attach` and --hang-timeout: what the ranks of a running program do. What they cannot do, they say.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

# attach STATUS TEXT PID...: ends so, with the text in `out` or `err`.
attach() {
  local status=$1 text=$2
  shift 2
  timeout 60 pure attach "$@" > out 2> err < /dev/null
  local got=$?
  [[ $got == "$status" ]] || fail "pure attach $*: status $got, not $status; it says: $(cat out err)"
  cat out err > both
  grep -qF -- "$text" both || fail "pure attach $*: no '$text' in: $(cat both)"
}
also() { grep -qE -- "$1" both || fail "pure attach: no '$1' in: $(cat both)"; }

a_running_job() {
  PURETEST_LATE_MS=14000 purerun -n 3 hang late_sender > program.out 2> program.err &
  launcher=$!
  for _ in {1..100}; do # until all ranks are where they stay
    timeout 60 pure attach $launcher > out 2> err < /dev/null
    grep -q 'rank 0 waits' out && [[ $(grep -c '^  rank [12] computes$' out) == 2 ]] && grep -q 'compute_ms' out && break
    sleep 0.1
  done
  attach 0 '3 ranks of process' $launcher # of purerun: it finds the program
  also '^  rank 0 waits in pure_recv_msg for a message from rank 1, tag 3, at .*hang.cpp:[0-9]+, for [0-9.]+ s$'
  also '^  rank 1 computes$'
  also '^  rank 2 computes$'
  also '^  stack of rank 0:$'
  also '^    .*take\(int, int\) +(hang\+0x|.*hang\.cpp:)'
  also '^    .*compute_ms\(int\) +(hang\+0x|.*hang\.cpp:)'
  program=$(< /proc/$launcher/task/$launcher/children)
  for _ in 1 2 3; do attach 0 "3 ranks of process ${program% }" ${program% }; done
  kill -STOP $program
  attach 1 'does not answer within 10 s (--timeout); is it stopped?' $launcher
  kill -CONT $program
  wait $launcher || fail "hang late_sender: status $?, after it was looked at: $(cat program.err)"
  [[ ! -s program.err ]] || fail "hang late_sender: it says: $(cat program.err)"
}

no_job() {
  true &
  local ended=$!
  wait $ended
  attach 1 'there is no process' $ended
  attach 1 'runs no ranks' $BASHPID
  attach 2 'PID' bananas
  attach 2 'PID'
  if [[ $(id -u) == 0 ]] && id nobody > /dev/null 2>&1 && command -v setpriv > /dev/null; then
    chmod 755 . ..
    setpriv --reuid nobody --clear-groups "$(command -v pure)" attach $$ > out 2> err
    [[ $? == 1 ]] && grep -q 'belongs to the user root' err || fail "pure attach to another user's: $(cat err)"
  elif [[ $(stat -c %u /proc/1) != "$(id -u)" ]]; then
    attach 1 "belongs to the user $(stat -c %U /proc/1)" 1
  else
    not_tested "another user's process" 'there is no other user here'
  fi
}

hang_timeout_of_two_seconds() {
  PURETEST_LATE_MS=11000 ends 0 'warning: a rank has waited for' -n 3 --hang-timeout 2 hang late_sender
  [[ $(grep -c 'warning: a rank has waited' err) == 3 ]] || fail "--hang-timeout 2: not 3 warnings, after 2, 4 and 8 s: $(cat err)"
  grep -q 'rank 0 waits in pure_recv_msg .* for [2-9]\.[0-9] s' err || fail "--hang-timeout: no table: $(cat err)"
}

hang_timeouts() {
  PURETEST_LATE_MS=1500 ends 0 '' -n 3 --hang-timeout 10 hang late_sender
  ends 2 'PURE_HANG_TIMEOUT=soon' --hang-timeout soon hang late_sender
  ends 2 'how many seconds' --hang-timeout '' hang late_sender
}

for check in a_running_job hang_timeout_of_two_seconds hang_timeouts no_job; do beside $check; done
together
finish
