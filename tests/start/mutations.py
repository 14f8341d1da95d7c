#!/usr/bin/env python3
"""Mistakes that a thread invites which becomes a rank and stops being one, and processes that agree on a memory, planted
in the code (tests/support/planted_mutations.py)."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from planted_mutations import Room, Twin, run  # noqa: E402

ADOPTED = "start/adopted_rank.cpp"
WORKER = "start/worker_on_this_thread.cpp"
CALLING = "start/calling_rank.cpp"
NEAR = "start/near_processes.cpp"
LEAVES_NOTHING = "adopted_rank_alone.leaves_nothing_behind_and_may_begin_again"

TWINS = [
    Twin("", "STAYS_A_RANK", WORKER, "  current_rank = nullptr;\n", "",
         "adopted_rank_alone.is_the_calling_thread_until_the_end"),
    Twin("", "TAKES_THE_NAME", ADOPTED, "thread_name::own", "thread_name::of_rank",
         "adopted_rank_alone.is_the_calling_thread_until_the_end"),
    Twin("", "WATCH_IS_FOREIGN", ADOPTED, "        const known_thread known;\n", "", LEAVES_NOTHING),
    Twin("", "WATCH_TAKES_SIGNALS", ADOPTED, "    const signals_blocked blocked;\n", "",
         "adopted_rank_alone.has_a_watch_that_takes_none_of_the_programs_signals"),
    Twin("", "SIGNALS_STAY_BLOCKED", ADOPTED,
         "  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }\n", "",
         "adopted_rank_alone.has_a_watch_that_takes_none_of_the_programs_signals"),
    Twin("", "FORGETS_THE_SIGNAL_STACK", "hang/crash.cpp", "  sigaltstack(&before_, nullptr);\n", "",
         "adopted_rank_alone.gives_the_thread_back_the_signal_stack_that_it_had"),
    Twin("", "FORGETS_THE_STATUS", ADOPTED, "  parts_->running.note_status(status);\n", "",
         "adopted_rank_alone.hands_on_what_its_main_returns"),
    Twin("", "ANY_THREAD_ENDS_IT", ADOPTED, "parts_ == nullptr || !is_own_thread_of(self())", "parts_ == nullptr",
         "adopted_rank_refusals.no_other_thread_can_end_it_and_nobody_twice"),
    Twin("", "DROPPED_IS_NO_FAILURE", ADOPTED, "  parts_->running.running().fail(text, 1);\n", "",
         "adopted_rank_death.to_leave_without_the_end_is_a_failure_of_the_job"),
    Twin("", "CHILD_TAKES_ALL_DOWN", ADOPTED, "  if (is_forked_child()) {  // its threads are not there\n", "  if (false) {\n",
         "adopted_rank_refusals.a_forked_child_is_no_rank_and_takes_nothing_down"),
    Twin("", "REFUSED_FORGETS_THE_LAST", CALLING,
         "    stage_of_process.store(before, std::memory_order_relaxed);\n",
         "    stage_of_process.store(stage::none, std::memory_order_relaxed);\n",
         "calling_rank.is_one_for_each_process"),
    Twin("", "OTHERS_HAVE_TO_FINALIZE", CALLING, "  ranks_end_by(nullptr);\n", "",
         "calling_rank.has_to_come_to_its_end_and_those_after_it_to_theirs"),
    Twin("", "A_RANK_BEGINS", "start/launch.cpp", "  refuse_ranks_here(caller);\n", "",
         "adopted_rank_refusals.a_rank_cannot_begin_nor_start_ranks"),
    # ---- processes of a host that share memory ----
    Twin("", "ALL_OF_A_HOST", NEAR, "  const std::size_t first = own / size * size;\n", "  const std::size_t first = own / size * 0;\n",
         "near_agreement.has_to_be_asked_for_in_jobs_of_one_host"),
    Twin("", "ALSO_ON_ONE_HOST", NEAR, "peers.host_names.size() > 1", "!peers.host_names.empty()",
         "near_agreement.has_to_be_asked_for_in_jobs_of_one_host"),
    Twin("", "LIMITS_OF_THE_FAR_ONE", NEAR,
         "    if (near != nullptr) mine.limits = mine.limits.common_with(network_limits::of(near->peers()));\n", "",
         "near_agreement.is_the_rule_in_jobs_of_several_hosts"),
    Twin("", "LIMITS_OF_WHO_IS_NEAR", NEAR, "  if (!near.is_any_near()) return;\n", "  if (opened == nullptr) return;\n",
         "near_agreement.takes_all_of_a_host"),
    Twin("", "WHOEVER_WANTS_IT", NEAR, "its.is_wanted == 0", "false", "near_agreement.takes_all_of_a_host"),
    Twin("", "WHATEVER_THEIR_NUMBER", NEAR, "its.most != own.most", "false", "near_agreement.takes_one_number_of_processes"),
    Twin("", "LOSES_EARLY_MESSAGES", NEAR, "!meeting_.take_kept().empty()", "false",
         "near_agreement.comes_before_all_messages"),
]

if __name__ == "__main__":
    sys.exit(run(Room("start", (), TWINS, {}, ("loopback_network.cpp",))))
