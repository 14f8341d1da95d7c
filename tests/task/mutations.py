#!/usr/bin/env python3
"""Mistakes that the execution of chunks invites, planted in its code (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

SERVICE = "task/task_service.cpp"
MODES = "task/arithmetic_modes.hpp"
LOOP = "task/adaptive_loop.cpp"
BUDGET = "task/help_budget.hpp"
BUDGET_TEST = "tests/unit/task/help_budget_test.cpp"
OF_OWNER = "arithmetic_modes.of_a_stolen_chunk_are_those_of_its_owner"
MODES_TEST = "tests/unit/task/arithmetic_modes_test.cpp"

TWINS = [
    Twin("", "MODES_OF_THIEF", SERVICE, "    const with_arithmetic_modes as_owner(what.modes);\n", "", OF_OWNER),
    Twin("", "MODES_OF_NOBODY", SERVICE, "{what.work, what.context, arithmetic_modes::here()}", "what", OF_OWNER),
    Twin("", "MODES_STAY", MODES, "    if (changed_) [[unlikely]]\n      own_.set_here();\n", "",
         "arithmetic_modes.are_set_and_given_back", MODES_TEST),
    Twin("", "NO_X87", MODES, '    asm volatile("fldcw %0" : : "m"(x87_));\n', "", OF_OWNER, SERVICE),
    Twin("", "FLAGS_ARE_CLEARED", MODES, "_mm_setcsr(vector_ | (_mm_getcsr() & flags));", "_mm_setcsr(vector_);",
         "arithmetic_modes.leave_the_flags_of_exceptions_alone", MODES_TEST),
    Twin("", "FLAGS_ARE_RAISED", MODES, "_mm_getcsr() & ~flags;", "_mm_getcsr();",
         "arithmetic_modes.leave_the_flags_of_exceptions_alone", MODES_TEST),
    Twin("", "PERMITS_ARE_NOT_USED_UP", LOOP, "permits_ - (word >> batch_shift)", "permits_",
         "adaptive_loop.few_permits_suffice"),
    Twin("", "BATCHES_ARE_NOT_COUNTED", LOOP, "word + one_batch + taken", "word + taken",
         "adaptive_loop.few_permits_suffice"),
    Twin("", "A_FAILURE_LEAVES_ITERATIONS", LOOP, "    dealt_.store(count_, std::memory_order_relaxed);\n    throw;",
         "    throw;", "adaptive_loop.after_a_failure_nothing_is_left"),
    Twin("", "FIRST_LOSS_IS_ITS_WHOLE_LIFE", BUDGET, "    if (passed_ns > stale_ns) return 0;  // the first one, too\n", "",
         "help_budget.what_was_lost_before_it_helped_does_not_count", BUDGET_TEST),
    Twin("", "LOSSES_NEVER_GET_STALE", BUDGET, "passed_ns > stale_ns", "passed_ns > 100 * stale_ns",
         "help_budget.what_was_lost_in_a_long_time_without_help_says_nothing", BUDGET_TEST),
    Twin("", "NOTHING_IS_GIVEN_BACK", BUDGET, "part_ = std::min(part_ + 1, all);", "",
         "help_budget.each_period_without_a_loss_gives_a_little_more_until_it_is_all", BUDGET_TEST),
    Twin("", "NO_LEAST_PART", BUDGET, "std::max(part_ / 2, least)", "part_ / 2",
         "help_budget.after_each_loss_half_as_much_but_never_less_than_a_quarter", BUDGET_TEST),
    Twin("", "GIVEN_IS_NOT_COUNTED", BUDGET, "given_ns_ += now_ns - began_ns_;", "",
         "help_budget.after_each_loss_half_as_much_but_never_less_than_a_quarter", BUDGET_TEST),
]

if __name__ == "__main__":
    sys.exit(run(Room("task", (), TWINS, {})))
