#!/usr/bin/env python3
"""The mutations of the gateway's models, planted in its code (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

STREAMS = "gateway/message_streams.hpp"
FORESEEN = "gateway/foreseen_receives.cpp"
RUNS = "gateway/run_receiver.cpp"
GATEWAY = "gateway/gateway.cpp"
ACTIVE = "gateway/active_messages.cpp"

TWINS = [
    # ---- a claim that another send has meanwhile ----
    Twin("", "ASKED_BACK_BY_ADDRESS", "gateway/open_sends.cpp", "sent->second.claimed == its;",
         "sent->second.claimed.claim == its.claim;", "cancelled_send_test.none_but_the_one_that_was_asked_back"),
    Twin("", "SAME_USE_AGAIN", "match/claim_pool.hpp", "    claim.end_use();\n", "",
         "cancelled_send_test.none_but_the_one_that_was_asked_back", "match/message_sender.cpp"),
    # ---- receives that are posted before the envelope of their message is here ----
    Twin("streams", "ANY_TAG", STREAMS,
         "    return in_packet[count % streams::tags_of_each] <= dealt_with;", "    return dealt_with + 1 > 0;",
         "foreseen_test.a_tag_is_not_used_again_before_the_message_before_is_dealt_with", "gateway/open_sends.cpp"),
    Twin("streams", "DEALT_WITH_EARLY", "gateway/events.cpp",
         "  if (!foreseen_.is_anything_held()) from.dealt_with = from.arrived;\n  if (!entries.is_whole())",
         "  from.dealt_with = from.arrived;\n  if (!entries.is_whole())",
         "foreseen_test.a_packet_is_not_dealt_with_while_a_receive_that_it_ends_is_taken_back"),
    Twin("streams", "DEALT_WITH_EARLY", "gateway/events.cpp",
         "  if (!foreseen_.is_anything_held()) from.dealt_with = from.arrived;\n}\n\nvoid gateway::operation_done",
         "  from.dealt_with = from.arrived;\n}\n\nvoid gateway::operation_done",
         "foreseen_test.nor_is_a_message_without_envelope"),
    Twin("streams", "NO_HOLD", FORESEEN,
         "  if (expected.is(stage::giving_up)) hold(link, expected);\n", "",
         "foreseen_test.a_message_waits_until_its_receive_is_taken_back"),
    Twin("streams", "ONE_HOLD", FORESEEN, "  ++link.holds;\n", "  link.holds = 1;\n",
         "foreseen_test.messages_wait_for_each_of_several_that_are_taken_back"),
    Twin("streams", "NOT_EMPTY", FORESEEN, " || way.front() != nullptr) return false;", ") return false;",
         "foreseen_test.a_receive_does_not_expect_while_there_are_messages_for_it"),
    Twin("streams", "NO_OWED", FORESEEN, "next.next_tag(next.owed)", "next.next_tag()",
         "foreseen_test.what_has_come_before_its_envelope_is_counted"),
    Twin("streams", "ANNOUNCED_ANYHOW", FORESEEN, "    hold(link, expected);  // it may have", "    // it may have",
         "foreseen_announced_test.its_tag_is_not_told_to_be_free_before"),
    Twin("streams", "NO_REPOST", FORESEEN, "  if (expected.going.cancelled && expected.is(stage::announced_giving_up)) {",
         "  if (false) {", "foreseen_announced_test.its_receive_is_posted_again"),
    # ---- messages without envelopes ----
    Twin("runs", "ANY_TAG", "gateway/stream_sender.cpp", " || !run.may_use_next_tag(to.dealt_with_by_it)", "",
         "runs_test.a_tag_is_used_again_only_when_it_is_free"),
    Twin("runs", "NO_END", STREAMS, "    return run != nullptr && !streams::is_aside(run->context, who, bytes);",
         "    return false;", "runs_test.another_message_of_the_pair_waits_for_those_of_the_run",
         "gateway/outgoing.cpp"),
    Twin("runs", "NO_WAIT", RUNS, "  if (link.run.missing > 0) {\n    foreseen_.one_hold_more();", "  if (false) {",
         "runs_test.another_message_of_the_pair_waits_for_those_of_the_run"),
    Twin("runs", "NOT_BEHIND", RUNS, "  if (link.run.missing == 0) return false;",
         "  if (link.run.missing == 0 || !link.run.behind.empty()) return false;",
         "runs_test.so_do_all_that_come_after_it"),
    Twin("runs", "KEPT_STAYS", RUNS, "  if (kept == nullptr || !kept->is_own()) return;\n  kept->stream->expected",
         "  return;\n  kept->stream->expected", "runs_test.the_gateways_own_receive_goes_when_the_run_ends"),
    Twin("runs", "KEPT_FORGOTTEN", RUNS,
         "  if (kept->is(foreseen_receive::stage::giving_up)) foreseen_.hold(link, *kept);\n", "", "runs_test.its_tag_is_not_free_before_it_has_gone"),
    Twin("runs", "NO_HOLD", FORESEEN,
         "  if (expected.is(stage::giving_up)) hold(link, expected);\n", "",
         "runs_test.a_message_that_ends_one_waits_until_its_receive_is_taken_back"),
    Twin("runs", "NOBODY", RUNS, "    foreseen_.start_expecting(*link.end->rank, link.to->source(), its, nullptr);\n", "",
         "runs_test.a_message_for_which_no_receive_is_posted_comes_all_the_same"),
    Twin("runs", "ALWAYS", RUNS,
         "  forget_run(link);\n  if (kept",
         "  in_stream& still = *link.run.of;\n  forget_run(link);\n"
         "  foreseen_.start_expecting(*link.end->rank, link.to->source(), still, nullptr);\n  if (kept",
         "runs_test.no_receive_of_the_gateway_is_posted_after_the_end"),
    Twin("runs", "ANYBODY", RUNS, "    in_stream& its = *run.of;\n    if (run.missing == 0 &&",
         "    in_stream& its = *run.streams.begin()[run.streams.size() - 1];\n    if (run.missing == 0 &&",
         "runs_test.messages_of_several_streams_come_in_the_order_of_sending"),
    Twin("runs", "NONE_EARLY", RUNS, "  its.ahead = std::exchange(its.owed, 0);", "  its.ahead = 0;",
         "runs_test.what_comes_before_the_packet_in_which_it_begins_is_counted"),
    Twin("runs", "TAG_STAYS", STREAMS, "    short_ones = 0;\n    leave_next_tag(packet);", "    short_ones = 0;",
         "runs_test.the_next_tags_are_left_alone_when_it_ends", "gateway/outgoing.cpp"),
    # ---- work that ranks leave for whoever is inside the network ----
    Twin("network_lock", "NO_SECOND_LOOK", GATEWAY,
         "  } while (context_.has_work.load(std::memory_order_relaxed));", "  } while (false);",
         "left_work_test.a_message_that_is_left_while_all_work_is_done"),
    Twin("network_lock", "CLEAR_LATE", GATEWAY,
         """    context_.has_work.store(false, std::memory_order_relaxed);
    // seq_cst: before the ends are looked at. Who says so at one of them after that look sets has_work after this; and
    // what was said before has_work was set is seen. It pairs with the stores of has_work in leave_work() and
    // leave_for_later()
    std::atomic_thread_fence(std::memory_order_seq_cst);
    context_.has_unfinished = false;
    for (const auto& end : context_.ends) {
      // acquire: what the rank has left; pairs with the release in say_work()
      if (!end->has_work.exchange(false, std::memory_order_acquire)) continue;
      moved = true;
      work_at(*end);
    }
