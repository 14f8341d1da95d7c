#!/usr/bin/env python3
"""The mutations of the models of windows, and others that the code invites, planted in it
(tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

LOCK = "window/window_lock.hpp"
STRIPE = "window/stripe.hpp"
NOTIFICATION = "window/notification.hpp"
OPERATIONS = "window/operations.cpp"
ELEMENTS = "window/element_operations.hpp"
PROCESSES = "window/process_windows.cpp"
REMOTE = "window/remote_access.cpp"
CHECKS = "window/window_checks.cpp"
COMPARED = "window/compared_memory.cpp"
WINDOW = "window/window.cpp"
LOCKS = "window/window_locks.cpp"
GROUP = "window/window_group.cpp"

INTERLEAVINGS = "tests/unit/window/interleavings_test.cpp"

TWINS = [
    # ---- every order of steps ----
    Twin("window_lock", "LOCK_BLINDLY", LOCK,
         "      if (word_.compare_exchange_weak(word, locked, std::memory_order_acquire, std::memory_order_relaxed)) {\n",
         "      word_.store(locked, std::memory_order_release);\n      {\n", "interleavings_window.locks_of_two", INTERLEAVINGS),
    Twin("window_lock", "SLEEP_BLINDLY", LOCK,
         "      if (word == asleep || word_.compare_exchange_strong(word, asleep, std::memory_order_relaxed)) {\n",
         "      word_.store(asleep, std::memory_order_relaxed);\n      {\n", "interleavings_window.locks_of_two",
         INTERLEAVINGS),
    Twin("", "LOCK_WITHOUT_ACQUIRE", LOCK, "locked, std::memory_order_acquire", "locked, std::memory_order_relaxed",
         "interleavings_window.locks_of_two", INTERLEAVINGS),
    Twin("", "UNLOCK_WITHOUT_RELEASE", LOCK, "~(exclusive | sleeps), std::memory_order_release",
         "~(exclusive | sleeps), std::memory_order_relaxed", "interleavings_window.locks_of_two", INTERLEAVINGS),
    Twin("", "LEAVE_WITHOUT_RELEASE", LOCK, "fetch_sub(1, std::memory_order_release)",
         "fetch_sub(1, std::memory_order_relaxed)", "interleavings_window.locks_of_two", INTERLEAVINGS),
    Twin("stripe", "LOCK_BLINDLY", STRIPE,
         "           state_.compare_exchange_strong(seen, is_held, std::memory_order_acquire, std::memory_order_relaxed);\n",
         "           (state_.store(is_held, std::memory_order_release), true);\n", "interleavings_window.stripes_of_elements",
         INTERLEAVINGS),
    Twin("stripe", "UNLOCK_BLINDLY", STRIPE,
         "    return state_.exchange(is_free, std::memory_order_release) == is_wanted;\n",
         "    const bool is_awaited = state_.load(std::memory_order_relaxed) == is_wanted;\n"
         "    state_.store(is_free, std::memory_order_release);\n    return is_awaited;\n",
         "interleavings_window.stripes_of_elements", INTERLEAVINGS),
    Twin("", "STRIPE_WITHOUT_ACQUIRE", STRIPE, "exchange(is_wanted, std::memory_order_acquire)",
         "exchange(is_wanted, std::memory_order_relaxed)", "interleavings_window.stripes_of_elements", INTERLEAVINGS),
    Twin("", "STRIPE_WITHOUT_RELEASE", STRIPE, "exchange(is_free, std::memory_order_release)",
         "exchange(is_free, std::memory_order_relaxed)", "interleavings_window.stripes_of_elements", INTERLEAVINGS),
    Twin("notification", "SLEEP_BLINDLY", NOTIFICATION,
         "    } while (!word_.compare_exchange_weak(word, word | sleeps, std::memory_order_relaxed));\n",
         "    } while ((word_.fetch_or(sleeps, std::memory_order_relaxed), false));\n", "interleavings_window.notifications",
         INTERLEAVINGS),
    Twin("notification", "ADD_BLINDLY", NOTIFICATION,
         "    if ((word_.fetch_add(1, std::memory_order_release) & sleeps) == 0) return false;\n",
         "    const std::uint64_t before = word_.load(std::memory_order_relaxed);\n"
         "    word_.store(before + 1, std::memory_order_release);\n    if ((before & sleeps) == 0) return false;\n",
         "interleavings_window.notifications", INTERLEAVINGS),
    Twin("", "ADD_WITHOUT_RELEASE", NOTIFICATION, "fetch_add(1, std::memory_order_release)",
         "fetch_add(1, std::memory_order_relaxed)", "interleavings_window.notifications", INTERLEAVINGS),
    Twin("", "TAKE_WITHOUT_ACQUIRE", NOTIFICATION, "word_.load(std::memory_order_acquire)",
         "word_.load(std::memory_order_relaxed)", "interleavings_window.notifications", INTERLEAVINGS),
    # ---- the lock of a target ----
    Twin("window_lock", "READERS_ENTER", LOCK,
         "by.kind == lock_kind::exclusive ? exclusive | readers : exclusive;",
         "by.kind == lock_kind::exclusive ? exclusive | readers : 0;", "window_lock.is_shared_by_many_or_held_by_one",
         "window/window_locks.cpp"),
    Twin("window_lock", "SLEEP_UNPROMISED", LOCK,
         "      const bool takes_promise = by.kind == lock_kind::exclusive && (word & readers) != 0 && (word & promised) == 0;",
         "      const bool takes_promise = false;", "window_lock.readers_that_come_do_not_pass_a_writer_that_sleeps",
         "window/window_locks.cpp"),
    Twin("window_lock", "UNLOCK_SILENTLY", LOCK,
         "      return (word_.fetch_and(~(exclusive | sleeps), std::memory_order_release) & sleeps) != 0;",
         "      return (word_.fetch_and(~(exclusive | sleeps), std::memory_order_release), false);",
         "window_lock.readers_that_come_do_not_pass_a_writer_that_sleeps", "window/window_locks.cpp"),
    Twin("window_lock", "LEAVE_SILENTLY", LOCK,
         "    return (word_.fetch_and(~sleeps, std::memory_order_relaxed) & sleeps) != 0;", "    return false;",
         "window_lock.readers_that_come_do_not_pass_a_writer_that_sleeps", "window/window_locks.cpp"),
    Twin("window_lock", "KEEP_SILENT", LOCK,
         "        return (word & ~locked & sleeps) != 0 ? outcome::locked_and_wake : outcome::locked;",
         "        return outcome::locked;", "window_lock.readers_that_come_do_not_pass_a_writer_that_sleeps",
         "window/window_locks.cpp"),
    Twin("window_lock", "PROMISE_BLINDLY", LOCK, "} else if (!by.is_promised && (word & promised) == 0) {",
         "} else if (!by.is_promised) {", "window_lock.the_promise_is_given_to_one_at_a_time", "window/window_locks.cpp"),
    # ---- stripes ----
    Twin("stripe", "SLEEP_SILENTLY", STRIPE,
         "    return state_.exchange(is_wanted, std::memory_order_acquire) == is_free;", "    return try_lock();",
         "stripes.one_holds_it", OPERATIONS),
    Twin("stripe", "UNLOCK_SILENTLY", STRIPE,
         "    return state_.exchange(is_free, std::memory_order_release) == is_wanted;",
         "    return (state_.exchange(is_free, std::memory_order_release), false);", "stripes.one_holds_it", OPERATIONS),
    Twin("stripe", "KEEP_FIRST", STRIPE, "    const bool wakes = first_->unlock();\n    std::swap(first_, last_);\n",
         "    const bool wakes = false;\n", "stripes.both_or_none", OPERATIONS),
    Twin("stripe", "GIVE_BACK_SILENTLY", STRIPE, "    return wakes ? outcome::vain_and_wake : outcome::vain;",
         "    return outcome::vain;", "stripes.who_sleeps_for_both_is_woken_by_either", OPERATIONS),
    Twin("", "FIRST_AGAIN", STRIPE, "    std::swap(first_, last_);\n", "",
         "stripes.who_sleeps_for_both_is_woken_by_either", OPERATIONS),
    Twin("", "LAST_STAYS", STRIPE, "    return (last_ != first_ && last_->unlock()) || wakes;", "    return wakes;",
         "stripes.both_or_none", OPERATIONS),
    Twin("", "ACROSS_UNDER_ONE", ELEMENTS, "    return !by_instruction && bytes > target_control::left_in_stripe(offset);",
         "    return false;", "stripes.an_operation_has_those_of_all_its_bytes", OPERATIONS),
    Twin("", "ACROSS_UNDER_ONE_ELSEWHERE", ELEMENTS,
         "    return !by_instruction && bytes > target_control::left_in_stripe(offset);", "    return false;",
         "peers_messages.an_element_across_two_stripes_takes_both_or_none", PROCESSES),
    Twin("", "ALL_BEGIN_IN_ONE", ELEMENTS,
         "  return std::max(target_control::left_in_stripe(offset) / element_bytes, std::size_t{1}) * element_bytes;",
         "  return (target_control::left_in_stripe(offset) / element_bytes + 1) * element_bytes;",
         "stripes.elements_of_one_stripe_go_together_and_one_across_its_end_alone", OPERATIONS),
    # ---- stripes that somebody holds, of operations that cannot wait ----
    Twin("", "DONE_WITHOUT_ITS_STRIPE", ELEMENTS,
         "    if (!its.try_lock() && !its.try_lock_or_sleep()) return false;\n    act();\n",
         "    if (!its.try_lock() && !its.try_lock_or_sleep()) return true;\n    act();\n",
         "peers_messages.an_operation_whose_stripe_is_held_is_done_later_and_what_comes_after_it_too", PROCESSES),
    Twin("", "NOBODY_IS_TOLD", ELEMENTS, "    if (!its.try_lock() && !its.try_lock_or_sleep()) return false;",
         "    if (!its.try_lock()) return false;",
         "peers_messages.an_operation_whose_stripe_is_held_is_done_later_and_what_comes_after_it_too", PROCESSES),
    Twin("", "OTHERS_PASS", PROCESSES, "  if (in_turn_.is_waiting(from)) {", "  if (false) {",
         "peers_messages.an_operation_whose_stripe_is_held_is_done_later_and_what_comes_after_it_too"),
    Twin("", "BEGINS_AGAIN", PROCESSES, "in_turn_.keep(from, bytes, std::move(so_far));", "in_turn_.keep(from, bytes);",
         "peers_messages.an_operation_that_stops_at_a_stripe_goes_on_there"),
    Twin("", "NEXT_IS_TRIED_FIRST", "window/operations_in_turn.hpp",
         "        if (!try_again(process, std::as_bytes(std::span(first.message)), first.so_far)) break;",
         "        if (!try_again(process, std::as_bytes(std::span(first.message)), first.so_far)) {}",
         "peers_messages.an_operation_whose_stripe_is_held_is_done_later_and_what_comes_after_it_too", PROCESSES),
    # ---- notifications ----
    Twin("notification", "ADD_SILENTLY", NOTIFICATION,
         "    return (word_.fetch_and(~sleeps, std::memory_order_relaxed) & sleeps) != 0;", "    return false;",
         "notifications.whoever_adds_wakes_an_owner_that_sleeps", "window/window.cpp"),
    Twin("", "NOT_ALL_TAKEN", NOTIFICATION, "    taken += count;\n", "    taken += 1;\n",
         "notifications.are_taken_once", "window/window.cpp"),
    # ---- where operations may go ----
    Twin("", "RANGE_OFF_BY_ONE", OPERATIONS, "      static_cast<std::size_t>(upper) > its.bytes) [[unlikely]]",
         "      static_cast<std::size_t>(upper) > its.bytes + 1) [[unlikely]]",
         "ranges.the_last_byte_of_a_part_and_no_further"),
    Twin("", "RANGE_ONE_SHORT", OPERATIONS, "      static_cast<std::size_t>(upper) > its.bytes) [[unlikely]]",
         "      static_cast<std::size_t>(upper) >= its.bytes) [[unlikely]]",
         "ranges.the_last_byte_of_a_part_and_no_further"),
    Twin("", "BLOCKS_BEFORE_THE_PART", OPERATIONS, " || offset < -touched.lower || offset < 0 ||", " || offset < 0 ||",
         "ranges.of_blocks_at_both_ends"),
    Twin("", "LAST_BLOCK_OF_A_ROW", PROCESSES, "    for (const std::size_t block : {std::size_t{0}, row.count - 1}) {",
         "    for (const std::size_t block : {std::size_t{0}}) {", "peers_messages.every_block_of_a_row_is_in_the_part"),
    Twin("", "FIRST_BLOCK_OF_A_ROW", PROCESSES, "    for (const std::size_t block : {std::size_t{0}, row.count - 1}) {",
         "    for (const std::size_t block : {row.count - 1}) {", "peers_messages.every_block_of_a_row_is_in_the_part"),
    Twin("", "FIRST_ROW_ONLY", PROCESSES, "  for (std::size_t i = 0; i < header.rows; ++i) {\n    const block_row row = message.row(i);\n    bytes +=",
         "  for (std::size_t i = 0; i < header.rows; ++i) {\n    const block_row row = message.row(i);\n    if (i > 0) return true;\n    bytes +=",
         "peers_messages.a_second_row_is_looked_at_as_the_first_one_is"),
    Twin("", "ROW_CUT_OFF", "window/rma_message.hpp",
         "    is_whole_ = header.rows <= (bytes.size() - sizeof header) / sizeof(block_row);",
         "    is_whole_ = header.rows <= bytes.size() / sizeof(block_row);",
         "peers_messages.a_message_that_is_cut_off_is_none", PROCESSES),
    Twin("", "LARGER_ELEMENT", PROCESSES, "  if (element == 0 || element > largest_element ||",
         "  if (element == 0 || element > largest_element + 1 ||",
         "peers_messages.elements_are_whole_and_no_larger_than_the_largest"),
    Twin("", "ONE_NOTIFICATION_MORE", PROCESSES, "      if (header.detail >= target_control::notifications) {",
         "      if (header.detail > target_control::notifications) {",
         "peers_messages.ranks_windows_and_counters_that_there_are_not"),
    # ---- bounds, and what is answered ----
    Twin("", "SWAPS_WITHOUT_BOUND", REMOTE,
         "  send(where.rank, packed(sent, {&there, 1}, data));\n  keep_within_bounds(by, where.rank);\n",
         "  send(where.rank, packed(sent, {&there, 1}, data));\n", "remote_bounds.and_a_compare_and_swap"),
    Twin("", "NOTIFICATIONS_WITHOUT_BOUND", REMOTE, "  send(rank, packed(sent));\n  keep_within_bounds(by, rank);\n",
         "  send(rank, packed(sent));\n", "remote_bounds.and_a_notification"),
    Twin("", "BOUND_OFF_BY_ONE", REMOTE, "if (unflushed_[static_cast<std::size_t>(process_of(rank))] > most_unflushed_bytes)",
         "if (unflushed_[static_cast<std::size_t>(process_of(rank))] > most_unflushed_bytes - 104)",
         "remote_bounds.a_put_more_than_the_bound_waits"),
    Twin("", "BROUGHT_BACK_FOR_NOTHING", REMOTE, "    unflushed_[static_cast<std::size_t>(process_of(where.rank))] += now.bytes;\n", "",
         "remote_bounds.and_a_get"),
    Twin("", "FLUSH_COUNTS_ON", REMOTE, "  unflushed_[static_cast<std::size_t>(process)] = 0;\n", "",
         "remote_bounds.a_put_more_than_the_bound_waits"),
    Twin("", "ANSWERED_BEFORE_WRITTEN", REMOTE,
         "  if (to.bytes > 0 && data.size() >= to.bytes) {\n",
         "  to.asked->open_.fetch_sub(1);\n"
         "  for (const std::int64_t end = now_ns() + 50'000'000; now_ns() < end;) {\n  }\n"  # the moment is long enough
         "  to.asked->open_.fetch_add(1);\n  if (to.bytes > 0 && data.size() >= to.bytes) {\n",
         "answers.what_an_operation_brings_back_is_there_when_it_counts_as_answered"),
    Twin("", "FLUSH_OVERTAKES", PROCESSES, "  const rma_message& header = message.header;\n  if (header.kind == rma_message_kind::answer",
         "  const rma_message& header = message.header;\n"
         "  static std::string kept;  // a put, until something comes after it\n"
         "  if (header.kind == rma_message_kind::put) {\n"
         "    kept.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());\n    return false;\n  }\n"
         "  if (header.kind == rma_message_kind::flush && !kept.empty()) {\n"
         "    answer(from, header);\n    kept.clear();\n    return false;\n  }\n"
         "  if (header.kind == rma_message_kind::answer",
         "answers.a_flush_is_answered_when_all_before_it_is_done"),
    Twin("", "ANSWER_OF_ANOTHER", PROCESSES, "  const auto found = requests_.find(header.request);",
         "  const auto found = requests_.empty() ? requests_.end() : requests_.begin();",
         "answers.each_goes_to_the_operation_that_has_asked"),
    Twin("", "REQUEST_STAYS", PROCESSES, "  const auto node = requests_.extract(found);\n  remote_access::answer(node.mapped(), message.data());",
         "  remote_access::answer(found->second, message.data());", "answers.each_goes_to_the_operation_that_has_asked"),
    Twin("", "LEFT_ONE_EARLY", PROCESSES, "    if (--its.still_using == 0 && !its.is_used_here) {",
         "    if (--its.still_using == 0) {", "peers_messages.a_window_is_there_until_all_processes_have_left_it"),
    # ---- PURE_CHECK ----
    Twin("", "FENCE_TELLS_AT_ONCE", "coll/collective.cpp", "  if (!waits_for_all(what)) lets_know(member);\n",
         "  lets_know(member);\n", "window_checks_meetings.an_operation_counts_until_all_have_come"),
    Twin("", "FENCE_TELLS_NOBODY", "coll/collective.cpp", "  if (waits_for_all(what)) lets_know(member);\n", "",
         "window_checks_meetings.and_no_longer"),
    Twin("", "COMPARISON_TELLS", "coll/spanning_signatures.cpp", "  op.compares_calls = true;\n", "",
         "window_checks_meetings.an_operation_counts_until_all_have_come"),
    Twin("", "STORE_IN_THE_COPY", CHECKS, "data.empty() ? shared.at(rank).base + bytes.begin : data.data() + done);",
         "shared.at(rank).base + bytes.begin);", "window_checks_meetings.a_store_right_behind_a_put"),
    Twin("", "READ_COUNTS_ON", CHECKS, "in.touched.remove_read(bytes, origin, request); });", "static_cast<void>(bytes); });",
         "window_checks_reads.a_read_that_its_request_has_completed_is_in_nobodys_way", "",
         ((CHECKS, "void window_checks::is_read(int origin, int rank, std::uint64_t request,", "void window_checks::is_read(int, int rank, std::uint64_t,"),)),
    Twin("", "FREED_IS_COMPLETE", "window/read_request.cpp", "      if (is_forgotten_) return true;\n", "",
         "window_checks_reads.nor_one_that_is_freed"),
    Twin("", "LOOK_WRITES", CHECKS, "    if (only_reads(other) && only_reads(made)) return false;\n",
         "    if (other.kind == access_kind::get && made.kind == access_kind::get) return false;\n",
         "window_checks_reads.two_operations_that_only_read_never_conflict"),
    Twin("", "ONE_EPOCH_LESS", COMPARED, "epoch_ - each.second->touched_in > epochs_kept;",
         "epoch_ - each.second->touched_in >= epochs_kept;",
         "compared_memory.the_blocks_that_operations_touch_are_known_in_the_next_epochs"),
    Twin("", "ONE_BLOCK_MORE", COMPARED, "  if (copied_bytes() + block_bytes > most_bytes_) return nullptr;",
         "  if (copied_bytes() > most_bytes_) return nullptr;", "compared_memory.no_more_than_the_limit_is_copied"),
    Twin("", "SMALL_OFF_BY_ONE", COMPARED, "bytes <= small_part_bytes;", "bytes < small_part_bytes;",
         "compared_memory.a_small_part_is_known_from_the_beginning_and_a_large_one_where_it_is_used"),
    # ---- what a fence orders ----
    Twin("", "FENCE_LEAVES_EARLY", WINDOW, "    run_collective(on_, by, what);\n",
         "    if (!opens) run_collective(on_, by, what);\n",
         "window_assertions.a_fence_that_nothing_precedes_comes_after_the_targets_stores"),
    # ---- who says that an operation was refused ----
    Twin("", "LOCK_SAYS_IT", LOCKS, "  settle_locks(by, rank);\n  epochs_.lock(rank, kind);\n",
         "  settle_locks(by, rank);\n  throw_if_refused(by);\n  epochs_.lock(rank, kind);\n",
         "refused_operations.a_lock_is_taken_and_can_be_given_back"),
    Twin("", "UNLOCK_SAYS_NOTHING", LOCKS, "    remote_->throw_if_refused(by, rank);\n", "    static_cast<void>(rank);\n",
         "refused_operations.a_lock_is_taken_and_can_be_given_back"),
    Twin("", "COMPLETE_SAYS_IT_FIRST", WINDOW, "  for (const int each : started_) signal(by, each, true);\n",
         "  throw_if_refused(by);\n  for (const int each : started_) signal(by, each, true);\n",
         "refused_operations.complete_tells_the_targets_all_the_same"),
    Twin("", "FENCE_SAYS_IT_FIRST", WINDOW, "    run_collective(on_, by, what);\n",
         "    throw_if_refused(by);\n    run_collective(on_, by, what);\n",
         "refused_operations.a_fence_is_left_by_all_ranks"),
    Twin("", "LONG_PUT_SAYS_IT", REMOTE, "> most_unflushed_bytes) flush(by, rank);\n",
         "> most_unflushed_bytes) flush(by, rank), throw_if_refused(by, rank);\n",
         "refused_operations.a_long_operation_is_not_cut_off_by_the_refusal_of_another"),
    Twin("", "ONE_FOR_ALL_RANKS", REMOTE, "  if (its.bytes != 0) return;\n", "  if (refusing_.load() != 0) return;\n",
         "refused_operations.of_several_ranks_each_is_said"),
    Twin("", "FREE_SAYS_NOTHING", "window/create.cpp", "    refused = std::current_exception();\n", "",
         "ended_parts.is_said_at_the_latest_by_free"),
    # ---- parts in memory of the program ----
    Twin("", "PART_OUTLIVES_MAIN", "window/window_table.cpp",
         "    each->shared().end_part(each->rank(), part_end::main_ended);\n", "",
         "ended_parts.of_a_main_that_has_ended_are_taken_back"),
    Twin("", "PART_IS_GIVEN_UP_SILENTLY", WINDOW, "  shared_.end_part(rank(), part_end::given_up);\n", "",
         "ended_parts.of_a_window_that_was_given_up_are_taken_back"),
    Twin("", "OWN_MEMORY_IS_TAKEN_BACK", GROUP, "  if (has_own_memory()) return;\n", "",
         "ended_parts.of_the_windows_own_memory_stay",
         "", (("window/window_table.cpp", "    if (each == nullptr || each->shared().has_own_memory()) return;\n",
               "    if (each == nullptr) return;\n"),)),
    # ---- attached memory ----
    Twin("", "ONE_REGION", GROUP, "  for (; bytes > 0; ++which) {\n",
         "  if (which < regions_.size() && regions_[which].end() < from + bytes) return false;\n"
         "  for (; bytes > 0; ++which) {\n", "attached_memory.regions_that_touch_are_as_one"),
    Twin("", "NO_BYTES_FORGOTTEN", GROUP, "    empty_.push_back(from);\n", "",
         "attached_memory.nothing_may_be_attached_anywhere_and_is_detached_once"),
    # ---- loops that poll ----
    Twin("", "SYNC_IS_NO_POLL", WINDOW, "  order_accesses();\n  may_be_polling();\n", "  order_accesses();\n",
         "window_polls.lets_others_of_its_core_run"),
]

WITHOUT = {
    ("notification", "WAKE_FIRST"): "add() says to its caller whether to wake the owner: it cannot be told before",
}

if __name__ == "__main__":
    sys.exit(run(Room("window", ("window_lock", "stripe", "notification"), TWINS, WITHOUT, ("loopback_network.cpp",))))
