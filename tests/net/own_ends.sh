#!/usr/bin/env bash
# Processes that purerun starts itself, ended at every moment in every way: the job ends in time, not with 0, the cause is
# named, and no process stays behind, be it the program of a script.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
ulimit -c 0
moments=$build/tests/net/moments
most_beside=6

# Two processes of two ranks: the script waits beside its program, or becomes it.
printf '%s\n' '#!/bin/bash' 'exec "$@"' > becomes
printf '%s\n' '#!/bin/bash' '"$@"' 'exit $?' > waits
printf '%s\n' '#!/bin/bash' '"$@"' 'exec sleep 1000' > goes_on
printf '%s\n' '#!/bin/bash' 'if [ "$PURE_PROCESS_NUMBER" = 1 ]; then "$@"; exit $?; else exec "$@"; fi' > one_waits
# Process 1 does not come.
printf '%s\n' '#!/bin/bash' 'if [ "$PURE_PROCESS_NUMBER" = 1 ]; then trap "exit 3" USR2; echo "process 1 is $$"; sleep 1000 & wait' \
  'else echo "process 0 is $$"; exec "$@"; fi' > stays_away
chmod +x becomes waits one_waits goes_on stays_away

# started SCRIPT STATE: purerun's process is `launcher`; process N is pids[N].
started() {
  env --default-signal=INT,QUIT purerun -n 4 -N 2 --mpi none "$work/../$1" "$moments" "$2" "$work" > out 2> err < /dev/null &
  launcher=$!
  local try
  for try in {1..400}; do
    pids=()
    while read -r _ number _ pid; do pids[number]=$pid; done < <(grep '^process [01] is ' out)
    ((${#pids[@]} == 2)) && return 0
    sleep 0.05
  done
  fail "$1 $2: the processes did not start: $(cat out err)"
  kill "$launcher"
  return 1
}

# row SCRIPT STATE WHOM SIGNAL STATUS TEXT [SECONDS]: what becomes of the job when process WHOM, or purerun, gets the signal, so long
# after it is there. The text is a regular expression, of what the job says.
row() {
  local what="$1 $2: SIG$4 to $3" whom status all
  started "$1" "$2" || return
  mapfile -t all < <(below "$launcher")
  if [[ $3 == purerun ]]; then whom=$launcher; else whom=${pids[$3]}; fi
  sleep "${7:-0}"
  kill "-$4" "$whom"
  gone_soon "$launcher" "${all[@]}" || {
    fail "$what: processes are left after 5 s: $(ps -o pid,ppid,args -p "$(IFS=,; echo "$launcher,${all[*]}")")"
    kill -KILL "$launcher" "${all[@]}"
  }
  wait "$launcher"
  status=$?
  [[ $status == "$5" ]] || fail "$what: status $status, not $5: $(cat err)"
  [[ -z $6 ]] || grep -qE -- "$6" err || fail "$what: no '$6' in: $(cat err)"
}

# below PID: the processes below it. What they start later ends with them.
below() {
  local each
  for each in $(pgrep -P "$1"); do
    echo "$each"
    below "$each"
  done
}

its='process 1 of 2 \([^ ]*\), which had ranks 2-3, '
for state in compute receive payload collective window finalize; do
  beside row becomes $state 1 KILL 137 "^purerun: ${its}was killed by signal 9 \(SIGKILL\)"
  beside row becomes $state 1 SEGV 139 'SIGSEGV'
  beside row becomes $state 1 ABRT 134 'SIGABRT'
  beside row becomes $state 1 USR2 3 'called _exit\(3\)'
  beside row becomes $state purerun KILL 137 ''
  beside row becomes $state purerun INT 130 ''
  beside row becomes $state purerun TERM 143 ''
  # Behind a script, of which purerun does not hear how its program has ended.
  beside row waits $state 1 KILL 137 "^purerun: ${its}ended with status 137 \(its program was killed by SIGKILL\)"
  beside row waits $state purerun KILL 137 'purerun has ended before the processes that it had started'
done
# The others, which end after it, are no scripts.
beside row one_waits receive 1 KILL 137 "^purerun: ${its}ended with status 137 \(its program was killed by SIGKILL\)"
# Before purerun has seen that program, and afterwards.
beside row goes_on receive 1 KILL 1 "^purerun: ${its}has lost its program"
beside row goes_on receive 1 KILL 1 "^purerun: ${its}has lost its program" 1
beside row stays_away receive 1 KILL 137 "^purerun: ${its}was killed by signal 9"
beside row stays_away receive 1 SEGV 139 "^purerun: ${its}was killed by signal 11"
beside row stays_away receive 1 USR2 3 "^purerun: ${its}ended with status 3"
beside row stays_away receive 0 KILL 137 'was killed by signal 9'
beside row stays_away receive purerun INT 130 ''
beside row stays_away receive purerun TERM 143 ''
together

# At any moment from the start on.
at_once() {
  local after all left tenths
  for after in 0.00 0.01 0.02 0.03 0.04 0.06 0.08 0.12; do
    purerun -n 4 -N 2 --mpi none "$work/../$1" "$moments" collective "$work" > out 2> err < /dev/null &
    launcher=$!
    sleep $after
    mapfile -t all < <(below "$launcher")
    kill -KILL "$launcher"
    wait "$launcher" 2> /dev/null
    for ((tenths = 0; tenths < 50; ++tenths)); do
      left=$(pgrep -f -- "$moments collective $work\$") || break
      sleep 0.1
    done
    gone "${all[@]}" && [[ -z $left ]] || fail "purerun killed after $after s: processes are left after 5 s"
  done
}
beside at_once becomes
beside at_once waits
together
finish
