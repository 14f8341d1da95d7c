#!/usr/bin/env bash
# The oracle's random programs under every MPI that was found when the tests were built: the system's, and the current
# ones that bench/rivals has installed.
#
# PURETEST_SEED and PURETEST_SCALE as in the stress tests.
source "$(dirname "$0")/../support/checks.bash"
source "$(dirname "$0")/../examples/common.bash"

program=$build/tests/mpi_oracle
launchers=$build/tests/current/launchers # of the current ones: mpich-current PATH
compares_with "$program" || [[ -s $launchers ]] ||
  skip 'no MPI with a C++ compiler wrapper (mpicxx) and mpiexec was found; Debian has mpich and openmpi-bin'

seed=${PURETEST_SEED:-1}
programs=$(awk "BEGIN { print 1 + int(40 * ${PURETEST_SCALE:-1}) }")
for family in $(twins_of "$program"); do
  for ranks in 2 4; do
    on_mpi "$family" "$ranks" "$program" "$seed" "$programs" ||
      fail "$family, $ranks ranks, from seed $seed: status $?"
  done
done
for network in mpich-current openmpi-current; do
  read -r _ launcher < <(grep "^$network " "$launchers" 2> /dev/null)
  if [[ ! -x ${launcher:-} ]]; then
    not_tested "$network" 'bench/rivals has not installed it, or not before this was built'
    continue
  fi
  [[ $network == mpich-current ]] || many=--oversubscribe
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 "$launcher" ${many:-} -n 4 \
    "${program}_$network" "$seed" "$programs" || fail "$network, from seed $seed: status $?"
done
finish
