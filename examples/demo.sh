#!/usr/bin/env bash
# What `make demo` shows after the build: the examples on all cores, checked; beside every MPI that they were built for;
# with work that is unevenly spread, where Pure shares it by tasks and MPI by OpenMP; and a timeline of who did what.
# Takes about a minute on two cores.
#
# usage: examples/demo.sh [--long] [BUILD_DIR]     (build/release)
#
#   --long   runs of about a second rather than a fifth: for figures that are written down
set -euo pipefail

long=1
if [[ ${1:-} == --long ]]; then
  long=4
  shift
fi
build=${1:-build/release}
potential=/usr/share/lammps/potentials/Cu_u6.eam
repeats=3

# ---- the terminal ------------------------------------------------------------------------------------------------

bold='' dim='' green='' red='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
  bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'
fi

title() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
note() { printf '%s%s%s\n' "$dim" "$*" "$plain"; }
die() {
  printf '%sdemo: %s%s\n' "$red" "$*" "$plain" >&2
  exit 1
}

# A line that the next one replaces; on a terminal only.
status() { [[ ! -t 1 ]] || printf '\r\e[K%s%s%s' "$dim" "$*" "$plain"; }

# ---- what there is -----------------------------------------------------------------------------------------------

purerun=$build/bin/purerun
for file in "$purerun" "$build/examples/md/md" "$build/examples/random_stencil/random_stencil"; do
  [[ -x $file ]] || die "$file is not there: build first (make demo)"
done

# As many as purerun takes by itself: nproc counts hardware threads.
said=$("$purerun" "$build/examples/random_stencil/random_stencil" --size 10 --iterations 1 2>&1) ||
  die "no job can start here:"$'\n'"$said"
ranks=$(sed -nE '1s/.*: ([0-9]+) ranks?, .*/\1/p' <<< "$said")
[[ $ranks ]] || die "random_stencil does not say how many ranks it has:"$'\n'"$said"

mpis=() hybrids=()
for mpi in mpich openmpi mpi; do
  launcher=mpiexec.$mpi
  command -v "$launcher" > /dev/null || launcher=mpiexec
  command -v "$launcher" > /dev/null || continue
  [[ ! -x $build/examples/md/md_$mpi ]] || mpis+=("$mpi")
  [[ ! -x $build/examples/md/md_hybrid_$mpi ]] || hybrids+=("hybrid_$mpi")
done

# MPI with OpenMP: ranks of up to eight threads.
threads=8
while ((ranks % threads != 0)); do threads=$((threads - 1)); done

has_potential=1
[[ -r $potential ]] || has_potential=

declare -A system_name=([pure]=Pure [mpich]=MPICH [openmpi]="Open MPI" [mpi]=MPI
  [messages]="Pure, messages only" [puretask]="Pure, PureTask" [parallel_for]="Pure, parallel_for"
  [hybrid_mpich]="MPICH + OpenMP" [hybrid_openmpi]="Open MPI + OpenMP" [hybrid_mpi]="MPI + OpenMP")

# launch SYSTEM PROGRAM ARGUMENT...: one run on all cores. The system "pure" is the program by that name; others are
# versions of the example.
launch() {
  local system=$1 program=$2
  shift 2
  local example=${program%_messages}
  local path=$build/examples/$example/$example
  case $system in
    pure) "$purerun" -n "$ranks" "$build/examples/$example/$program" "$@" ;;
    messages | puretask | parallel_for)
      case $program in
        md) "$purerun" -n "$ranks" "$path" --tasks "${system/messages/none}" "$@" ;;
        random_stencil)
          [[ $system == puretask ]] || path+=_$system
          "$purerun" -n "$ranks" "$path" "$@"
          ;;
      esac
      ;;
    hybrid_*)
      OMP_NUM_THREADS=$threads OMP_PROC_BIND=close launch_mpi "${system#hybrid_}" "$((ranks / threads))" "$threads" \
        "${path}_$system" "$@"
      ;;
    *) launch_mpi "$system" "$ranks" 1 "${path}_$system" "$@" ;;
  esac
}

