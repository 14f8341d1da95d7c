#!/usr/bin/env bash
# The benchmarks of windows run with Pure and with an MPI, where there is one; and with Pure's ranks on one core, of which
# one has neighbours on both sides. They check their answers themselves; here, that there are rows.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

systems=pure
needs_cores 2
mpi=$(first_system openmpi mpich intelmpi)
[[ -z $mpi ]] || systems+=,$mpi

bench/run --only window_halo,rma --quick --samples 1 --systems "$systems" --json "$folder/2"
bench/run --only window_halo,rma --quick --samples 1 --systems pure --ranks 3 --place same-core --json "$folder/3"

python3 - "$folder" "$systems" << 'PYTHON'
import json, sys

folder, systems = sys.argv[1], sys.argv[2].split(",")
modes = ("messages", "fence", "notified", "direct")
halo = [f"{what} {cells} {mode}" for what in ("communication", "step") for cells in (64, 256, 1024) for mode in modes]
sizes = {"8 B": 8, "1 KB": 1 << 10, "4 KB": 4 << 10, "64 KB": 64 << 10, "1 MB": 1 << 20}
rma = ["fence", "lock exclusive", "lock shared", "lock put 8 B", "contended lock put 8 B", "create 4 KB"]
rma += [f"{what} {size}" for what in ("put", "get", "accumulate") for size in ("8 B", "1 KB", "64 KB", "1 MB")]
rma += ["contended accumulate 8 B", "contended accumulate 64 KB"]
rma += [f"{which}{what} 8 B" for what in ("fetch_and_op", "compare_and_swap") for which in ("", "contended ")]
cases = [("window_halo", case, "us", 0) for case in halo]
cases += [("rma", case, "ns", sizes.get(" ".join(case.split()[-2:]), 0)) for case in rma]


def seen(ranks):
    rows = json.load(open(f"{folder}/{ranks}"))
    for row in rows:
        assert row["ranks"] == ranks and row["better"] == "lower" and row["value"] > 0, row
    return {(row["benchmark"], row["case"], row["unit"], row["bytes"], row["system"]) for row in rows}


expected = {(*case, system) for case in cases for system in systems}
assert seen(2) == expected, seen(2) ^ expected
expected = {(*case, "pure") for case in cases}
assert seen(3) == expected, seen(3) ^ expected
PYTHON
echo "all rows are as promised"
