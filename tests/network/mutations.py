#!/usr/bin/env python3
"""Mistakes that the code of the network's collectives invites, planted in it (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

COLLECTIVE = "network/process_collective.cpp"
SUMS = "processes_together.sums"
GATHERS = "processes_together.blocks_are_gathered_in_the_order_of_processes"
BARRIERS = "processes_together.nobody_leaves_a_barrier_before_all_have_come"
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
    Twin("", "ONE_CHILD_IS_NOT_TOLD", COLLECTIVE, "away > 0; away /= 2", "away > 1; away /= 2", BROADCASTS),
]

if __name__ == "__main__":
    sys.exit(run(Room("network", (), TWINS, {}, ("loopback_network.cpp",))))
