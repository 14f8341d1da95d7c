#!/usr/bin/env bash
# Calls by which ranks of several processes make something together: what is wrong at one of them is the error of all;
# and a split by machine makes what can have a shared window, whatever keeps processes from sharing memory.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi
creations=$build/tests/net/creations

# shared NETWORK EXPECTED COMMAND...: these are the sizes of the communicators of a split by machine.
shared() {
  local network=$1 expected=$2
  timeout 60 purerun -n 4 -N 2 --mpi "$network" "${@:3}" "$creations" share > out 2> err < /dev/null ||
    fail "$network, ${*:3}: status $?: $(cat out err)"
  [[ $(sort out | tr '\n' ' ') == "$expected" ]] || fail "$network, ${*:3}: $(cat out), and not $expected"
}

for network in $(networks); do
  PURE_CHECK=0 timeout 60 purerun -n 4 -N 2 --mpi "$network" "$creations" > out 2>&1 < /dev/null ||
    fail "$network: status $?: $(cat out)"
  PURE_WINDOW_TRANSPORT=auto shared "$network" 'machine of 4 '
  PURE_WINDOW_TRANSPORT=messages shared "$network" 'machine of 2 machine of 2 '
  for ranks in 2 4; do
    PURE_CHECK=0 timeout 60 purerun -n $ranks -N 2 --mpi "$network" "$creations" refused > out 2>&1 < /dev/null ||
      fail "$network, refused, $ranks ranks: status $?: $(cat out)"
  done
done
timeout 60 purerun -n 5 -N 3 --mpi "$network" --check "$creations" > out 2>&1 < /dev/null ||
  fail "$network, checked: status $?: $(cat out)"
finish
