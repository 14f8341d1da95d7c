#!/usr/bin/env bash
# What `make demo` shows after the build: the examples on all cores, checked, and beside every MPI that they were built
# for. Takes a minute or two.
#
# usage: examples/demo.sh [BUILD_DIR]     (build/release)
set -euo pipefail

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
for file in "$purerun" "$build/bin/pure" "$build/examples/md/md" "$build/examples/random_stencil/random_stencil"; do
  [[ -x $file ]] || die "$file is not there: build first (cmake --preset release && cmake --build --preset release)"
done

# What purerun would take, too: nproc counts hardware threads.
ranks=$("$build/bin/pure" info --json | sed -nE 's/^ *"ranks": ([0-9]+),?$/\1/p') ||
  die "no job can start here: $build/bin/pure info says why"

systems=(pure)
for mpi in mpich openmpi mpi; do
  launcher=mpiexec.$mpi
  command -v "$launcher" > /dev/null || launcher=mpiexec
  if [[ -x $build/examples/md/md_$mpi ]] && command -v "$launcher" > /dev/null; then
    systems+=("$mpi")
  fi
done

has_potential=1
[[ -r $potential ]] || has_potential=

declare -A system_name=([pure]=Pure [mpich]=MPICH [openmpi]="Open MPI" [mpi]=MPI)

# launch SYSTEM PROGRAM ARGUMENT...: one run on all cores.
launch() {
  local system=$1 program=$2
  shift 2
  local path=$build/examples/$program/$program
  case $system in
    pure) "$purerun" -n "$ranks" "$path" "$@" ;;
    mpich) "$(first_of mpiexec.mpich mpiexec)" -bind-to core -n "$ranks" "${path}_mpich" "$@" ;;
    openmpi)
      local root=()
      [[ $(id -u) != 0 ]] || root=(--allow-run-as-root)
      "$(first_of mpiexec.openmpi mpiexec)" "${root[@]}" --bind-to core -n "$ranks" "${path}_openmpi" "$@"
      ;;
    mpi) mpiexec -n "$ranks" "${path}_mpi" "$@" ;;
  esac
}

first_of() {
  command -v "$1" || command -v "$2"
}

# ---- the programs ------------------------------------------------------------------------------------------------

# A crystal that grows with the number of ranks: each prime factor lengthens the axis that is shortest.
crystal() {
  local edge=$1 factor n=$ranks
  local axis=("$edge" "$edge" "$edge")
  for factor in $(factor "$n" | cut -d: -f2); do
    local least=2
    ((axis[1] < axis[least])) && least=1
    ((axis[0] < axis[least])) && least=0
    axis[least]=$((axis[least] * factor))
  done
  echo "--nx ${axis[0]} --ny ${axis[1]} --nz ${axis[2]}"
}

# Name, program and arguments of what is compared; about a second each.
compared=(
  "random-work stencil (Listing 2)|random_stencil|--size 10000 --iterations 1000 --no-check"
  "the same, 10 elements a rank|random_stencil|--size 10 --iterations 3000000 --work 0 --no-check"
  "md, Lennard-Jones|md|$(crystal 20) --steps 25 --print-every 25"
  "md, Lennard-Jones, 256 atoms a rank|md|$(crystal 4) --steps 2500 --print-every 2500"
)
if [[ $has_potential ]]; then
  compared+=("md, embedded atom (Cu_u6)|md|$(crystal 14) --potential eam --file $potential --steps 60 --print-every 60")
fi

show() {
  title "\$ purerun -n $ranks $1 ${*:2}"
  launch pure "$@" || die "$1 failed"
}

show_all() {
  show random_stencil --size 10000 --iterations 200
  # shellcheck disable=SC2046  # the crystal is several words
  show md $(crystal 20) --steps 30
  if [[ $has_potential ]]; then
    # shellcheck disable=SC2046
    show md $(crystal 14) --potential eam --file "$potential" --steps 50
  else
    note "Embedded atom is skipped: $potential is not there. It comes with Debian's package lammps-data:"
    note "  apt-get install lammps-data"
  fi
}

