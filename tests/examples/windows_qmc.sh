#!/usr/bin/env bash
# The walk finds the same sum, to the last bit, in a table of each rank's own, in a shared one and without any, on any number
# of ranks and on both systems; a table that is shared is there once. Bad options are refused.
source "$(dirname "$0")/windows.bash"

program=$windows/windows_qmc

# Accepted moves and sum of each line.
results() {
  awk '$1 ~ /^(own|shared|parts)$/ && NF == 8 { print $7, $8 }' | sort -u
}

# holds_copies RANKS: memory is that of as many tables as have to be there.
holds_copies() {
  if grep -q unknown "$work/out"; then
    not_tested 'memory of tables' '/proc/self/smaps_rollup is not there'
    return
  fi
  awk -v ranks="$1" '
    NF == 8 && $1 == "own" && ($3 < 0.95 * ranks || $3 > 1.1 * ranks) { bad = 1 }
    NF == 8 && ($1 == "shared" || $1 == "parts") && ($3 < 0.95 || $3 > 1.1) { bad = 1 }
    END { exit bad }' "$work/out" || fail "$1 ranks: memory of other than that many tables: $(cat "$work/out")"
}

# Against a program in Python: rounding to float is all that differs.
for run in "6 3 2 3 20 0.3" "4 1 1 1 30 1" "9 7 3 2 10 0.05"; do
  read -r grid orbitals walkers particles generations step <<< "$run"
  read -r wanted accepted <<< "$(python3 "$(dirname "$0")/windows_qmc_oracle.py" $run)"
  found=$(on_pure 2 "$program" --grid "$grid" --orbitals "$orbitals" --walkers "$walkers" --particles "$particles" \
    --generations "$generations" --step "$step" --verify | results)
  holds "${found#* } / ($wanted) > 1 - 1e-5 && ${found#* } / ($wanted) < 1 + 1e-5" &&
    holds "(${found% *} - $accepted / ($walkers * $particles * $generations))^2 < 1e-6" ||
    fail "$run: accepted and sum are ${found:-none}, not those of $accepted moves, and $wanted"
done
echo "compared with a program in Python"

# 16 MiB, which is much against all else that a job allocates.
run=(--grid 40 --walkers 7 --particles 8 --generations 20 --verify)
verified 1 "1 rank" on_pure 1 "$program" "${run[@]}"
holds_copies 1
results < "$work/out" > "$work/one"
[[ $(wc -l < "$work/one") == 1 ]] || fail "not one sum: $(cat "$work/out")"
for ranks in 2 3 4 9; do
  verified 1 "$ranks ranks" on_pure "$ranks" "$program" "${run[@]}"
  results < "$work/out" | cmp "$work/one" - || fail "$ranks ranks: $(cat "$work/one" "$work/out")"
  holds_copies "$ranks"
  cp "$work/out" "$work/ranks_$ranks"
done
echo "compared with one rank and with a serial walk"

compares_with "$program"
for family in $(twins_of "$program"); do
  for ranks in 1 2; do
    verified 1 "$family, $ranks ranks" on_mpi "$family" "$ranks" "$program" "${run[@]}"
    results < "$work/out" | cmp "$work/one" - || fail "$family, $ranks ranks: $(cat "$work/one" "$work/out")"
    holds_copies "$ranks"
  done
  echo "compared with $family"
done

draws 9 "$work"/ranks_{2,3,4}

helps "$program" --grid --orbitals --walkers --particles --generations --step --tables --verify
refuses "$program" 2 "--grid: must be a whole number from 4 to 1024, not '3'" --grid 3
refuses "$program" 2 "--orbitals: must be a whole number" --orbitals 0
refuses "$program" 2 "--walkers: must be a whole number" --walkers 1.5
refuses "$program" 2 "--step: must be a number from 1e-06 to 1, not '2'" --step 2
refuses "$program" 2 "--tables: must be of own, shared, parts, not 'none'" --tables none
refuses "$program" 2 "--bogus" --bogus
finish
