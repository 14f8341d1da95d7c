#!/usr/bin/env bash
# The benchmarks of aggregations run with Pure and with an MPI, where there is one, in one process and in two. They check
# their answers themselves; here, that there are rows, and in make soak, that the answers are checked.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

systems=pure
needs_cores 2
mpi=$(first_system openmpi mpich)
[[ -z $mpi ]] || systems+=,$mpi

bench/run --only histogram,index_gather --ranks 2 --quick --samples 1 --systems "$systems" --json "$folder/2"
[[ -z $mpi ]] ||
  bench/run --only net_histogram,net_index_gather,pingack,sssp,sssp_wasted,phold,phold_late --network shm --quick \
    --samples 1 --systems "$systems" --json "$folder/4"

python3 - "$folder" "$systems" << 'PYTHON'
import json, os, sys

folder, systems = sys.argv[1], sys.argv[2].split(",")
schemes = ["WW", "WPs", "WsP", "PP", "automatic"]
promised = {
    2: {
        "histogram": ["8 B", "8 B of 64", "8 B of 1024", "16 B of 1024", "8 B by all-to-all", "8 B by messages"],
        "index_gather": ["8 B", "8 B of 64", "8 B by all-to-all", *(f"one question p{n}" for n in (50, 90, 99))],
    },
    4: {
        "net_histogram": [*schemes, "by all-to-all", "by messages"],
        "net_index_gather": [*schemes, "by all-to-all"],
        "pingack": [*schemes, "by messages"],
        "sssp": [*schemes, "by all-to-all"],
        "sssp_wasted": [*schemes, "by all-to-all"],
        "phold": [*schemes, "by all-to-all"],
        "phold_late": [*schemes, "by all-to-all"],
    },
}
for ranks, benchmarks in promised.items():
    if not os.path.exists(f"{folder}/{ranks}"):
        print("SKIPPED: several processes: there is no MPI")
        continue
    rows = json.load(open(f"{folder}/{ranks}"))
    for row in rows:
        assert row["ranks"] == ranks and row["better"] == "lower", row
        if row["benchmark"] == "phold_late":  # rounds have no event out of order
            is_in_rounds = row["system"] != "pure" or row["case"] == "by all-to-all"
            assert row["value"] == 0 if is_in_rounds else 0 <= row["value"] < 100, row
        else:
            assert row["value"] > 0, row
        if row["benchmark"] == "sssp_wasted":
            assert row["value"] < 100, row
        if row["benchmark"] == "histogram":  # each rank has a core for itself
            assert row["distance_ns"] == "mixed" or row["distance_ns"] > 0, row
    seen = {(row["benchmark"], row["case"], row["system"]) for row in rows}
    expected = {(name, case, system) for name, cases in benchmarks.items() for case in cases for system in systems}
    assert seen == expected, seen ^ expected
PYTHON

[[ -n ${PURETEST_SOAK:-} ]] || { echo "all rows are there" && exit; }

# Each check can fail: items are lost, or wrong, in a copy of the benchmarks. (In make soak: it takes more time to compile
# than all above.)
mkdir "$folder/planted"
cp bench/micro/*.hpp bench/micro/{histogram,index_gather,pingack,sssp,phold}.cpp "$folder/planted"
# plant FILE COMMAND-OF-SED
plant() {
  sed -i "$2" "$folder/planted/$1"
  ! cmp -s "$folder/planted/$1" "bench/micro/$1" || { echo "$1: nothing was planted" && exit 1; }
}
plant histogram.hpp 's/add_->send({all_.index(i)}, all_.dest(i));/if (i != 77) &/'
plant index_gather.hpp 's/return of->at(index); }/return of->at(index) + (index == 9); }/'
plant pingack.cpp 's/ping_->send(k,/ping_->send(k == 9 ? 8 : k,/'
plant sssp.hpp 's/if (graph->improve(each))/if (each.vertex != 77 \&\& graph->improve(each))/'
plant phold.hpp 's/all->schedule(each); }/if (each.object != 7) all->schedule(each); }/'
declare -A finding=(
  [histogram]='a counter' [index_gather]='an answer' [pingack]='the order of items' [sssp]='a distance' [phold]='events'
)
compilers=()
for name in "${!finding[@]}"; do
  "${CXX:-c++}" -std=c++20 -Og -DBENCH_PURE -Iinclude "$folder/planted/$name.cpp" -o "$folder/$name" \
    -Lbuild/release/lib -lpure -Wl,-rpath,"$PWD/build/release/lib" -pthread &
  compilers+=($!)
done
for each in "${compilers[@]}"; do wait "$each"; done
for name in "${!finding[@]}"; do
  if build/release/bin/purerun -n 2 "$folder/$name" --samples 1 --batch-ms 1 > "$folder/out" 2>&1; then
    echo "$name: a mistake was planted, and not found"
    exit 1
  fi
  grep -q "wrong answer: ${finding[$name]}" "$folder/out" || { cat "$folder/out" && exit 1; }
done
echo "all rows are there, and planted mistakes are found"
