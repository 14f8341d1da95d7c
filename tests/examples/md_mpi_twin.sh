#!/usr/bin/env bash
# md and its MPI twins print the same digits: the same code, the same messages, the same order of every sum.
source "$(dirname "$0")/common.bash"

compares_with "$md" || skip 'no MPI was found when the examples were built'
twins=$(twins_of "$md")

check() {
  local ranks family
  for ranks in 1 2 4; do
    local arguments=(--nx 4 --ny 4 --nz 6 --steps 40 --temperature 900 --delta 0.05 "$@")
    on_pure "$ranks" "$md" "${arguments[@]}" | table > "$work/pure"
    for family in $twins; do
      on_mpi "$family" "$ranks" "$md" "${arguments[@]}" | table > "$work/mpi"
      [[ -s $work/mpi ]] && cmp "$work/pure" "$work/mpi" ||
        fail "$ranks ranks, $family, $*: $(diff "$work/pure" "$work/mpi")"
    done
  done
  echo "compared with" $twins "on 1, 2 and 4 ranks: ${*:-lj}"
}

check
if has_potential; then check --potential eam --file "$potential"; fi
finish
