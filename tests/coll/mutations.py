#!/usr/bin/env python3
"""Mistakes that collectives and their bookkeeping invite, planted in them (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

FINISHED = "coll/finished_operations.cpp"
COUNT = "coll/finished_operations.hpp"
BETWEEN = "coll/numbers_between.hpp"
MEMORY = "coll/working_memory.hpp"
CALLS = "coll/closed_calls.hpp"
FINISHED_TEST = "tests/unit/coll/finished_operations_test.cpp"
PARTS_TEST = "tests/unit/coll/member_parts_test.cpp"
ANY_ORDER = "finished_operations.agree_with_a_set_in_any_order"
MANY = "finished_operations.may_wait_for_one_however_many_there_are"
NUMBERS = "numbers_between.are_those_of_the_operation_or_of_the_persistent_collective"

TWINS = [
    Twin("", "ONE_BIT_TOO_MANY", FINISHED, "bit < 64", "bit < 65", MANY),
    Twin("", "GAP_STAYS_OPEN", COUNT, "      if (has_beyond_) close_gap();\n", "", ANY_ORDER, FINISHED_TEST),
    Twin("", "NOTHING_IS_BEYOND_ANY_MORE", FINISHED, "beyond_ != 0 || !far_beyond_.empty()", "beyond_ != 0",
         "finished_operations.remember_one_that_is_far_ahead_alone"),
    Twin("", "BIT_OF_THE_COUNTED_STAYS", FINISHED, "  beyond_ >>= 1;", "  beyond_ >>= 0;", ANY_ORDER),
    Twin("", "FAR_ONES_ONLY_ONCE", FINISHED, "    if (more == 0) break;\n", "    if (more < 64) break;\n", ANY_ORDER),
    Twin("", "ONE_MORE_IN_FLIGHT", BETWEEN, "sequence <= finished + most_in_flight", "sequence <= finished + most_in_flight + 1",
         "numbers_between.allow_so_many_operations_in_flight_and_not_one_more", PARTS_TEST),
    Twin("", "CONTEXT_OF_THE_OTHERS", BETWEEN, "number_ == in_order ? traffic::collective",
         "number_ != in_order ? traffic::collective",
         NUMBERS, PARTS_TEST),
    Twin("", "TAGS_OF_A_PERSISTENT_ONE_GO_ON", BETWEEN, "number_ == in_order ? sequence : number_", "sequence", NUMBERS, PARTS_TEST),
    Twin("", "ROUNDS_OVERLAP", BETWEEN, "which * most_rounds + round", "which * (most_rounds - 1) + round", NUMBERS,
         PARTS_TEST),
    Twin("", "LAST_WAIT_COUNTS", BETWEEN, "    if (sequence == finished + 1) oldest_waits_for_ = q;\n",
         "    oldest_waits_for_ = q;\n", "numbers_between.tell_whom_the_oldest_operation_waits_for", PARTS_TEST),
    Twin("", "MEMORY_SHRINKS", MEMORY, "scratch_bytes_ < bytes", "scratch_bytes_ != bytes",
         "working_memory.is_as_large_as_the_largest_that_was_asked_for", PARTS_TEST),
    Twin("", "LAST_REASON_STAYS", CALLS, "    if (because_ == nullptr) because_ =", "    because_ =",
         "closed_calls.are_closed_once_and_say_why", PARTS_TEST),
    Twin("", "ROOM_FOR_WHAT_ALL_RANKS_COPY", "coll/collective_member.cpp", "most_copied(of(*over_->here).choices_)",
         "most_copied(choices_)",
         "persistent_collectives.of_several_processes_have_room_for_what_the_ranks_of_one_copy"),
    Twin("", "IN_PLACE_AS_ANY", "coll/buffer_checks.cpp", "what.send == nullptr ? bytes_of_vector(what) : own", "own",
         "buffer_checks.a_scattered_reduction_in_place_has_all_operands_in_the_receive_buffer"),
    Twin("", "SHARE_OF_THE_CALL_BEFORE", "coll/partitioned_reducer.cpp", "  own.share.reset();\n  buffers mine", "  buffers mine",
         "partitioned_reducer.every_piece_is_combined_in_each_of_many_calls"),
]

if __name__ == "__main__":
    sys.exit(run(Room("coll", (), TWINS, {}, ("loopback_network.cpp",))))
