#!/usr/bin/env python3
"""Mistakes that matching invites, planted in it (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

SHORT = "match/short_receive.hpp"
RECEIVER = "match/message_receiver.cpp"
SENDER = "match/message_sender.cpp"
POSTED = "match/posted_receives.hpp"
UNEXPECTED = "match/unexpected_messages.cpp"
OFFERED = "match/offered_sends.hpp"
HALVES = "tests/unit/match/match_halves_test.cpp"
REQUESTS = "tests/unit/match/request_parts_test.cpp"
PARTS = "tests/unit/match/match_parts_test.cpp"
ORDER = "matching_order_test.is_what_the_standard_allows"
MANY = "matching_order_test.also_where_many_wait"

CELLS = "cells_of_messages"
WAYS = "match/copy_ways.hpp"
WAYS_TEST = "tests/unit/match/copy_ways_test.cpp"

TWINS = [
    # ---- messages through cells ----
    Twin("", "MORE_THAN_CELLS_HOLD", SENDER, "  if (bytes > most_bytes_in_cells) return false;\n", "",
         "cells_of_long_eager_messages.longer_ones_do_so_also_where_an_end_has_more_cells_than_its_own"),
    Twin("", "CELLS_BEFORE_ROOM", SENDER,
         "  record* const place = channel.to->try_reserve(1);\n  if (place == nullptr || mine == nullptr) return false;\n"
         "  message_in_cells content{&mine->other(), {}};\n"
         "  if (!mine->put(static_cast<const std::byte*>(data), bytes, content.cells)) return false;\n",
         "  if (mine == nullptr) return false;\n  message_in_cells content{&mine->other(), {}};\n"
         "  if (!mine->put(static_cast<const std::byte*>(data), bytes, content.cells)) return false;\n"
         "  record* const place = channel.to->try_reserve(1);\n  if (place == nullptr) return false;\n",
         CELLS + ".that_a_full_ring_has_no_room_for_take_no_cell"),
    Twin("", "EACH_CELL_AT_THE_BEGINNING", "transport/cells.cpp", "copy_laid_out(target, at + done, {cell, nullptr}, 0, part);",
         "copy_laid_out(target, at, {cell, nullptr}, 0, part);",
         CELLS + ".come_to_where_a_layout_puts_them_also_if_it_is_too_short"),
    Twin("", "CUT_MESSAGES_KEEP_CELLS", "match/message_content.hpp", "get(content.cells, arrived.bytes, to, 0, bytes);",
         "get(content.cells, bytes, to, 0, bytes);", CELLS + ".longer_than_their_receive_are_cut_and_lose_no_cell", "match/delivery.cpp"),
    Twin("", "CELLS_WHERE_THEY_LIE", UNEXPECTED, "    message->kind = record_kind::eager;\n", "    message->bytes = 0;\n",
         CELLS + ".that_nobody_has_a_receive_for_give_their_cells_up"),
    Twin("", "SLOW_ONCE", WAYS, "slow_enough = 2;", "slow_enough = 1;", "copy_ways.one_slow_copy_is_not_enough_also_where_the_buffer_has_changed_before_it_is_known", WAYS_TEST),
    Twin("", "CELLS_FOR_EVER", WAYS, "      of_size.begin(false, timed_every);\n    } else if (of_size.slow",
         "    } else if (of_size.slow",
         "copy_ways.a_buffer_that_is_written_no_more_is_read_in_place_again", WAYS_TEST),
    Twin("", "QUESTIONED_AS_OFTEN", WAYS, "std::min(2 * of_size.period, longest_period)", "of_size.period",
         "copy_ways.cells_are_questioned_less_and_less", WAYS_TEST),
    Twin("", "SLOW_IS_ENOUGH", WAYS, "    } else if (!of_size.has_changed) {", "    } else if (false) {",
         "copy_ways.slow_copies_of_what_nobody_writes_are_no_reason", WAYS_TEST),
    Twin("", "WATCHED_FOR_EVER", WAYS, " || --of_size.watched_for == 0", "",
         "copy_ways.a_buffer_that_never_comes_again_is_not_waited_for", WAYS_TEST),
    Twin("", "ALL_WORDS_BUT_THE_LAST", WAYS, "(bytes - sizeof word) / (words - 1)", "(bytes - sizeof word) / words",
         "copy_ways.any_word_of_each_half_may_change", WAYS_TEST),
    Twin("", "ONE_HALF_IS_ENOUGH", WAYS, "of_size.content.front && now.back", "of_size.content.front || now.back",
         "copy_ways.one_half_that_changes_is_no_reason", WAYS_TEST),
    Twin("", "TIME_OF_THE_WHOLE", WAYS, "speed_->fetched_line_ns(bytes) * static_cast<double>(copied);",
         "speed_->fetched_line_ns(bytes) * static_cast<double>(bytes);", "copy_ways.what_counts_is_the_time_of_what_was_copied", WAYS_TEST),
    # ---- a receive that names its sender, and one from any source that was posted before it ----
    Twin("", "NAMED_OVERTAKES_ANY", SHORT, "channel.posted.front() == &op && !posted_.has_from_any() && op.matches",
         "channel.posted.front() == &op && op.matches", ORDER, "match/requests.cpp"),
    Twin("", "ALONE", POSTED, "    push(from_any_, op);\n    from_any_has_changed();\n", "    push(from_any_, op);\n",
         ORDER, RECEIVER),
    Twin("", "ANY_OVERTAKES_NAMED", POSTED, "any.at.entry->order < found.at.entry->order", "true", ORDER, RECEIVER),
    Twin("", "NAMED_FIRST", POSTED, "(any.at.entry != nullptr && any.at.entry->order < found.at.entry->order)", "false",
         ORDER, RECEIVER),
    Twin("", "ANY_TAKES_FROM_THE_RING", RECEIVER, "return arrived != nullptr && each.posted.empty() && op.matches",
         "return arrived != nullptr && op.matches", ORDER),
    Twin("", "NO_ORDER", POSTED, "    op.order = pushed_++;\n", "", ORDER, RECEIVER),
    # ---- messages of one sender ----
    Twin("", "RING_BEFORE_EARLY", RECEIVER, "  if (take_early(channel, op)) return;\n  posted_.push(channel.posted, op);",
         "  posted_.push(channel.posted, op);", ORDER),
    Twin("", "TAKES_WITHDRAWN", RECEIVER, "  if (claim && !claim.take()) return from_.pop(channel, arrived);  // it was cancelled\n",
         "  if (claim) static_cast<void>(claim.take());\n", ORDER),
    Twin("", "TAG_ALONE", "match/receive_op.hpp", "return context == who.context && (tag == who.tag || tag == any_tag);",
         "return (tag == who.tag || tag == any_tag);", ORDER, RECEIVER),
    # ---- queues with an index ----
    Twin("", "KEPT_IN_QUEUE", POSTED, "    found.in->remove(found.at);\n", "", ORDER, RECEIVER),
    # ---- what is counted ----
    Twin("", "EARLY_NOT_COUNTED_DOWN", UNEXPECTED, "  --count_;\n", "", MANY),
    Twin("", "CLAIM_KEPT", SENDER,
         "    op.is_taken_back = op.claim->was_taken_back();\n    claims_.give_back(*op.claim);\n",
         "    op.is_taken_back = op.claim->was_taken_back();\n", ORDER),
    Twin("", "OVERHEAD_KEPT", "match/send_buffer.cpp", "  in_use_ -= which->op.bytes + overhead;",
         "  in_use_ -= which->op.bytes;", "send_buffer_test.has_all_its_room_again_however_often_it_was_full"),
    Twin("", "ONE_BYTE_LESS", "match/send_buffer.hpp", "left >= overhead && left - overhead >= bytes;",
         "left > overhead && left - overhead > bytes;", "send_buffer_test.keeps_what_fits_to_the_byte",
         "match/send_buffer.cpp"),
    Twin("", "PLACE_NOT_MOVED", OFFERED, "    last->offered_index = op.offered_index;\n", "",
         "offered_sends.each_knows_its_place_whichever_is_removed", PARTS),
    Twin("", "OFFERED_KEPT", SENDER, "    if (op.now == send_op::stage::offered) offered_.remove(op);\n", "",
         ORDER),
    # ---- the parts ----
    Twin("", "STAYS_NEVER_ALONE", POSTED, "    from_any_.pop_front();\n    from_any_has_changed();\n",
         "    from_any_.pop_front();\n", "posted_receives_test.nobody_is_alone_exactly_while_one_from_any_source_is_posted",
         PARTS),
    Twin("", "EXPECTING_IS_OPEN", POSTED, "(op.arriving == nullptr || is_open(op))", "true",
         "posted_receives_test.one_that_expects_another_message_is_asked", PARTS),
    Twin("", "TOTAL_NOT_COUNTED_DOWN", UNEXPECTED, "  of_all_.remove();\n", "",
         "unexpected_queue_test.counts_are_right_whichever_way_a_message_goes"),
    Twin("", "CANCELLED_IS_FOUND", UNEXPECTED, "!found.entry->claim.was_withdrawn()", "true",
         "unexpected_queue_test.counts_are_right_whichever_way_a_message_goes"),
    Twin("", "WARNS_ONE_LATE", "match/unexpected_messages.hpp", "if (++count_ < next_warning_) return false;",
         "if (++count_ <= next_warning_) return false;",
         "unexpected_queue_test.a_warning_is_due_at_the_limit_and_then_at_four_times_as_many", RECEIVER),
    Twin("", "LOOKS_AT_THE_SAME_SENDER", "match/in_channels.hpp", "        first_asked_ = at;\n", "",
         "in_channels_test.every_sender_is_asked_in_turn", HALVES),
    Twin("", "SECOND_CHANNEL", "match/in_channels.cpp", "    if (of_[each->source()] == nullptr) open(", "    open(",
         "in_channels_test.a_sender_has_one_channel_whoever_comes_first"),
    Twin("", "CLOSED_OPENS_THE_RING", "match/in_channels.cpp", "is_closed_ ? empty_ring() : announced", "announced",
         "in_channels_test.a_closed_rank_sees_no_message_of_anybody"),
    Twin("", "STREAM_TWICE", "match/message_streams.hpp", "if (!any(is_same)) of_.push_back(who);", "of_.push_back(who);",
         "message_streams.each_is_there_once_and_by_context_and_tag", "match/delivery.cpp"),
    Twin("", "OVERTAKES_THE_QUEUE", SENDER, "  if (is_first && put(channel, op)) return;\n",
         "  if (put(channel, op)) return;\n", "message_sender_test.what_waits_for_room_stays_in_front_of_what_comes_later"),
    Twin("", "NOT_LISTED", SENDER, "  if (is_first) waiting_.push_back(&channel);\n", "",
         "message_sender_test.what_waits_for_room_stays_in_front_of_what_comes_later"),
    Twin("", "STAYS_LISTED", SENDER, "    if (channel.queue.empty()) std::erase(waiting_, &channel);\n", "",
         "message_sender_test.cancelling_all_that_waits_leaves_nothing_waiting"),
    Twin("", "CLOSED_SENDS_ON", SENDER, "  for (out_channel* const channel : waiting_) channel->queue = {};\n  waiting_.clear();\n", "",
         "message_sender_test.a_closed_sender_has_nothing_waiting"),
    Twin("", "ROOM_IS_NOT_MADE", RECEIVER, "    if (channel.from->room_is_wanted()) moved |= drain(channel, [] { return false; });\n", "",
         "message_receiver_test.a_message_that_nobody_waits_for_stays_in_its_ring_until_its_sender_needs_the_room"),
    # ---- requests ----
    Twin("", "FREED_KEPT", "match/freed_requests.hpp", "      all_.pop_back();\n", "",
         "freed_requests.what_has_ended_is_gone_and_nothing_else", REQUESTS),
    Twin("", "FREED_NOT_IN_TURN", "match/freed_requests.hpp", "        ++next_;\n", "",
         "freed_requests.a_look_is_at_some_in_turn_and_all_have_their_turn", REQUESTS),
    Twin("", "STARTED_TWICE", "match/stored_requests.cpp", "entry.is_persistent() && !entry.is_active();",
         "entry.is_persistent();", "request_parts_test.a_persistent_one_is_started_when_it_is_inactive"),
    Twin("", "ACTIVE_TOO_SOON", "match/stored_requests.cpp", "  stored_message& stored = *entry.stored;\n",
         "  stored_message& stored = *entry.stored;\n  stored.is_active = true;\n",
         "request_parts_test.one_whose_start_throws_stays_inactive"),
    Twin("", "VISIT_IS_A_MARK", "match/request_tables.hpp", "std::max(visits_ + 1, first)", "visits_ + 1",
         "request_parts_test.numbers_of_visits_are_never_the_marks_of_the_table", REQUESTS),
    Twin("", "MESSAGE_KEPT", "match/matched_receives.cpp", "  messages_.give_up(message);\n  const int from",
         "  const int from", "request_parts_test.a_matched_message_is_received_once"),
]

if __name__ == "__main__":
    sys.exit(run(Room("match", (), TWINS, {})))
