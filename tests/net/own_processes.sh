#!/usr/bin/env bash
# Processes that purerun starts itself: how the job ends when one of them does, what each has as input, and which programs
# they may run. No MPI is needed.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
traffic=$build/tests/net/traffic
number=PURE_PROCESS_NUMBER

# job STATUS TEXT SCRIPT: two processes that run the script; $number is the process's.
job() {
  printf '%s\n' '#!/bin/bash' "number=\$$number" "$3" > script
  chmod +x script
  ends "$1" "$2" -N 2 --mpi none ./script
}

# ---- one ends as it should not: it is named, and the others are ended, whatever they do ----
began=$SECONDS
job 3 'process 1 of 2 (./script) ended with status 3 while the others were still at work' \
  'if [ "$number" = 1 ]; then exit 3; fi; trap "" TERM; sleep 1000 & wait'
((SECONDS - began < 10)) || fail "a process that ignores SIGTERM is ended after $((SECONDS - began)) s"
job 137 'process 0 of 2 (./script) was killed by signal 9 (SIGKILL)' 'if [ "$number" = 0 ]; then kill -KILL $$; fi; exec sleep 1000'
job 1 'process 1 of 2 (./script) ended without having started its ranks, for which the others waited' \
  "if [ \"\$number\" = 1 ]; then exit 0; fi; exec $traffic wait"
# A job of which none is a program of Pure is no job; its status is the first that is not 0.
job 3 'is not built with Pure' 'exit 0'
job 5 '' 'sleep 0.2; exit $((number == 1 ? 5 : 0))'
# Nor is a status afterwards, when all have done their parts, the fault of one: it is the first one's by number.
job 5 'peers: right' "$traffic peers; if [ \"\$number\" = 0 ]; then sleep 0.5; exit 5; fi; exit 4"

# A signal that asks for no end is no reason to let the others go on for ever.
printf '%s\n' '#!/bin/bash' 'trap "" USR1' "if [ \$$number = 1 ]; then echo ready; sleep 1; exit 4; fi; sleep 1000 & wait" > script
purerun -N 2 --mpi none ./script > out 2> err < /dev/null &
launcher=$!
for try in {1..1000}; do
  grep -q ready out && break
  sleep 0.05
done
kill -USR1 "$launcher"
gone_soon "$launcher" || fail 'a process failed after SIGUSR1, and the job goes on'
wait "$launcher"
status=$?
((status == 4)) || fail "a process failed with 4 after SIGUSR1, and the status is $status: $(cat err)"

# ---- programs of Pure: scripts.sh ----
ends 1 'the memory of the job cannot be reached (PURE_SEGMENT=nonsense)' -N 2 --mpi none env PURE_SEGMENT=nonsense "$traffic" peers
# A script may close what it has not opened.
job 0 'peers: right' "exec 200<&- 201<&- 202<&- 203<&-; exec $traffic peers"

# ---- input: process 0 has purerun's, the others none ----
printf 'a line\n' > input
printf '%s\n' '#!/bin/bash' "read -r line; echo \"\$$number: \$line\"" > script
purerun -N 3 --mpi none ./script < input > out 2> err
[[ $(sort out) == $'0: a line\n1: \n2: ' ]] || fail "input: $(cat out err)"

# ---- many; and none that can be executed ----
ends 0 'peers: right' -N 24 --mpi none "$traffic" peers
ends 126 'is not an executable file' -N 2 --mpi none ./input
ends 0 'rank 15 of 16' --ranks-as processes -n 16 "$build/tests/net/jobs" hello
finish
