#!/usr/bin/env bash
# bench/run measures Pure (threads, processes of its own, and both as an MPI), an MPI (where there is one) and the limit, and writes rows of the promised form.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

systems=pure,pure-processes,pure-mpi-threads,pure-mpi-processes,limit
needs_cores 2
mpi=$(first_system mpich openmpi)
[[ -z $mpi ]] || systems+=,$mpi

bench/run --only pingpong --quick --systems "$systems" --json "$folder/rows.json" | tee "$folder/table"
grep -q '^pingpong: us, lower is better; 2 ranks on CPUs ' "$folder/table"
grep -q '^case .*door threads/pure .*door processes/pure-processes .*pure/limit' "$folder/table"

python3 - "$folder/rows.json" "$systems" <<'PYTHON'
import json, statistics, sys

rows = json.load(open(sys.argv[1]))
keys = ["benchmark", "case", "bytes", "ranks", "cores", "processes", "network", "mpi", "system", "value", "unit",
        "better", "samples", "distance_ns", "left_out"]
sizes = {"8 B": 8, "64 B": 64, "1 KB": 1024, "4 KB": 4096, "8 KB": 8192}
seen = set()
for row in rows:
    assert list(row) == keys, row
    assert row["benchmark"] == "pingpong" and row["unit"] == "us" and row["better"] == "lower", row
    assert row["bytes"] == sizes[row["case"]] and row["ranks"] == 2 and row["cores"] == 2, row
    assert (row["processes"], row["network"], row["mpi"]) == (1, None, None), row
    assert (row["distance_ns"], row["left_out"]) == (None, 0), row
    assert len(row["samples"]) >= 3 and row["value"] == statistics.median(row["samples"]) > 0, row
    seen.add((row["system"], row["case"]))
expected = {(system, case) for system in sys.argv[2].split(",") for case in sizes if system != "limit"}
expected |= {("limit", "8 B"), ("limit", "64 B")}
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
