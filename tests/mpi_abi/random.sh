#!/usr/bin/env bash
# Random programs of MPI calls over libmpi_abi.so.1 say what other MPIs have said (random_expected.txt). With those beside
# it, and with more seeds: `make random`.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PURETEST_BUILD_DIR:?the build directory}

python3 "$here/random_programs.py" "$build" --expected || fail "random_programs.py: status $?"
finish
