#!/usr/bin/env bash
# md gives the same energies, to rounding, for any number of ranks and any rank grid; and the same text every time.
source "$(dirname "$0")/common.bash"

# same_to_rounding FILE FILE: the same steps, and numbers that differ by less than 1e-8 (10 digits are printed).
same_to_rounding() {
  paste -d' ' "$1" "$2" | awk '
    NF != 12 || $1 != $7 { bad = 1 }
    { for (i = 3; i <= 5; ++i) { d = $i - $(i + 6); if (d < -1e-8 || d > 1e-8) bad = 1 } }
    END { exit bad || NR == 0 }'
}

check() {
  local name=$1 ranks grid
  shift
  # The crystal is hot, displaced and wide enough for 2 x 2 x 4 ranks; some atoms change owner.
  local arguments=(--nx 4 --ny 4 --nz 8 --steps 60 --print-every 20 --temperature 1500 --delta 0.1 "$@")
  on_pure 1 "$md" "${arguments[@]}" | table > "$work/one"
  [[ $(wc -l < "$work/one") == 4 ]] || fail "$name: one rank printed $(cat "$work/one")"
  for ranks in 2 3 4 8; do
    on_pure "$ranks" "$md" "${arguments[@]}" | table > "$work/many"
    same_to_rounding "$work/one" "$work/many" ||
      fail "$name: 1 and $ranks ranks differ: $(cat "$work/one" "$work/many")"
  done
  for grid in 2x1x2 1x2x2 1x1x4 2x2x1; do
    on_pure 4 "$md" "${arguments[@]}" --grid "$grid" | table > "$work/many"
    same_to_rounding "$work/one" "$work/many" || fail "$name: grid $grid differs: $(cat "$work/one" "$work/many")"
  done
  on_pure 4 "$md" "${arguments[@]}" --grid 2x2x1 | table > "$work/again"
  cmp "$work/many" "$work/again" || fail "$name: two runs of the same differ"
  echo "$name: compared"
}

check "Lennard-Jones"
if has_potential; then
  check "embedded atom" --potential eam --file "$potential"
fi
finish
