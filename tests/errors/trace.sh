#!/usr/bin/env bash
# --trace writes a timeline that Perfetto can read: see tests/support/timeline.py.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"
source "$support/timelines.bash"
ulimit -c 0

# Messages of all kinds, each with one end; collectives and tasks, all chunks.
for n in 2 3; do
  ends 0 '' -n $n --trace t.json activity everything
  holds t.json ranks=$n helpers=0 dropped=0 sends=13 receives=13 sent_bytes=1202159 received_bytes=1202159 \
    tasks=$((7 * n)) chunks=$((7 * n * 64)) mains=$n waits=1+
done
ends 0 '' -n 2 --trace t.json --set max_task_chunks=1 activity tasks
holds t.json tasks=14 chunks=14 stolen=0 sends=0
ends 0 '' -n 2 --trace t.json activity stolen
holds t.json tasks=1 chunks=64 stolen=1+
ends 0 '' -n 1 --trace t.json every_rank
holds t.json ranks=1 sends=0 tasks=0 mains=1 waits=0

# Copies of large messages that are shared are no tasks.
ends 0 '' -n 2 --trace t.json --set shared_copy_min=4K --set copy_piece=1K activity messages
holds t.json sends=13 receives=13 tasks=0

# What is written names what the program does, wherever it was compiled.
ends 0 '' -n 2 --trace t.json --set max_task_chunks=2 activity times
for text in '"program":"activity"' '"displayTimeUnit":"ns"' '"cat":"wait","name":"pure_barrier"' 'activity.cpp:' \
  '"for":"the same call by rank 0"' '"name":"PureTask::execute"'; do
  grep -qF -- "$text" t.json || fail "no '$text' in the timeline"
done

# Texts are escaped: the program's name, and the names of files in call sites.
ln -s "$(command -v activity)" 'a "b\'
ends 0 '' -n 2 --trace t.json './a "b\' messages
grep -qF '"program":"a \"b\\"' t.json || fail "the program's name: $(head -1 t.json)"
holds t.json sends=13

# The limit: a warning, and the number of events that are missing.
ends 0 'the timeline is full and ends early' -n 2 --trace t.json --set trace_events=1000 activity many
grep -qE 'ends early \([0-9]+ more events\); raise PURE_TRACE_EVENTS \(1000\)' err || fail "the warning: $(cat err)"
missing=$(sed -n 's/.*(\([0-9]*\) more events).*/\1/p' err)
[[ $(grep -c '"ph":"X","pid":0,"tid":0' t.json) -le 1000 ]] || fail "more than 1000 events of rank 0"
holds t.json whole=no dropped="$missing"

# Each job of a process has its file.
rm -f t.json
mkdir dir.d
for path in t.json dir.d/t; do
  ends 0 '' -n 2 --trace "$path" activity_runs
done
[[ $(echo dir.d/*) == 'dir.d/t dir.d/t.2' ]] || fail "there are: $(echo dir.d/*)"
for path in t.json t.2.json dir.d/t dir.d/t.2; do
  holds "$path" ranks=2 sends=6 receives=6 sent_bytes=32008 received_bytes=32008 dropped=0 mains=2
done

# A script starts the program elsewhere; the path is that of who called purerun.
script elsewhere << 'END'
#!/bin/sh
cd / && exec activity messages
END
ends 0 '' -n 2 --ranks-as threads --trace t.json ./elsewhere
holds t.json sends=13

# What cannot be written is said before the ranks start.
ends 1 'no/such/folder/t.json: the file cannot be written: No such file or directory' \
  -n 2 --trace no/such/folder/t.json activity messages
ends 1 'the file cannot be written: Is a directory' -n 2 --trace "$work" activity messages
ends 2 '--trace: which file?' -n 2 --trace '' activity messages
if [[ -w /dev/full ]]; then
  ends 0 'writing the timeline failed: No space left on device; it is not complete' -n 2 --trace /dev/full activity messages
else
  not_tested 'a full disk' 'there is no /dev/full'
fi

# A job that fails writes what it has.
ends 3 'called exit(3)' -n 2 --trace t.json activity exit
holds t.json whole=no sends=13 tasks=14
ends 1 'my cause' -n 2 --trace t.json activity throw
holds t.json whole=no sends=13 tasks=14
ends 1 'deadlock' -n 2 --trace t.json activity deadlock
# The waits that hang go on until the end: none of the job's events ends later.
hanging=$(grep -c '"cat":"wait".*"for":"a message from rank [01], tag [0-9]*".*"open":true' t.json)
[[ $hanging == 2 && $(grep -c '"open":true' t.json) == 2 ]] || fail "the waits of a deadlock: $(grep '"cat":"wait"' t.json)"
python3 - << 'END' || fail 'a wait that hangs does not last until the end'
import json
events = [e for e in json.load(open("t.json"))["traceEvents"] if e["ph"] == "X"]
ends = lambda of: max(e["ts"] + e["dur"] for e in events if of(e))
for thread in 0, 1:
    is_open = lambda e: e["tid"] == thread and e["args"].get("open") if "args" in e else False
    assert ends(is_open) >= ends(lambda e: e["tid"] == thread), thread
    assert any(is_open(e) and e["dur"] >= 100 for e in events), thread  # it sleeps: after 50 ms, beside others sooner
END
holds t.json whole=no sends=13 receives=13 tasks=14 chunks=896
ends 1 'my cause' -n 2 --trace t.json bad_run throw # by pure::run: it throws when the ranks have ended
holds t.json whole=no mains=2 sends=0

look_at_timelines
finish
