#!/usr/bin/env bash
# The oracle's random programs under every MPI that was found when the tests were built.
#
# PURETEST_SEED and PURETEST_SCALE as in the stress tests.
source "$(dirname "$0")/../support/checks.bash"
source "$(dirname "$0")/../examples/common.bash"

program=$build/tests/mpi_oracle
compares_with "$program" ||
  skip 'no MPI with a C++ compiler wrapper (mpicxx) and mpiexec was found; Debian has mpich and openmpi-bin'
families=$(twins_of "$program")

seed=${PURETEST_SEED:-1}
programs=$(awk "BEGIN { print 1 + int(40 * ${PURETEST_SCALE:-1}) }")
for family in $families; do
  for ranks in 2 4; do
    on_mpi "$family" "$ranks" "$program" "$seed" "$programs" ||
      fail "$family, $ranks ranks, from seed $seed: status $?"
  done
done
finish