""", """    context_.has_unfinished = false;
    for (const auto& end : context_.ends) {
      if (!end->has_work.exchange(false, std::memory_order_acquire)) continue;
      moved = true;
      work_at(*end);
    }
    context_.has_work.store(false, std::memory_order_relaxed);
""", "left_work_test.a_message_that_is_left_by_a_rank_that_has_been_looked_at"),
    Twin("network_lock", "NO_TURN", "network/network_lock.hpp",
         """    if (taken_.load(std::memory_order_relaxed)) return false;
    // acquire: what the thread before has done inside; pairs with the release in give_back()
    return !taken_.exchange(true, std::memory_order_acquire);
""", "    return true;\n", "left_work_test.a_message_that_is_left_while_another_rank_does_its_own", GATEWAY),
    Twin("network_lock", "NO_LOOK_OF_OWN", GATEWAY, "  if (is_done) return serve_newcomers();", "  if (is_done) return;",
         "left_work_test.a_message_that_is_left_while_another_rank_does_its_own"),
    Twin("network_lock", "NO_LOOK_OF_OWN", "gateway/ranks.cpp",
         "    its = out_.send_directly(link, what);\n  }\n  serve_newcomers();",
         "    its = out_.send_directly(link, what);\n  }",
         "left_work_test.a_message_that_is_left_during_a_send_past_the_ring"),
    Twin("network_lock", "UNLIST_LATE", "gateway/outbox.cpp",
         """    link.is_listed.exchange(false, std::memory_order_acq_rel);  // a read and a write: see list()
    forward_from(link);
