#!/usr/bin/env bash
# Makes the pictures of docs/ again, from real runs; `make pictures` calls it. Needs the library, the tools and the example
# histogram, and a plug-in of the network for processes.png.
#
# usage: docs/pictures/make.sh [BUILD_DIR [FOLDER [RUNS]]]     (build/release, the folder of this script, 40)
#
# Where times matter it keeps the fastest of RUNS runs, that which others disturbed least.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$here/../..
build=$(cd "${1:-$top/build/release}" && pwd)
to=$(cd "${2:-$here}" && pwd)
runs=${3:-40}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PATH=$build/bin:$PATH

die() {
  echo "make.sh: $*" >&2
  exit 1
}

for name in shared_work deadlock; do
  "${CXX:-c++}" -std=c++20 -O3 -g -I "$top/include" "$here/$name.cpp" -o $name -L "$build/lib" -lpure -pthread -Wl,-rpath,"$build/lib"
done

# draw NAME ARGUMENT...: NAME.json becomes NAME.png.
draw() {
  local name=$1
  shift
  pure trace "$name.json" --png "$to/$name.png" --width 1200 "$@"
  (($(stat -c %s "$to/$name.png") < 150000)) || die "$name.png is larger than 150 KB"
}

# The ranks of the pictures: as many as there are cores, from two to four. Others wait longer for a core than for a message.
ranks=$(nproc)
ranks=$((ranks < 2 ? 2 : ranks > 4 ? 4 : ranks))

# fastest NAME RUNS ARGUMENT...: of so many runs of purerun, NAME.json is that which took least time between the first thing
# that a rank did and the last.
fastest() {
  local name=$1 runs=$2 least='' time
  shift 2
  while ((runs-- > 0)); do
    purerun --trace this.json "$@" > said 2>&1 || die "$*: $(cat said)"
    time=$(awk 'match($0, /"ts":[0-9.]+/) { begin = substr($0, RSTART + 5, RLENGTH - 5)
        end = begin + (match($0, /"dur":[0-9.]+/) ? substr($0, RSTART + 6, RLENGTH - 6) : 0)
        if (first == "" || begin + 0 < first) first = begin + 0
        if (end > last) last = end }
      END { printf "%d\n", last - first }' this.json)
    [[ -n $least ]] && ((time >= least)) || { least=$time && mv this.json "$name.json"; }
  done
}

fastest run "$runs" -n $ranks ./shared_work
draw run

if purerun -n 3 --trace deadlock.json ./deadlock 2> said; then die "deadlock does not hang"; fi
grep -q 'cycle: rank 0 waits for 1 waits for 2 waits for 0' said || die "deadlock ends otherwise: $(cat said)"
[[ $(grep -c '"open":true' deadlock.json) == 3 ]] || die "the timeline of deadlock has not three open waits"
draw deadlock

if ! compgen -G "$build/lib/libpure_net_*.so" > /dev/null; then
  echo "processes.png, items.png: not made: this build has no network for several processes (mpich, openmpi)"
  exit
fi
fastest processes "$((runs / 4))" -n 4 -N 2 "$build/examples/histogram"
draw processes
cp processes.json items.json
draw items --zoom auto
