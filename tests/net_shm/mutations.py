#!/usr/bin/env python3
"""Mistakes that shared memory invites, planted in the network over it (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

CLAIMS = "net_shm/claims.hpp"
ENDS = "transport/ring_ends.hpp"
BITS = "net_shm/watch_bits.hpp"
OUT = "net_shm/outgoing.hpp"
OUT_CPP = "net_shm/outgoing.cpp"
RINGS = "net_shm/watched_rings.cpp"
BELL = "net_shm/doorbell.cpp"
PAYLOADS = "net_shm/payloads.cpp"
NETWORK = "net_shm/shm_network.cpp"
SEGMENT = "net_shm/segment.cpp"
SEGMENT_HPP = "net_shm/segment.hpp"
JOB = "net_shm/job_segment.cpp"
JOBS = "net_shm/successive_jobs.cpp"
INTERLEAVINGS = "tests/unit/net_shm/interleavings_test.cpp"
PIECES = "interleavings_net_shm.each_piece_comes_once_of_each_payload"
STOPS = "interleavings_net_shm.a_ring_that_is_watched_no_more"
ANNOUNCED = "interleavings_net_shm.a_ring_that_is_announced"
SLEEPS = "interleavings_net_shm.who_sleeps_is_rung_for"
RUNG = "shm_doorbell.rings_for_a_message_once"
GIVE = "shm_watched_rings_test.give_a_quiet_ones_place_to_one_that_comes_often"
FEW = "shm_watched_rings.are_few_whoever_sends"
MANY_LARGE = "shm_payloads.more_large_ones_than_places_for_them"
TRAFFIC = "ShmTraffic.TwoProcesses"
MANY = "ShmTraffic.MoreProcessesThanRingsThatAreWatched"
GIVEN_UP = "interleavings_net_shm.what_is_given_up_leaves_nothing_behind"
OFTEN = "ShmTraffic.SmallPiecesAndReceiversWithoutPatience"
PIECES_REFUSED = "shm_refusals.pieces_that_do_not_follow_each_other_or_are_too_many"
FREE_AGAIN = "shm_payloads.places_are_free_again_when_their_senders_have_looked"
TOLD = "shm_refusals_test.numbers_that_were_told_to_another_process"

# As it was; by itself it is right.
ASKS_BY_RESERVING = (OUT, "to.ring->end.has_room(record::lines_for(head_bytes + body_bytes))",
                     "to.ring->end.try_reserve(record::lines_for(head_bytes + body_bytes)) != nullptr")

TWINS = [
    # ---- pieces that either end takes ----
    Twin("", "ONE_PIECE_TOO_MANY", CLAIMS, "back_in(now) == pieces) return none",
         "back_in(now) == pieces + 1) return none",
         PIECES, INTERLEAVINGS),
    Twin("", "ONE_PIECE_TOO_MANY_AT_THE_BACK", CLAIMS, "left = pieces - front_in(now)",
         "left = pieces + 1 - front_in(now)",
         PIECES, INTERLEAVINGS),
    Twin("", "BACK_IS_FRONT", CLAIMS, "return {pieces - back_in(now) - count, count};", "return {back_in(now), count};",
         PIECES, INTERLEAVINGS),
    Twin("", "CLAIMS_OF_THE_LAST_PAYLOAD", CLAIMS, "    claims_.store(0, std::memory_order_relaxed);\n", "", PIECES,
         INTERLEAVINGS),
    Twin("", "READ_OF_THE_LAST_PAYLOAD", CLAIMS, "    read_.store(0, std::memory_order_relaxed);\n", "", PIECES,
         INTERLEAVINGS),
    Twin("", "READ_UNORDERED", CLAIMS, "before + count, std::memory_order_release",
         "before + count, std::memory_order_relaxed",
         PIECES, INTERLEAVINGS),
    Twin("", "LOOK_UNORDERED", CLAIMS, "read_.load(std::memory_order_acquire) ==",
         "read_.load(std::memory_order_relaxed) ==",
         PIECES, INTERLEAVINGS),
    Twin("", "NOT_ALL_READ", CLAIMS, "return read_.load(std::memory_order_acquire) == back_in",
         "return true || 0 == back_in",
         PIECES, INTERLEAVINGS),
    # ---- who is watched, who sleeps ----
    Twin("", "STOPS_WITHOUT_A_FENCE", BITS, "& ~bit, std::memory_order_relaxed);\n  heavy_fence();",
         "& ~bit, std::memory_order_relaxed);",
         STOPS, INTERLEAVINGS),
    Twin("", "STOPS_WITHOUT_A_LOOK", BITS, "  if (has_record()) announced", "  if (false) announced", STOPS,
         INTERLEAVINGS),
    Twin("", "ANNOUNCED_UNORDERED", BITS, "announced.fetch_or(bit, std::memory_order_release)",
         "announced.fetch_or(bit, std::memory_order_relaxed)", ANNOUNCED, INTERLEAVINGS),
    Twin("", "TAKEN_UNORDERED", BITS, "announced.fetch_and(~bit, std::memory_order_acquire)",
         "announced.fetch_and(~bit, std::memory_order_relaxed)", ANNOUNCED, INTERLEAVINGS),
    Twin("", "ARMS_WITHOUT_A_FENCE", BITS,
         "  is_armed.store(1, std::memory_order_relaxed);  // relaxed: the fence orders it\n  heavy_fence();",
         "  is_armed.store(1, std::memory_order_relaxed);", SLEEPS, INTERLEAVINGS),
    Twin("", "RINGS_TWICE", BITS, " && is_armed.exchange(0, std::memory_order_relaxed) != 0", "",
         "shm_doorbell_test.rings_once_however_many_write", OUT_CPP),
    Twin("", "STAYS_ARMED", BITS, "  is_armed.store(0, std::memory_order_relaxed);  // relaxed: it looks",
         "  // it looks",
         "shm_doorbell_test.does_not_ring_for_one_that_has_woken_by_itself", BELL),
    Twin("", "NEVER_RINGS", OUT_CPP, "  bell_.ring_if_armed(process);\n", "", RUNG),
    Twin("", "KEEPS_WHAT_WAS_RUNG", BELL, "  while (recv(", "  while (false && recv(", RUNG),
    Twin("", "NAMES_OF_ALL_JOBS", BELL, "static_cast<unsigned long long>(front.head().key)", "0ULL",
         "shm_doorbell_test.is_that_of_one_job"),
    Twin("", "RINGS_WITH_A_CLOSED_SOCKET", BELL, "sendto(own >= 0 ? own : other.number(),", "sendto(own,",
         "shm_doorbell.rings_whoever_has_closed_its_socket"),
    Twin("", "SLEEPS_WITHOUT_A_SOCKET", BELL, "    socket_ = core::guarded_descriptor(bound_socket(front_, process_));\n", "",
         "shm_doorbell.rings_whoever_has_closed_its_socket"),
    Twin("", "CLOSES_WHAT_IT_HAS_OPENED", "net_shm/segment_file.cpp", "  file_ = {};", "  // file_ = {};",
         "shm_segment_file.is_opened_once_more_where_the_program_has_closed_it_or_says_why_not"),
    Twin("", "ROOM_IS_NOT_RUNG_FOR", NETWORK, "if (found.in->end.pop(*found.what)) bell_.ring_after_fence(from);",
         "static_cast<void>(found.in->end.pop(*found.what));", "shm_doorbell.rings_for_room"),
    Twin("", "LAST_PIECE_IS_NOT_RUNG_FOR", PAYLOADS, " bell_.ring_after_fence(to.process); ", " ",
         "shm_doorbell.rings_for_the_last_piece_that_the_receiver_reads"),
    Twin("", "RINGS_BEFORE_IT_HAS_READ", CLAIMS,
         "    read_.store(before + count, std::memory_order_release);\n    ring();\n",
         "    ring();\n    read_.store(before + count, std::memory_order_release);\n",
         "interleavings_net_shm.who_sleeps_until_its_payload_is_read_is_rung_for", INTERLEAVINGS),
    Twin("", "SAYS_SO_BEFORE_IT_COPIES", CLAIMS, "    if (!copy()) return false;\n", "", PIECES, INTERLEAVINGS,
         ((CLAIMS, "    ring();\n    return true;\n", "    ring();\n    return copy();\n"),)),
    Twin("", "DROPPED_COUNTS_AS_LOOKED_AT", RINGS, "        looked_at_.erase(looked_at_.begin() + static_cast<std::ptrdiff_t>(at_));\n",
         "        looked_at_.erase(looked_at_.begin() + static_cast<std::ptrdiff_t>(at_));\n        ++looked;\n",
         "shm_watched_rings_test.one_that_is_dropped_hides_no_record_of_another"),
    Twin("", "WHAT_IT_CAN_ITSELF", BELL,
         "needs_fences_ = front_.head().needs_fences.load(std::memory_order_relaxed) != 0;",
         "needs_fences_ = !has_fence_;", "shm_doorbell_test.does_what_the_weakest_of_all_processes_can"),
    # ---- rings ----
    Twin("", "WORD_OF_THE_RECEIVER", OUT_CPP, "front_.announced(process)[word_of(process_)]",
         "front_.announced(process)[word_of(process)]", "shm_watched_rings_test.are_those_of_every_number"),
    Twin("", "WATCHED_TWICE", RINGS, "  if (in->is_watched) return;  // announced twice\n", "",
         "shm_watched_rings_test.have_one_place_each_however_often_they_are_announced"),
    Twin("", "ONE_MORE_IS_WATCHED", RINGS, "watched_ < most)", "watched_ <= most)", FEW),
    Twin("", "BUSIEST_IS_LEFT_OUT", RINGS, "each->last_used < quietest->last_used",
         "each->last_used > quietest->last_used",
         GIVE),
    Twin("", "USE_IS_NOT_NOTED", RINGS, "        in.last_used = ++found_;\n", "        ++found_;\n", GIVE),
    Twin("", "PLACE_AT_ONCE", RINGS, "if (in.announcements < least_announcements) return false;", "", GIVE),
    Twin("", "PLACES_OF_THOSE_IN_USE", RINGS, "if (found_ - quietest->last_used < quiet_records) return false;", "",
         "shm_watched_rings_test.stay_the_same_beside_others_that_write_as_often"),
    Twin("", "NEVER_GIVEN", RINGS, "  ++in->announcements;\n", "", GIVE),
    Twin("", "SAME_AGAIN", RINGS, "        ++at_;  // not the same again", "        // not the same again",
         "shm_turns.of_rings_that_are_watched"),
    Twin("", "NEW_ONES_WAIT", RINGS, "found_ % often == often - 1", "false",
         "shm_turns.of_one_that_is_not_watched_while_another_never_ends"),
    Twin("", "STAYS_WATCHED_IN_ITS_EYES", RINGS, "  in.is_watched = false;\n", "", GIVE),
    Twin("", "PAGES_BY_TOUCH", "net_shm/pair_ring.cpp",
         "mapped_ring(with_pages(descriptor, plan, from, to), plan, from, to)",
         "mapped_ring(descriptor, plan, from, to)", "shm_pair_ring.has_its_pages_before_its_first_record"),
    Twin("", "COUNTS_IN_THE_LINES", "net_shm/pair_ring.hpp", "(base_ + lines_bytes_)",
         "(base_ + lines_bytes_ - core::line_bytes)",
         TRAFFIC, "net_shm/pair_ring.cpp"),
    Twin("", "RINGS_OVERLAP", SEGMENT, "static_cast<std::size_t>(from) * all +",
         "static_cast<std::size_t>(from) * (all - 1) +", MANY),
    Twin("", "TRANSFERS_OVERLAP_ROWS", SEGMENT, "padded(transfers_per_process * sizeof(transfer), core::pair_bytes)",
         "padded(sizeof(transfer), core::pair_bytes)", OFTEN),
    # ---- cells ----
    Twin("", "CELL_BACK_IN_SILENCE", NETWORK, "bell_.ring_after_fence(from);\n}\n", "static_cast<void>(0);\n}\n",
         "shm_payloads.whose_next_piece_waits_for_a_cell_are_rung_for"),
    Twin("", "ANY_CELL", NETWORK, "cell >= cells_of_a_pair ||", "cell > cells_of_a_pair ||", "shm_refusals.cells_that_are_none"),
    Twin("", "CELL_OF_ANOTHER", "net_shm/pair_cells.cpp", "at_(plan.cells_at(std::min(own, other), std::max(own, other)))",
         "at_(plan.cells_at(0, std::max(own, other)))", OFTEN),
    Twin("", "LINES_OF_THE_HEAD_TAKEN", NETWORK, "its.has_read(cell, arrived.body_bytes())", "its.has_read(cell, what.bytes)",
         "shm_payloads.take_lines_of_their_bytes_only"),
    Twin("", "BODIES_OF_ANY_LENGTH", NETWORK, " || what.bytes - head_bytes > cell_bytes)", ")",
         "shm_refusals.bodies_that_no_cell_holds"),
    Twin("", "CELLS_ALL_THE_SAME", "net_shm/pair_cells.hpp", "values.cells != \"off\"", "true", "shm_cells.are_as_the_settings_say",
         "tests/unit/net_shm/rare_states_test.cpp"),
    Twin("", "PIECES_OF_NOTHING", PAYLOADS, "wanted.piece == 0 ||", "",
         "shm_refusals.a_payload_that_is_wanted_in_pieces_that_no_record_holds"),
    Twin("", "PIECES_OF_ANY_LENGTH", PAYLOADS, " || wanted.piece > out_.largest_body(sizeof(piece_of_payload))", "",
         "shm_refusals.a_payload_that_is_wanted_in_pieces_that_no_record_holds"),
    # ---- what is reserved and given up ----
    Twin("", "SKIP_FORGETS", ENDS, "    payload_until_ = tail_;  // now: what", "    // now: what", GIVEN_UP,
         "tests/unit/net_shm/ring_interleavings_test.cpp"),
    Twin("", "SKIP_FORGETS_MESSAGES", ENDS, "    payload_until_ = tail_;  // now: what", "    // now: what",
         "shm_payloads.leave_nothing_behind_that_messages_meet", PAYLOADS, (ASKS_BY_RESERVING,)),
    # ---- one job after the other ----
    Twin("", "WAITS_FOR_NOBODY", JOBS, "!= process_stage::ended) return other;", "!= process_stage::ended) break;",
         "shm_successive_jobs.the_next_one_waits_until_all_have_left_the_one_before"),
    Twin("", "RINGS_STAY", JOBS, "FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE", "FALLOC_FL_KEEP_SIZE",
         "shm_successive_jobs.rings_are_empty_and_take_no_memory"),
    Twin("", "NAMES_OF_THE_JOB_BEFORE", JOBS, "  ++head.key;", "  //",
         "shm_successive_jobs.each_finds_nothing_of_the_one_before"),
    Twin("", "HALF_RENEWED", JOBS, "is_being_renewed.load(std::memory_order_relaxed) != 0)", "is_being_renewed.load() > 1)",
         "shm_successive_jobs.what_was_half_renewed_is_renewed_again"),
    # ---- records out ----
    Twin("", "OVERTAKES_KEPT", OUT,
         "    return is_nothing_before(process) ? try_put(process, nullptr, 0, what) || keep(process, nullptr, 0, what)\n"
         "                                      : keep(process, nullptr, 0, what);",
         "    return try_put(process, nullptr, 0, what) || keep(process, nullptr, 0, what);", TRAFFIC, NETWORK),
    Twin("", "KEPT_WITHOUT_ITS_HEAD", OUT_CPP,
         "  if (head_bytes != 0) std::memcpy(made.head.data(), head, head_bytes);\n", "",
         "shm_payloads.offers_that_have_waited_are_whole"),
    Twin("", "ROOM_BEHIND_WHAT_WAITS", OUT, "if (!to.waiting.empty() || to.ring", "if (to.ring",
         "shm_payloads.no_piece_is_taken_while_something_waits_before_it", PAYLOADS),
    Twin("", "WHAT_HAS_LEFT_IS_FORGOTTEN", NETWORK, "moved |= payloads_.move_on", "moved = payloads_.move_on",
         "shm_payloads.that_cannot_move_do_not_hide_what_has_left"),
    # ---- payloads ----
    Twin("", "LARGER_THAN_A_RECORD", PAYLOADS, "bytes <= ways_.most_inside && (bytes <= out_.largest_record() || out_.find_room(process, 0, bytes))",
         "bytes <= ways_.most_inside",
         "shm_payloads.of_every_size_leave_through_small_rings"),
    Twin("", "UNKNOWN_IS_THE_SAME", SEGMENT_HPP, "return space != 0 && space ==", "return space ==",
         "shm_payloads.are_not_read_from_processes_that_are_numbered_otherwise", PAYLOADS),
    Twin("", "READS_ANYBODY", PAYLOADS, "front_.have_same_pid_space(process, process_) &&", "",
         "shm_payloads.are_not_read_from_processes_that_are_numbered_otherwise"),
    Twin("", "YOUNGEST_RECEIVE", PAYLOADS, "number = receives.front();", "number = receives.back();", TRAFFIC),
    Twin("", "CANCELLED_STAYS", PAYLOADS, "  receives_.remove(receiving.pieces_left);\n  receiving.cancelled = true;",
         "  receiving.cancelled = true;", "shm_payloads.a_receive_is_taken_back_until_it_has_met_its_payload"),
    Twin("", "CANCELS_WHAT_HAS_MET", PAYLOADS, " || its->has_met) return false;", ") return false;",
         "shm_payloads.a_receive_is_taken_back_until_it_has_met_its_payload"),
    Twin("", "KEEPS_ITS_TRANSFER", PAYLOADS,
         "    users_[its.transfer] = nobody;\n    free_transfers_.push_back(its.transfer);",
         "    users_[its.transfer] = nobody;", MANY_LARGE),
    Twin("", "FREE_TOO_EARLY", PAYLOADS, "if (its.pieces_read == 0) {", "if (true) {", FREE_AGAIN),
    Twin("", "RELEASED_UNTOLD", PAYLOADS,
         "out_.send(from.process, released_transfer{.transfer = wanted.transfer}, {.kind = record_kind::released});", "",
         FREE_AGAIN),
    Twin("", "NEVER_FREE_AGAIN", PAYLOADS, "  free_transfers_.push_back(its.transfer);\n  ask_for_waiting();",
         "  ask_for_waiting();", FREE_AGAIN),
    Twin("", "THOSE_THAT_WAIT_FORGOTTEN", PAYLOADS, "  end_receive(number, events);\n  ask_for_waiting();",
         "  end_receive(number, events);", "shm_payloads.those_without_a_place_get_one_when_another_ends"),
    Twin("", "TAKEN_WITHOUT_ROOM", PAYLOADS,
         "if (!out_.find_room(from.process, sizeof(piece_of_payload), wanted.piece)) return moved;", "",
         "shm_payloads.come_in_part_from_either_end"),
    Twin("", "NOT_READ_YET", PAYLOADS, "      if (!its.is_all_read()) return moved;\n", "",
         "shm_payloads.are_the_senders_again_when_the_receiver_has_read_what_it_took"),
    Twin("", "NEVER_READS", PAYLOADS, "if (reaches(to.process, to.from.address)) readable_.push_back(number);", "",
         "shm_payloads.a_receiver_reads_what_its_sender_does_not_send"),
    Twin("", "YOUNGEST_FIRST", PAYLOADS, "  sending_.push_back(wanted);",
         "  sending_.insert(sending_.begin(), wanted);",
         "shm_payloads.of_one_sender_come_one_after_the_other"),
    Twin("", "ONE_BYTE_MORE", PAYLOADS, "bytes <= to.bytes) return true;", "bytes <= to.bytes + 1) return true;",
         "shm_refusals.payloads_longer_than_their_receive"),
    Twin("", "TRANSFER_BEHIND_THE_LAST", PAYLOADS, "wanted.transfer >= transfers_per_process",
         "wanted.transfer > transfers_per_process", "shm_refusals.a_transfer_behind_the_last"),
    Twin("", "RELEASED_BEHIND_THE_LAST", PAYLOADS, "its.transfer >= transfers_per_process || ", "",
         "shm_refusals.numbers_that_nobody_has_told"),
    Twin("", "WANTED_BY_ANYBODY", PAYLOADS, "its->process != from || its->is_wanted", "its->is_wanted", TOLD),
    Twin("", "WANTED_TWICE", PAYLOADS, "its->is_wanted || ", "", "shm_refusals.a_payload_that_is_wanted_twice"),
    Twin("", "RELEASED_BY_ANYBODY", PAYLOADS, "users_[its.transfer] != from", "users_[its.transfer] < 0",
         "shm_refusals_test.a_transfer_that_another_process_has_to_release"),
    Twin("", "PIECES_ANYWHERE", PAYLOADS, "piece.offset != its.at(to->pieces_sent) || ", "", PIECES_REFUSED),
    Twin("", "PIECES_TOO_LONG", PAYLOADS, "what.body_bytes() != bytes", "what.body_bytes() < bytes",
         PIECES_REFUSED),
    Twin("", "PIECES_TOO_SHORT", PAYLOADS, "what.body_bytes() != bytes", "what.body_bytes() > bytes",
         PIECES_REFUSED),
    Twin("", "PIECES_UNASKED", PAYLOADS, " || to->transfer == no_transfer)", ")",
         "shm_refusals.pieces_that_nobody_has_asked_for"),
    Twin("", "WRONG_IS_GONE", PAYLOADS, "how == copy_outcome::wrong || ", "",
         "shm_refusals.a_buffer_that_is_gone_before_its_payload_is_copied"),
    Twin("", "GONE_IS_WRONG", "net_shm/peer_memory.cpp", "return copy_outcome::gone;", "return copy_outcome::wrong;",
         "shm_peer_memory.is_there_or_wrong_or_gone"),
    # ---- the segment, and who may come ----
    Twin("", "ANY_VERSION", JOB, "front().head().version != expected.version", "false",
         "shm_refusals.segments_that_are_none_or_of_another_job"),
    Twin("", "ANY_MEMORY", JOB, "front().head().name != expected.name", "false",
         "shm_refusals_test.memory_that_is_no_segment"),
    Twin("", "ENDS_UNTOLD", JOBS, "stage.store(process_stage::ended,", "stage.store(process_stage::here,",
         "shm_stages.are_told_to_who_has_started_the_processes"),
    # ---- whether purerun is still there ----
    Twin("", "STARTER_STAYS_FOR_EVER", "net_shm/starter.cpp", "number >= 0 && read(", "false && read(",
         "shm_starter.is_seen_while_it_lives_and_not_afterwards"),
    Twin("", "EACH_SAYS_SO", NETWORK, "exchange(1, std::memory_order_relaxed) != 0) abort(1);",
         "exchange(1, std::memory_order_relaxed) == 2) abort(1);", "shm_starter.network_fails_once_when_it_has_ended"),
]

if __name__ == "__main__":
    sys.exit(run(Room("net_shm", (), TWINS, {})))
