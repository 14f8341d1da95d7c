#!/usr/bin/env bash
# Aggregations: who waits for ever in finish is named, with the rank that does not call it and the items under way; what is
# wrong ends the job with its cause; --stats and --trace show what they do.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

line() { grep -n "$1" "$(dirname "${BASH_SOURCE[0]}")/../programs/aggregation_ends.cpp" | sed -n 1p | cut -d: -f1; }

fails 1 2 aggregation_ends no_finish -- 'deadlock' 'rank 0 waits in aggregation::finish for finish of aggregation "edges"' \
  '(items under way: ' ') to be called by rank 1' 'rank 1 waits in recv for a message from rank 0' 'aggregation_ends.cpp:'
fails 1 2 aggregation_ends returned -- 'aggregation::finish: rank 0 of aggregation "edges": rank 1 has ended its part of the' \
  "aggregation_ends.cpp:$(line 'items.finish();  // rank 1 has gone')"
fails 1 2 aggregation_ends throws -- 'item 13 is no edge'
fails 1 2 aggregation_ends unfinished -- 'of aggregation "edges": it ends without finish behind the last items' \
  "aggregation_ends.cpp:$(line 'pure::aggregation items(world, {')"
fails 1 2 aggregation_ends in_task -- 'channel::send: rank ' 'called inside a chunk of a task'
fails 1 2 env PURE_CHECK=1 aggregation_ends in_task -- 'called inside a chunk of a task'
fails 0 2 env PURE_SPIN_US=0 aggregation_ends many -- # what ranks have waited for leaves nothing behind
# Handlers that send for ever are no wait of anybody: a note, once, after the time for hangs, and not before.
PURE_RANKS=2 PURE_HANG_TIMEOUT=1 timeout 60 aggregation_ends for_long > "$work/out" 2> "$work/err" || fail "for_long: status $?"
[[ $(wc -l < "$work/err") == 1 ]] && grep -q '^pure: note: all ranks here have been in finish of aggregation "edges" for 1 s, and handle items: [1-9]' "$work/err" ||
  fail "for_long: $(cat "$work/err")"
fails 0 2 aggregation_ends for_long --
fails 0 2 aggregation_ends sums --
fails 0 2 env PURE_CHECK=1 aggregation_ends sums --

PURE_RANKS=2 PURE_STATS=1 timeout 60 aggregation_ends sums > "$work/out" 2> "$work/err" || fail "sums with PURE_STATS: status $?"
for text in 'pure: items of aggregations' 'items sent' 'fill' 'peak memory' 'half within'; do
  grep -qF "$text" "$work/err" || fail "PURE_STATS: no '$text' in: $(cat "$work/err")"
done
grep -qE '^  rank 1 +5000 +5000 +0 ' "$work/err" || fail "PURE_STATS: rank 1 has not 5000 items: $(cat "$work/err")"
grep -qE '^  all +10000 +10000 +0 ' "$work/err" || fail "PURE_STATS: not 10000 items: $(cat "$work/err")"

PURE_RANKS=2 PURE_TRACE="$work/trace.json" timeout 60 aggregation_ends sums 2> "$work/err" || fail "PURE_TRACE: $(cat "$work/err")"
python3 - "$work/trace.json" << 'END' || fail "the spans of the timeline do not have 10000 items"
import json
import sys

spans = [each for each in json.load(open(sys.argv[1]))["traceEvents"] if each.get("cat") == "items"]
sys.exit(sum(each["args"]["items"] for each in spans) != 10000 or {each["name"] for each in spans} != {"edges"})
END
finish
