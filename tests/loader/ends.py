#!/usr/bin/env python3
"""In what order programs begin and end: as processes do, which print what has happened, and in what order."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, Run, purerun, require  # noqa: E402

folder = Folder()
RANKS = 3
# Ways that tell in what order all has happened.
TELLING = [
    "nothing 0", "return 0", "return 3", "exit 0", "exit 4", "now 0", "now 5", "c_now 5", "quick 0", "quick 6",
    "deep 7", "thread 8", "in_handler 9", "now_in_handler 10", "before 0", "before 11", "return_before 12",
    "quick_before 0",
    "constructor 0", "constructor 13", "at_exit 0", "thread_ends 0", "keys 0", "main_thread_ends 0", "main_thread_is_first 0",
]
# Ways in which a process may end, and a rank that is a thread may not: it is said.
REFUSED = {
    "thread 0": "called exit(0) while ranks were running",
}
# Ways that do not; what is said of them.
SILENT = {
    "now_before 0": "", "now_before 16": "", "between 17": "exit(17)", "between_one 18": "exit(18)",
    "abort 0": "SIGABRT", "abort_one 0": "SIGABRT", "segv 0": "SIGSEGV",
    "mpi_abort 19": "MPI_Abort(MPI_COMM_WORLD, 19)",
    # Two ranks say it at the same time, each piece by piece: only its first piece is whole.
    "exception 0": "terminate called after throwing an instance of '",
    "late_exception 0": "terminate called after throwing an instance of '",
}


def compile_program():
    def library(name, *options):
        return folder.compile(f"lib{name}.so", ["order_library.c"], f"-DNAME={name}", f"-Wl,-init,{name}_init",
                              f"-Wl,-fini,{name}_fini", *options)
    deepest = library("deepest", "-DDEEPEST")
    lower = library("lower", deepest)
    upper = library("upper", lower, deepest)
    # The program names the deepest one first, and yet it comes before those that need it.
    return folder.compile("order", ["order.cpp"], deepest, upper, lower)


def tells_as_alone(way, program, arguments):
    """Each rank does, in the same order, what the program does that is started alone."""
    words = arguments.split()
    alone = Run([program, *words])
    require("preinit" in alone.out and "WRONG" not in alone.out and not alone.err, f"alone: {alone}")
    require(alone.status == int(words[1]), f"alone: {alone}")
    expected = sorted(line.replace("rank 0:", f"rank {rank}:") for line in alone.lines() for rank in range(RANKS))
    run = purerun(way, RANKS, program, *words)
    if alone.status == 0:
        require(run.lines() == expected, f"{way}: {run} not {expected}")
    else: # who fails ends the others
        own = {line for line in run.lines() if not line.endswith("printed at the end")}  # a stream may go out or not
        require(own <= set(expected) and own, f"{way}: {run} not of {expected}")
    require(run.status == alone.status, f"{way}: {run}")


def ends_as_processes(program, arguments):
    expected, got = (purerun(way, RANKS, program, *arguments.split()) for way in ("processes", "private"))
    require(got.status == expected.status, f"{got}\nin processes: {expected}")
    require(SILENT[arguments] in got.err, f"it does not say {SILENT[arguments]}: {got}")
    if not arguments.startswith("between"): # processes end at once, and threads after their handlers
        require(got.lines() == expected.lines() == [], f"it prints: {got}\nin processes: {expected}")


def is_refused(program, arguments):
    run = purerun("private", RANKS, program, *arguments.split())
    require(run.status == 1 and REFUSED[arguments] in run.err, str(run))


def shows_where_a_rank_crashes(program):
    for way in ("processes", "private"):
        run = purerun(way, RANKS, program, "segv")
        for text in (f"rank {RANKS - 1} crashed", "touches_nothing"):
            require(text in run.err, f"no '{text}': {run}")


def says_that_its_file_was_cut_off(program):
    run = purerun("processes", RANKS, program)
    require(run.status == 0 and run.out == "it is busy\n", str(run))
    run = purerun("private", RANKS, program)
    require(run.status not in (0, 1) and f"{program} has been written to since the program began" in run.err, str(run))


def ends_as_its_own(program):
    """Only one rank fails."""
    run = purerun("private", RANKS, program, "return_own", "9")
    require(run.status == 9 and "on_exit_9_argument" in run.out, str(run))


def begins_once_where_shared(program):
    run = purerun("shared", RANKS, program, "return", "0")
    require(run.out.count("preinit") == 1 and run.out.count("deepest_last") == 1, str(run))


def begins_in_order(program):
    """What the standards say of the order, in words of this test."""
    run = Run([program, "return", "0"])
    words = run.out.split()
    expected = ("rank 0: preinit"
                " deepest_init deepest_200 deepest_constructor lower_init lower_200 lower_constructor"
                " upper_init upper_200 upper_constructor constructor_250 object_300+ constructor object+ main"
                " static_of_function+ thread_local+ finalized thread_locals- lower_atexit upper_atexit"
                " on_exit_0_argument atexit atexit_of_handler static_of_function- object- object_300-"
                " destructor destructor_250 upper_destructor upper_fini lower_destructor lower_fini"
                " deepest_destructor deepest_last").split()
    require([word for word in words if word not in ("deepest_fini",)] == expected, f"{words}, not {expected}")


def begins_before_main(way, program):
    run = purerun(way, RANKS, program)
    expected = [f"rank {rank}: the sum is 3, the answer {2 * rank}" for rank in range(RANKS)]
    require(run.status == 0 and run.lines() == expected and not run.said(), f"{way}: {run}")


def main():
    early = folder.compile("early", ["static_environment.cpp"])
    for way in ("processes", "private"):
        folder.beside(begins_before_main, way, early)
    program = compile_program()
    folder.beside(begins_in_order, program)
    folder.beside(begins_once_where_shared, program)
    folder.beside(ends_as_its_own, program)
    folder.beside(shows_where_a_rank_crashes, program)
    folder.beside(says_that_its_file_was_cut_off, folder.compile("cut_off", ["cut_off.c"]))
    for arguments in TELLING:
        folder.beside(tells_as_alone, "private", program, arguments)
    for arguments in SILENT:
        folder.beside(ends_as_processes, program, arguments)
    for arguments in REFUSED:
        folder.beside(is_refused, program, arguments)
    for arguments in ("nothing 0", "return 3", "exit 4"):
        folder.beside(tells_as_alone, "processes", program, arguments)


folder.beside(main)
folder.finish()
