#!/usr/bin/env bash
# A placement that the machine lacks is a row that says so, not an error. Bound to one CPU, every machine lacks
# same-numa for two ranks.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

cpu=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
taskset -c "$cpu" bench/run --only pingpong --quick --systems limit --place same-numa --json "$folder/rows.json" |
  tee "$folder/table"
grep -q 'same-numa: not on this machine: no NUMA node has two cores' "$folder/table"
python3 - "$folder/rows.json" <<'PYTHON'
import json, sys

rows = json.load(open(sys.argv[1]))
assert [row["case"] for row in rows] == ["8 B", "64 B", "256 B", "1 KB", "2 KB", "4 KB", "8 KB"], rows
assert all(row["value"] is None and row["samples"] == [] and row["cores"] == 0 for row in rows), rows
assert [row["bytes"] for row in rows] == [8, 64, 256, 1024, 2048, 4096, 8192], rows
PYTHON
