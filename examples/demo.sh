#!/usr/bin/env bash
# What `make demo` shows after the build: the examples on all cores, checked; beside every MPI that they were built for;
# with work that is unevenly spread, where Pure shares it by tasks and MPI by OpenMP; and a timeline of who did what.
# Takes about 45 seconds where the machine has nothing else to do.
#
# What is compared takes turns (A B C A B C ...), at least five times, until every ratio is known to 3 % or the time for it
# is over. A ratio is shown with its spread (paired_ratio.awk says what that is), and called level where 1 lies within.
#
# usage: examples/demo.sh [--long | --short] [BUILD_DIR]     (build/release)
#
#   --long    runs of a second rather than a seventh, and more of them: for figures that are written down
#   --short   each comparison twice: shows that all works and agrees, not how fast it is
set -euo pipefail

run_seconds=0.15 seconds_of_each=6 # of a run; of all runs of one program
fewest_rounds=5 most_rounds=15 good_spread=0.03
case ${1:-} in
  --long) run_seconds=1 seconds_of_each=60 && shift ;;
  --short) fewest_rounds=2 most_rounds=2 && shift ;;
esac
build=${1:-build/release}
potential=/usr/share/lammps/potentials/Cu_u6.eam
here=$(dirname "${BASH_SOURCE[0]}")

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

# shellcheck source=SCRIPTDIR/demo_systems.bash
source "$here/demo_systems.bash" # ranks, threads, mpis, hybrids, has_potential, system_name, launch

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

# Name, program and arguments of what is compared. STEPS: of a run of run_seconds; first, those that are tried, about a fifth
# of a second of two cores. ELEMENTS: of a rank, which has more of them where it has threads.
elements=10000
even=(
  "random-work stencil|random_stencil|200|--size $elements --iterations STEPS --no-check"
  "without work, 10 elements|random_stencil_messages|600000|--size 10 --iterations STEPS --work 0 --no-check"
  "md, Lennard-Jones|md|10|$(crystal 16) --steps STEPS --print-every STEPS"
  "md, 256 atoms a rank|md|500|$(crystal 4) --steps STEPS --print-every STEPS"
)
heavy_stencil="--size ELEMENTS --iterations STEPS --no-check --imbalance 3 --parts $ranks"
uneven=(
  "stencil 1:3|random_stencil|100|$heavy_stencil"
  "stencil moving|random_stencil|100|$heavy_stencil --moving 10"
)
if [[ $has_potential ]]; then
  eam="--potential eam --file $potential"
  uneven+=("md, voids, EAM|md|15|$(hollow_crystal 14) $eam --steps STEPS --print-every STEPS")
else
  uneven+=("md, voids, LJ|md|15|$(hollow_crystal 16) --steps STEPS --print-every STEPS")
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

# The samples of two systems in turn, as lists: sets `ratio`, `spread` and `verdict` (paired_ratio.awk).
ratio='' spread='' verdict=''
compare() {
  local -a first=($1) second=($2)
  local i
  read -r ratio spread _ verdict < <(
    for i in "${!first[@]}"; do echo "${first[i]} ${second[i]}"; done | awk -f "$here/paired_ratio.awk"
  ) || die "no ratio of '$1' and '$2'"
}

# Microseconds since the epoch; date itself would take a millisecond.
now_us() { echo "${EPOCHREALTIME/[.,]/}"; }

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

# Fills samples["PROGRAM SYSTEM"], in the order of the rounds, time["PROGRAM SYSTEM"] with their medians, and
# allowed["PROGRAM"] for md. Each program has its time; the first run, by which the number of steps is chosen, does not
# count.
declare -A samples=() time=() allowed=()
measure_all() {
  local which name program steps arguments round system elements_here began
  samples=() time=() allowed=()
  for which in "${!compared[@]}"; do
    IFS='|' read -r name program steps arguments <<< "${compared[$which]}"
    local -A energies=()
    local imbalances=
    began=$(now_us)
    status "$name: how many steps take $run_seconds s"
    # shellcheck disable=SC2086  # the arguments are several words
    measure "${systems[0]}" "$program" $(with_steps "$steps" "$elements" "$arguments")
    steps=$(awk "BEGIN { n = $steps * $run_seconds / ($seconds > 0.001 ? $seconds : 0.001); print int(n < 1 ? 1 : n) }")
    for ((round = 1; round <= most_rounds; ++round)); do
      for system in "${systems[@]}"; do
        status "$name, round $round: ${system_name[$system]}"
        elements_here=$elements
        [[ $system != hybrid_* ]] || elements_here=$((elements * threads))
        # shellcheck disable=SC2086
        measure "$system" "$program" $(with_steps "$steps" "$elements_here" "$arguments")
        samples["$which $system"]+=" $seconds"
        energies[$system]=$energy
        [[ $system != messages ]] || imbalances+=" $imbalance"
      done
      ((round < fewest_rounds)) || ! is_known "$which" || break
      ((round < fewest_rounds || $(now_us) - began < seconds_of_each * 1000000)) || break
    done
    for system in "${systems[@]}"; do
      # shellcheck disable=SC2086
      time["$which $system"]=$(median ${samples["$which $system"]})
      same_energy "${energies[$system]}" "${energies[${systems[0]}]}" "$system" ||
        die "$name: the last energy is ${energies[$system]} on ${system_name[$system]}, ${energies[${systems[0]}]} on Pure"
    done
    # shellcheck disable=SC2086
    allowed[$which]=$(median $imbalances)
    status ''
    [[ -t 1 ]] || note "$name: done, $((round > most_rounds ? most_rounds : round)) rounds"
  done
}

