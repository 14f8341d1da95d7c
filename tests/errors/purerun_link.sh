#!/usr/bin/env bash
# purerun tells a program that is not built with Pure from one that is, also through scripts, and only then complains.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

not_built='not built with Pure'
ends 3 "$not_built" env true
ends 3 'find_package(Pure CONFIG)' -n 4 sh -c 'exit 0'
ends 3 'purecxx app.cpp -o app' env true
ends 3 'g++ -std=c++20 app.cpp $(pkg-config --cflags --libs pure)' env true
ends 1 '' sh -c false # it has a status of its own: nothing to add

starts() { # ARGUMENT...: three ranks start, and purerun is silent
  ends 0 '' -n 3 "$@"
  [[ $(cat out) == '3 ranks' ]] || fail "purerun -n 3 $*: it prints $(cat out)"
}
starts every_rank
starts sh -c 'every_rank && true'
script job <<< $'#!/bin/sh\nexec 3>&- 4> /dev/null\n. ./inner\n'
echo 'every_rank; exit 0' > inner
starts ./job
# Python's subprocesses inherit no descriptors.
starts python3 -c 'import subprocess; subprocess.run(["every_rank"], check=True)'
starts purerun -n 3 every_rank
ends 7 '' -n 2 every_rank 7
ends 0 'without starting any rank' no_rank

# Without purerun all of this is as quiet.
no_rank || fail "no_rank alone: status $?"
[[ $(PURE_RANKS=2 every_rank) == '2 ranks' ]] || fail 'every_rank alone'

finish
