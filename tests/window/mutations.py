#!/usr/bin/env python3
"""Mistakes that the code of windows invites, planted in it (tests/support/planted_mutations.py). Their models' mutations
have no twins.

    mutations.py SOURCES BUILD [NAME...]   builds and runs them; NAME: only those whose mutation has such a name
    mutations.py --check-texts SOURCES     only checks that the table is not stale

BUILD is a build folder that has unit.window; whatever is made here is in BUILD/mutations.
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

WINDOW = "window/window.cpp"
LOCKS = "window/window_locks.cpp"
GROUP = "window/window_group.cpp"
REMOTE = "window/remote_access.cpp"

TWINS = [
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

if __name__ == "__main__":
    sys.exit(run(Room("window", (), TWINS, {}, ("loopback_network.cpp",))))
