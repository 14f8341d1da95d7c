#!/usr/bin/env python3
"""Mistakes that the services of a rank, the failure of a job, guests and failures invite, planted in their code
(tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

TABLE = "runtime/service_table.cpp"
FAILURE = "runtime/job_failure.cpp"
SIGHT = "runtime/job_failure.hpp"
FAILURE_TEST = "tests/unit/runtime/job_failure_test.cpp"
ORDER = "service_table_test.the_order_is_that_of_attaching_and_of_the_end_its_reverse"
THROWN = "job_failure_test.but_what_was_thrown_before_a_deadlock_came_of_it_is_the_cause"

PROXY = "runtime/proxy.hpp"
PROXY_TEST = "tests/unit/runtime/proxy_test.cpp"
RINGS = "proxy_test.rings_for_its_process_whenever_it_is_notified"

CALLS = "runtime/calls_of_rank.hpp"
CALLS_CPP = "runtime/calls_of_rank.cpp"
CALLS_TEST = "tests/unit/runtime/calls_of_rank_test.cpp"
THROWN_CPP = "runtime/failure_of_thrown.cpp"
DISTURBED = "calls_of_rank_test.a_wait_is_disturbed_by_a_call_between_two_of_its_looks"

PARK = "runtime/waiter.cpp"
SEES_WORK = "park.is_not_for_a_rank_that_sees_work_of_others"
LOOK = "then == when_parked::helps_others && rests_until_ns == 0 && services_.see_work_of_others()"

TWINS = [
    Twin("task_sleeper", "NO_LOOK", PARK, LOOK, "then == when_parked::helps_others && counted_in_.read().live == 0", SEES_WORK),
    Twin("task_sleeper", "LOOK_FIRST", PARK, "  counted_in_.count_parked();\n  // Opened",
         "  const bool sees = services_.see_work_of_others();\n  counted_in_.count_parked();\n  // Opened", SEES_WORK,
         also=((PARK, LOOK, "then == when_parked::helps_others && sees"),)),
    Twin("task_sleeper", "KEEP_COUNT", PARK, "    counted_in_.uncount_parked();\n    return retract_park();\n",
         "    return retract_park();\n", SEES_WORK),
    Twin("", "HELPS_IN_ANY_WAIT", PARK, LOOK, "(then == when_parked::helps_others || true) && services_.see_work_of_others()",
         "park.sleeps_where_work_of_others_must_wait"),
    Twin("task_sleeper", "ASK_LATE", PARK,
         "  const std::int64_t rests_until_ns = then == when_parked::helps_others ? services_.rests_until_ns() : 0;\n", "",
         "waiter_test.one_that_rests_leaves_work_alone_and_wakes_itself",
         also=((PARK, LOOK, "then == when_parked::helps_others && services_.see_work_of_others()"),
               (PARK, "sleep_until(rests_until_ns, sleeping)", "sleep_until(services_.rests_until_ns(), sleeping)"))),
    Twin("", "RESTS_WAKE_ALL", PARK, "counted_in_.read().all_parked()", "counted_in_.read().live == 0",
         "waiter_test.one_that_rests_sleeps_on_where_all_do"),
    Twin("", "COUNTED_AND_NOTIFIED", PARK, "    counted_in_.uncount_parked();  // notified between", "    // notified between",
         "waiter_test.notified_when_it_is_counted_already_it_is_uncounted_and_does_not_sleep"),
    Twin("", "WOKEN_AND_COUNTED", PARK, "    counted_in_.uncount_parked();\n    futex(", "    futex(",
         "waiter_test.says_that_it_sleeps_once_it_is_counted_and_its_word_says_so"),
    Twin("", "SLEEPS_HAVE_ONE_NUMBER", PARK, "  sleeps_ += one_sleep;\n", "",
         "waiter_test.each_sleep_is_told_from_the_others"),
    Twin("", "ACTS_FOR_NOBODY", PARK, ".acts_for_others = services_.acts_for_others()", ".acts_for_others = false",
         "waiter_test.what_it_sleeps_for_can_be_read_and_whether_its_rank_acts_for_others"),
    Twin("", "RINGS_FOR_ANY", PROXY, "bell_.ring_for(process_);", "bell_.ring_for(0);", RINGS, PROXY_TEST),
    Twin("", "PROXY_THAT_RUNS", PROXY, "notified(elsewhere)", "notified(running)", RINGS, PROXY_TEST),
    Twin("", "DISTURBED_BEFORE", CALLS, "return has_looked_ && !calls_", "return !calls_", DISTURBED, CALLS_TEST),
    Twin("", "LOOKS_UNNOTED", CALLS, "      calls_.enter();\n", "", DISTURBED, CALLS_TEST),
    Twin("", "DISMISSES_ALL", CALLS_CPP, "    if (guest.host != this) continue;\n", "",
         "guest_threads.have_the_rank_until_it_has_its_end"),
    Twin("", "NEXT_OF_WHO_IS_GONE", CALLS_CPP,
         "each != nullptr;) {\n    guest_record& guest = *each;\n    each = guest.next;\n",
         "each != nullptr; each = each->next) {\n    guest_record& guest = *each;\n",
         "guest_threads.are_all_dismissed_and_those_of_other_ranks_stay"),
    Twin("", "NO_SITE", THROWN_CPP, "error.site(), nullptr", "{}, nullptr",
         "failure_of_thrown.an_error_keeps_its_code_text_and_site"),
    Twin("", "SECOND_IN_A_SLOT", TABLE, '  expect_free(at(slot), *made, fmt::format("slot {}", slot.number()));\n', "",
         "service_table_test.a_second_one_for_a_slot_is_refused_with_both_names"),
    Twin("", "SECOND_HELPER", TABLE, '    expect_free(helper_, *made, "the help for other ranks");\n', "",
         "service_table_test.so_is_a_second_one_that_helps"),
    Twin("", "ADVANCES_ALL", TABLE, "if (made->advances()) advancing_", "advancing_", ORDER),
    Twin("", "ORDER_OF_SLOTS", TABLE, "  order_[attached_++] = index(slot);\n",
         "  order_[attached_++] = index(slot);\n"
         "  if (attached_ > 1) std::swap(order_[attached_ - 1], order_[attached_ - 2]);\n", ORDER),
    Twin("", "HELPER_OUTLIVES", TABLE, "  helper_ = copier_ = nullptr;\n", "",
         "service_table_test.nothing_is_left_to_drive_when_all_are_destroyed"),
    Twin("", "ADVANCES_THE_DESTROYED", TABLE, "  advancing_count_ = 0;\n", "",
         "service_table_test.nothing_is_left_to_drive_when_all_are_destroyed"),
    Twin("", "LAST_CAUSE", FAILURE, "  if (has_failed_ && !is_earlier_cause) return false;\n", "",
         "job_failure_test.the_first_cause_stands"),
    Twin("", "THROWN_IS_NOT_EARLIER", FAILURE, "is_deadlock_ && is_thrown;", "false && is_thrown;", THROWN),
    Twin("", "EACH_THROWN_IS_EARLIER", FAILURE, "  is_deadlock_ = is_deadlock;\n", "  is_deadlock_ |= is_deadlock;\n",
         THROWN),
    Twin("", "DEADLOCK_TWICE", SIGHT, "  is_deadlock_seen_ = seen == sight::first;\n", "",
         "job_failure_test.a_deadlock_is_for_the_first_who_is_certain_of_it", FAILURE_TEST),
    Twin("", "LOOKS_IN_A_FAILED_JOB", SIGHT, "if (has_failed_ || is_deadlock_seen_)", "if (is_deadlock_seen_)",
         "job_failure_test.nobody_looks_for_a_deadlock_in_a_job_that_has_failed", FAILURE_TEST),
]

WITHOUT = {
    ("task_sleeper", "READ_FIRST"): "two steps of one thread, which only a race tells apart: "
                                    "parallel_for_helpers.a_rank_that_is_about_to_sleep_sees_a_task (unit.api) runs it",
    ("task_sleeper", "NO_LIMIT"): "it sleeps for ever: the same test",
    ("task_sleeper", "PARKED_ONLY"): "what another rank sees between two steps of one that parks: the same test",
}

if __name__ == "__main__":
    sys.exit(run(Room("runtime", ("task_sleeper",), TWINS, WITHOUT)))
