#!/usr/bin/env bash
# The paper's listings give a serial run's result, bit for bit, on any number of ranks; and bad options are refused.
source "$(dirname "$0")/common.bash"

for ranks in 1 2 3 8; do
  for size in 2 3 64 1000; do
    on_pure "$ranks" "$random_stencil" --size "$size" --iterations 20 --work 1 > "$work/out" 2>&1 &&
      grep -q "all $((ranks * size)) elements equal a serial run's" "$work/out" ||
      fail "$ranks ranks, size $size: $(cat "$work/out")"
  done
done
echo "Listing 2: compared"

for family in $(twins_of "$random_stencil"); do
  on_mpi "$family" 3 "$random_stencil" --size 100 --iterations 20 > "$work/out" 2>&1 ||
    fail "$family: $(cat "$work/out")"
  grep -q "all 300 elements equal a serial run's" "$work/out" || fail "$family: $(cat "$work/out")"
  echo "Listing 1 on $family: compared"
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
refuses "--nonsense" --nonsense
finish
