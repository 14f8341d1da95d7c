#!/usr/bin/env bash
# The benchmarks of tasks run with every kind of system, and report what was promised.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

systems=pure,openmp,tbb,limit
needs_cores 2
mpi=$(first_system mpich openmpi intelmpi)
[[ -z $mpi ]] || systems+=,$mpi

bench/run --only task_overhead,parallel_for,imbalance --quick --samples 1 --systems "$systems" --json "$folder/rows"

python3 - "$folder/rows" "$mpi" <<'PYTHON'
import json, sys

rows = json.load(open(sys.argv[1]))
mpis = [sys.argv[2]] if sys.argv[2] else []
units = {"task_overhead": "ns", "parallel_for": "us", "imbalance": "us"}
for row in rows:
    assert row["ranks"] == 2 and row["unit"] == units[row["benchmark"]] and row["better"] == "lower", row
    assert row["value"] > 0 and row["bytes"] == 0, row
chunks = ["1 chunk", "8 chunks", "64 chunks"]
promised = {
    "task_overhead": ([f"{n} {beside}" for n in chunks for beside in ("alone", "with a waiter")], ["openmp"]),
    "parallel_for": (["1 us", "10 us"], ["openmp", "tbb", "limit"]),
    "imbalance": (["static 1:3", "moving"], ["limit", *mpis]),
}
expected = {
    (name, case, system)
    for name, (cases, others) in promised.items()
    for case in cases
    for system in ["pure", *others]
}
seen = {(row["benchmark"], row["case"], row["system"]) for row in rows}
assert seen == expected, seen ^ expected
PYTHON
echo "all rows are as promised"
