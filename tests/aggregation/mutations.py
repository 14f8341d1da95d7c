#!/usr/bin/env python3
"""The mutations of the models of aggregations, and others that the code invites, planted in it
(tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

COUNTS = "aggregation/phase_counts.hpp"
PHASES = "aggregation/part_phases.cpp"
RANK = "aggregation/aggregation.cpp"
SENDER = "aggregation/item_sender.cpp"
RECEIVER = "aggregation/item_receiver.cpp"
PROGRESS = "aggregation/item_progress.cpp"
QUEUES = "aggregation/arrival_queues.hpp"
ACCOUNT = "aggregation/memory_account.hpp"
CREDITS = "aggregation/pair_credits.hpp"
FINISH = "aggregation/finish.cpp"
INCOMING = "aggregation/incoming_packets.cpp"
OUTGOING = "aggregation/outgoing_packets.cpp"
SHARED = "aggregation/shared_packets.cpp"
READER = "aggregation/packet_reader.hpp"
CHANNEL = "aggregation/item_channel.cpp"
NETWORK = "aggregation/process_aggregations.cpp"
WORDS = "aggregation/channel_words.cpp"
LIST = "base/pushed_list.hpp"

INTERLEAVINGS = "tests/unit/aggregation/interleavings_test.cpp"

TWINS = [
    # ---- the end of a phase ----
    Twin("termination", "SENT_WHEN_QUIET", COUNTS,
         "    sent_.store(items, std::memory_order_release);  // release: what has made the rank send; pairs with sent()\n",
         "    handled_so_far_.store(items);\n",
         "aggregation_schedules.what_a_busy_rank_has_sent_is_counted", SENDER,
         ((FINISH, "    published_.publish_quiet(stage_.phase(), receiver_.handled());\n",
           "    published_.publish_sent_now(sender_.sent());\n    published_.publish_quiet(stage_.phase(), receiver_.handled());\n"),
          (COUNTS, "  /// In its finish of that phase it has nothing left",
           "  void publish_sent_now(std::uint64_t items) noexcept { sent_.store(items); }\n"
           "  /// In its finish of that phase it has nothing left"))),
    Twin("termination", "PUSH_FIRST", SENDER, "  published_.publish_sent(counts_.sent);  // before the push: see phase_counts.hpp\n",
         "", "aggregation_schedules.what_a_busy_rank_has_sent_is_counted", "",
         ((SENDER, "  receiver.inbox.push(pushed);\n  receiver.owner->notify();\n",
           "  receiver.inbox.push(pushed);\n  receiver.owner->notify();\n"
           "  for (const std::int64_t end = now_ns() + 300'000'000; checks_.rank() == 0 && now_ns() < end;) {\n  }\n"  # the moment is long enough
           "  published_.publish_sent(counts_.sent);\n"),)),
    Twin("termination", "READ_SENT_FIRST", COUNTS,
         "    for (const rank_counts& each : ranks_) found.handled += each.handled();\n"
         "    for (const rank_counts& each : ranks_) found.sent += each.sent();\n    return found;\n  }\n\n  /// A moment",
         "    for (const rank_counts& each : ranks_) found.sent += each.sent();\n"
         "    for (const rank_counts& each : ranks_) found.handled += each.handled();\n    return found;\n  }\n\n  /// A moment",
         "aggregation_parts.what_is_handled_is_read_before_what_is_sent", PHASES),
    Twin("termination", "HANDLED_WHEN_ACTIVE", RECEIVER, "    published_.note_handled(handled_);\n",
         "    published_.note_handled(handled_);\n    published_.publish_quiet(0, handled_);\n",
         "aggregation_schedules.what_a_rank_with_work_has_handled_is_not_counted"),
    Twin("termination", "NO_STICKY_END", "aggregation/part_phases.hpp",
         "    return ended_.load(std::memory_order_acquire) >= phase;  // acquire: pairs with end_phase()\n  }\n",
         "    return ended_here >= phase;\n  }\n  inline static thread_local std::uint64_t ended_here = 0;\n",
         "aggregation_schedules.who_looks_late_leaves", FINISH,
         ((PHASES, "  ended_.store(phase, std::memory_order_release);\n", "  ended_here = phase;\n"),)),
    Twin("termination", "NO_HOLD", QUEUES, "      if (each->empty() || each->front()->phase > phase) continue;\n",
         "      if (each->empty()) continue;\n", "aggregation_item_receiver.the_next_phase_is_not_handled", RECEIVER),
    Twin("", "FIRST_WAVE_DECIDES", "aggregation/termination_waves.hpp", "} else if (handled_before_ == token.sent) {",
         "} else if (token.handled == token.sent) {", "aggregation_parts.the_first_wave_never_decides", PHASES),
    Twin("", "LEAVES_WITH_UNSENT", FINISH, "has_ended(phase_) && of_.part_.outgoing().ask_whether_all_is_sent();",
         "has_ended(phase_);",
         "aggregation_schedules.who_finds_the_end_does_not_leave_before_the_others_know"),
    Twin("", "REST_STAYS", PHASES, "  if (shared_->push() > 0) return;  // these items are not handled yet\n", "",
         "aggregation_schemes.what_a_process_has_left_is_pushed_when_its_ranks_are_quiet"),
    Twin("", "WORK_ASKED_ONCE", FINISH, "    do_all(by, work, context, work != nullptr, lasts);\n",
         "    do_all(by, work, context, work != nullptr && first_active_++ == 0, lasts);\n",
         "aggregation_schedules.what_a_rank_with_work_has_handled_is_not_counted", "",
         ((FINISH, "    may_have_work = (receiver_.take_has_handled() || may_have_work) && work != nullptr;\n", ""),)),
    # ---- the inbox ----
    Twin("", "PUSH_WITHOUT_RELEASE", LIST, "&one, std::memory_order_release", "&one, std::memory_order_relaxed",
         "interleavings_aggregation.buffers_arrive_in_order_and_wake_the_owner", INTERLEAVINGS),
    Twin("", "TAKE_WITHOUT_ACQUIRE", LIST, "first_.exchange(nullptr, std::memory_order_acquire)",
         "first_.exchange(nullptr, std::memory_order_relaxed)",
         "interleavings_aggregation.buffers_arrive_in_order_and_wake_the_owner", INTERLEAVINGS),
    Twin("", "CREDIT_WITHOUT_RELEASE", "aggregation/item_buffer.hpp", "+ 1, std::memory_order_release)",
         "+ 1, std::memory_order_relaxed)", "interleavings_aggregation.credit_comes_with_its_bytes", INTERLEAVINGS),
    Twin("aggregation_inbox", "PUSH_BLINDLY", LIST,
         "    while (!first_.compare_exchange_weak(one.*Next, &one, std::memory_order_release, std::memory_order_relaxed)) {\n"
         "    }\n", "    first_.store(&one, std::memory_order_release);\n",
         "aggregation_parts.the_inbox_keeps_the_order_of_each_sender", INCOMING),
    Twin("aggregation_inbox", "LINK_LATE", LIST,
         "    one.*Next = first_.load(std::memory_order_relaxed);\n", "    T* expected = first_.load();\n",
         "aggregation_parts.the_inbox_keeps_the_order_of_each_sender", INCOMING,
         ((LIST, "    while (!first_.compare_exchange_weak(one.*Next, &one, std::memory_order_release, std::memory_order_relaxed)) {\n"
                 "    }\n", "    while (!first_.compare_exchange_weak(expected, &one)) {\n    }\n"
                 "    for (volatile int i = 0; i < 1000;) i = i + 1;  // so that the moment is long enough\n"
                 "    one.*Next = expected;\n"),)),
    Twin("aggregation_inbox", "NEWEST_FIRST", "aggregation/item_inbox.hpp",
         "    Buffer* newest_first = arrived_.take_all();\n",
         "    Buffer* newest_first = arrived_.take_all();\n    return newest_first;\n",
         "aggregation_parts.the_inbox_keeps_the_order_of_each_sender", RECEIVER),
    Twin("aggregation_inbox", "TAKE_IN_TWO_STEPS", LIST,
         "    return first_.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with the release in push()\n",
         "    T* const taken = first_.load(std::memory_order_acquire);\n"
         "    for (volatile int i = 0; i < 1000;) i = i + 1;  // so that the moment is long enough\n"
         "    first_.store(nullptr);\n    return taken;\n",
         "aggregation_parts.the_inbox_keeps_the_order_of_each_sender", RECEIVER),
    Twin("aggregation_inbox", "NOTIFY_FIRST", SENDER,
         "  receiver.inbox.push(pushed);\n  receiver.owner->notify();\n",
         "  receiver.owner->notify();\n"
         "  for (const std::int64_t end = now_ns() + 50'000'000; now_ns() < end;) {\n  }\n"  # the owner sleeps again
         "  receiver.inbox.push(pushed);\n", "aggregation_schedules.what_a_rank_with_work_has_handled_is_not_counted"),
    # ---- buffers ----
    Twin("", "POLLS_BEFORE_PUSH", CHANNEL, "    has_pushed = is_chunk ? push_chunk(*its, dest) || its->is_shared : push(by, dest, true);\n",
         "    home_.behind.has_pushed(by, dest);\n    has_pushed = is_chunk ? push_chunk(*its, dest) || its->is_shared : push(by, dest, true);\n",
         "aggregation_buffers.a_buffer_that_has_filled_is_away_before_handlers_run"),
    Twin("", "NO_CREDIT", PROGRESS, "  if (!has_credit()) wait(by, items_handled_by", "  if (false) wait(by, items_handled_by",
         "aggregation_buffers.a_rank_that_handles_nothing_is_sent_few_buffers"),
    Twin("", "NOT_GIVEN_BACK", RECEIVER, "    if (credit != nullptr) credit->give_back(arrived.whole_bytes());\n", "",
         "aggregation_buffers.a_rank_that_handles_nothing_is_sent_few_buffers"),
    Twin("", "NOT_ACKNOWLEDGED", RECEIVER,
         "  if (from_process != item_buffer::here) return part_.transport()->has_handled(from_process);\n",
         "  if (from_process != item_buffer::here) return;\n",
         "aggregation_buffers.what_has_come_from_another_process_and_is_handled_is_acknowledged"),
    Twin("", "BUFFERS_HOARDED", "aggregation/spare_buffers.hpp",
         "    if (mine.count >= most_own) return common_.give(unused);\n", "",
         "aggregation_parts.spare_buffers_come_round", RECEIVER),
    Twin("", "EARLY_FORGOTTEN", QUEUES, "    while (!early.empty()) accept(early.pop());\n",
         "    while (!early.empty()) delete_buffer(&early.pop());\n",
         "aggregation_buffers.items_of_channels_that_are_made_late_wait", RANK),
    Twin("", "EARLY_COUNTED", QUEUES, "    if (arrived.channel >= channels_) [[unlikely]]\n", "    if (arrived.channel > channels_) [[unlikely]]\n",
         "aggregation_arrival_queues.channels_that_are_not_made_wait_in_their_order", RECEIVER),
    Twin("", "URGENT_LAST", QUEUES, "    for (buffer_queue* const each : {&urgent_, &arrived_}) {\n      if (each->empty() ||",
         "    for (buffer_queue* const each : {&arrived_, &urgent_}) {\n      if (each->empty() ||",
         "aggregation_buffers.urgent_items_are_handled_first", RECEIVER),
    Twin("", "SLEEPS_WITH_ITEMS", PROGRESS, "    const bool has_pushed = push_all(in_a_wait);\n",
         "    const bool has_pushed = false;\n", "aggregation_buffers.a_rank_that_goes_to_sleep_sends_off_what_waits"),
    Twin("", "NEVER_DUE", PROGRESS, "  return push_due(by) || has_moved;\n", "  return has_moved;\n",
         "aggregation_buffers.an_item_waits_no_longer_than_the_bound"),
    # ---- memory, other processes ----
    Twin("", "CAP_IGNORED", PROGRESS, "  if (checks_.is_in_handler() || has_room_for_another()) [[likely]]\n", "",
         "aggregation_buffers.open_ones_for_many_ranks_stay_under_the_cap"),
    Twin("", "ONE_WAY_FOR_ALL", OUTGOING, "    if (waiting(process) == 0) continue;\n",
         "    if (waiting(process) == 0) continue;\n    if (process > 0 && waiting(process - 1) > 0) break;\n",
         "aggregation_schemes.a_process_that_takes_nothing_keeps_nobody_from_sending_to_another_one", "",
         ((OUTGOING, "  bool lacks_memory = false;\n  serve(process, lacks_memory);\n",
           "  bool lacks_memory = false;\n  if (waiting_count_ == waiting(process)) serve(process, lacks_memory);\n"),)),
    Twin("", "OVERTAKES_WAITING", OUTGOING, "      there.waiting.splice(there.waiting.begin(), offered);\n",
         "      there.waiting.splice(there.waiting.end(), offered);\n",
         "aggregation_schemes.items_of_a_source_arrive_in_order"),
    Twin("", "SERVED_BY_TWO", OUTGOING, "  if (there.is_served) {\n", "  if (false) {\n",
         "aggregation_outgoing.keep_their_order_under_load"),
    Twin("", "LOCKED_WHILE_SENT", OUTGOING,
         "    lock.unlock();\n    const outcome its = offer(process, offered.front());\n    lock.lock();\n",
         "    const outcome its = offer(process, offered.front());\n",
         "aggregation_outgoing.a_slow_transport_keeps_nobody_from_queueing_and_from_other_processes"),
    Twin("", "SENT_UNDER_LOCK_OF_ITEMS", "aggregation/outgoing_packets.hpp",
         "    count();\n    queue_items(process, std::move(packet));\n", "    count();\n    send_items(process, std::move(packet));\n",
         "aggregation_outgoing.who_has_filled_a_packet_keeps_nobody_from_filling_the_next",
         "tests/unit/aggregation/outgoing_test.cpp"),
    Twin("", "ASKED_IN_VAIN", OUTGOING, "    there.is_asked = true;\n", "",
         "aggregation_outgoing.who_asks_while_a_process_is_served_is_told_when_something_is_left"),
    Twin("", "TOLD_TO_NOBODY", OUTGOING, "  for (way& each : ways_) each.is_asked |= each.count.load(std::memory_order_relaxed) > 0;\n", "",
         "aggregation_outgoing.who_sleeps_until_all_has_left_is_told"),
    Twin("", "PASSED_ON_IN_SILENCE", OUTGOING, "  if (has_passed_on) tell_whose_items_are_passed_on();\n", "",
         "aggregation_outgoing.those_whose_items_are_passed_on_may_send_again", "",
         ((OUTGOING, "    has_passed_on |= waiting(process) == most_passed_on;\n", "    has_passed_on = false;\n"),)),
    Twin("", "SERVES_FOR_EVER", OUTGOING, "!there.waiting.empty() && sent < most_at_once; ++sent", "!there.waiting.empty(); ++sent",
         "aggregation_outgoing.one_who_serves_does_so_for_64_packets"),
    Twin("", "OVERTAKES_SHARED", CHANNEL,
         "      home_.shared.push(number_, next);  // what comes next must not overtake it\n",
         "",
         "aggregation_schemes.automatic_fills_packets_together_while_ranks_do_not_fill_them_alone"),
    Twin("", "SHARED_WITHOUT_LOCK", "aggregation/shared_items.hpp",
         "    const std::lock_guard lock(guard_);\n    const bool was_empty", "    const bool was_empty",
         "aggregation_schemes.items_of_a_source_arrive_in_order", SENDER),
    # ---- accounts and bounds (the first two: house-review-2, missed then) ----
    Twin("", "CREDIT_SHORT", RECEIVER, "    if (credit != nullptr) credit->give_back(arrived.whole_bytes());\n",
         "    if (credit != nullptr) credit->give_back(arrived.whole_bytes() - 64);\n",
         "aggregation_buffers.a_rank_that_handles_nothing_is_sent_few_buffers"),
    Twin("", "UNHANDLED_ACKNOWLEDGED", NETWORK,
         "  if (part_->incoming().unhandled_of(process) > most_unhandled * part_->members().size()) return;\n", "",
         "aggregation_network.unhandled_packets_are_not_acknowledged"),
    Twin("", "ONE_PACKET_MORE", NETWORK, "acknowledged.load(std::memory_order_relaxed) >= most_under_way) return false;",
         "acknowledged.load(std::memory_order_relaxed) > most_under_way) return false;",
         "aggregation_network.so_many_packets_are_under_way_and_not_one_more"),
    Twin("", "ACKNOWLEDGED_LATE", NETWORK, "  if (arrived - told < acknowledged_together) return;\n",
         "  if (arrived - told <= acknowledged_together) return;\n",
         "aggregation_network.packets_are_acknowledged_together_when_they_are_handled"),
    Twin("", "SLICES_UNCOUNTED", INCOMING, "    slice.credit = &credit_of(index, from);\n",
         "    slice.credit = nullptr;\n",
         "aggregation_buffers.what_has_come_from_another_process_and_is_handled_is_acknowledged"),
    Twin("", "WAITING_BYTES_STAY", OUTGOING, "  take(waiting_bytes_[static_cast<std::size_t>(packet.by)], packet.bytes.size());\n",
         "", "aggregation_schemes.items_of_a_source_arrive_in_order"),
    Twin("", "CAP_A_BYTE_SHORT", ACCOUNT, "    return in_use() <= cap_ - largest;\n", "    return in_use() < cap_ - largest;\n",
         "aggregation_bounds.the_memory_cap_is_used_to_its_last_byte", PROGRESS),
    Twin("", "NINE_ARE_FEW", PROGRESS, "  constexpr std::size_t most_waiting = 8;\n", "  constexpr std::size_t most_waiting = 9;\n",
         "aggregation_bounds.a_send_waits_for_the_network_behind_nine_packets"),
    Twin("", "URGENT_WITHOUT_END", RECEIVER, "    handle(*next);\n    accept_arrivals();\n",
         "    left += next->is_urgent ? 1 : 0;\n    handle(*next);\n    accept_arrivals();\n",
         "aggregation_bounds.one_call_handles_a_batch"),
    Twin("", "OPEN_PACKETS_STAY", SENDER, "    memory_.push_packet(packet.whole_bytes());\n", "",
         "aggregation_schemes.packets_are_as_many_as_the_paper_says"),
    Twin("", "PEAK_WITHOUT_LOOK", ACCOUNT, "    look();\n", "    static_cast<void>(look);\n",
         "aggregation_memory_account.has_its_peak_behind_a_look_at_what_has_come_back",
         "tests/unit/aggregation/accounts_test.cpp"),
    Twin("", "DROPPED_STAYS_OPEN", ACCOUNT, "    --open_buffers_;\n    bytes_ -= bytes;\n", "    bytes_ -= bytes;\n",
         "aggregation_memory_account.counts_from_opening_to_coming_back", SENDER),
    Twin("", "A_FIFTH_BUFFER", CREDITS, "most_under_way = 4;", "most_under_way = 5;",
         "aggregation_pair_credits.four_are_all_and_five_are_too_many", SENDER),
    Twin("", "CREDIT_OF_ANOTHER", CREDITS, "pushed.credit = &given_back_[receiver];", "pushed.credit = &given_back_[0];",
         "aggregation_pair_credits.what_is_handled_comes_back_to_the_account", SENDER),
    Twin("", "KEPT_FROM_ACCOUNT", CREDITS, "    account_.come_back(back.bytes - its.handled_bytes);\n", "",
         "aggregation_pair_credits.what_is_handled_comes_back_to_the_account", SENDER),
    Twin("", "PHASE_STAYS", "aggregation/rank_stage.hpp", "    ++phase_;\n", "",
         "aggregation_rank_stage.a_finish_ends_a_phase_and_nothing_else_does", FINISH),
    Twin("", "SENT_TO_WHO_HAS_LEFT", SENDER, "    require_present(by, pushed, dest);\n", "    static_cast<void>(by);\n",
         "aggregation_item_sender.a_rank_that_has_left_is_sent_nothing"),
    Twin("", "OPENING_UNTOLD", CHANNEL, "  if (opens) home_.behind.has_opened(by);\n", "",
         "aggregation_item_channel.says_what_it_has_done_behind_each_buffer"),
    # ---- memory that runs out ----
    Twin("", "COUNTED_FIRST", CHANNEL, "  packet_node packet = home_.sender.packet_for(pushed, dest, item_bytes_);\n  opened.buffer = nullptr;\n",
         "  opened.buffer = nullptr;\n  packet_node packet = home_.sender.packet_for(pushed, dest, item_bytes_);\n",
         "aggregation_memory.a_send_that_fails_for_lack_of_it_has_sent_nothing_and_loses_nothing"),
    Twin("", "NOT_TAKEN_BACK", CHANNEL, "    take_back_last(dest);\n    throw;\n", "    throw;\n",
         "aggregation_memory.a_send_that_fails_for_lack_of_it_has_sent_nothing_and_loses_nothing"),
    Twin("", "CHUNK_DROPPED", CHANNEL, "    route_of(dest).at -= taken * item_bytes_;\n    throw;\n",
         "    close_chunk(to, dest);\n    throw;\n",
         "aggregation_memory.a_send_that_fails_for_lack_of_it_has_sent_nothing_and_loses_nothing"),
    Twin("", "UNSENT_COUNTED", NETWORK,
         "  } catch (...) {\n    to.sent.store(sent, std::memory_order_relaxed);\n    throw;\n",
         "  } catch (...) {\n    throw;\n",
         "aggregation_network.a_packet_that_finds_no_memory_is_not_under_way"),
    Twin("", "ACKNOWLEDGED_UNSENT", NETWORK,
         '  if (packets > its.sent.load(std::memory_order_relaxed)) return "it acknowledges more packets than were sent";\n', "",
         "aggregation_network.one_packet_more_than_was_sent_is_not_acknowledged"),
    # ---- channels that have ended ----
    Twin("", "WORD_LIVES_ON", WORDS, "  unused.word.store(0, std::memory_order_relaxed);\n", "",
         "aggregation_bounds.a_channel_that_has_ended_is_named"),
    Twin("", "TAG_USED_AGAIN", WORDS, "    taken->tag -= one_tag;\n", "",
         "aggregation_bounds.words_come_round_and_no_handle_of_an_earlier_channel_fits"),
    # ---- channels of other processes ----
    Twin("", "NEVER_TOLD", OUTGOING, "  for (; there.told_channels <= channel; ++there.told_channels)\n",
         "  for (; false; ++there.told_channels)\n", "aggregation_channels.are_told_once_and_before_their_items"),
    Twin("", "SIZE_UNCHECKED", INCOMING,
         "  if (channels_.at(packet.channel()).item_bytes != packet.item_bytes())\n"
         "    return senseless(\"they have not the size of their channel's items\");\n",
         "", "aggregation_channels.items_of_another_size_than_their_channel_are_refused"),
    Twin("", "ANY_PHASE", "aggregation/part_phases.hpp", "- 1 <= 1;", "- 1 <= 2;",
         "aggregation_packets.of_one_rank_for_another_are_checked_number_by_number", INCOMING),
    Twin("", "PASSED_BACK", INCOMING, "    if (each.tag.process != layout_.process() && !routes.may_pass_on(from, routes.next(each.tag.process)))\n",
         "    if (each.tag.process == -1)\n", "aggregation_packets.of_runs_are_checked_number_by_number", "",
         ((INCOMING, "  const item_routes& routes = layout_.routes();\n", ""),)),
    Twin("", "NO_ROOM_FOR_SOURCES", READER, "(items.size() + 1) / 2 * 2 + 2 * count;", "(items.size() + 1) / 2 * 2 + count;",
         "aggregation_packets.from_several_ranks_leave_room_for_their_sources", INCOMING),
    Twin("", "A_RANK_TOO_FAR", READER, "    if (run.tag.target >= bounds.ranks_here)", "    if (run.tag.target > bounds.ranks_here)",
         "aggregation_packets.of_runs_are_checked_number_by_number", INCOMING),
    Twin("", "A_PHASE_AHEAD", PHASES, "  if (phase != ended_.load(std::memory_order_relaxed) + 1)", "  if (phase <= ended_.load(std::memory_order_relaxed))",
         "aggregation_packets.that_end_a_phase_end_the_present_one"),
    Twin("", "EARLY_OF_ANY_PHASE", QUEUES,
         "    for (const item_buffer* each = early_.front(); each != nullptr; each = each->next) {\n"
         "      if (each->phase <= phase) return true;\n",
         "    for (const item_buffer* each = early_.front(); each != nullptr; each = each->next) {\n      return true;\n",
         "aggregation_channels.may_be_made_in_the_next_phase_while_a_rank_is_still_in_finish", FINISH),
]

WITHOUT = {
    ("aggregation_inbox", "NO_LAST_LOOK"): "in src/runtime/wait.hpp, for all waits: unit.runtime",
}

if __name__ == "__main__":
    sys.exit(run(Room("aggregation", ("termination", "aggregation_inbox"), TWINS, WITHOUT)))
