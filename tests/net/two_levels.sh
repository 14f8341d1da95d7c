#!/usr/bin/env bash
# Jobs over an MPI whose processes of a host share memory. A host is pretended: of the processes of this machine, pairs
# share one memory (PURE_NEAR_PROCESSES), and reach each other by the MPI; or all of them share one.
#
# PURETEST_SEED and PURETEST_SCALE as in the stress tests.
mpis_alone=1
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

seed=${PURETEST_SEED:-1}
rounds=$(awk "BEGIN { print 1 + int(4 * ${PURETEST_SCALE:-1}) }")
ends_of=$build/tests/net/window_ends
export PURE_NEAR_NETWORK=shm
pairs='near_processes=2'

# right NETWORK JOB PROGRAM...
right() {
  # shellcheck disable=SC2086
  timeout 100 purerun $2 --mpi "$1" "${@:3}" > out 2>&1 < /dev/null || fail "$*: status $?: $(cat out)"
  if grep -q 'share no memory' out; then fail "$*: $(cat out)"; fi
}

# waiting JOB...: two pairs that wait in a window, of which process 0's number is in the file pid.
waiting() {
  rm -f pid
  purerun -n 4 -N 4 --mpi "$network" "$@" "$ends_of" waits "$work/pid" fence > out 2>&1 < /dev/null &
  launcher=$!
  for _ in {1..1000}; do
    [[ -s pid ]] && break
    sleep 0.05
  done
  mapfile -t pids < <(pgrep -f "^$ends_of waits $work/pid")
}
# shared: how many memories connect them.
shared() {
  local pid
  for pid in "${pids[@]}"; do sed -n 's|.* \([0-9]\+\) */memfd:pure job.*|\1|p' "/proc/$pid/maps" | sort -u; done | sort -u | wc -l
}

# refused WHY COMMAND...: with the command before the program of process 1, it and process 0 share no memory; one of them
# says why, and all is right. The status is not asked for: over TCP inside a machine MPI_Finalize of MPICH does not always
# return, whoever shares memory.
refused() {
  printf '%s\n' '#!/bin/bash' '[[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} != 1 ]] || exec $BEFORE "$@"' 'exec "$@"' > one
  chmod 755 one
  # shellcheck disable=SC2086
  BEFORE=${*:2} timeout 60 purerun -n 4 -N 4 --set $pairs --mpi "$network" ./one "$build/tests/net/objects" \
    > out 2> err < /dev/null
  grep -qF 'objects: right' out || fail "$network, $*: not right: $(cat out err)"
  [[ $(grep -cF "process 0 and the others of its host share no memory ($1" err) == 1 ]] ||
    fail "$network, $*: not said once: $(cat out err)"
}
# A container that numbers processes otherwise, or has other sockets, and another user: each over the MPI that bears it, told
# to do without shared memory of its own where need be. (In MPI_Finalize of MPICH processes of other numbers may wait for each other, and Open MPI's files are
# one user's.)
other_numbers() {
  unshare -p -f true 2> /dev/null || { not_tested 'another pid namespace' "it is root's"; return; }
  OMPI_MCA_btl=tcp,self refused 'process 1: it numbers processes otherwise' unshare -p -f --
}
other_sockets() {
  unshare -n true 2> /dev/null || { not_tested 'another network namespace' "it is root's"; return; }
  PURE_NEAR_NETWORK=off timeout 60 purerun -n 2 -N 2 --mpi "$network" unshare -n -- "$build/tests/net/objects" > out 2> err < /dev/null
  grep -qF 'objects: right' out || { not_tested 'another network namespace' 'this MPI needs a network'; return; }
  refused 'process 1: it has other sockets' unshare -n --
}
other_user() {
  local nobody='setpriv --reuid 65534 --clear-groups --'
  $nobody true 2> /dev/null || { not_tested 'another user' 'only root can be several users'; return; }
  $nobody test -x "$build/tests/net/objects" || { not_tested 'another user in this folder' 'only root may enter it'; return; }
  MPIR_CVAR_NOLOCAL=1 UCX_TLS=tcp,self refused 'process 1: that of another process cannot be opened: Permission denied' $nobody
}
# What a container's filter may forbid: the memory, or only that processes copy from each other, which UCX does not bear.
without_calls() {
  local without=$build/tests/net/without
  "$without" pidfd_open -- true
  [[ $? != 77 ]] || { not_tested 'what a filter forbids' 'the kernel takes no seccomp filter'; return; }
  # shellcheck disable=SC2086
  ends 0 'cannot be made: Operation not permitted' -n 4 -N 4 --set $pairs --mpi "$network" \
    "$without" memfd_create -- "$build/tests/net/objects"
  [[ $network != mpich* ]] || return
  OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc=^cma \
    right "$network" "-n 4 -N 4 --set $pairs" "$without" process_vm_readv -- "$build/tests/net/objects"
}

for network in $(networks); do
  right "$network" "-n 8 -N 4 --set $pairs" "$build/tests/net/oracle" "$seed" "$rounds"
  right "$network" "-n 4 -N 4 --set $pairs" "$build/tests/net/windows" "$seed" "$rounds"
  if [[ $network == "$(networks | sed -n 1p)" ]]; then # what follows is no business of the MPI
    right "$network" "-n 3 -N 3 --set $pairs" "$build/tests/net/collectives" "$seed" "$rounds" "$work/entered"
    right "$network" "-n 6 -N 3" "$build/tests/net/oracle" "$seed" "$rounds"
    right "$network" "-n 4 -N 4 --placement round-robin --set $pairs" "$build/tests/net/objects"
    right "$network" "-n 6 -N 3 --set $pairs" "$build/tests/net/aggregations" "$seed" "$rounds"
    PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 PURE_CHECK=1 PURE_ASYNC_PROGRESS=on \
      right "$network" "-n 4 -N 4 --set $pairs" "$build/tests/net/oracle" "$seed" "$rounds"
    # Where one of a host does not want to, or cannot, none does; and they hear it who have asked for it.
    beside refused 'process 1: PURE_NEAR_NETWORK is not the same' env PURE_NEAR_NETWORK=off
    beside refused 'process 1: PURE_NEAR_PROCESSES is not the same' env PURE_NEAR_PROCESSES=3
    cases=("2 --set $pairs" '1 --set near_processes=4' '0 --set near_network=off' '0 --set near_network=auto')
  else
    cases=("2 --set $pairs")
  fi

  beside without_calls
  if [[ $network == mpich* ]]; then
    beside other_user
    beside other_sockets
  else
    beside other_numbers
  fi
  together

  # A memory for each pair, for all, or none; and whoever is killed takes all with it.
  for job in "${cases[@]}"; do
    # shellcheck disable=SC2086
    waiting ${job#* }
    memories=$(shared)
    ((${#pids[@]} == 4 && memories == ${job%% *})) || fail "$network, $job: ${#pids[@]} processes share $memories memories"
    kill -KILL "$(< pid)"
    gone_soon "${pids[@]}" "$launcher" || fail "$network, $job: processes are left 5 s after one was killed"
    wait "$launcher" && fail "$network, $job: a killed process is no failure"
  done
  echo "tested over $network"
done
finish
