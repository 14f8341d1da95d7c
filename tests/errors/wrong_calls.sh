#!/usr/bin/env bash
# Every wrong argument is refused by a message that names the call, the ranks, the numbers and the place, and ends the
# job, though the other ranks wait.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

for ranks in 2 5; do
  range="0 to $((ranks - 1))"
  fails 1 $ranks bad_call rank -- 'pure_send_msg: rank 1 of world: destination rank 99' "$range" 'bad_call.cpp:'
  fails 1 $ranks bad_call rank_of_receive -- 'pure_recv_msg: rank 1 of world: source rank -7' "$range" 'bad_call.cpp:'
  fails 1 $ranks bad_call tag -- 'pure_send_msg: rank 1 of world: tag -5' '0 to 2147483647' 'bad_call.cpp:'
  fails 1 $ranks bad_call count -- 'pure_send_msg: rank 1 of world' '-2' 'bad_call.cpp:'
  fails 1 $ranks bad_call buffer -- 'pure_send_msg: rank 1 of world' 'buffer is null' '4' 'bad_call.cpp:'
  fails 1 $ranks bad_call type -- 'pure_send_msg: rank 1 of world' '99 is not a datatype' 'bad_call.cpp:'
  fails 1 $ranks bad_call comm -- 'pure_send_msg: rank 1' 'null communicator' 'bad_call.cpp:'
  fails 1 $ranks bad_call freed -- 'pure_wait: rank 1' 'completed or freed' 'bad_call.cpp:'
  fails 1 $ranks bad_call foreign -- 'pure_wait: rank 1' 'belongs to rank 0' 'bad_call.cpp:'
  fails 1 $ranks bad_call invented -- 'pure_wait: rank 1' 'not a request' 'bad_call.cpp:'

  fails 1 $ranks bad_run rank -- 'pure: send: rank 1 of world: destination rank 99' "$range" 'bad_run.cpp:'
  fails 1 $ranks bad_run tag -- 'send: rank 1 of world: tag -5' 'bad_run.cpp:'
  fails 1 $ranks bad_run short -- 'recv: rank 1 of world' 'from rank 0, tag 3' '1 bytes' '8' 'bad_run.cpp:'
  fails 1 $ranks bad_run nested -- 'a rank cannot start ranks'
done
truncated=('truncated' 'rank 1 received' 'from rank 0, tag 3')
fails 1 2 bad_call truncated -- 'pure_recv_msg' "${truncated[@]}" '16 bytes' '8 bytes' 'bad_call.cpp:'
fails 1 2 bad_call truncated_large -- 'pure_recv_msg' "${truncated[@]}" '300000 bytes' '8 bytes' 'bad_call.cpp:'
fails 1 2 bad_run truncated -- 'recv' "${truncated[@]}" '16 bytes' '4 bytes' 'bad_run.cpp:'

# What is wrong before the start.
fails 1 0 bad_call rank -- 'PURE_RANKS=0'
fails 1 none bad_run rank -- 'PURE_RANKS=none'
fails 1 2 env PURE_RNAKS=2 bad_call rank -- 'PURE_RNAKS is not a setting' 'did you mean PURE_RANKS?'
fails 1 2 env PURE_RNAKS=2 bad_run rank -- 'PURE_RNAKS is not a setting' 'did you mean PURE_RANKS?'
fails 1 2 env PURE_MAP_BY=moon bad_call rank -- 'impossible mapping' 'moon'
fails 1 2 env PURE_MAP_BY=file:/no/such/file bad_run rank -- '/no/such/file'
printf '0 0\n1 99999\n' > "$work/map"
fails 1 2 env "PURE_MAP_BY=file:$work/map" bad_call rank -- '99999'
printf '0 0\n' > "$work/map"
fails 1 2 env "PURE_MAP_BY=file:$work/map" bad_call rank -- "$work/map"
fails 1 2 env PURE_RING_BYTES=4K bad_call rank -- 'PURE_RING_BYTES' 'PURE_EAGER_LIMIT'

finish
