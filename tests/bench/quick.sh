#!/usr/bin/env bash
# bench/run measures Pure (threads, processes of its own, and both as an MPI), an MPI (where there is one) and the limit,
# in the benchmarks of messages that have a limit, and writes rows of the promised form.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

systems=pure,pure-processes,pure-mpi-threads,pure-mpi-processes,limit
needs_cores 2
mpi=$(first_system mpich openmpi)
[[ -z $mpi ]] || systems+=,$mpi

bench/run --only pingpong,pingpong_dirty,exchange_dirty,flood,pscw --quick --systems "$systems" --json "$folder/rows.json" | tee "$folder/table"
grep -q '^pingpong: us, lower is better; 2 ranks on CPUs ' "$folder/table"
grep -q '^case .*door threads/pure .*door processes/pure-processes .*pure/limit *processes/limit' "$folder/table"

python3 - "$folder/rows.json" "$systems" <<'PYTHON'
import json, statistics, sys

rows = json.load(open(sys.argv[1]))
keys = ["benchmark", "case", "bytes", "ranks", "cores", "processes", "network", "mpi", "system", "value", "unit",
        "better", "samples", "distance_ns", "left_out"]
KB, MB = 1 << 10, 1 << 20
small = {"8 B": 8, "64 B": 64, "256 B": 256, "1 KB": KB, "2 KB": 2 * KB, "4 KB": 4 * KB, "8 KB": 8 * KB}
benchmarks = {
    "pingpong": small,
    "pingpong_dirty": small | {"64 KB": 64 * KB, "256 KB": 256 * KB, "1 MB": MB, "16 MB": 16 * MB},
    "exchange_dirty": {"8 B": 8, "1 KB": KB, "8 KB": 8 * KB, "32 KB": 32 * KB, "64 KB": 64 * KB, "128 KB": 128 * KB,
                       "512 KB": 512 * KB},
    "flood": {"8 B": 8, "64 B": 64, "1 KB": KB, "8 KB": 8 * KB},
    "pscw": {f"{way}{kind} 8 B": 8 for way in ("", "one way ") for kind in ("create", "allocate")},
}
seen = set()
for row in rows:
    assert list(row) == keys, row
    measured = ("M msg/s", "higher") if row["benchmark"] == "flood" else ("us", "lower")
    assert (row["unit"], row["better"]) == measured, row
    assert row["bytes"] == benchmarks[row["benchmark"]][row["case"]] and row["ranks"] == 2 and row["cores"] == 2, row
    assert (row["processes"], row["network"], row["mpi"]) == (1, None, None), row
    assert row["distance_ns"] is not None and row["left_out"] >= 0, row
    assert len(row["samples"]) >= 3 and row["value"] == statistics.median(row["samples"]) > 0, row
    seen.add((row["system"], row["benchmark"], row["case"]))
expected = {(system, name, case) for system in sys.argv[2].split(",") for name in benchmarks for case in benchmarks[name]}
assert seen == expected, seen ^ expected
PYTHON

bench/run --only cg --quick --samples 1 --systems pure,pure-processes --json "$folder/cg.json"
python3 - "$folder/cg.json" <<'PYTHON'
import json, sys

rows = {(row["system"], row["case"]): row["value"] for row in json.load(open(sys.argv[1]))}
cells = ["8", "16", "32", "64"]
assert set(rows) == {(system, case) for system in ["pure", "pure-processes"] for case in cells}, rows
for system in ["pure", "pure-processes"]:
    assert 0 < rows[system, "8"] < rows[system, "64"], rows
PYTHON
echo "all rows are as promised"
