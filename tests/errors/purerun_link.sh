#!/usr/bin/env bash
# purerun tells a program that is not built with Pure from one that is, also through scripts, and only then complains.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

# Started once, it is to start ranks: threads.
once=(--ranks-as threads)
not_built='not built with Pure'
ends 3 "$not_built" "${once[@]}" env true
ends 3 'find_package(Pure CONFIG)' "${once[@]}" -n 4 sh -c 'exit 0'
ends 3 'purecxx app.cpp -o app' "${once[@]}" env true
ends 3 'g++ -std=c++20 app.cpp $(pkg-config --cflags --libs pure)' "${once[@]}" env true
ends 1 '' "${once[@]}" sh -c false # it has a status of its own: nothing to add
# Each process runs it, and none need start any.
ends 0 '' -n 1 env true
ends 0 'purerun: env: ranks are processes, since it is not built with Pure, and may start a program that is.' -n 2 env true

starts() { # ARGUMENT...: three ranks start, and purerun is silent
  ends 0 '' -n 3 "$@"
  [[ $(cat out) == '3 ranks' ]] || fail "purerun -n 3 $*: it prints $(cat out)"
}
starts every_rank
starts env every_rank # whose ranks are threads
script job <<< $'#!/bin/sh\nexec 3>&- 4> /dev/null\n. ./inner\n'
echo 'every_rank; exit 0' > inner
# Python's subprocesses inherit no descriptors.
for kind in threads processes; do
  starts --ranks-as $kind sh -c 'every_rank && true'
  starts --ranks-as $kind ./job
  starts --ranks-as $kind python3 -c 'import subprocess; subprocess.run(["every_rank"], check=True)'
done
starts purerun -n 3 every_rank
ends 7 '' -n 2 every_rank 7
ends 0 'without starting any rank' no_rank

# Without purerun all of this is as quiet.
no_rank || fail "no_rank alone: status $?"
[[ $(PURE_RANKS=2 every_rank) == '2 ranks' ]] || fail 'every_rank alone'

finish
