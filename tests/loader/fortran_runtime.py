#!/usr/bin/env python3
"""Fortran's runtime library in ranks: units, formats, input, arguments, random numbers, commands, and ends with errors.

A program runs with ranks that are processes, and with threads that have their globals for themselves: both have to say
what it means, and the threads what the processes say."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import WAYS, Folder, Run, require  # noqa: E402

RANKS = 3
WHERE = "At line"
# What each case says, by ranks; None: only that the ways say it alike.
SAID = {
    "threadprivate": lambda me: [f"threads have {1000 * me + 3} {1000 * me + 13} {-1000 * me - 1} {-1000 * me - 11}"],
    "arguments": lambda me: ["runtime arguments x y  z 24 0", "argument arguments 9 0", "argument x y 3 0",
                             "argument  0 0", "argument z 1 0", "environment a b 3 0"],
    "input": lambda me: ["has read 5 6 0", "and then more"] if me == 0 else ["end of file"],
    "formats": lambda me: [f"{me + 0.5:+{20 + me}.{3 + me}f} +0201 +0202 +0203 T +1.0000E+100  end right"],
    "units": lambda me: [f"unit.{me} F -10 {-12 if me % 2 else -10}"],
    "random": None,
    "execute": lambda me: [f"ended with {3 + me} 0", f"of rank {me}"],
}
# How rank 1 ends, and the job with it: the status, and what Fortran says.
ENDS = {
    "stop": (3, ["STOP 3"]),
    "error_stop": (1, ["ERROR STOP for a reason", "Error termination. Backtrace:", "in __ranks_MOD_end_wrongly"]),
    "error_stop_code": (5, ["ERROR STOP 5"]),
    "bounds": (2, [WHERE, "Fortran runtime error: Index '4' of dimension 1 of array 'values' above upper bound of 3",
                   "in __ranks_MOD_bound", "in fortran_runtime"]),
    "bad_number": (2, [WHERE, "(unit = 30, file = '", "Fortran runtime error: Bad integer for item 1 in list input"]),
    "end_of_file": (2, [WHERE, "Fortran runtime error: End of file"]),
    "deallocate": (2, [WHERE, "Fortran runtime error: Attempt to DEALLOCATE unallocated 'values'"]),
    "exit": (6, []),
    "abort": (134, ["Program aborted. Backtrace:", "in __ranks_MOD_end_wrongly"]),
    "signal": (139, ["Program received signal SIGSEGV: Segmentation fault", "in __ranks_MOD_end_wrongly"]),
}
folder = Folder()


def run_case(way, name, program="runtime"):
    """In a folder of its own; standard input has two lines."""
    where = folder.path / f"{program}.{name}.{way}"
    where.mkdir()
    (where / "input").write_text("5 6\nmore\n")
    words = ["bash", "-c", 'exec "$@" < input', "bash", "purerun", *WAYS[way], "-n", RANKS, folder.path / program,
             name, "x y", "", "z"]
    return where, Run(words, {"LOADER_TEST": "a b", "TMPDIR": str(where)}, where)


def says(name):
    expected = SAID[name]
    of_ways = {}
    for way in ("processes", "private"):
        where, run = run_case(way, name)
        require(run.status == 0 and not run.said(), f"{way}: {run}")
        of_ways[way] = run.lines()
        require(len(of_ways[way]) >= RANKS, f"{way}: {run}")
        if expected:
            lines = sorted(f"rank {me}: {line}" for me in range(RANKS) for line in expected(me))
            require(run.lines() == lines, f"{way}: {run.lines()}, not {lines}")
        if name == "units":  # what the program has left open is in the files when it has ended
            for me in range(RANKS):
                text = (where / f"unit.{me}").read_text()
                require(text == "".join(f"line {me} {i}\n" for i in range(1, 5001)), f"{way}: unit.{me}: {text[-200:]}")
    require(of_ways["processes"] == of_ways["private"], str(of_ways))


def ends(name):
    status, texts = ENDS[name]
    of_ways = {}
    for way in ("processes", "private"):
        _, run = run_case(way, name)
        require(run.status == status, f"{way}: the status is not {status}: {run}")
        for text in texts:
            require(text in run.err, f"{way}: it does not say {text!r}: {run}")
        of_ways[way] = [re.sub(r"file = '.*?'", "file", line) for line in run.err.splitlines()
                        if re.match(r"STOP|ERROR|At line|Fortran runtime|Program|\s+at .*fortran_runtime", line)]
    require(of_ways["processes"] == of_ways["private"], str(of_ways))


def explains(name, reason):
    """What cannot have globals of its own runs as processes, and is told why."""
    run = Run(["purerun", "--explain", "-n", RANKS, folder.path / name])
    said = " ".join(run.out.split())
    require(run.status == 0 and f"{name}: ranks are processes, since {reason}." in said, str(run))


def inside():
    """libgfortran in the program itself: its variables are the program's."""
    for name in ("formats", "random"):
        alike = [run_case(way, name, "inside")[1] for way in ("processes", "private")]
        require(alike[0].status == alike[1].status == 0 and alike[0].lines() == alike[1].lines() and alike[0].out,
                f"{alike[0]} {alike[1]}")


def compiles_openmp():
    return subprocess.run(["gfortran", "-fopenmp", "-fsyntax-only", "-x", "f95", "-"], input=b"end\n", capture_output=True,
                          check=False).returncode == 0


if shutil.which("gfortran") and compiles_openmp():
    for where, how in (("fPIE", "-fPIE"), ("fixed", "-fno-pie")):
        folder.command("gfortran", "-g", "-O1", how, "-fopenmp", "-fcheck=bounds", "-c",
                       folder.source("fortran_runtime.f90"), "-o", folder.path / f"{where}.o")
    folder.compile("runtime", ["fortran_ranks.c", folder.path / "fPIE.o"], "-fopenmp", "-lgfortran")
    folder.compile("fixed", ["fortran_ranks.c", folder.path / "fixed.o"], "-no-pie", "-fopenmp", "-lgfortran")
    folder.compile("inside", ["fortran_ranks.c", folder.path / "fPIE.o"], "-fopenmp", "-Wl,-Bstatic", "-lgfortran",
                   "-lquadmath", "-Wl,-Bdynamic", "-lm")
    folder.beside(explains, "fixed", "it is not position independent")
    folder.beside(inside)
    for each in SAID:
        folder.beside(says, each)
    for each in ENDS:
        folder.beside(ends, each)
else:
    folder.not_tested("Fortran's runtime", "gfortran is not installed, or without OpenMP")
folder.finish()
