#!/usr/bin/env bash
# Installs what make goals need on Debian 12 and the like:
#
#   cmake/setup.sh GOAL...          library, demo, deb, build, clang, asan, test, foreign, bench, evaluate, format, tidy or
#                                   fresh. For test it also lets bench/rivals install the current MPIs, if pip and its index are there
#   cmake/setup.sh --check GOAL...  whether all of it is there; installs and says nothing
#   cmake/setup.sh --packages GOAL...   prints the names of its packages
#   cmake/setup.sh --note FILE      notes in FILE what is there that a build could use; FILE is written only when that
#                                   has changed, so that make configures again after something was installed or removed
#
# Says and does nothing when all is there. As root, or with a sudo that asks for no password, it installs what is
# missing; otherwise it prints the one line to run and fails. Without dpkg it leaves the naming of what is missing
# to CMake.
set -euo pipefail

# Python writes mpi.h and what is behind it: without, there is no MPI door.
library=(make g++ cmake ninja-build pkg-config libhwloc-dev libfmt-dev libcli11-dev nlohmann-json3-dev libcairo2-dev
  libdw-dev python3)
# Both MPIs: what Pure is compared with is the better one of each case, and where one is there, the other takes 10 MB.
mpis=(mpich libmpich-dev openmpi-bin libopenmpi-dev)
demo=("${library[@]}" "${mpis[@]}" lammps-data) # the EAM potential of copper
deb=("${library[@]}" "${mpis[@]}" dpkg-dev file)
build=("${library[@]}" libgtest-dev libcereal-dev)
clang=("${build[@]}" clang-14)
asan=("${clang[@]}" libclang-rt-14-dev lld llvm-14) # llvm-14: what Clang's sanitizers find lines with (llvm-symbolizer-14)
test=("${asan[@]}" "${demo[@]}" spin tcc libtbb-dev iproute2 procps libcap2-bin dpkg-dev file gdb
  gfortran mold patchelf python3-matplotlib libclang-dev llvm-dev
  lammps) # a program as it is shipped
python3 -m pip --version > /dev/null 2>&1 || test+=(python3-pip) # for bench/rivals
# tests/foreign/sources.sh gets the rest; MPICH is the MPI beside which programs run.
foreign=("${build[@]}" "${mpis[@]}" dpkg-dev python3-dev python3-pip python3-numpy libblas-dev
  liblapack-dev gfortran libgsl-dev perl libclang-dev llvm-dev)
bench=("${build[@]}" libtbb-dev)
evaluate=("${bench[@]}" "${mpis[@]}" lammps-data python3-matplotlib)
format=(clang-format-14)
tidy=("${test[@]}" clang-tidy-14)
fresh=(mmdebstrap git python3)

goals=" library demo deb build clang asan test foreign bench evaluate format tidy fresh "
# Besides the packages: what builds and tests look for, wherever it comes from.
programs=(c++ cmake ninja pkg-config ccache python3 mpicxx mpicxx.mpich mpicxx.openmpi mpiexec mpiexec.mpich
  mpiexec.openmpi spin tcc)

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
rivals=$top/build/rivals

die() {
  echo "setup.sh: $*" >&2
  exit 2
}

# refuse_copied FOLDER: a build knows its folder by its path, so that one which was copied would be made at the other place.
refuse_copied() {
  local cache made
  for cache in "$1"/*/CMakeCache.txt; do
    [[ -e $cache ]] || continue
    made=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$cache")
    [[ $made -ef ${cache%/*} ]] ||
      die "${cache%/*} was made as $made, and copied or moved: remove it (rm -r ${cache%/*}), and run make again."
  done
}

# note FILE
note() {
  local file=$1 now name
  mkdir -p "$(dirname "$file")"
  refuse_copied "$(dirname "$file")"
  now=$(mktemp "$file.XXXXXX")
  {
    if command -v dpkg-query > /dev/null; then
      dpkg-query --show --showformat='${db:Status-Abbrev} ${Package} ${Version}\n' "${test[@]}" 2> /dev/null |
        grep '^ii' | LC_ALL=C sort -u || true
    fi
    for name in "${programs[@]}"; do command -v "$name" || true; done
    ls -d "$rivals"/*/bin/mpicxx 2> /dev/null || true
  } > "$now"
  if cmp -s "$now" "$file"; then rm "$now"; else mv "$now" "$file"; fi
}

check=
print=
case ${1:-} in
  --packages)
    print=1
    shift
    ;;
  --note)
    [[ $# == 2 ]] || die "--note takes one file"
    note "$2"
    exit
    ;;
  --check)
    check=1
    shift
    ;;
esac
(($#)) || die "for which goal? There are:$goals"

# The tests say what is not tested where this is in vain.
current_mpis() {
  [[ -z $check && " ${goals_wanted[*]} " == *" test "* ]] || return 0
  [[ -x $rivals/mpich/bin/mpicxx && -x $rivals/openmpi/bin/mpicxx ]] || "$top/bench/rivals" mpich openmpi || true
}

goals_wanted=("$@")
wanted=()
for goal; do
  [[ $goals == *" $goal "* ]] || die "there is no goal '$goal'; there are:$goals"
  declare -n packages="$goal"
  wanted+=("${packages[@]}")
done

if [[ -n $print ]]; then
  printf '%s\n' "${wanted[@]}" | LC_ALL=C sort -u
  exit
fi
if ! command -v dpkg-query > /dev/null; then
  current_mpis
  [[ -z $check ]]
  exit
fi
installed=" $(dpkg-query --show --showformat='${db:Status-Abbrev}${Package} ' "${wanted[@]}" 2> /dev/null || true)"
missing=()
for package in "${wanted[@]}"; do
  [[ $installed == *" ii $package "* || " ${missing[*]} " == *" $package "* ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  current_mpis
  exit 0
fi
[[ -z $check ]] || exit 1

sudo=()
if [[ $(id -u) != 0 ]]; then
  if ! sudo -n true 2> /dev/null; then
    as_root='sudo '
    command -v sudo > /dev/null || as_root=
    echo "Some packages are missing. Let root install them, and then run make again:" >&2
    echo "  ${as_root}apt-get update && ${as_root}apt-get install --yes --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  sudo=(sudo -n)
fi
echo "Installing ${missing[*]}"
"${sudo[@]}" apt-get update --quiet=2
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends \
  -o Dpkg::Use-Pty=0 "${missing[@]}" |
  while read -r word _; do # a sign of life for every package; what goes wrong is on stderr
    if [[ $word == Unpacking || $word == Setting ]]; then printf .; fi
  done
echo
current_mpis
