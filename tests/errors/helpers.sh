#!/usr/bin/env bash
# --helpers: what is refused, and how a program ends whose helper ends it. The helpers at work: unit.task.helpers.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"
ulimit -c 0

for word in some -1 2.5 ''; do
  ends 2 "PURE_HELPERS=$word is not possible" -n 1 --helpers "$word" every_rank
done
PURE_HELPERS=some ends 2 'PURE_HELPERS=some is not possible' -n 1 every_rank
ends 2 'needs a value' -n 1 --helpers
ends 2 'each helper needs a core without a rank' -n 1 --helpers 100000 every_rank
PURE_HELPERS=100000 ends 2 'each helper needs a core without a rank' -n 1 every_rank
PURE_HELPERS=100000 ends 0 '' -n 1 --helpers 0 every_rank
PURE_HELPERS=100000 timeout 60 every_rank 2> err > out && fail 'too many helpers without purerun'
says 'without purerun' 'each helper needs a core without a rank'

ends 0 '' --help
grep -qF -- '--helpers N|auto' out || fail '--help does not mention --helpers'

# All cores have ranks: none is left.
purerun -n 1 --helpers 100000 every_rank > out 2> err
cores=$(sed -n 's/.*This process may use \([0-9]*\) core.*/\1/p' err)
ends 0 '' -n "$cores" --helpers auto every_rank
ends 2 'none; start fewer ranks' -n "$cores" --helpers 1 every_rank

((cores >= 2)) || skip 'this machine has one core, there is no place for a helper'

first=$(purerun -n 1 --report-bindings every_rank 2>&1 | sed -n 's/^rank 0 .* cpu \([0-9]*\).*/\1/p')
printf '0 %s\n' "$first" > one
printf '0 %s\n1 %s\n' "$first" "$first" > two
ends 0 '1 rank and 1 helper thread on 2 of' -n 1 --map-by ./one --helpers 1 --report-bindings every_rank
says '--report-bindings' 'helper 0  socket'

ends 0 'what 2 ranks and 1 helper did' -n 2 --map-by ./two --helpers 1 --stats activity everything
grep -q '^  helper 0 ' err || fail "no line of the helper: $(cat err)"
ends 0 'what 1 rank and 1 helper did' -n 1 --map-by ./one --helpers 1 --stats --trace t.json activity stolen
python3 "$(dirname "${BASH_SOURCE[0]}")/../support/timeline.py" t.json ranks=1 helpers=1 mains=1 tasks=1 chunks=64 \
  stolen=1+ || fail 'the timeline of a job with a helper'

# ends_soon STATUS TEXT ACTIVITY: within a second, by what a chunk on the helper does.
ends_soon() {
  local start=$EPOCHREALTIME
  ends "$1" "$2" -n 2 --map-by ./two --helpers 1 --set spin_us=1000 activity "$3"
  (((${EPOCHREALTIME/[.,]/} - ${start/[.,]/}) < 5000000)) || fail "$3: it took from $start to $EPOCHREALTIME"
}
ends_soon 3 'called exit(3) inside a chunk of a task' exit_in_chunk
ends_soon 1 'my cause' throw_in_chunk
ends_soon 1 'called inside a chunk of a task' send_in_chunk
ends_soon 134 'crashed: SIGABRT' crash_in_chunk
ends_soon 1 'deadlock' deadlock
if grep -q helper err; then fail "the report of a deadlock names helpers: $(cat err)"; fi

# The helper itself: rank 1 is not there to steal first.
for what in 'exit_in_chunk:3:helper 0 called exit(3)' 'crash_in_chunk:134:helper 0 crashed' 'send_in_chunk:1:pure_send_msg' \
  'throw_in_chunk:1:rank 0: ended by an exception: my cause'; do
  IFS=: read -r activity status text <<< "$what"
  ends "$status" "$text" -n 1 --map-by ./one --helpers 1 activity "$activity"
done

finish
