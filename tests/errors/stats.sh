#!/usr/bin/env bash
# --stats counts what programs with known messages, collectives and tasks have done.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

# did ARGUMENT...: purerun --stats with these arguments leaves its tables in err.
did() {
  ends 0 'pure: what' --stats "$@"
}
# cell NAME COLUMN: of the line that begins with the name, "rank 0", say, or "all", in the table that has that column.
cell() {
  awk -F '  +' -v name="$1" -v column="$2" '
    /^pure: / || /^$/ { is_heading = 1; count = 0; next }
    is_heading {
      is_heading = 0
      for (i = 2; i <= NF; ++i) heading[i] = $i == "bytes" ? "bytes " heading[i - 1] : $i
      count = NF
      next
    }
    $2 == name { for (i = 2; i <= count; ++i) if (heading[i] == column) { print $(i + 1); is_there = 1 } }
    END { if (!is_there) print 0 }' err # a column of which all cells are 0 is not there
}
# has NAME COLUMN TEXT: what the cell holds.
has() {
  [[ $(cell "$1" "$2") == "$3" ]] || fail "$1: $2 is $(cell "$1" "$2"), not $3, in: $(cat err)"
}
# is CONDITION: of numbers; awk's.
is() {
  awk "BEGIN { exit !($1) }" || fail "it is not so that $1, in: $(cat err)"
}
ms() { cell "$1" "$2" | sed 's/\.\| s//g; s/^0*\(.\)/\1/'; }

did -n 3 activity messages
[[ $(head -1 err) == 'pure: what 3 ranks did' ]] || fail "the first line: $(head -1 err)"
[[ $(sed -n 2p err | tr -s ' ') == ' computing waiting'* ]] || fail "the heading: $(sed -n 2p err)"
grep -q ' sent  *bytes  *received  *bytes$' err || fail "no headings of messages: $(cat err)"
if grep -qE 'collectives|tasks' err; then fail "columns that are 0 for all ranks: $(cat err)"; fi
has 'rank 0' sent 12 # eleven, and one to itself
has 'rank 0' 'bytes sent' '1.1 MiB'
has 'rank 0' received 2
has 'rank 0' 'bytes received' '9 B'
has 'rank 1' sent 1
has 'rank 1' 'bytes sent' '1 B'
has 'rank 1' received 11
has 'rank 1' 'bytes received' '1.1 MiB'
has 'rank 2' sent 0
has 'rank 2' received 0
has all sent 13
has all received 13
has all collectives 0
has all tasks 0

# Copies of large messages that are shared count as chunks, not as tasks; the messages are the same.
did -n 2 --set shared_copy_min=4K --set copy_piece=1K activity messages
has all sent 13
has all received 13
has all tasks 0

# Blocking, non-blocking, and each start of a persistent one. Alone, too.
for n in 1 3; do
  did -n $n activity collectives
  for ((i = 0; i < n; ++i)); do has "rank $i" collectives 10; done
done
has all collectives 30
has all sent 0

for n in 1 2 3; do
  did -n $n activity tasks
  for ((i = 0; i < n; ++i)); do
    has "rank $i" tasks 7
    is "$(cell "rank $i" 'own chunks') + $(cell "rank $i" given) == 7 * 64"
  done
done
has all tasks 21
is "$(cell all given) == $(cell all stolen)"
is "$(cell 'rank 0' stolen) + $(cell 'rank 1' stolen) + $(cell 'rank 2' stolen) == $(cell all stolen)"
did -n 2 activity stolen
is "$(cell 'rank 0' given) > 0 && $(cell 'rank 1' stolen) == $(cell 'rank 0' given) && $(cell 'rank 1' given) == 0"

# Rank 0 computes for 0.2 s by the clock, then both do a chunk of 0.1 s, or rank 0 both. No more is asked of times: on a busy
# machine either may come late.
did -n 2 --set max_task_chunks=2 activity times
is "$(ms 'rank 0' computing) >= 200 && $(ms 'rank 0' stealing) == 0"
is "$(ms 'rank 0' computing) >= 400 || $(ms 'rank 1' stealing) >= 100"
read -ra parts < <(grep '%' err | tr -d '%')
is "${parts[0]} + ${parts[1]} + ${parts[2]} > 99.8 && ${parts[0]} + ${parts[1]} + ${parts[2]} < 100.2"

