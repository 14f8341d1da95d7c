#!/usr/bin/env bash
# PURE_CHECK: each error in the use of buffers, types and requests is found, and the report names the ranks, the tag and
# both calls; near twins of the same programs end well and in silence.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"
programs=$(dirname "${BASH_SOURCE[0]}")/../programs

# finds PROGRAM CASE SITES TEXT...: an error that names the lines marked so, and has the texts.
finds() {
  local program=$1 name=$2 sites=() mark
  for mark in $3; do sites+=("$(site "$mark")"); done
  shift 3
  fails 1 2 env PURE_CHECK=1 "$program" "$name" -- "$@" "${sites[@]}"
}
twins() {
  local program=$1 name
  shift
  for name; do fails 0 2 env PURE_CHECK=1 "$program" "$name" --; done
}

# differ CASE SEND SENT RECEIVED RECEIVE: the message of rank 0 with tag 7.
differ() {
  finds check_calls "$1" "$2 $5" 'rank 1: type mismatch: the message from rank 0, tag 7, was sent as '"$3"' by ' \
    "and is received as $4 by " "/$(site "$2"), and" "/$(site "$5"); use"
}
differ type one_int_to_1.send int float type.recv
differ type_posted answer_1.send int float type_posted.recv
differ type_early type_early.send int std::uint32_t type_early.recv
differ type_large type_large.send double std::int64_t type_large.recv
differ type_synchronous type_synchronous.send int byte type_synchronous.recv
differ type_matched one_int_to_1.send int float type_matched.recv
differ type_persistent one_int_to_1.send int float type_persistent.recv
differ type_exchange one_int_to_1.send int float type_exchange.recv
differ type_cpp type_cpp.send int float type_cpp.recv
differ type_cpp_moved type_cpp_moved.send int float type_cpp_moved.recv
differ type_cpp_class type_cpp_class.send 'a class' 'another class' type_cpp_class.recv
differ type_doors one_int_to_1.send int float type_doors.recv
differ type_laid_out type_laid_out.send int float type_laid_out.recv
twins check_calls same_type same_type_doors same_type_laid_out

# overlap CASE SECOND FIRST: what the two operations of rank 1 are, as the report says it.
overlap() {
  finds check_calls "$1" "$1.first $1.second" "rank 1: the buffer of a $2, overlaps that of a $3, which is not complete" \
    "/$(site "$1.first") has started it" "at $(cd "$programs" && pwd)" "/$(site "$1.second")"
}
overlap two_receives 'receive from rank 0, tag 8' 'receive from rank 0, tag 7'
overlap receive_then_send 'send to rank 0, tag 8' 'receive from rank 0, tag 7'
overlap send_then_receive 'receive from rank 0, tag 8' 'send to rank 0, tag 7'
overlap delivered_then_receive 'receive from rank 0, tag 7' 'receive from rank 0, tag 7'
overlap persistent_overlap 'receive from rank 0, tag 8' 'send to rank 0, tag 7'
finds check_calls itself itself.both 'pure_isendrecv_msg: rank 1: the buffer of a receive from rank 0, tag 8, overlaps' \
  'that of a send to rank 0, tag 7, which is not complete: pure_isendrecv_msg at'
overlap matched_into_pending 'receive from rank 0, tag 7' 'receive from rank 0, tag 9'
overlap cpp_overlap 'receive from rank 0, tag 8' 'receive from rank 0, tag 7'
twins check_calls neighbours again_after_the_end

# changed CASE SITES TEXT...
changed() {
  finds check_ends "$1" "$1.first $2" "/$(site "$1.first") has started it" "${@:3}"
}
sent='rank 0: the buffer of a send to rank 1, tag 7, was changed before the send was complete'
received='rank 1: the buffer of a receive from rank 0, tag 7, was changed before the receive was complete'
changed changed_send waits.here pure_wait: "$sent"
changed changed_laid_out_send waits.here pure_wait: "$sent"
changed changed_large_send changed_large_send.second pure_waitall: "$sent"
changed changed_persistent_send waits.here pure_wait: "$sent"
changed changed_receive 'answer_1.send waits.here' pure_wait: "$received" pure_send_msg
changed changed_delivered 'answer_1.send waits.here' pure_wait: "$received" pure_send_msg
changed cpp_changed_send cpp_changed_send.second wait: "$sent"
changed cpp_changed_receive 'cpp_changed_receive.second cpp_changed_receive.send' wait: "$received"
changed cpp_changed_and_destroyed '' 'pure: check: ' '~request' "$sent"
twins check_ends changed_after_the_end

# What is left at the end.
leaked() {
  finds check_ends "$1" "$1.first" 'pure: check: ' "${@:2}"
}
leaked leaked_send 'rank 0: the request of pure_isend_msg at' '(rank 1, tag 7) was never completed'
leaked leaked_receive 'rank 1: the request of pure_irecv_msg at' '(any rank, tag 7) was never completed'
leaked freed_receive 'rank 1: the request of pure_irecv_msg at' '(any rank, tag 7) was freed, and nothing has come'
leaked leaked_persistent 'rank 1: the persistent request of pure_recv_init at' 'was never freed'
leaked leaked_cpp 'rank 1: the request of irecv_into at' '(rank 0, tag 7) was never completed'

unreceived() {
  finds check_ends "$1" "$2" 'pure: check: ' 'rank 1: the message from rank 0 on ' 'was never received' "${@:3}"
}
unreceived unreceived one_int_to_1.send 'world, tag 7, of 4 bytes' pure_send_msg
unreceived unreceived_many unreceived_many.send 'tag 100,' 'tag 109,' '  and 15 messages more'
[[ $(grep -c 'was never received' "$work/err") == 10 ]] || fail "not 10 messages: $(cat "$work/err")"
unreceived unreceived_large unreceived_large.send 'world, tag 7, of 200000 bytes' pure_issend_msg 'was never completed'
unreceived unreceived_moved unreceived_moved.send 'world, tag 7, of 36 bytes'
unreceived unreceived_on_part unreceived_on_part.send 'the part, tag 7, of 8 bytes'
unreceived unreceived_matched one_int_to_1.send 'world, tag 7, of 4 bytes'
unreceived unreceived_buffered unreceived_buffered.send 'world, tag 7, of 200000 bytes' pure_bsend_msg
twins check_ends all_done

# Without it, none of this is looked for.
for name in type_cpp type_doors; do fails 0 2 env PURE_CHECK=0 check_calls "$name" --; done
for name in changed_send leaked_send unreceived; do fails 0 2 env PURE_CHECK=0 check_ends "$name" --; done

finish
