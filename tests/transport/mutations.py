#!/usr/bin/env python3
"""Mistakes that rings invite, planted in their two ends (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

ENDS = "transport/ring_ends.hpp"
RING = "tests/unit/transport/ring_test.cpp"
RANDOM = "ring_of.random_use_agrees_with_a_deque"
EVERY_LENGTH = "ring_of.every_length_passes_at_every_offset"
DRAINED = "ring_of.a_drained_ring_takes_any_record_and_says_that_there_is_room"
CELLS = "transport/cells.hpp"
CELLS_TEST = "tests/unit/transport/cells_test.cpp"
COME_BACK = "interleavings_transport.cells_that_come_back"
IDLE_CELLS = "cells.memory_of_those_that_nobody_uses_is_given_back"
GIVEN_UP = "ring_of.what_is_given_up_leaves_nothing_behind"
GIVES_BACK = "emptied_ring.gives_its_memory_back_after_a_while_without_messages"
QUESTION = "ring_of.a_question_changes_nothing"

TWINS = [
    Twin("ring", "NO_CLEAR", ENDS,
         "    if (count < payload_until_ + mask_ + 1) line(count)->mark.store(0, std::memory_order_relaxed);\n", "", RANDOM,
         RING),
    Twin("ring", "ONE_LAP_BIT", ENDS, "return (count & lines) == 0 ? even_lap : odd_lap;",
         "return (count & lines) == 0 ? even_lap : even_lap;", EVERY_LENGTH, RING),
    Twin("ring", "NO_SPARE_LINE", ENDS, "if (tail_ + wasted + lines >= until) return nullptr;",
         "if (tail_ + wasted + lines > until) return nullptr;", RANDOM, RING),
    Twin("ring", "LAZIER_RELEASE", ENDS, "release_at_ = head_ + (mask_ + 1) / 4;\n    // release: the receiver",
         "release_at_ = head_ + mask_;\n    // release: the receiver", DRAINED, RING),
    Twin("ring", "GIVE_BACK_UNTOLD", ENDS, "return released_->load(std::memory_order_acquire) == tail_;", "return true;",
         "emptied_ring.keeps_what_nobody_has_received", "transport/ring.cpp"),
    Twin("", "NOT_TOLD", ENDS, "    released_->store(head_, std::memory_order_release);  // release: as in pop()\n", "",
         GIVES_BACK, "transport/ring.cpp"),
    Twin("", "GIVES_BACK_AT_ONCE", "transport/ring.cpp", "    is_given_back_ = false;\n    return false;\n",
         "    is_given_back_ = false;\n", "emptied_ring.gives_nothing_back_that_was_used_since_the_last_call"),
    Twin("", "GIVES_BACK_LESS", "transport/ring_memory.cpp", "slot_bytes(ring_bytes), MADV_DONTNEED", "ring_bytes / 2, MADV_DONTNEED",
         "ring_memory.what_is_given_back_is_gone_and_reads_as_zero_and_its_neighbours_stay"),
    Twin("", "GIVES_BACK_MORE", "transport/ring_memory.cpp", "slot_bytes(ring_bytes), MADV_DONTNEED",
         "slot_bytes(ring_bytes) + page_bytes(), MADV_DONTNEED",
         "ring_memory.what_is_given_back_is_gone_and_reads_as_zero_and_its_neighbours_stay"),
    Twin("", "TOLD_FROM_THE_LAST_TIME", ENDS, "    release_at_ = head_ + (mask_ + 1) / 4;\n    released_->store",
         "    release_at_ += (mask_ + 1) / 4;\n    released_->store",
         "emptied_ring.a_receiver_that_tells_often_makes_room_as_soon_as_one_that_never_does", "transport/ring.cpp"),
    Twin("", "RINGS_SHARE_PAGES", "transport/ring_memory.cpp", " / page_bytes() * page_bytes() + page_bytes();",
         " / page_bytes() * page_bytes();", "ring_memory.each_ring_has_pages_of_its_own_of_zeros"),
    Twin("ring", "SKIP_FORGETS", ENDS, "    payload_until_ = tail_;  // now: what", "    // now: what", GIVEN_UP, RING),
    Twin("", "ASKS_FOR_ONE_MORE", ENDS, "tail_ + wasted_before(lines) + lines < free_until()",
         "tail_ + wasted_before(lines) + lines + 1 < free_until()", QUESTION, RING),
    Twin("", "ASKS_FOR_ONE_LESS", ENDS, "tail_ + wasted_before(lines) + lines < free_until()",
         "tail_ + wasted_before(lines) + lines <= free_until()", QUESTION, RING),
    Twin("", "ASKS_WITHOUT_THE_SKIP", ENDS, "tail_ + wasted_before(lines) + lines < free_until()",
         "tail_ + lines < free_until()", QUESTION, RING),
    Twin("", "WASTES_A_RING", ENDS, "const std::uint64_t to_end = mask_ + 1 - (tail_ & mask_);",
         "const std::uint64_t to_end = mask_ - (tail_ & mask_);", EVERY_LENGTH, RING),
    # ---- cells ----
    Twin("", "CELLS_PILE_UP", CELLS, "if (count_ >= of_an_end) return false;",
         "if (count_ >= of_a_pair) return false;",
         "cells.an_end_keeps_as_many_as_it_had_and_the_other_one_gets_the_rest_back", CELLS_TEST),
    Twin("", "OLDEST_CELL_FIRST", CELLS, "taken[i] = had_[--count_];", "taken[i] = had_[i], --count_;",
         "cells.an_end_gives_what_it_has_and_last_what_it_read_last", CELLS_TEST),
    Twin("", "CELL_BACK_UNREAD", CELLS, "fetch_or(which, std::memory_order_release);",
         "fetch_or(which, std::memory_order_relaxed);", COME_BACK, CELLS_TEST),
    Twin("", "CELL_ACCEPTED_UNSEEN", CELLS, "accept(returned_->bits, std::memory_order_acquire);",
         "accept(returned_->bits, std::memory_order_relaxed);", COME_BACK, CELLS_TEST),
    Twin("", "CELLS_ACCEPTED_TWICE", CELLS, "from.exchange(0, order)",
         "from.load(order)", COME_BACK, CELLS_TEST),
    Twin("", "CELLS_TAKEN_BACK_BY_BOTH", CELLS, "from.exchange(0, order)", "from.load(order)",
         "interleavings_transport.cells_that_are_given_back_and_taken_back", CELLS_TEST),
    Twin("", "CELLS_NEVER_TAKEN_BACK", CELLS, "      take_back();\n    return", "      static_cast<void>(0);\n    return",
         "cells.what_was_given_back_to_who_does_not_want_it_comes_back", CELLS_TEST),
    Twin("", "PIECES_TIMED_AS_WHOLE", "transport/rendezvous.cpp", "std::min(mine * copy_.piece_bytes, copy_.bytes)",
         "mine * copy_.piece_bytes", "rendezvous_test.the_time_of_what_the_receiver_has_copied_is_said_if_it_is_asked_for"),
    Twin("", "SHARED_COPIES_UNTIMED", "transport/rendezvous.cpp", "if (how_.is_timed && mine > 0)", "if (false)",
         "rendezvous_test.the_time_of_what_the_receiver_has_copied_is_said_if_it_is_asked_for"),
    Twin("", "FRESH_WITHOUT_A_LIMIT", "transport/rendezvous.cpp", "return (is_fresh || is_sparse) &&", "return is_fresh || is_sparse &&",
         "packed_copies.of_what_was_just_written_up_to_the_same_limit"),
    Twin("", "EACH_PIECE_AT_THE_BEGINNING", "transport/rendezvous.cpp", "copy_.target, piece * copy_.piece_bytes, bytes);",
         "copy_.target, 0, bytes);", "packed_copies.are_whole_in_either_direction"),
    Twin("", "OLD_PIECES_ARE_THERE", "transport/packed_pieces.hpp", "words_[i].store(0, std::memory_order_relaxed);",
         "static_cast<void>(words_[i]);", "packed_copies.are_whole_in_either_direction",
         "tests/unit/transport/packed_copy_test.cpp"),
    Twin("", "CELLS_NEVER_KEPT", "transport/cells.cpp", "if (numbers_.keep(*cells)) continue;\n",
         "", "cells.what_was_read_last_is_written_next"),
    Twin("", "READ_CELLS_STAY", "transport/cells.cpp", "  is_used_ = true;\n  std::uint32_t returned", "  std::uint32_t returned",
         "cells.memory_of_those_that_were_only_read_is_given_back"),
    Twin("", "LARGE_PAGES_GIVEN_BACK", "transport/cells.cpp", "has_memory_ = both_.how_.are_own_pages;", "has_memory_ = true;",
         "cells.memory_stays_where_a_page_is_larger_than_a_cell"),
    Twin("", "RETURNED_CELLS_STAY", "transport/cells.cpp", "  numbers_.accept_returned();\n", "", IDLE_CELLS),
    Twin("", "OTHERS_PAGES_GIVEN_BACK", "transport/cells.cpp", "i < numbers_.count(); ++i", "i < cells_of_a_pair; ++i", IDLE_CELLS),
    Twin("", "USED_CELLS_GIVEN_BACK", "transport/cells.cpp", "    has_memory_ = both_.how_.are_own_pages;\n    return false;\n",
         "    has_memory_ = both_.how_.are_own_pages;\n", IDLE_CELLS),
]

ORDER = "one thread sees no order of stores: interleavings_net_shm.records_of_more_than_a_lap does (tests/net_shm)"
WITHOUT = {
    ("ring", "CLEAR_AFTER_PUBLISH"): ORDER,
    ("ring", "RELAXED_PUBLISH"): ORDER,
    ("ring", "RELEASE_BEFORE_READ"): "pop() does not read: its callers do, in match and net_shm",
}

if __name__ == "__main__":
    sys.exit(run(Room("transport", ("ring",), TWINS, WITHOUT)))
