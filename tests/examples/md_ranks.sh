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

# The atoms of each printed step, in the order of their sites, for any number of ranks; the first frame to the last digit.
check_frames() {
  local ranks atoms
  local arguments=(--nx 4 --ny 4 --nz 8 --steps 30 --print-every 10 --delta 0.1 --void 0.5,0.5,0.5,0.1)
  for ranks in 1 3 4; do
    on_pure "$ranks" "$md" "${arguments[@]}" --xyz "$work/$ranks.xyz" > "$work/said" || fail "--xyz: $ranks ranks: $(cat "$work/said")"
    atoms=$(head -n 1 "$work/$ranks.xyz")
    [[ $(wc -l < "$work/$ranks.xyz") == $((4 * (atoms + 2))) ]] || fail "--xyz: $ranks ranks: not four frames of $atoms atoms"
    grep -q "^  atoms  *$atoms\$" "$work/said" || fail "--xyz: $atoms atoms in a frame, and $(grep '^  atoms' "$work/said")"
    cmp <(head -n $((atoms + 2)) "$work/1.xyz") <(head -n $((atoms + 2)) "$work/$ranks.xyz") || fail "--xyz: $ranks ranks begin otherwise"
    paste -d' ' "$work/1.xyz" "$work/$ranks.xyz" | awk '
      $1 == "Cu" { if ($2 != $10) exit 1; for (i = 3; i <= 8; ++i) if (($i - $(i + 8)) ^ 2 > 1e-12) exit 1; ++n }
      END { exit n == 0 }' || fail "--xyz: $ranks ranks differ"
  done
  [[ $(grep -c '^Lattice="14.46[0-9]* 0 0 0 14.46[0-9]* 0 0 0 28.92[0-9]*" Properties=species:S:1:id:I:1:pos:R:3:velo:R:3 ' \
    "$work/1.xyz") == 4 ]] || fail "--xyz: no headers: $(sed -n 2p "$work/1.xyz")"
  grep -q ' Step=30 Time=30$' "$work/1.xyz" || fail '--xyz: no step 30'
}

check_frames
check "Lennard-Jones"
if has_potential; then
  check "embedded atom" --potential eam --file "$potential"
fi
finish
