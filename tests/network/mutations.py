#!/usr/bin/env python3
"""Mistakes that the code of the network's collectives, and the choice of a network, invite, planted in it (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

COLLECTIVE = "network/process_collective.cpp"
KIND = "network/network_kind.cpp"
OPEN = "network/open_network.cpp"
LAUNCHER = "network/process_launcher.cpp"
SUMS = "processes_together.sums"
GATHERS = "processes_together.blocks_are_gathered_in_the_order_of_processes"
BARRIERS = "processes_together.nobody_leaves_a_barrier_before_all_have_come"
TWO_LEVELS = "network/two_level_network.cpp"
BROADCASTS = "processes_together.process_0_tells_the_others"

TWINS = [
    Twin("", "ADDS_THE_LAST_CHILD_ONLY", COLLECTIVE, "sums_[i] += theirs_[i];", "sums_[i] = theirs_[i];", SUMS),
    Twin("", "SUBTREE_BEYOND_THE_END", COLLECTIVE, "std::min(child + away, peers.processes)", "child + away", GATHERS),
    Twin("", "BLOCK_OF_THE_PARENT", COLLECTIVE, "{direction::out, parent(), block(process), ",
         "{direction::out, parent(), block(parent()), ", GATHERS),
    Twin("", "GOES_DOWN_FIRST", COLLECTIVE,
         "  if (process != 0) transfers_.push_back({direction::out, parent(), data, values.size_bytes()});\n"
         "  plan_down(data, values.size_bytes());\n",
         "  plan_down(data, values.size_bytes());\n"
         "  if (process != 0) transfers_.push_back({direction::out, parent(), data, values.size_bytes()});\n", BARRIERS),
    # ---- launchers, and the networks that there are ----
    Twin("", "SECOND_OF_A_NAME", KIND, "    if (each->name() == name) throw", "    if (false) throw",
         "network_kinds.two_of_one_name_are_refused"),
    Twin("", "NAME_OF_A_PLUG_IN", OPEN, "    if (kind_named(all, each->name()) != nullptr)\n", "    if (false)\n",
         "network_kinds.two_of_one_name_are_refused"),
    Twin("", "STAYS_KNOWN", KIND, "  *link = next_;\n", "", "network_kinds.a_built_in_one_is_there_as_long_as_it_lives"),
    Twin("", "WHAT_CANNOT_CONNECT", OPEN,
         "  std::erase_if(possible, [&](const network_kind* each) { return !each->can_connect(launched); });\n", "",
         "network_kinds.or_because_it_is_there_and_can"),
    Twin("", "PREFERS_NOTHING", OPEN, "return preferred != nullptr ? *preferred : *possible.front();",
         "return *possible.front();", "network_kinds.or_because_it_is_there_and_can"),
    Twin("", "NAME_AGAINST_THE_LAUNCHER", OPEN, "    if (!suits.empty() && suits != values.network) {\n",
         "    if (false) {\n", "network_kinds.or_by_the_launcher_that_names_it"),
    Twin("", "NUMBER_AS_LARGE_AS_ALL", LAUNCHER, "launch.process >= launch.processes", "launch.process > launch.processes",
         "ProcessLauncher.ContradictionsAreRefused"),
    # ---- two networks that are one ----
    Twin("", "NEAR_BY_THE_NUMBER_OF_THE_FAR", TWO_LEVELS,
         "    to_.message_arrived(processes_[static_cast<std::size_t>(from_process)], tag,",
         "    to_.message_arrived(from_process, tag,",
         "two_levels.messages_of_each_pair_come_in_their_order_over_the_network_of_the_pair"),
    Twin("", "CANCELS_WHERE_IT_WAS_BEFORE", TWO_LEVELS, "  receiving.is_near = near >= 0;\n",
         "  receiving.is_near = receiving.is_near || near >= 0;\n",
         "two_levels.a_receive_is_taken_back_where_it_was_posted"),
    Twin("", "NEAR_ALWAYS_FIRST", TWO_LEVELS, "near_in_a_row_ == most_near_in_a_row;", "false;",
         "two_levels.neither_keeps_the_other_waiting"),
    Twin("", "FAR_ALWAYS_FIRST", TWO_LEVELS,
         "  if (!is_turn_of_far && near_ != nullptr && poll_near(events)) {",
         "  if (poll_far(events)) return true;\n  if (!is_turn_of_far && near_ != nullptr && poll_near(events)) {",
         "two_levels.neither_keeps_the_other_waiting"),
    Twin("", "FAR_EACH_TIME", TWO_LEVELS, "now_ns() >= far_due_ns_", "true",
         "two_levels.far_is_looked_at_less_often_where_that_takes_long_in_vain"),
    Twin("", "TELLS_EACH_FAILURE", TWO_LEVELS, "  if (is_there_.exchange(true, std::memory_order_relaxed)) return;\n",
         "  is_there_ = true;\n",
         "two_levels.a_failure_of_one_is_that_of_both_and_told_once"),
    Twin("", "GOES_ON_AFTER_A_FAILURE", TWO_LEVELS,
         "bool two_level_network::poll(network_events& events) {\n  if (failure_->is_there())",
         "bool two_level_network::poll(network_events& events) {\n  if (false)",
         "two_levels.a_failure_of_one_is_that_of_both_and_told_once"),
    Twin("", "ARMS_THE_NEAR_ONE_ALONE", TWO_LEVELS, "  if (are_all_near_) near_->arm();", "  if (near_ != nullptr) near_->arm();",
         "two_levels.none_sleeps_until_it_is_woken_where_some_are_far"),
    Twin("", "OWN_LIMITS", TWO_LEVELS, "  peers_.message_bytes = limits.message_bytes;\n", "",
         "two_levels.what_all_have_is_common_and_who_is_there_says_the_far_one"),
    Twin("", "ONE_CHILD_IS_NOT_TOLD", COLLECTIVE, "away > 0; away /= 2", "away > 1; away /= 2", BROADCASTS),
]

if __name__ == "__main__":
    sys.exit(run(Room("network", (), TWINS, {}, ("loopback_network.cpp",))))
