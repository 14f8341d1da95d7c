#!/usr/bin/env bash
# The benchmarks of collectives run with Pure, and two of them with every kind of system, alone on their cores and sharing
# them. (The others have the same source for all systems.) One sample: that there are rows is checked, not how fast they are.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# Open MPI rather than MPICH, whose ranks take minutes when they share cores.
systems=${1:-pure}
needs_cores 2
mpi=$(first_system openmpi intelmpi)
[[ -z $mpi ]] || systems+=,$mpi

bench/run --only bcast,reduce,allgather,alltoall,scan --quick --samples 1 --systems "${1:-pure}" --json "$folder/1"
bench/run --only barrier,allreduce --quick --samples 1 --systems "$systems,openmp,limit" --json "$folder/2"
bench/run --only barrier --ranks 4 --place same-core --quick --samples 1 --systems "$systems,openmp,limit" \
  --json "$folder/4"

python3 - "$folder" "$systems" <<'PYTHON'
import json, sys

folder, systems = sys.argv[1], sys.argv[2].split(",")
sizes = ["8 B", "64 B", "1 KB", "8 KB", "64 KB", "256 KB", "1 MB", "8 MB"]
others = ["bcast", "reduce", "allgather", "alltoall", "scan"]


def seen(file, ranks):
    rows = json.load(open(f"{folder}/{file}"))
    for row in rows:
        assert row["ranks"] == ranks and row["unit"] == "us" and row["value"] > 0, row
    return {(row["benchmark"], row["case"], row["system"]) for row in rows}


barriers = {("barrier", "barrier", system) for system in [*systems, "openmp"]}
expected = {(name, case, systems[0]) for name in others for case in sizes}
assert seen(1, 2) == expected, seen(1, 2) ^ expected
messages = {("allreduce", case, system) for case in sizes for system in systems}
openmp = {("allreduce", case, "openmp") for case in sizes}
limits = {("barrier", "barrier", "limit"), *(("allreduce", case, "limit") for case in sizes[4:])}
expected = barriers | messages | openmp | limits
assert seen(2, 2) == expected, seen(2, 2) ^ expected
# Threads that spin have no limit to show where they share a core.
assert seen(4, 4) == barriers, seen(4, 4) ^ barriers
PYTHON
echo "all rows are as promised"
