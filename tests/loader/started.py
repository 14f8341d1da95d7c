#!/usr/bin/env python3
"""How loaded programs are started, and start others; programs without MPI and of pure.h; ranks of several processes."""
import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, Run, hold, purerun, require, right_cases, shares  # noqa: E402

folder = Folder()


def sees_what_processes_see(program, how, *arguments):
    """However it is named."""
    options = {"folder": how.get("folder"), "environment": {"LOADER_TEST": "7", **how.get("environment", {})}}
    expected, got = (purerun(way, 3, program, *arguments, **options) for way in ("processes", "private"))
    require(expected.status == got.status == 0 and len(got.lines()) == 3 and "WRONG" not in got.out, f"{got}")
    require(got.lines() == expected.lines(), f"{got}\nin processes: {expected}")
    require(not got.said(), f"it says: {got}")


def started():
    program = folder.compile("bin/started", ["started.c"])
    link = folder.path / "link"
    link.symlink_to(program)
    path = f"{program.parent}:{os.environ['PATH']}"
    inside = {"folder": program.parent}
    for name, how in ((program, {}), ("bin/started", {"folder": folder.path}), ("./started", inside),
                      ("../bin/started", inside), (link, {}), ("started", {"environment": {"PATH": path}})):
        folder.beside(sees_what_processes_see, name, how, "first", "two words", "", "last")
    folder.beside(sees_what_processes_see, program, {})
    folder.beside(sees_what_processes_see, program, {}, "-n", "--help", "--", "x")


def changes_arguments_where_shared(program):
    run = purerun("shared", 2, program, "first", "last")
    require("calls 2" in run.out, f"shared: the ranks have called main once each: {run}")


def plain(way, program, *arguments):
    alone = Run([program, *arguments])
    run = purerun(way, 4, program, *arguments)
    expected = sorted(alone.lines() * 4)
    if alone.status == 0:
        require(run.lines() == expected, f"{run}, not {expected}")
    require(run.status == alone.status and run.out and not run.said(), str(run))


def plain_programs():
    program = folder.path / "plain"
    folder.command("gcc", folder.source("plain.c"), "-o", program)
    for arguments in ((), ("0", "b c"), ("5",)):
        folder.beside(plain, "private", program, *arguments)
    folder.beside(plain, "private", shutil.which("hostname") or program)


def programs_of_pure_h():
    objects = []
    for source in ("globals", "globals_other"): # pure.h is for C++: the C files go without
        objects.append(folder.path / f"{source}.of_pure.o")
        folder.command("gcc", "-std=gnu11", "-g", "-fcommon", "-DOF_PURE_H", "-c", folder.source(f"{source}.c"), "-o",
                       objects[-1])
    c = folder.compile("of_pure_c", ["of_pure_h.cpp"], *objects)
    cxx = folder.compile("of_pure_cxx", ["objects.cpp", "objects_other.cpp", "of_pure_h.cpp"], "-DOF_PURE_H")
    for program in (c, cxx):
        folder.beside(shares, program)
        for ranks in (2, 16):
            folder.beside(hold, "private", ranks, program)


def tasks_of_pure_h():
    if len(os.sched_getaffinity(0)) < 2:
        folder.not_tested("helpers of loaded programs", "a helper needs a core without a rank")
        return
    helper = ["--helpers", "1"]
    run = purerun("private", 1, folder.compile("tasks", ["of_pure_tasks.cpp"], "-std=c++20"), options=helper)
    require(run.status == 0 and run.lines() == ["right"], str(run))
    with_addresses = folder.compile("tasks_addresses", ["of_pure_tasks.cpp"], "-std=c++20", "-DHAS_ADDRESSES")
    run = purerun("private", 1, with_addresses, options=helper)
    require(run.status == 1 and "leave --helpers out" in run.err, str(run))


def environments():
    right_cases(folder, folder.compile("environment", ["environment.c"]), several=(2, 16),
                environment={"LOADER_GIVEN": "x", "LOADER_REMOVED": "there", "LC_ALL": "C", "TZ": "UTC0"})


def several_processes():
    """Ranks are threads of two processes."""
    program = folder.compile("globals", ["globals.c", "globals_other.c"], "-fcommon")
    for ranks in (4, 5):
        folder.beside(hold, "private", ranks, program, options=["-N", "2", "--mpi", "none"])


def files_of_each():
    """The processes' soft limit is enough for one rank, and not for all."""
    program = folder.compile("files", ["files.c"])
    expected, got = (Run(["sh", "-c", f"ulimit -Sn 256; exec purerun -n 8 --ranks-as {way} {program}"])
                     for way in ("processes", "threads"))
    require(expected.status == 0 and "100 files of 256, 256" in expected.out and
            "rank 1: 256 256 256 256 256 256 256 256" in expected.out, str(expected))
    require(got.status == 0 and got.lines() == expected.lines(), f"{got}\nas processes: {expected}")


def out_of_memory():
    """Where the address space does not suffice, at whatever stage, that is said; with more of it the program runs."""
    (folder.path / "much.c").write_text("""#include <mpi.h>
#include <stdio.h>
char filled[20 << 20] = {1}, empty[20 << 20];
char* address = filled;
int main(int count, char** values) {
  MPI_Init(&count, &values);
  printf("right\\n");
  return MPI_Finalize() + (*address + *empty != 1);
}
""")
    program = folder.compile("much", [str(folder.path / "much.c")])
    ended = {}
    for kib in range(48_000, 800_000, 16_000):
        run = Run(["sh", "-c", f"ulimit -v {kib}; exec purerun -n 2 --ranks-as threads {program}"])
        ended[kib] = run.status
        if run.status == 0:
            require(run.lines() == ["right"] * 2 and not run.said(), f"ulimit -v {kib}: {run}")
            break
        require("memory" in run.err or "address space" in run.err, f"ulimit -v {kib}: {run}")
    require(len(ended) > 3 and 0 in ended.values(), f"statuses by KiB: {ended}")


folder.beside(started)
folder.beside(out_of_memory)
folder.beside(files_of_each)
folder.beside(plain_programs)
folder.beside(programs_of_pure_h)
folder.beside(tasks_of_pure_h)
folder.beside(environments)
folder.beside(several_processes)
folder.beside(lambda: right_cases(folder, folder.compile("children", ["children.c"]), says="child processes"))
folder.finish()
