#!/usr/bin/env bash
# The benchmarks with foreign programs beside the ranks run with Pure and an MPI, and leave none of them behind.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

systems=pure
needs_cores 2
mpi=$(first_system mpich openmpi intelmpi)
[[ -z $mpi ]] || systems+=,$mpi

neighbours() { pgrep -fc '^sh -c while :; do :; done' || true; }
before=$(neighbours)
bench/run --only busy_neighbour,busy_unbound,helping_neighbour --quick --samples 1 --systems "$systems" --json "$folder/rows"
[[ $(neighbours) == "$before" ]]

python3 - "$folder/rows" "$systems" <<'PYTHON'
import json, sys

rows = json.load(open(sys.argv[1]))
seen = set()
for row in rows:
    assert row["ranks"] == 2 and row["unit"] == "us" and row["better"] == "lower", row
    assert row["value"] > 10, row  # there is work of 20 us in each step
    seen.add((row["benchmark"], row["case"], row["system"]))
names = "busy_neighbour", "busy_unbound"
expected = {(name, case, system) for name in names for case in ("quiet", "busy") for system in sys.argv[2].split(",")}
expected |= {("helping_neighbour", f"{ms} ms {how}", "pure") for ms in (1, 10) for how in ("alone", "shared")}
assert seen == expected, seen ^ expected
PYTHON
echo "all rows are as promised"
