#!/usr/bin/env bash
# --stats and --trace of several processes: one table and one timeline with all ranks; of a job that fails, what the
# process has whose rank failed. tests/support/timeline.py says what a timeline must be.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi
source "$support/timelines.bash"
PATH=$build/tests/programs:$PATH
ulimit -c 0

# has_rows NAME...: there is one table, with these rows in this order.
has_rows() {
  local rows
  rows=$(sed '/^pure: calls that waited longest/,$d' err | sed -n 's/^  \([a-z].*[a-z0-9]\)  *[0-9.]* s  .*/\1/p' | sed 's/  .*//')
  [[ $(grep -c '^pure: what' err) == 1 ]] || fail "not one table: $(cat err)"
  [[ $rows == "$(printf '%s\n' "$@")" ]] || fail "the rows are: $rows, in $(cat err)"
}
# sums_up FIELDS: the line of the sums is right in the column of the table of messages that is so many fields from the end.
sums_up() {
  awk -v back="$1" '/ collectives$/ { counts = 1; sum = 0 } /^  rank|^  helper/ { sum += $(NF - back) }
    counts && /^  all/ { wrong = $(NF - back) != sum } END { exit wrong || !counts }' err ||
    fail "the sum of the column $1 from the end: $(cat err)"
}

# fails RANK PROCESS: a rank of two processes fails; its process leaves a timeline.
fails() {
  local file=$PWD/t.process$2.json
  ends 1 "the timeline of process $2 is in a file of its own, $file; $PWD/t.json stays empty" \
    -n 4 -N 2 "${on[@]}" "$build/tests/net/jobs" fail "$1"
  [[ -e t.json && ! -s t.json ]] || fail "$network: of a job that failed, t.json is: $(cat t.json)"
  holds "$file" whole=no processes=1 ranks=4 mains=0
  rm t.json
}

# merges PROCESSES PLACEMENT: a job of four ranks, with messages of all kinds, collectives and tasks.
merges() {
  ends 0 "pure: what 4 ranks in $1 processes did" -n 4 -N "$1" --placement "$2" "${on[@]}" activity everything
  has_rows 'rank 0' 'rank 1' 'rank 2' 'rank 3' all
  for column in 0 3 6; do sums_up $column; done # collectives, received, sent
  [[ $(awk '/ collectives$/ { counts = 1 } counts && /^  rank/ { print $NF }' err | sort -u) == 14 ]] || fail "$network: collectives: $(cat err)"
  [[ $(echo t*.json) == t.json ]] || fail "$network: there are: $(echo t*.json)"
  holds t.json processes="$1" ranks=4 helpers=0 dropped=0 tasks=28 chunks=1792 mains=4 crossing=3+
}

for network in $(networks); do
  on=(--mpi "$network" --stats --trace t.json)
  merges 3 round-robin
  # More than a piece of text from each process; and a timeline that is full.
  ends 0 'the timeline is full and ends early' -n 2 -N 2 "${on[@]}" --set trace_events=10000 "$build/tests/net/jobs" many
  (($(stat -c %s t.json) > 4000000)) || fail "$network: the long timeline has only $(stat -c %s t.json) bytes"
  missing=$(sed -n 's/.*(\([0-9]*\) more events).*/\1/p' err)
  holds t.json whole=no processes=2 dropped="$missing"
  # A job that fails: the process of the failing rank has its own file, and says so.
  fails 3 1
  echo "tested over $network"
done

network=$(networks | sed -n 1p)
on=(--mpi "$network" --stats --trace t.json)
merges 2 block
merges 4 block
fails 0 0
# Two jobs, one after the other.
ends 0 'pure: what 2 ranks in 2 processes did' -n 2 -N 2 "${on[@]}" activity_runs
[[ $(grep -c '^pure: what' err) == 2 ]] || fail "not two tables: $(cat err)"
for file in t.json t.2.json; do holds $file processes=2 ranks=2 mains=2 crossing=6+; done

ends 1 'no/such/folder/t.json: the file cannot be written: No such file or directory' \
  -n 2 -N 2 "${on[@]}" --trace no/such/folder/t.json activity messages
if [[ -w /dev/full ]]; then
  ends 0 'writing the timeline failed: No space left on device; it is not complete' -n 2 -N 2 "${on[@]}" --trace /dev/full activity messages
else
  not_tested 'a full disk' 'there is no /dev/full'
fi

# All processes want the same.
cat > partly << END
#!/bin/sh
[ "\${PMI_RANK:-\${OMPI_COMM_WORLD_RANK:-\$PURE_PROCESS_NUMBER}}" = 0 ] || export PURE_STATS=on
exec "$build/tests/net/jobs" hello
END
chmod +x partly
ends 1 'PURE_STATS is set for process 1, but not for process 0' -n 2 -N 2 "${on[@]:0:2}" ./partly

if (($(nproc) >= 2)); then # each process has a core for a helper
  ends 0 'pure: what 2 ranks and 2 helpers in 2 processes did' -n 2 -N 2 --helpers 1 --set host_split=none \
    "${on[@]}" activity tasks
  has_rows 'rank 0' 'rank 1' 'helper 0 of process 0' 'helper 0 of process 1' all
  for column in 0 1 2; do sums_up $column; done # their messages have no bytes, and so no columns of these
  holds t.json processes=2 ranks=2 helpers=2 tasks=14 chunks=896 mains=2
else
  not_tested helpers 'this machine has one core'
fi

look_at_timelines
finish
