#!/usr/bin/env bash
# The ratios that `make demo` prints (examples/paired_ratio.awk), with made-up times: against values worked out by hand, and
# against what its spread promises, that the true ratio lies within it.
source "$(dirname "$0")/common.bash"

script=$(dirname "$0")/../../examples/paired_ratio.awk

# of A B ...: what is printed for these pairs.
of() { printf '%s %s\n' "$@" | awk -f "$script"; }
# of_ratios RATIO ...
of_ratios() { printf '%s 1\n' "$@" | awk -f "$script"; }
# same WANTED FOUND
same() { [[ $1 == "$2" ]] || fail "wanted '$1', got '$2'"; }

# Fewer than six pairs: the interval holds all of them. The spread is its longer side.
same '1.500 0.000 1 more' "$(of 3 2)"
same '1.000 0.100 2 level' "$(of_ratios 0.9 1.1)"
same '1.200 0.300 3 level' "$(of_ratios 1.2 0.9 1.3)"
same '0.700 0.200 5 less' "$(of_ratios 0.5 0.7 0.6 0.8 0.9)"
# From six on, the largest j with P(at most j heads in n tosses) <= 2.5 %: none for 6 (1/64; with one head 7/64) and 8, one
# for 9 (10/512) and 11, two for 12 (79/4096), five for 20 (21700/1048576).
same '3.500 2.500 6 level' "$(of_ratios 6 5 4 3 2 1)"
same '4.500 3.500 8 level' "$(of_ratios {1..8})"
same '5.000 3.000 9 more' "$(of_ratios {1..9})"
same '6.000 4.000 11 more' "$(of_ratios {1..11})"
same '6.500 3.500 12 more' "$(of_ratios {1..12})"
same '10.500 4.500 20 more' "$(of_ratios {20..1})"
# One disturbed pair does not matter, and a disturbance that meets both of a pair is none.
same '0.500 0.000 9 less' "$(of 1 2 1 2 1 2 90 2 1 2 1 2 1 2 1 2 1 2)"
same '0.500 0.000 3 less' "$(of 1 2 10 20 3 6)"
# The issue's case: 0.71 by noise of runs that are level.
same '0.710 0.390 5 level' "$(of_ratios 0.71 1.02 0.66 1.10 0.70)"

# Over many made-up measurements, with noise that is not symmetric and now and then huge, `level` is wrong about equal
# systems once in twenty times at most (twice as often is chance enough), and right about unequal ones nearly always.
# verdicts TRUE_RATIO PAIRS: of a hundred measurements, how many are level.
verdicts() {
  local trial level=0
  for ((trial = 1; trial <= 100; ++trial)); do
    [[ $(awk -v seed=$((trial * 7919)) -v ratio="$1" -v pairs="$2" '
      function noisy() { return exp(0.02 * -log(1 - rand())) * (rand() < 0.05 ? 3 : 1) }
      BEGIN { srand(seed); for (i = 0; i < pairs; ++i) print ratio * noisy(), noisy() }' | awk -f "$script") != *level ]] ||
      level=$((level + 1))
  done
  echo "$level"
}
level=$(verdicts 1 12)
((level >= 88)) || fail "of 100 measurements of equal systems $level are level"
level=$(verdicts 1.15 15)
((level <= 5)) || fail "of 100 measurements of systems that differ by 15 % $level are level"

# What is no time is refused, with its line.
for bad in '' $'1 2\n1' $'1 2\n0 1' $'1 x'; do
  if said=$(printf '%s' "${bad:+$bad$'\n'}" | awk -f "$script" 2>&1); then fail "'$bad' is taken: $said"; fi
  [[ $said == paired_ratio:* ]] || fail "'$bad': $said"
done

finish
