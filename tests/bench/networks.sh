#!/usr/bin/env bash
# bench/run measures two processes over TCP: over the cable between two network namespaces as root, else over the
# loopback device. It checks itself that the bytes went there; and it leaves no namespace behind.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

mpi=
for name in mpich openmpi; do
  if command -v "mpicxx.$name" > /dev/null; then mpi=$name; fi
done
[[ -n $mpi ]] || skip 'there is no MPI here'

bench/run --only net_pingpong,net_plain,net_in_turn --network tcp --quick --samples 1 --systems "pure,$mpi" \
  --json "$folder/rows.json" > "$folder/table" &
driver=$!
wait "$driver" || { cat "$folder/table" && exit 1; }
cat "$folder/table"
grep -q 'between two network namespaces' "$folder/table" ||
  not_tested 'a cable' "$(grep -o 'need two network namespaces.*' "$folder/table" | sed -n 1p)"
if command -v ip > /dev/null && ip netns list | grep "pure-bench-[ab]-$driver"; then
  echo "namespaces are left behind"
  exit 1
fi

python3 - "$folder/rows.json" "$mpi" << 'PYTHON'
import json, sys

rows = json.load(open(sys.argv[1]))
sizes = {"8 B": 8, "64 B": 64, "1 KB": 1 << 10, "4 KB": 4 << 10, "8 KB": 8 << 10, "16 KB": 16 << 10, "64 KB": 64 << 10,
         "256 KB": 256 << 10, "1 MB": 1 << 20, "16 MB": 16 << 20}
plain = ("8 B", "1 KB", "8 KB", "16 KB", "64 KB", "1 MB")
expected = {("net_pingpong", case) for case in (*sizes, "256 B", "2 KB")} | {("net_plain", case) for case in plain}
written = ("4 KB", "8 KB", "16 KB", "32 KB", "64 KB", "256 KB", "1 MB")
sizes["32 KB"] = 32 << 10
more = {"256 B": 256, "2 KB": 2 << 10}
expected |= {("net_in_turn", case) for case in sizes} | {("net_in_turn", f"written {case}") for case in written}
expected |= {("net_in_turn", f"phases {case}") for case in ("8 B", "4 KB", "16 KB", "32 KB", "64 KB", "256 KB")}
expected |= {("net_in_turn", f"exchange {case}") for case in ("8 B", "1 KB", "4 KB", "16 KB", "64 KB", "256 KB")}
six = ("8 B", "1 KB", "4 KB", "16 KB", "32 KB", "64 KB", "256 KB")
expected |= {("net_in_turn", f"six of {case}") for case in six}
expected = {(*case, system) for case in expected for system in ("pure", sys.argv[2])}
assert {(row["benchmark"], row["case"], row["system"]) for row in rows} == expected, rows
for row in rows:
    assert (row["processes"], row["network"], row["mpi"]) == (2, "tcp", sys.argv[2]), row
    size = " ".join(row["case"].split()[-2:])  # "phases 4 KB"
    assert row["bytes"] == (sizes | more)[size] and row["ranks"] == 2 and row["value"] > 0, row
    assert row["distance_ns"] is not None, row
PYTHON
echo "two processes were measured over TCP"