# A program with a main of its own prints a table for each job: moved values, and a message with an end on each side.
did -n 2 activity_runs
[[ $(grep -c 'pure: what 2 ranks did' err) == 2 ]] || fail "not two tables: $(cat err)"
for column in sent received; do has 'rank 1' $column $'3\n3'; done
for column in 'bytes sent' 'bytes received'; do has 'rank 0' "$column" $'15.6 KiB\n15.6 KiB'; done
has all collectives $'2\n2'

# A job that fails says what was done until then, before the cause, however it is run.
failed() { # STATUS PROGRAM ARGUMENT
  ends "$1" 'pure: what 2 ranks did until the job failed' --stats -n 2 "${@:2}"
}
failed 1 activity deadlock
has 'rank 0' sent 12
has all sent 13
has all received 13
has all tasks 14
is "$(ms 'rank 0' waiting) >= 1 && $(ms 'rank 1' waiting) >= 1" # they sleep, after 50 ms; beside others sooner
[[ $(grep -n 'until the job failed' err) == 1:* ]] && grep -q '^pure: deadlock' err || fail "not first, or no cause: $(cat err)"
failed 3 activity exit
has all sent 13
failed 1 bad_run throw
has all sent 0

# One rank is a table without a sum; who does not ask gets none.
did -n 1 every_rank
[[ $(head -1 err) == 'pure: what 1 rank did' && $(grep -c '^  rank 0 ' err) == 1 ]] || fail "one rank: $(cat err)"
if grep -q '^  all ' err; then fail "one rank: $(cat err)"; fi
ends 0 '' -n 2 activity messages

# Of many ranks the sums come last, with the least, the middle and the most of each column.
did -n 17 activity messages
[[ $(grep '^pure: ' err | grep -v longest) == $'pure: what 17 ranks did\npure: 17 ranks together' ]] ||
  fail "17 ranks: $(cat err)"
has all sent 13
has least sent 0
has median sent 0
has most sent 12
has most received 11
has median 'bytes received' '0 B'
has most 'bytes received' '1.1 MiB'
(($(grep -c '^  rank ' err) % 17 == 0)) || fail "not 17 ranks in each table: $(cat err)"
did -n 16 activity messages
if grep -qE 'together|median' err; then fail "16 ranks: $(cat err)"; fi

# A call is a task, also where its first iteration is done alone, to be timed.
did -n 2 activity loops
has 'rank 0' tasks 10

# Which line waits: rank 1 has waited for 0.3 s, in two calls of one line, which is named with what it calls, over all processes.
late_line=$(grep -n '//@ stats.late' "$support/../programs/activity.cpp" | cut -d: -f1)
waits() {
  grep -qE "^  pure_recv_msg at activity.cpp:$late_line  +0\\.[3-9][0-9]* s +[0-9.]+ %  +2$" err ||
    fail "$*: no line of the wait: $(cat err)"
}
did -n 2 activity late
waits 'in one process'
ends 0 'did' --stats -n 2 -N 2 --mpi none activity late
waits 'in two'

# A rank that has lost its cpu to others, which the kernel counts.
if [[ -r /proc/thread-self/schedstat ]]; then
  cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
  echo "0 $cpu" > map
  timeout 60 taskset -c "$cpu" sh -c 'while :; do :; done' &
  neighbour=$!
  did -n 1 --map-by file:map --trace t.json activity busy
  kill "$neighbour"
  grep -q '"dur":[0-9.]*,"cat":"lost","name":"cpu taken, row 0","args":{"percent":[0-9]' t.json ||
    fail "nothing of it in the timeline: $(grep -c . t.json) lines"
  is "$(ms 'rank 0' 'cpu taken') >= 50 && $(cell 'rank 0' preempted) > 0"
else
  not_tested 'cpus that others have' 'this kernel does not count that (/proc/thread-self/schedstat)'
fi

finish