# with_steps STEPS ELEMENTS ARGUMENTS
with_steps() {
  local all=${3//STEPS/$1}
  echo "${all//ELEMENTS/$2}"
}

# is_known WHICH: whether the times of all systems, over the first one's, are known well enough.
is_known() {
  local system
  for system in "${systems[@]:1}"; do
    compare "${samples["$1 $system"]}" "${samples["$1 ${systems[0]}"]}"
    awk "BEGIN { exit !($spread <= $good_spread * $ratio) }" || return
  done
}

# fastest WHICH SYSTEM...: the one with the shortest time.
fastest() {
  local which=$1 system
  shift
  for system in "$@"; do echo "${time["$which $system"]} $system"; done | sort -g | awk 'NR == 1 { print $2 }'
}

# best_of_mpis: the MPI that was faster with the programs just measured.
best_of_mpis() {
  local which mpi
  for mpi in "${mpis[@]}"; do
    for which in "${!compared[@]}"; do echo "$mpi ${time["$which $mpi"]} ${time["$which pure"]}"; done
  done | awk '{ sum[$1] += log($2 / $3) } END { for (m in sum) print sum[m], m }' | sort -g | awk 'NR == 1 { print $2 }'
}

# times A B: how many times B fits into A.
times() {
  awk "BEGIN { printf \"%.2f\", $1 / $2 }"
}

# print_comparison WIDTH WHICH A B: how many times as long A takes as B, with its spread, or that they are level.
print_comparison() {
  local width=$1 colour=$plain text
  compare "${samples["$2 $3"]}" "${samples["$2 $4"]}"
  text=$(printf '%.2f +- %.2f' "$ratio" "$spread")
  case $verdict in
    level) text="level ($text)" ;;
    more) colour=$green ;;
  esac
  printf '%s%*s%s' "$colour" "$width" "$text" "$plain"
}

# One line for each program, one column for each system.
print_even() {
  local which name system
  printf '\n%s  %-26s' "$bold" "median seconds, $ranks ranks"
  for system in "${systems[@]}"; do printf '%9s' "${system_name[$system]}"; done
  ((${#mpis[@]} == 0)) || printf '%24s' "best MPI / Pure"
  printf '%s\n' "$plain"
  for which in "${!compared[@]}"; do
    name=${compared[$which]%%|*}
    printf '  %-26s' "$name"
    for system in "${systems[@]}"; do printf '%9.3f' "${time["$which $system"]}"; done
    ((${#mpis[@]} == 0)) || print_comparison 24 "$which" "$(fastest "$which" "${mpis[@]}")" pure
    printf '\n'
  done
}

# One line for each system, one column for each program.
print_uneven() {
  local which system how
  printf '\n%s  %-20s' "$bold" "median seconds"
  for which in "${!compared[@]}"; do printf '%24s' "${compared[$which]%%|*}"; done
  printf '%s\n' "$plain"
  for system in "${systems[@]}"; do
    printf '  %-20s' "${system_name[$system]}"
    for which in "${!compared[@]}"; do printf '%24.3f' "${time["$which $system"]}"; done
    printf '\n'
  done
  print_ratios "messages / tasks" messages
  [[ -z $best_mpi ]] || print_ratios "MPI / tasks" "$best_mpi"
  ((${#hybrids[@]} == 0)) || print_ratios "MPI+OpenMP / tasks" "${hybrids[@]}"
  for which in "${!compared[@]}"; do
    [[ ${allowed[$which]} ]] || continue
    printf '\n'
    note "  ${compared[$which]%%|*}: by messages only the busiest rank computes ${allowed[$which]} times as long"
    note "  as the average, which is the speed-up that sharing can give."
    for how in puretask parallel_for; do
      note "  ${system_name[$how]} gives $(times "${time["$which messages"]}" "${time["$which $how"]}"):" \
        "$(awk "BEGIN { printf \"%.0f\", 100 * ${time["$which messages"]} / ${time["$which $how"]} / ${allowed[$which]} }") %."
    done
  done
}

# print_ratios NAME SYSTEM...: how many times as long these take, at best, as the better of Pure's tasks.
print_ratios() {
  local which name=$1
  shift
  printf '  %-20s' "$name"
  for which in "${!compared[@]}"; do
    print_comparison 24 "$which" "$(fastest "$which" "$@")" "$(fastest "$which" puretask parallel_for)"
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
  note "  best MPI / Pure: how many times as long the faster MPI takes; +- is its spread, and level is what 1 lies within."
  note "  All energies agree to the last digit."
fi

title "The work of one rank is less, or that of one is more: ranks that wait take over"
# The MPI that was slower would take its time and show nothing.
best_mpi='' best_hybrid=()
if ((${#mpis[@]} > 0)); then
  best_mpi=$(best_of_mpis)
  [[ " ${hybrids[*]} " != *" hybrid_$best_mpi "* ]] || best_hybrid=("hybrid_$best_mpi")
fi
hybrids=("${best_hybrid[@]}")
compared=("${uneven[@]}")
systems=(messages puretask parallel_for $best_mpi "${hybrids[@]}")
measure_all
print_uneven
note "  tasks: the better of PureTask and parallel_for."

timeline