# launch_mpi FAMILY RANKS CORES_OF_EACH PROGRAM ARGUMENT...
launch_mpi() {
  local family=$1 ranks=$2 cores=$3
  shift 3
  case $family in
    mpich) "$(first_of mpiexec.mpich mpiexec)" -bind-to "core:$cores" -n "$ranks" "$@" ;;
    openmpi)
      local root=()
      [[ $(id -u) != 0 ]] || root=(--allow-run-as-root)
      "$(first_of mpiexec.openmpi mpiexec)" "${root[@]}" --map-by "slot:PE=$cores" --bind-to core -n "$ranks" "$@"
      ;;
    mpi) mpiexec -n "$ranks" "$@" ;;
  esac
}

first_of() {
  command -v "$1" || command -v "$2"
}

# ---- the programs ------------------------------------------------------------------------------------------------

# crystal EDGE: a crystal that grows with the number of ranks; each prime factor lengthens the axis that is shortest.
crystal() {
  axes "$1"
  echo "--nx ${axis[0]} --ny ${axis[1]} --nz ${axis[2]}"
}

# hollow_crystal EDGE: the same; the last rank has lost about two thirds of its atoms.
hollow_crystal() {
  axes "$1"
  local void
  void=$(awk -v edge="$1" -v x="${axis[0]}" -v y="${axis[1]}" -v z="${axis[2]}" \
    'BEGIN { printf "%g,%g,%g,0.55", 1 - edge / (2 * x), 1 - edge / (2 * y), 1 - edge / (2 * z) }')
  echo "$(crystal "$1") --void $void"  # one line
}

axes() {
  local factor
  axis=("$1" "$1" "$1")
  for factor in $(factor "$ranks" | cut -d: -f2); do
    local least=2
    ((axis[1] < axis[least])) && least=1
    ((axis[0] < axis[least])) && least=0
    axis[least]=$((axis[least] * factor))
  done
}

# Name, program and arguments of what is compared; about a fifth of a second each. ELEMENTS: of a rank, which has more of them where
# it has threads.
elements=10000
even=(
  "random-work stencil (Listing 2)|random_stencil|--size $elements --iterations $((200 * long)) --no-check"
  "the same without task, 10 elements|random_stencil_messages|--size 10 --iterations $((600000 * long)) --work 0 --no-check"
  "md, Lennard-Jones|md|$(crystal 16) --steps $((10 * long)) --print-every $((10 * long))"
  "md, Lennard-Jones, 256 atoms a rank|md|$(crystal 4) --steps $((500 * long)) --print-every $((500 * long))"
)
heavy_stencil="--size ELEMENTS --iterations $((100 * long)) --no-check --imbalance 3 --parts $ranks"
uneven=(
  "stencil 1:3|random_stencil|$heavy_stencil"
  "stencil moving|random_stencil|$heavy_stencil --moving 10"
)
if [[ $has_potential ]]; then
  eam="--potential eam --file $potential"
  uneven+=("md, voids, EAM|md|$(hollow_crystal 14) $eam --steps $((15 * long)) --print-every $((15 * long))")
else
  uneven+=("md, voids, LJ|md|$(hollow_crystal 16) --steps $((15 * long)) --print-every $((15 * long))")
fi

show() {
  title "\$ purerun -n $ranks $1 ${*:2}"
  launch pure "$@" || die "$1 failed"
}

show_all() {
  show random_stencil --size 10000 --iterations 100
  # shellcheck disable=SC2046  # the crystal is several words
  show md $(crystal 16) --steps 20
  if [[ $has_potential ]]; then
    # shellcheck disable=SC2046
    show md $(crystal 12) --potential eam --file "$potential" --steps 20
  else
    note "Embedded atom is skipped: $potential is not there. It comes with Debian's package lammps-data:"
    note "  apt-get install lammps-data"
  fi
}

# ---- side by side ------------------------------------------------------------------------------------------------

