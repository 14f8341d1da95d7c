#!/usr/bin/env bash
# The stencil has the cells of a serial computation, bit for bit, by all modes, on all placements, grids of ranks and
# systems; its checksum is one that is computed here. Bad options are refused.
source "$(dirname "$0")/windows.bash"

program=$windows/windows_stencil

# What is compared: checksum and hash of each line of the table.
results() {
  awk '$3 ~ /^(messages|fence|put|notified|direct)$/ && NF == 9 { print $1, $8, $9 }' | sort -u
}

# The checksum of an N x N grid after some steps, in 12 digits.
serial_checksum() {
  awk -v n="$1" -v steps="$2" 'BEGIN {
    for (y = -1; y <= n; ++y) for (x = -1; x <= n; ++x) {
      is_edge = x < 0 || y < 0 || x == n || y == n
      a[x, y] = b[x, y] = is_edge ? ((x + 2 * y + 3 + 16) % 16) / 16 : (7 * x + 13 * y) % 32 / 32
    }
    for (i = 0; i < steps; ++i) {
      for (y = 0; y < n; ++y) for (x = 0; x < n; ++x) b[x, y] = (a[x - 1, y] + a[x + 1, y] + a[x, y - 1] + a[x, y + 1]) / 4
      for (y = 0; y < n; ++y) for (x = 0; x < n; ++x) a[x, y] = b[x, y]
    }
    for (y = 0; y < n; ++y) for (x = 0; x < n; ++x) sum += a[x, y]
    printf "%.9g", sum
  }'
}

run=(33 64 --rounds 2 --steps 25 --verify)
verified 2 "1 rank" on_pure 1 "$program" "${run[@]}"
results < "$work/out" > "$work/one"
[[ $(wc -l < "$work/one") == 2 ]] || fail "one rank has not two results: $(cat "$work/one")"

# same WHAT COMMAND...: all lines have the results of one rank.
same() {
  verified 2 "$@"
  results < "$work/out" > "$work/many"
  cmp "$work/one" "$work/many" || fail "$1: $(diff "$work/one" "$work/many")"
}

for ranks in 2 3 4 7; do
  same "$ranks ranks" on_pure "$ranks" "$program" "${run[@]}"
done
for grid in 3x1 1x3 2x2 3x2 1x8; do
  same "grid $grid" on_pure $((${grid/x/*})) "$program" "${run[@]}" --grid "$grid"
done
echo "compared with one rank and with a serial computation"

for steps in 0 1 17; do
  found=$(on_pure 4 "$program" 12 --rounds 1 --steps "$((steps > 0 ? steps : 1))" | results | cut -d' ' -f2)
  wanted=$(serial_checksum 12 "$((steps > 0 ? steps : 1))")
  holds "(${found:-0}) - ($wanted) < 1e-6 && ($wanted) - (${found:-0}) < 1e-6" ||
    fail "12 x 12 cells after $steps steps: the checksum is ${found:-none}, not $wanted"
done
# As many ranks as rows, and boxes of one cell.
verified 1 "boxes of one cell" on_pure 4 "$program" 2 --steps 9 --rounds 1 --grid 2x2 --verify
verified 1 "boxes of one row" on_pure 5 "$program" 5 --steps 9 --rounds 1 --grid 1x5 --verify

compares_with "$program"
for family in $(twins_of "$program"); do
  for ranks in 1 2; do
    same "$family, $ranks ranks" on_mpi "$family" "$ranks" "$program" "${run[@]}"
  done
  echo "compared with $family"
done

on_pure 2 "$program" 16 32 --steps 10 --rounds 1 > "$work/first"
draws 14 "$work/first"

helps "$program" N --grid --steps --rounds --modes --placement --verify
refuses "$program" 2 "N: must be a whole number from 1 to 16384, not '0'" 0
refuses "$program" 2 "N: must be a whole number from 1 to 16384, not 'x'" 16 x
refuses "$program" 3 "--grid 2x1 has 2 ranks, but this job has 3" --grid 2x1
refuses "$program" 3 "--grid: must be two numbers such as 2x1, not '3'" --grid 3
refuses "$program" 3 "--grid: must be two numbers such as 2x1, not '0x3'" --grid 0x3
refuses "$program" 6 "2 x 3 ranks cannot share so few cells; N must be at least 3" 2
refuses "$program" 2 "--modes: must be of messages, fence, put, notified, direct, not 'all'" --modes fence,all
refuses "$program" 2 "--placement: must be of separate, contiguous, not 'near'" --placement near
refuses "$program" 2 "--steps: must be a whole number" --steps -1
refuses "$program" 2 "--rounds: must be a whole number" --rounds 0
refuses "$program" 2 "--bogus" --bogus
finish
