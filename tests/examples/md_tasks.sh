#!/usr/bin/env bash
# Who does a row of cells changes no digit: md prints the same with and without tasks, with OpenMP's threads, and with
# atoms removed so that ranks do help each other.
source "$(dirname "$0")/common.bash"

compares_with "$md"
compares_with "${md}_hybrid"
voids=(--void 0.5,0.5,0.75,0.5 --void 0,0.1,0.2,0.15)

check() {
  local ranks how family
  for ranks in 1 2 3 4; do
    local arguments=(--nx 5 --ny 5 --nz 8 --steps 25 --temperature 900 --delta 0.05 "${voids[@]}" "$@")
    on_pure "$ranks" "$md" "${arguments[@]}" > "$work/none" || fail "$ranks ranks, $*: $(cat "$work/none")"
    table < "$work/none" > "$work/expected"
    [[ $(wc -l < "$work/expected") == 4 ]] || fail "$ranks ranks, $*: $(cat "$work/none")"
    for how in puretask parallel_for; do
      on_pure "$ranks" "$md" "${arguments[@]}" --tasks "$how" | table > "$work/found"
      cmp "$work/expected" "$work/found" || fail "$ranks ranks, $how, $*: $(diff "$work/expected" "$work/found")"
    done
    ((ranks == 2)) || continue
    for family in $(twins_of "$md"); do
      on_mpi "$family" "$ranks" "$md" "${arguments[@]}" | table > "$work/found"
      cmp "$work/expected" "$work/found" || fail "$ranks ranks, $family, $*: $(diff "$work/expected" "$work/found")"
    done
    for family in $(twins_of "${md}_hybrid"); do
      OMP_NUM_THREADS=2 on_mpi "$family" "$ranks" "${md}_hybrid" "${arguments[@]}" | table > "$work/found"
      cmp "$work/expected" "$work/found" ||
        fail "$ranks ranks, $family and OpenMP, $*: $(diff "$work/expected" "$work/found")"
    done
  done
  echo "compared, with the twins on" $(twins_of "$md") $(twins_of "${md}_hybrid") "too: ${*:-lj}"
}

# The atoms of a sphere are gone, wherever the ranks' borders are: 4/3 pi r^3 of a cube, but for its surface.
check_voids() {
  local ranks atoms
  for ranks in 1 4; do
    atoms=$(on_pure "$ranks" "$md" --nx 12 --ny 12 --nz 12 --steps 0 --void 0.9,0.5,0,0.4 | number_after atoms)
    holds "${atoms:-0} > 0.72 * 6912 && ${atoms:-0} < 0.74 * 6912" ||
      fail "$ranks ranks: ${atoms:-no} of 6912 atoms are left, not 73 %"
  done
}

# The imbalance that the summary reports: half of the box is nearly empty.
check_imbalance() {
  local imbalance
  imbalance=$(on_pure 2 "$md" --nx 8 --ny 8 --nz 16 --steps 10 --void 0.5,0.5,0.75,0.62 |
    sed -nE 's/.*: imbalance ([0-9.]+)$/\1/p')
  echo "imbalance of two ranks, one of which has few atoms: ${imbalance:-none}"
  holds "${imbalance:-0} > 1.1 && ${imbalance:-9} <= 2" || fail "the imbalance is ${imbalance:-not printed}"
}

check
if has_potential; then check --potential eam --file "$potential"; fi
check_voids
check_imbalance
finish
