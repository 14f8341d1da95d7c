#!/usr/bin/env bash
# bench/apps/amr: what an oracle computes (amr_oracle.py), and the same bits with any number of ranks, however blocks are
# shared out, with tasks and with OpenMP, on Pure and on MPI; what it refuses.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"

oracle=$top/tests/apps/amr_oracle.py
top_of_work=$work
mapfile -t mpis < <(found_mpis)

# made COMPILER FOLDER PROGRAM...
made() {
  local compiler=$1 folder=$top_of_work/$2
  shift 2
  make -C "$apps/amr" CXX="$compiler" CXXFLAGS='-O1 -ffp-contract=off -Werror' O="$folder" TASKS="$top/include" \
    "${@/#/$folder/}" > made 2>&1 || fail "make with $compiler: $(tail -40 made)"
}
most_beside=2
beside made purecxx pure amr amr_tasks amr_openmp
on_mpis=()
for mpi in "${mpis[@]}"; do
  beside made "mpicxx.$mpi" "$mpi" amr
  on_mpis+=("$mpi 2 $mpi/amr")
done
together
((failures == 0)) || finish

# checksum SYSTEM RANKS PROGRAM ARGUMENT...
checksum() {
  on "$1" "$2" "$top_of_work/$3" "${@:4}" > said 2> err || fail "$*: status $?: $(cat said err)"
  sed -n 's/^result: .* checksum=\([0-9a-f]*\) .*/\1/p' said
}
# One object that moves and one that stands, in a mesh that changes with every step.
moving=(--cells 4 --variables 3 --group 2 --steps 6 --stages 2 --refine-every 1
  --object kind=ellipsoid,at=0.3:0.4:0.5,radius=0.2:0.15:0.2,velocity=0.07:0:0.05,growth=0.01
  --object kind=cuboid,fill=solid,at=0.8:0.3:0.2,radius=0.1:0.05:0.1)
uneven=(--stencil 27 --work-in-objects 3 --balance off "${moving[@]}")

same_bits() { # same_bits OPTION...: everywhere
  local expected got run
  expected=$(checksum threads 1 pure/amr "$@")
  [[ $expected =~ ^[0-9a-f]{16}$ ]] || fail "no check sum: $(cat said)"
  local runs=('threads 2 pure/amr' 'threads 8 pure/amr' 'threads 4 pure/amr_tasks' 'processes 3 pure/amr_tasks'
    'threads 2 pure/amr_openmp' "${on_mpis[@]}")
  for run in "${runs[@]}"; do
    read -ra run <<< "$run"
    got=$(checksum "${run[@]}" "$@")
    [[ $got == "$expected" ]] || fail "${run[*]} $*: $got, not $expected"
  done
}
export OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
beside same_bits "${moving[@]}"
beside same_bits "${uneven[@]}"

# Sharing out, groups and check sums in between change nothing.
sharing_changes_nothing() {
  local expected=
  for options in '--balance on --balance-threshold 0' '--balance start --group 1' '--balance off --group 99 --checksum-every 2'; do
    # shellcheck disable=SC2086 # several words
    got=$(checksum threads 5 pure/amr "${moving[@]}" $options)
    [[ ${expected:=$got} == "$got" ]] || fail "$options: $got, not $expected"
  done
  [[ $(grep -c '^checksum after step [246]: ' said) == 3 ]] || fail "check sums in between: $(cat said)"
  # What has 7 points changes no mean but by rounding.
  grep -qE ' drift=[0-9.]+e-1[4-9]$| drift=0.00e\+00$' said || fail "the means drift: $(grep '^result' said)"
}
beside sharing_changes_nothing

# right OPTION...: what the oracle says, too
right() {
  on threads 3 "$top_of_work/pure/amr_tasks" "$@" > said 2> err || fail "$*: status $?: $(cat said err)"
  "$oracle" "$@" < said > wrong 2>&1 || fail "$*: $(cat wrong)"
}
small=(--cells 4 --variables 2 --steps 2 --stages 2)
beside right "${small[@]}" --blocks 2,3,1 --levels 0 --object none
beside right "${small[@]}" --blocks 2,3,1 --levels 0 --object none --stencil 27
sphere=kind=sphere,at=0.3:0.4:0.5,radius=0.2,velocity=0.1:0:0.05
beside right --blocks 2,2,2 --cells 2 --variables 1 --levels 2 --steps 3 --stages 2 --refine-every 1 --object "$sphere"
beside right "${small[@]}" --blocks 2,2,2 --levels 1 --refine-every 1 --work-in-objects 2 \
  --object kind=cuboid,fill=solid,at=0.7:0.2:0.6,radius=0.1:0.15:0.1,velocity=0:-0.1:0.05
beside right --blocks 2,2,1 --cells 2 --variables 1 --levels 2 --steps 2 --stages 1 --refine-every 1 --stencil 27 \
  --work-in-objects 2 --object "$sphere"
the_oracle_finds_differences() {
  on threads 3 "$top_of_work/pure/amr" "${small[@]}" --blocks 2,3,1 --levels 0 --object none > said 2> err
  "$oracle" "${small[@]}" --blocks 2,3,1 --levels 0 --object none --steps 1 < said > /dev/null && fail 'the oracle finds nothing'
}
beside the_oracle_finds_differences

# refused TEXT ARGUMENT...
refused() {
  purerun_ends 2 -n 2 "$top_of_work/pure/amr" "${@:2}"
  [[ $(grep -cF -- "$1" err) == 1 ]] || fail "amr ${*:2}: not once '$1': $(cat err)"
}
refusals() {
  refused "There is no option '--cell' (--help lists them)." --cell 8
  refused '--cells needs a value.' --cells
  refused "--cells expects a whole number from 2 to 256, not '8x'." --cells 8x
  refused '--cells must be even' --cells 7
  refused "--blocks expects three whole numbers from 1 to 4096, X,Y,Z, not '4,4'." --blocks 4,4
  refused 'The 1 root blocks of --blocks are fewer than the 2 ranks.' --blocks 1,1,1
  refused 'more than 524288 blocks along an axis' --blocks 4096,1,1 --levels 8
  refused "--stencil expects 7 or 27, not '9'." --stencil 9
  refused "an object (see --help), but for its part 'radius=-1'" --object radius=-1
  refused 'The mesh would have more than 4194304 blocks' --levels 9 --object fill=solid,at=0.5:0.5:0.5,radius=1
  refused 'MiB on a node' --cells 256 --variables 120
  refused 'more than a message holds' --cells 256 --variables 10000
  purerun_ends 0 -n 2 "$top_of_work/pure/amr" --help
  local option
  for option in $(grep -o '{"--[a-z-]*"' "$apps/amr/options.cpp" | tr -d '{"'); do
    grep -q -- "^  $option " out || fail "--help does not have $option"
  done
  [[ $(grep -c '^usage: amr' out) == 1 ]] || fail "help is printed $(grep -c '^usage: amr' out) times"
}
beside refusals
together

# What tasks add is the lesson: a few lines.
added=$(diff "$apps/amr/loops.cpp" "$apps/amr/loops_tasks.cpp" | grep -c '^>')
((added <= 8)) || fail "tasks take $added lines"
finish
