#!/usr/bin/env bash
# Installs what a make goal needs on Debian 12 and the like: cmake/setup.sh build|demo|test|bench|format|tidy
#
# Says and does nothing when all is there. As root, or with a sudo that asks for no password, it installs what is
# missing; otherwise it prints the one line to run and fails. Without dpkg it leaves the naming of what is missing
# to CMake.
set -euo pipefail

build=(make g++ cmake ninja-build pkg-config libhwloc-dev libfmt-dev libcli11-dev nlohmann-json3-dev libcairo2-dev
  libgtest-dev libcereal-dev)
demo=("${build[@]}" lammps-data) # the EAM potential of copper
test=("${demo[@]}" python3 spin tcc mpich libmpich-dev openmpi-bin libopenmpi-dev libtbb-dev)
bench=("${build[@]}" python3 libtbb-dev)
format=(clang-format-14)
tidy=("${test[@]}" clang-14 clang-tidy-14)

command -v dpkg-query >/dev/null || exit 0

wanted=()
for goal in "$@"; do
  declare -n packages="$goal"
  wanted+=("${packages[@]}")
done

installed=" $(dpkg-query --show --showformat='${db:Status-Abbrev}${Package} ' "${wanted[@]}" 2>/dev/null || true)"
missing=()
for package in "${wanted[@]}"; do
  [[ $installed == *" ii $package "* ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

sudo=()
if [[ $(id -u) != 0 ]]; then
  if ! sudo -n true 2>/dev/null; then
    echo "Some packages are missing. Install them, and then run make again:" >&2
    echo "  sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  sudo=(sudo -n)
fi
echo "Installing ${missing[*]}"
"${sudo[@]}" apt-get update --quiet=2
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends \
  -o Dpkg::Use-Pty=0 "${missing[@]}" >/dev/null