median() {
  printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Runs SYSTEM once: sets `seconds` to the loop time and, if it is md, `energy` to what it printed last and `imbalance` to
# how many times as long as the average the busiest rank computed.
seconds='' energy='' imbalance=''
measure() {
  local output
  output=$(launch "$@" 2>&1) || die "$2 failed on ${system_name[$1]}:"$'\n'"$output"
  seconds=$(awk '/loop time/ { print $3 }' <<< "$output")
  energy=$(awk '$1 ~ /^[0-9]+$/ && NF >= 6 { last = $3 } END { print last }' <<< "$output")
  imbalance=$(sed -nE 's/.*: imbalance ([0-9.]+)$/\1/p' <<< "$output")
  [[ $seconds ]] || die "$2 on ${system_name[$1]} printed no loop time:"$'\n'"$output"
}

# same_energy A B SYSTEM: to the last digit; with fewer ranks, to rounding.
same_energy() {
  [[ $1 == "$2" ]] || { [[ $3 == hybrid_* ]] && awk "BEGIN { d = ($1) - ($2); exit !(d < 1e-8 && d > -1e-8) }"; }
}

# Fills time["PROGRAM SYSTEM"], and allowed["PROGRAM"] for md, with medians. The systems take turns, so that a
# disturbance meets all of them.
declare -A time=() allowed=()
measure_all() {
  local total=$((${#compared[@]} * ${#systems[@]} * repeats)) run=0 which name program arguments round system elements_here
  time=() allowed=()
  for which in "${!compared[@]}"; do
    IFS='|' read -r name program arguments <<< "${compared[$which]}"
    local -A samples=() energies=()
    local imbalances=
    for ((round = 1; round <= repeats; ++round)); do
      for system in "${systems[@]}"; do
        run=$((run + 1))
        status "[$run/$total] $name on ${system_name[$system]}"
        elements_here=$elements
        [[ $system != hybrid_* ]] || elements_here=$((elements * threads))
        # shellcheck disable=SC2086  # the arguments are several words
        measure "$system" "$program" ${arguments/ELEMENTS/$elements_here}
        samples[$system]+=" $seconds"
        energies[$system]=$energy
        [[ $system != messages ]] || imbalances+=" $imbalance"
      done
    done
    for system in "${systems[@]}"; do
      # shellcheck disable=SC2086
      time["$which $system"]=$(median ${samples[$system]})
      same_energy "${energies[$system]}" "${energies[${systems[0]}]}" "$system" ||
        die "$name: the last energy is ${energies[$system]} on ${system_name[$system]}, ${energies[${systems[0]}]} on Pure"
    done
    # shellcheck disable=SC2086
    allowed[$which]=$(median $imbalances)
    status ''
    [[ -t 1 ]] || note "[$run/$total] $name: done"
  done
}

# fastest WHICH SYSTEM...: the shortest time.
fastest() {
  local which=$1 system
  shift
  for system in "$@"; do echo "${time["$which $system"]}"; done | sort -g | head -n 1
}

# Leaves in `hybrids` the one of the MPI that was faster with the programs just measured.
keep_hybrid_of_best() {
  local which mpi best
  best=$(for mpi in "${mpis[@]}"; do
    for which in "${!compared[@]}"; do echo "$mpi ${time["$which $mpi"]} ${time["$which pure"]}"; done
  done | awk '{ sum[$1] += log($2 / $3) } END { for (m in sum) print sum[m], m }' | sort -g | awk 'NR == 1 { print $2 }')
  [[ " ${hybrids[*]} " != *" hybrid_$best "* ]] || hybrids=("hybrid_$best")
}

# times A B: how many times B fits into A.
times() {
  awk "BEGIN { printf \"%.2f\", $1 / $2 }"
}

# One line for each program, one column for each system.
print_even() {
  local which name program arguments system
  printf '\n%s  %-38s' "$bold" "seconds, median of $repeats, $ranks ranks"
  for system in "${systems[@]}"; do printf '%10s' "${system_name[$system]}"; done
  ((${#mpis[@]} == 0)) || printf '%14s' "MPI / Pure"
  printf '%s\n' "$plain"
  for which in "${!compared[@]}"; do
    IFS='|' read -r name program arguments <<< "${compared[$which]}"
    printf '  %-38s' "$name"
    for system in "${systems[@]}"; do printf '%10.3f' "${time["$which $system"]}"; done
    if ((${#mpis[@]} > 0)); then
      local ratio colour=$plain
      ratio=$(times "$(fastest "$which" "${mpis[@]}")" "${time["$which pure"]}")
      awk "BEGIN { exit !($ratio >= 1.005) }" && colour=$green
      printf '%s%14s%s' "$colour" "$ratio" "$plain"
    fi
    printf '\n'
  done
}

# One line for each system, one column for each program.
print_uneven() {
  local which name program arguments system how
  printf '\n%s  %-38s' "$bold" "seconds, median of $repeats, $ranks cores"
  for which in "${!compared[@]}"; do printf '%16s' "${compared[$which]%%|*}"; done
  printf '%s\n' "$plain"
  for system in "${systems[@]}"; do
    printf '  %-38s' "${system_name[$system]}"
    for which in "${!compared[@]}"; do printf '%16.3f' "${time["$which $system"]}"; done
    printf '\n'
  done
  print_ratio "messages only / the better of Pure's tasks" messages
  ((${#mpis[@]} == 0)) || print_ratio "best MPI / the better of Pure's tasks" "${mpis[@]}"
  ((${#hybrids[@]} == 0)) || print_ratio "MPI + OpenMP / the same" "${hybrids[@]}"
  for which in "${!compared[@]}"; do
    [[ ${allowed[$which]} ]] || continue
    printf '\n'
    note "  ${compared[$which]%%|*}: by messages only the busiest rank computes ${allowed[$which]} times as long as the average," \
      "which is the speed-up that sharing can give."
    for how in puretask parallel_for; do
      note "  ${system_name[$how]} gives $(times "${time["$which messages"]}" "${time["$which $how"]}"):" \
        "$(awk "BEGIN { printf \"%.0f\", 100 * ${time["$which messages"]} / ${time["$which $how"]} / ${allowed[$which]} }") %."
    done
  done
}

# print_ratio NAME SYSTEM...: how many times as long these take, at best, as Pure with tasks.
print_ratio() {
  local which
  printf '%s  %-42s%s' "$green" "$1" "$plain"
  shift
  for which in "${!compared[@]}"; do
    printf '%s%*s%s' "$green" "$((which == 0 ? 12 : 16))" \
      "$(times "$(fastest "$which" "$@")" "$(fastest "$which" puretask parallel_for)")" "$plain"
  done
  printf '\n'
}

# Who did what: the paper's Figure 1, of a real run. `pure`, which draws it, is not built for the demo alone: half a minute
# of a core.
timeline() {
  local trace=$build/timeline.json picture=$build/timeline.png
  local program=$build/examples/random_stencil/random_stencil
  local arguments=(--size 4000 --iterations 4 --imbalance 3 --no-check)
  title "\$ purerun --trace $trace -n $ranks random_stencil ${arguments[*]}"
  "$purerun" --trace "$trace" -n "$ranks" "$program" "${arguments[@]}"
  if [[ -x $build/bin/pure ]]; then
    title "\$ pure trace $trace --png $picture"
    "$build/bin/pure" trace "$trace" --png "$picture"
    note "The timeline is in $picture; $trace opens in https://ui.perfetto.dev"
  else
    note "The timeline $trace opens in https://ui.perfetto.dev. 'make' builds everything else, too; then this is a picture:"
    note "  $build/bin/pure trace $trace --png $picture"
  fi
}

# ---- main --------------------------------------------------------------------------------------------------------

processor=$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)
title "Pure: the examples on $ranks cores${processor:+ of $processor}"
show_all

if ((${#mpis[@]} == 0)); then
  title "Pure alone"
  note "No MPI was found when the examples were built, so there is nothing to compare with. Install MPICH or Open MPI with"
  note "its C++ compiler (Debian: mpich libmpich-dev), and run make demo again."
else
  title "Side by side: the same programs on Pure and on MPI, in turn"
fi
compared=("${even[@]}")
systems=(pure "${mpis[@]}")
measure_all
print_even
if ((${#mpis[@]} > 0)); then
  note "  MPI / Pure: the best MPI's time over Pure's; above 1, Pure is faster. All energies agree to the last digit."
fi

title "The work of one rank is less, or that of one is more: ranks that wait take over"
keep_hybrid_of_best # the other one would take its time and show nothing
compared=("${uneven[@]}")
systems=(messages puretask parallel_for "${mpis[@]}" "${hybrids[@]}")
measure_all
print_uneven

timeline