""", """    forward_from(link);
    for (volatile int i = 0; i < 100000;) i = i + 1;  // so that the moment is long enough
    link.is_listed.exchange(false, std::memory_order_acq_rel);
""", "left_work_by_threads.every_message_leaves_without_a_further_call_of_its_sender"),
    Twin("network_lock", "NO_ALARM", GATEWAY, "  context_.running->network_needs_a_look();\n", "",
         "left_for_later.an_alarm_comes_for_it"),
    # ---- bounds and accounts: mistakes that no model has ----
    Twin("", "NO_ROOM_AGAIN", "gateway/arrivals.cpp", "    if (!link->waiting.empty()) link->to->ask_for_room();\n", "",
         "accounts_test.who_finds_no_room_in_a_ring_asks_for_it_again_and_again"),
    Twin("", "ONE_PACKET_MORE", "gateway/packet_pool.hpp", "if (on_their_way() >= most_on_their_way) return nullptr;",
         "if (on_their_way() > most_on_their_way) return nullptr;",
         "accounts_test.no_more_packets_than_there_may_be_are_on_their_way", "gateway/packet_sender.cpp"),
    Twin("", "ANSWERS_OVERTAKE", "gateway/packet_sender.cpp",
         "answers_.empty() ? room_for(process, sizeof(wire_answer)) : nullptr;",
         "room_for(process, sizeof(wire_answer));",
         "accounts_test.answers_leave_in_the_order_in_which_they_were_given"),
    Twin("", "BYTES_KEPT_BY_RECEIVER", "gateway/payload_receiver.cpp",
         "  payload.become(stage::delivered);\n  if (payload.is_counted) unrequested_bytes_ -= payload.bytes;\n",
         "  payload.become(stage::delivered);\n", "unrequested_test.there_are_no_more_than_are_allowed"),
    Twin("", "BYTES_KEPT_BY_RECEIVER", "gateway/payload_receiver.cpp",
         "  payload.become(stage::delivered);\n  if (payload.is_counted) unrequested_bytes_ -= payload.bytes;\n",
         "  payload.become(stage::delivered);\n", "unrequested_test.those_that_are_asked_for_on_their_way_are_given_back"),
    Twin("", "BYTES_KEPT_BY_SENDER", "gateway/payload_receiver.cpp",
         "  if (payload.is_counted) unrequested_bytes_ -= payload.bytes;\n  pool_.give_back(payload);\n",
         "  pool_.give_back(payload);\n", "unrequested_test.so_are_those_that_their_sender_takes_back"),
    Twin("", "BYTES_OVER_LIMIT", "gateway/payload_receiver.cpp", "if (unrequested_bytes_ + each->bytes <=",
         "if (unrequested_bytes_ <=", "unrequested_test.there_are_no_more_than_are_allowed"),
    Twin("", "BYTES_UNDER_LIMIT", "gateway/payload_receiver.cpp", "if (unrequested_bytes_ + each->bytes <=",
         "if (unrequested_bytes_ + each->bytes <", "unrequested_test.there_are_no_more_than_are_allowed"),
    Twin("", "TAG_OF_ACTIVE_PAYLOADS", "gateway/open_sends.cpp", "tag + 1 == streams::active_tag(context_.largest_tag()) ? 0 : tag + 1;",
         "tag + 1 == streams::first_tag(context_.largest_tag()) ? 0 : tag + 1;",
         "active_payloads.have_a_tag_that_large_messages_have_not"),
    Twin("", "PAYLOAD_WITH_EACH_PIECE", "gateway/control_channel.hpp", "handler, left == 0 ? with : nullptr}", "handler, with}",
         "control_channel.a_payload_goes_with_the_last_piece_of_its_message", "tests/unit/gateway/control_channel_test.cpp"),
    Twin("", "DROPPED_PAYLOAD_IS_FORGOTTEN", "gateway/control_channel.cpp", "    if (each.with != nullptr) payloads.push_back(each.with);\n", "",
         "control_channel.a_payload_goes_with_the_last_piece_of_its_message"),
    Twin("", "PAYLOADS_SEEM_SETTLED", "gateway/control.cpp", "  if (!active_payloads_.empty()) seen.is_settled = false;", "  if (false) seen.is_settled = false;",
         "active_payloads.each_comes_to_where_the_handler_of_its_message_says"),
    Twin("", "ACTIVE_PAYLOAD_COUNTS_ON", "gateway/active_payloads.cpp", "  --context_.payloads_on_their_way;\n", "",
         "active_payloads.each_comes_to_where_the_handler_of_its_message_says"),
    Twin("", "ONE_PAIR_MORE", STREAMS, "(static_cast<std::uint32_t>(largest_tag) - first_tag(largest_tag))",
         "(static_cast<std::uint32_t>(largest_tag) - first_tag(largest_tag) + most_of_a_pair * tags_of_each)",
         "tags_of_streams.there_are_more_pairs_than_the_network_has_tags_for", "gateway/stream_sender.cpp"),
    Twin("", "ONE_STREAM_LESS", "gateway/stream_sender.cpp", "return of.size() + new_ones <= streams::most_of_a_pair;",
         "return of.size() + new_ones < streams::most_of_a_pair;",
         "tags_of_streams.a_pair_has_no_more_streams_than_it_may_have"),
    Twin("", "ONE_STREAM_MORE", "gateway/stream_sender.cpp", "return of.size() + new_ones <= streams::most_of_a_pair;",
         "return of.size() + new_ones <= streams::most_of_a_pair + 1;",
         "tags_of_streams.a_pair_has_no_more_streams_than_it_may_have"),
    Twin("", "TEXT_GOES_ON", "gateway/text_table.cpp", "  text.resize(part.position);\n", "",
         "notes_of_messages.a_text_that_was_told_in_part_is_told_whole_before_it_is_named"),
    # ---- active messages ----
    Twin("", "OVERTAKES_THE_CHANNEL", "gateway/control.cpp", "visit && !control_.has_unsent() &&", "visit &&",
         "active_messages.keep_their_order_while_another_thread_moves_the_network_on"),
    Twin("", "MORE_THAN_FITS", "gateway/control.cpp", "bytes.size() <= context_.largest_inside &&",
         "bytes.size() <= context_.largest_inside + 1 &&",
         "active_messages_test.each_arrives_whole_and_in_the_order_of_sending"),
    Twin("", "WAITS_FOR_NO_OTHER", "gateway/control.cpp", "    if (has_left && when == departs::at_once) packets_.send_all();\n",
         "    if (has_left) packets_.send_all();\n", "active_messages_test.one_that_departs_with_the_next_travels_with_it_and_before_it"),
    Twin("", "IS_NOT_SENT", "gateway/control.cpp", "    if (has_left && when == departs::at_once) packets_.send_all();\n", "",
         "active_messages_test.one_that_departs_with_the_next_travels_with_it_and_before_it"),
    Twin("", "SECOND_HANDLER", ACTIVE, "  if (place != nullptr) {\n", "  if (false) {\n",
         "active_messages_test.a_second_handler_of_a_kind_is_refused"),
    Twin("", "UNKNOWN_NUMBER", ACTIVE, "number >= by_number_.size() || by_number_[number] == nullptr",
         "number >= by_number_.size()", "damaged_packet_test.and_an_active_message_that_nobody_handles"),
    Twin("", "RESUMES_ONCE", ACTIVE, "each->resume()) has_to_resume_ = true;", "each->resume()) has_to_resume_ = false;",
         "active_messages_test.what_could_not_be_done_is_tried_at_each_poll_until_it_is"),
    Twin("", "RESUMES_FOR_EVER", ACTIVE, "  has_to_resume_ = false;\n", "",
         "active_messages_test.what_could_not_be_done_is_tried_at_each_poll_until_it_is"),
]

WITHOUT = {
    ("network_lock", "NO_FENCE_BEFORE"): "memory order: one fence fewer shows only where a store waits in its buffer",
    ("network_lock", "NO_FENCE_AFTER"): "memory order: the same",
    ("network_lock", "UNLIST_BY_STORE"): "memory order: a store in place of an exchange",
    ("network_lock", "ALARM_BACK_LATE"): "in src/runtime/monitor.cpp, and only where the watch is stopped between its"
                                         " last look and its store: no call is there in which a test could act",
}

if __name__ == "__main__":
    sys.exit(run(Room("gateway", ("streams", "runs", "network_lock"), TWINS, WITHOUT, ("loopback_network.cpp",))))
