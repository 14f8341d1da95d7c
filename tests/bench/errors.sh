#!/usr/bin/env bash
# What bench/run and bench/rivals say to wrong arguments: a clear message, and a status that is not zero.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
status=0

# refuses MESSAGE COMMAND...: the command must fail and print the message (an extended regular expression).
refuses() {
  local message=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "FAILED: '$*' was accepted: $output"
    status=1
  elif ! grep -Eq -- "$message" <<< "$output"; then
    echo "FAILED: '$*' does not say '$message': $output"
    status=1
  elif grep -q Traceback <<< "$output"; then
    echo "FAILED: '$*' shows a traceback: $output"
    status=1
  else
    echo "ok: $*"
  fi
}

refuses "no benchmark 'pingpog' \(did you mean 'pingpong'\?\)" bench/run --only pingpog
refuses "no system 'pvm'; there are: pure," bench/run --systems pvm --only limit
refuses "unrecognized arguments: --fast" bench/run --fast
refuses "'0' is not a positive number" bench/run --ranks 0
refuses "'many' is not a positive number" bench/run --samples many
refuses "pingpong runs with 2 ranks or any even number, not with 3" bench/run --only pingpong --ranks 3
refuses "same_core runs with 2 ranks, not with 4" bench/run --only same_core --ranks 4
refuses "invalid choice: 'moon'" bench/run --place moon
refuses "is not NAME=MPICC" bench/run --mpi /usr/bin/mpicc
refuses "there is no such program" bench/run --mpi mine=/nowhere/mpicc
refuses "cannot compile a program that includes <mpi.h>" bench/run --mpi mine=true
refuses "'pure' is the name of a system that is not an MPI" bench/run --mpi pure=mpicc
refuses "No such file or directory: '/nowhere/rows.json'" bench/run --only limit --quick --json /nowhere/rows.json
refuses "there is no rival 'pvm'" bench/rivals pvm
refuses "there is no option '--fast'" bench/rivals --fast

for command in bench/run bench/rivals; do
  $command --help > /dev/null || { echo "FAILED: $command --help"; status=1; }
done
exit $status
