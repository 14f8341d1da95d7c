#!/usr/bin/env bash
# PURE_CHECK between processes finds what it finds inside one, and names the calls of both ends; what is no error ends in
# silence.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi
ends=$build/tests/programs/check_ends

# leaves NETWORK CASE COUNT TEXT...: the program's two ranks leave behind so much, with all the texts.
leaves() {
  local network=$1 case=$2 count=$3 text
  shift 3
  purerun_ends 1 -n 2 -N 2 --check --mpi "$network" "$ends" "$case"
  for text in "pure: check: " "$@"; do
    grep -qF -- "$text" err || fail "$network, $case: no '$text' in: $(cat err)"
  done
  [[ $(grep -c ' was never ' err) == "$count" ]] || fail "$network, $case: not $count things are left in: $(cat err)"
}

first_network=$(networks | sed -n 1p)
from='rank 1: the message from rank 0 on '
left_here() { # left_here NETWORK: what a process finds in its own receives and queues
  local network=$1
  leaves "$network" leaked_receive 1 'rank 1: the request of pure_irecv_msg at ' "/$(site leaked_receive.first) (any rank"
  leaves "$network" unreceived_many 10 'tag 100,' 'tag 109,' '  and 15 messages more'
  leaves "$network" unreceived_on_part 1 "${from}the part, tag 7, of 8 bytes" "send at " "/$(site unreceived_on_part.send)"
  leaves "$network" unreceived_matched 1 "${from}world, tag 7, of 4 bytes" "/$(site one_int_to_1.send) has sent it"
}
check_network() {
  local network=$1 twin
  # What is found, and how it reads, is made above the network: over an MPI, what comes by another way there.
  local shapes=("-n 4 -N 2 --placement round-robin")
  [[ $network != "$first_network" ]] || shapes+=("-n 5 -N 3" "-n 4 -N 4")
  for job in "${shapes[@]}"; do
    # shellcheck disable=SC2086
    ends 0 'checked: right' $job --check --mpi "$network" "$build/tests/net/checked"
  done
  if [[ $network == "$first_network" ]]; then left_here "$network"; fi
  leaves "$network" unreceived 1 "${from}world, tag 7, of 4 bytes" "pure_send_msg at " "/$(site one_int_to_1.send) has sent it"
  leaves "$network" unreceived_large 2 "${from}world, tag 7, of 200000 bytes" \
    "/$(site unreceived_large.send) has sent it" "/$(site unreceived_large.send) (rank 1, tag 7) was never completed"
  # Rings and packets are full: some messages have not left, others wait for room.
  PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_NET_MESSAGE_BYTES=1K leaves "$network" unreceived_crowd 10 \
    "rank 1: the message from rank 0 on world, tag 0, of 8 bytes" '  and 4990 messages more'
  for twin in all_done changed_after_the_end; do
    purerun_ends 0 -n 2 -N 2 --check --mpi "$network" "$ends" "$twin"
    ! grep '^pure: ' err || fail "$network, $twin: it says so"
  done

  # All processes check, or none. (A debug build checks where nothing is said.)
  ends 1 'PURE_CHECK is set for process 0, but not for process 1' -n 2 -N 2 --mpi "$network" \
    bash -c 'export PURE_CHECK=$((${PMI_RANK:-${OMPI_COMM_WORLD_RANK:-$PURE_PROCESS_NUMBER}} == 0)); exec "$0" all_done' "$ends"
}
for network in $(networks); do beside check_network "$network"; done
together
finish
