#!/usr/bin/env bash
# Wrong arguments of a collective are refused by a message that names the call, the rank and the place. With PURE_CHECK=1,
# ranks that disagree get one that names both ranks and both places.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

# refuses WHAT TEXT...: whatever the other ranks wait for.
refuses() {
  local what=$1 ranks
  shift
  for ranks in 2 5; do
    fails 1 $ranks bad_collective "$what" -- 'rank 1' "$@" 'bad_collective.cpp:'
  done
}

refuses root_too_large 'pure_bcast: rank 1 of world' 'root 99' 'ranks 0 to'
refuses root_negative 'pure_reduce: rank 1 of world' 'root -1' 'ranks 0 to'
refuses root_of_igather 'pure_igather: rank 1 of world' 'root 99'
refuses root_of_scatter_init 'pure_scatter_init: rank 1 of world' 'root 99'
refuses count 'pure_allreduce: rank 1 of world' '-2'
refuses count_of_rank 'pure_allgatherv: rank 1 of world' '-3'
refuses no_counts 'pure_allgatherv: rank 1 of world' 'null'
refuses no_displs 'pure_allgatherv: rank 1 of world' 'null'
refuses type 'pure_bcast: rank 1 of world' '99'
refuses op 'pure_allreduce: rank 1 of world' '0x63'
refuses null_op 'pure_allreduce: rank 1 of world' 'null'
refuses op_of_type 'pure_allreduce: rank 1 of world' 'PURE_BAND' 'PURE_DOUBLE'
refuses op_of_char 'pure_allreduce: rank 1 of world' 'PURE_SUM' 'PURE_CHAR'
refuses freed_op 'pure_allreduce: rank 1 of world' 'freed'
refuses null_function 'pure_op_create: rank 1' 'null'
refuses free_sum 'pure_op_free: rank 1'
refuses null_send 'pure_allreduce: rank 1 of world' 'send' 'null'
refuses null_recv 'pure_allreduce: rank 1 of world' 'receive' 'null'
refuses null_data 'pure_bcast: rank 1 of world' 'null'
refuses overlap 'pure_allreduce: rank 1 of world' 'overlap' 'PURE_IN_PLACE'
refuses same_buffer 'pure_scan: rank 1 of world' 'overlap' 'PURE_IN_PLACE'
refuses overlap_of_blocks 'pure_allgather: rank 1 of world' 'overlap'
refuses overlap_nonblocking 'pure_ialltoall: rank 1 of world' 'overlap'
refuses in_place_elsewhere 'pure_reduce: rank 1 of world' 'root'
refuses null_comm 'pure_barrier: rank 1' 'null communicator'
refuses freed_comm 'pure_barrier: rank 1' 'freed'
refuses null_request 'pure_ibarrier: rank 1 of world' 'null'
refuses started_twice 'pure_start: rank 1'
refuses start_of_null 'pure_start: rank 1' 'null'
refuses start_of_nonblocking 'pure_start: rank 1'
refuses unit_of_window 'pure_win_allocate: rank ' 'rank 1 of world: the unit of displacements is 0 bytes'
refuses color 'pure_comm_split: rank ' 'rank 1 of world: the color -3 is negative'
refuses cap_of_aggregation 'pure_agg_create: rank ' 'rank 1: memory_cap is -1, which is negative'
refuses sum_of_int 'pure_reproducible_sum: rank 1 of world' 'PURE_DOUBLE'

# disagree RANKS WHAT TEXT...: the message names two calls, at two places. Rank 1 differs from all others: the message is
# about it, and but for blocks, whose sizes concern two ranks each, about rank 0.
disagree() {
  local ranks=$1 what=$2 places
  shift 2
  fails 1 "$ranks" env PURE_CHECK=1 bad_collective "$what" -- 'rank 1: ' "$@"
  places=$(grep -o 'bad_collective.cpp:[0-9]*' "$work/err" | sort -u | wc -l)
  ((places == 2)) || fail "$what ($ranks ranks): $places places, not 2, in: $(cat "$work/err")"
}

for ranks in 2 3 5; do
  disagree $ranks kind 'rank 0: ' pure_barrier pure_allreduce
  disagree $ranks kind_of_rooted 'rank 0: ' pure_scan pure_bcast
  disagree $ranks kind_nonblocking 'rank 0: ' pure_ibarrier pure_iallreduce
  disagree $ranks roots 'rank 0: ' pure_bcast root
  disagree $ranks ops 'rank 0: ' pure_allreduce operator
  disagree $ranks user_op 'rank 0: ' pure_allreduce operator
  disagree $ranks types 'rank 0: ' pure_allreduce type
  disagree $ranks counts 'rank 0: ' pure_allreduce count 32 40
  disagree $ranks counts_many 'rank 0: ' pure_allreduce count
  disagree $ranks counts_of_bcast 'rank 0: ' pure_bcast count
  disagree $ranks counts_nonblocking 'rank 0: ' pure_iallreduce count
  disagree $ranks counts_persistent 'rank 0: ' pure_allreduce_init count 32 40
  disagree $ranks block_of_gather pure_gather
  disagree $ranks block_of_alltoall pure_alltoall
done

# Agreement costs nothing but time: the same programs with equal arguments are in the stress tests.

# A collective that not everyone enters ends like any deadlock: with what each rank waits for, and where.
for ranks in 2 5; do
  fails 1 $ranks bad_collective left_alone -- 'deadlock' 'pure_barrier' 'bad_collective.cpp:'
  fails 1 $ranks bad_collective left_alone_in_allreduce -- 'deadlock' 'pure_allreduce' 'pure_recv_msg' 'bad_collective.cpp:'
done

finish
