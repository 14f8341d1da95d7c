#!/usr/bin/env bash
# The stencil and md as MPI programs, with and without the lines that tasks need: the same bits on Pure, as threads and as
# processes, as on MPI.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

examples=$top/examples
objects() { find "$build/examples/$1/CMakeFiles/$2.dir" -name '*.o'; }
md_objects=$(objects md md_common)
stencil_objects=$(objects random_stencil random_stencil_common)
[[ -n $md_objects && -n $stencil_objects ]] || skip 'the examples were not built'
here=$work

in_md=(-I"$examples/md" "$examples/md/messages_mpi.cpp")
# shellcheck disable=SC2086
compile purecxx "${cxx_flags[@]}" "${in_md[@]}" "$apps/md/loops_tasks.cpp" $md_objects -o md
of_stencil=(-I"$examples/random_stencil" -Wno-vla "$examples/random_stencil/main.cpp" "$examples/md/messages_mpi.cpp")
for variant in mpi tasks; do
  source=$apps/stencil/listing1_tasks.cpp
  [[ $variant == tasks ]] || source=$examples/random_stencil/listing1_mpi.cpp
  # shellcheck disable=SC2086
  compile purecxx "${cxx_flags[@]}" "${of_stencil[@]}" -DVERSION='"tested"' -DRAND_STENCIL=rand_stencil_$variant "$source" \
    $stencil_objects -o "stencil_$variant"
done

# The program checks itself, bit for bit, against a serial run.
stencil_is_right() {
  on "$1" "$2" "$here/$3" --size 3000 --iterations 20 "${@:4}" > said 2>&1 || fail "$*: $(cat said)"
  grep -q 'equal a serial run.s, bit for bit' said || fail "$*: $(cat said)"
}
for ranks in 1 2 4 8; do
  beside stencil_is_right threads "$ranks" stencil_tasks
  beside stencil_is_right threads "$ranks" stencil_tasks --imbalance 4 --moving 3
done
beside stencil_is_right threads 2 stencil_mpi
beside stencil_is_right processes 3 stencil_tasks --imbalance 4

# Step, time, energies, temperature.
table() { awk '$1 ~ /^[0-9]+$/ && NF >= 6 { print $1, $2, $3, $4, $5, $6 }'; }
md_words=(--nx 4 --ny 4 --nz 8 --steps 20 --temperature 900 --delta 0.05 --void 0.5,0.5,0.75,0.4)
md_is_as_on_mpi() {
  local how
  local wanted=$here/md.$1
  if [[ -x $build/examples/md/md_mpich ]]; then
    on mpich "$1" "$build/examples/md/md_mpich" "${md_words[@]}" | table > "$wanted"
  else
    not_tested 'md beside MPICH' 'md_mpich is not built'
    on threads "$1" "$here/md" "${md_words[@]}" | table > "$wanted"
  fi
  [[ -s $wanted ]] || fail "no table of $1 ranks"
  for how in none puretask parallel_for; do
    on threads "$1" "$here/md" "${md_words[@]}" --tasks "$how" | table > got
    cmp -s "$wanted" got || fail "md, $1 ranks, $how: $(diff "$wanted" got)"
  done
}
for ranks in 1 2 4 8; do beside md_is_as_on_mpi "$ranks"; done
md_as_processes() {
  on threads 2 "$here/md" "${md_words[@]}" | table > wanted
  on processes 2 "$here/md" "${md_words[@]}" --tasks parallel_for | table > got
  [[ -s wanted ]] && cmp -s wanted got || fail "md as processes: $(diff wanted got)"
}
beside md_as_processes

# Who drifts along sees the same energies (Galileo): the crystal and its void pass through the ranks.
md_drifts() {
  on threads 4 "$here/md" "${md_words[@]}" --print-every 20 | table | tail -1 > still
  on threads 4 "$here/md" "${md_words[@]}" --print-every 20 --drift 0.4,-0.3,0.6 | table | tail -1 > drifting
  paste -d' ' still drifting | awk '
    function far(a, b) { return (a - b) ^ 2 > 1e-12 }
    NF != 12 || $1 != 20 || far($3, $9) || far($4, $10) || far($5, $11) { exit 1 }' || fail "drift changes energies: $(cat still drifting)"
  purerun_ends 2 -n 2 "$here/md" --drift 100,0,0
  grep -q 'drift moves atoms 100 A in a step of 1 fs' err || fail "a drift too fast: $(cat err)"
  purerun_ends 2 -n 2 "$here/md" --drift 1,0
  grep -q 'must be three numbers such as 0.1,0,0' err || fail "two numbers: $(cat err)"
}
beside md_drifts
together
finish