# ---- side by side ------------------------------------------------------------------------------------------------

median() {
  printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Runs SYSTEM once: sets `seconds` to the loop time, and `energy` to what md printed last, if it is md.
seconds='' energy=''
measure() {
  local output
  output=$(launch "$@" 2>&1) || die "$2 failed on ${system_name[$1]}:"$'\n'"$output"
  seconds=$(awk '/loop time/ { print $3 }' <<< "$output")
  energy=$(awk '$1 ~ /^[0-9]+$/ && NF >= 6 { last = $3 } END { print last }' <<< "$output")
  [[ $seconds ]] || die "$2 on ${system_name[$1]} printed no loop time:"$'\n'"$output"
}

# Fills time["PROGRAM SYSTEM"] with medians. The systems take turns, so that a disturbance meets all of them.
declare -A time=()
measure_all() {
  local total=$((${#compared[@]} * ${#systems[@]} * repeats)) run=0 which name program arguments round system
  for which in "${!compared[@]}"; do
    IFS='|' read -r name program arguments <<< "${compared[$which]}"
    local -A samples=() energies=()
    for ((round = 1; round <= repeats; ++round)); do
      for system in "${systems[@]}"; do
        run=$((run + 1))
        status "[$run/$total] $name on ${system_name[$system]}"
        # shellcheck disable=SC2086  # the arguments are several words
        measure "$system" "$program" $arguments
        samples[$system]+=" $seconds"
        energies[$system]=$energy
      done
    done
    for system in "${systems[@]}"; do
      # shellcheck disable=SC2086
      time["$which $system"]=$(median ${samples[$system]})
      [[ ${energies[$system]} == "${energies[pure]}" ]] ||
        die "$name: the last energy is ${energies[$system]} on ${system_name[$system]}, ${energies[pure]} on Pure"
    done
    status ''
    [[ -t 1 ]] || note "[$run/$total] $name: done"
  done
}

print_table() {
  local which name program arguments system
  local -a others=("${systems[@]:1}")
  printf '\n%s  %-38s' "$bold" "seconds, median of $repeats, $ranks ranks"
  for system in "${systems[@]}"; do printf '%10s' "${system_name[$system]}"; done
  ((${#others[@]} == 0)) || printf '%14s' "MPI / Pure"
  printf '%s\n' "$plain"
  for which in "${!compared[@]}"; do
    IFS='|' read -r name program arguments <<< "${compared[$which]}"
    printf '  %-38s' "$name"
    local best=''
    for system in "${systems[@]}"; do
      local t=${time["$which $system"]}
      printf '%10.3f' "$t"
      if [[ $system != pure ]] && { [[ -z $best ]] || awk "BEGIN { exit !($t < $best) }"; }; then best=$t; fi
    done
    if [[ $best ]]; then
      local ratio
      ratio=$(awk "BEGIN { printf \"%.2f\", $best / ${time["$which pure"]} }")
      local colour=$plain
      awk "BEGIN { exit !($ratio >= 1.005) }" && colour=$green
      printf '%s%14s%s' "$colour" "$ratio" "$plain"
    fi
    printf '\n'
  done
}

# ---- main --------------------------------------------------------------------------------------------------------

processor=$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)
title "Pure: the examples on $ranks cores${processor:+ of $processor}"
show_all

if ((${#systems[@]} == 1)); then
  title "Pure alone"
  note "No MPI was found when the examples were built, so there is nothing to compare with. To see both side by side:"
  note "  apt-get install mpich libmpich-dev && make demo"
else
  title "Side by side: the same programs on Pure and on MPI, in turn"
fi
measure_all
print_table
if ((${#systems[@]} > 1)); then
  note "  MPI / Pure: the best MPI's time over Pure's; above 1, Pure is faster. All energies agree to the last digit."
fi
