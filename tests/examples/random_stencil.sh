#!/usr/bin/env bash
# Every version of the stencil gives a serial run's result, bit for bit, on any number of ranks; bad options are refused.
source "$(dirname "$0")/common.bash"

# equals_serial ELEMENTS WHAT COMMAND...
equals_serial() {
  local elements=$1 what=$2
  shift 2
  "$@" > "$work/out" 2>&1 && grep -q "all $elements elements equal a serial run's" "$work/out" ||
    fail "$what: $(cat "$work/out")"
}

for version in "" _messages _parallel_for; do
  for ranks in 1 2 3 8; do
    for size in 2 3 64 1000; do
      equals_serial $((ranks * size)) "random_stencil$version, $ranks ranks, size $size" \
        on_pure "$ranks" "$random_stencil$version" --size "$size" --iterations 20 --work 1
    done
  done
  # With a part that is ten times as heavy, the ranks that wait do take chunks.
  for ranks in 2 4; do
    for imbalance in "--imbalance 10" "--imbalance 10 --moving 3" "--imbalance 2.5 --parts 3"; do
      # shellcheck disable=SC2086  # the options are several words
      equals_serial $((ranks * 500)) "random_stencil$version $imbalance, $ranks ranks" \
        on_pure "$ranks" "$random_stencil$version" --size 500 --iterations 20 --work 5 $imbalance
    done
  done
  echo "random_stencil$version: compared"
done

compares_with "$random_stencil"
for family in $(twins_of "$random_stencil"); do
  equals_serial 300 "$family" on_mpi "$family" 3 "$random_stencil" --size 100 --iterations 20 --imbalance 3 --moving 4
  echo "Listing 1 on $family: compared"
done
compares_with "${random_stencil}_hybrid"
export OMP_NUM_THREADS=2
for family in $(twins_of "${random_stencil}_hybrid"); do
  for ranks in 1 2; do
    equals_serial $((ranks * 200)) "$family and OpenMP" \
      on_mpi "$family" "$ranks" "${random_stencil}_hybrid" --size 200 --iterations 20 --imbalance 3 --parts 2
  done
  echo "Listing 1 with OpenMP on $family: compared"
done

# refuses TEXT ARGUMENT...
refuses() {
  local text=$1 status
  shift
  on_pure 2 "$random_stencil" "$@" > "$work/out" 2> "$work/err"
  status=$?
  ((status != 0 && status != 124)) || fail "random_stencil $*: the status is $status"
  [[ $(grep -cF -- "$text" "$work/err") == 1 ]] || fail "random_stencil $*: not once '$text' in: $(cat "$work/err")"
}
refuses "--size" --size 1
refuses "--size" --size 100001
refuses "--iterations" --iterations x
refuses "--work" --work -1
refuses "--imbalance" --imbalance 0.5
refuses "--imbalance" --imbalance 1001
refuses "--moving requires --imbalance" --moving 3
refuses "--moving" --imbalance 2 --moving -1
refuses "--parts requires --imbalance" --parts 3
refuses "--parts" --imbalance 2 --parts 1.5
refuses "--nonsense" --nonsense
finish
