#!/usr/bin/env bash
# Random derived datatypes under every MPI that was found when the tests were built: their bounds, and what messages of
# them carry. The typemaps that judge them judge Pure's in tests/stress/types_oracle_test.cpp.
#
# PURETEST_SEED and PURETEST_SCALE as in the stress tests.
source "$(dirname "$0")/../support/checks.bash"
source "$(dirname "$0")/../examples/common.bash"

program=$build/tests/mpi_types
compares_with "$program" ||
  skip 'no MPI with a C++ compiler wrapper (mpicxx) and mpiexec was found; Debian has mpich and openmpi-bin'

seed=${PURETEST_SEED:-1}
plans=$(awk "BEGIN { print 1 + int(2000 * ${PURETEST_SCALE:-1}) }")
for family in $(twins_of "$program"); do
  on_mpi "$family" 1 "$program" agreed "$seed" "$plans" || fail "$family, agreed, from seed $seed: status $?"
done
# MPICH knows no markers.
if [[ " $(twins_of "$program" | tr '\n' ' ') " == *' openmpi '* ]]; then
  on_mpi openmpi 1 "$program" with_markers "$seed" "$plans" || fail "openmpi, with markers, from seed $seed: status $?"
fi
finish
