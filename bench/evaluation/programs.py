"""The programs of the report, and how they are compiled: the same files for every system.

A program is written once against MPI. What differs between its variants is one file: `messages` (MPI alone), `tasks` (with
the lines that tasks need: for Pure), `openmp` (MPI + OpenMP). Files that include no mpi.h are compiled once for all
systems, so that all run the same machine code.
"""

import hashlib
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from driver.errors import BenchError

# Results are compared to the last bit: no compiler may fuse a multiplication with an addition in one program only.
FLAGS = ("-O3", "-ffp-contract=off")
MPI_FLAGS = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
LANGUAGES = {"c": (("-std=c11",), "cc", "CC"), "c++": (("-std=c++20",), "c++", "CXX")}


@dataclass(frozen=True)
class Variant:
    """The files of one variant that include mpi.h, or that OpenMP compiles."""

    sources: tuple[str, ...]
    flags: tuple[str, ...] = ()


@dataclass(frozen=True)
class Program:
    name: str
    language: str
    common: tuple[str, ...]  # compiled once
    variants: dict[str, Variant]
    lesson: tuple[str, str]  # the two files whose difference is what tasks took
    cold: tuple[str, ...] = ()  # of common: not worth optimizing, and slow to compile
    includes: tuple[str, ...] = ()
    all_lines: tuple[str, ...] = field(default=())  # folders whose lines are the program's


def _beside(folder, *names):
    return tuple(f"{folder}/{name}" for name in names)


def _md():
    here = "examples/md"
    names = (
        "cells check_forces collectives eam exchange grid lattice lennard_jones main options pairs potential_file report "
        "rows simulation spline text trajectory"
    )
    messages = f"{here}/messages_mpi.cpp"
    return Program(
        "md",
        "c++",
        _beside(here, *(f"{name}.cpp" for name in names.split())),
        {
            "messages": Variant((messages, f"{here}/loops_serial.cpp")),
            "tasks": Variant((messages, "bench/apps/md/loops_tasks.cpp")),
            "openmp": Variant((messages, f"{here}/loops_openmp.cpp"), ("-fopenmp",)),
        },
        (f"{here}/loops_serial.cpp", "bench/apps/md/loops_tasks.cpp"),
        cold=(f"{here}/options.cpp",),
        includes=(here,),
        all_lines=(here,),
    )


def _stencil():
    here = "examples/random_stencil"
    messages = "examples/md/messages_mpi.cpp"
    main = f"{here}/main.cpp"

    def variant(source, function, *flags):
        return Variant((source, main, messages), (*flags, f"-DRAND_STENCIL={function}", '-DVERSION="evaluated"'))

    return Program(
        "stencil",
        "c++",
        (*_beside(here, "driver.cpp", "options.cpp", "random_work.cpp"), "examples/md/collectives.cpp"),
        {
            "messages": variant(f"{here}/listing1_mpi.cpp", "rand_stencil_mpi"),
            "tasks": variant("bench/apps/stencil/listing1_tasks.cpp", "rand_stencil_tasks"),
            "openmp": variant(f"{here}/listing1_openmp.cpp", "rand_stencil_openmp", "-fopenmp"),
        },
        (f"{here}/listing1_mpi.cpp", "bench/apps/stencil/listing1_tasks.cpp"),
        cold=(f"{here}/options.cpp",),
        includes=(here, "examples/md"),
        all_lines=(here,),
    )


def _dt():
    here = "bench/apps/dt"
    with_mpi = _beside(here, "main.c", "traffic.c")
    return Program(
        "dt",
        "c",
        _beside(here, "graph.c", "classes.c", "features.c"),
        {
            "messages": Variant((*with_mpi, f"{here}/loops.c")),
            "tasks": Variant((*with_mpi, f"{here}/loops_tasks.c")),
            "openmp": Variant((*with_mpi, f"{here}/loops_openmp.c"), ("-fopenmp",)),
        },
        (f"{here}/loops.c", f"{here}/loops_tasks.c"),
        includes=(here,),
        all_lines=(here,),
    )


def _amr():
    here = "bench/apps/amr"
    names = "balance block checksum directory exchange face main mesh objects options refine report stencil_loops"
    with_mpi = _beside(here, *(f"{name}.cpp" for name in names.split()))
    return Program(
        "amr",
        "c++",
        (),
        {
            "messages": Variant((*with_mpi, f"{here}/loops.cpp")),
            "tasks": Variant((*with_mpi, f"{here}/loops_tasks.cpp")),
            "openmp": Variant((*with_mpi, f"{here}/loops_openmp.cpp"), ("-fopenmp",)),
        },
        (f"{here}/loops.cpp", f"{here}/loops_tasks.cpp"),
        includes=(here,),
        all_lines=(here,),
    )


PROGRAMS = {program.name: program for program in (_stencil(), _dt(), _md(), _amr())}


class Compiler:
    """Compiles what has changed, several files at a time; products lie in build/evaluate."""

    def __init__(self, root, say):
        self.root = root
        self.products = root / "build" / "evaluate"
        self.say = say

    def compile_all(self, wanted):
        """`wanted`: tuples of a program, a variant's name and a system, each with `.name` and `.wrapper(language)`. The
        path of each executable, or a BenchError in its place."""
        self.products.mkdir(parents=True, exist_ok=True)
        common = sorted({(program.name, source) for program, *_ in wanted for source in program.common})
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as threads:
            compiled = list(threads.map(lambda pair: self._object(PROGRAMS[pair[0]], pair[1]), common))
            objects = {}
            for (name, _), made in zip(common, compiled, strict=True):
                objects.setdefault(name, []).append(made)
            return list(threads.map(lambda each: self._try(self._program, objects.get(each[0].name, []), *each), wanted))

    @staticmethod
    def _try(make, *arguments):
        try:
            return make(*arguments)
        except BenchError as error:
            return error

    def _object(self, program, source):
        standard, compiler, variable = LANGUAGES[program.language]
        target = self.products / f"{program.name}.{Path(source).stem}.o"
        optimization = ("-O0",) if source in program.cold else FLAGS
        command = [os.environ.get(variable, compiler), *standard, *optimization, *self._includes(program), "-fPIC", "-c"]
        self._make([*command, source], target, self._headers(program), {})
        return target

    def _program(self, objects, program, variant_name, system):
        variant = program.variants[variant_name]
        target = self.products / f"{program.name}.{variant_name}.{system.name}"
        standard = LANGUAGES[program.language][0]
        command = [*system.wrapper(program.language), *standard, *FLAGS, *MPI_FLAGS, *self._includes(program)]
        command += [*variant.flags, *variant.sources, *map(str, objects), "-lm"]
        if program.language == "c++":
            command += ["-lstdc++"]
        sources = [self.root / source for source in variant.sources]
        self._make(command, target, [*self._headers(program), *sources, *objects], system.environment)
        return target

    def _includes(self, program):
        return [f"-I{self.root / folder}" for folder in program.includes]

    def _headers(self, program):
        return [path for folder in program.includes for path in (self.root / folder).glob("*.h*")]

    def _make(self, command, target, inputs, environment):
        digest = hashlib.sha256("\0".join(command).encode())
        named = [self.root / word for word in command if word.endswith((".c", ".cpp")) and (self.root / word).exists()]
        for path in sorted({*inputs, *named}):
            digest.update(path.read_bytes())
        stamp = target.with_name(target.name + ".stamp")
        if target.exists() and stamp.exists() and stamp.read_text() == digest.hexdigest():
            return
        self.say(f"compiling {target.name}")
        stamp.unlink(missing_ok=True)
        done = subprocess.run(
            [*command, "-o", str(target)],
            cwd=self.root,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise BenchError(f"{target.name} does not compile: {' '.join(command)}\n{done.stderr[-2000:]}")
        stamp.write_text(digest.hexdigest())


def lines_of(root, program):
    """(lines that tasks added or changed, lines of the program that are neither empty nor comments)."""
    plain, tasks = (_code(root / path) for path in program.lesson)
    added = len([line for line in tasks if line not in set(plain)])
    sources = [path for folder in program.all_lines for path in (root / folder).glob("*") if path.suffix in _SUFFIXES]
    skipped = ("openmp", "_pure", "listing2", "parallel_for", "_tasks")
    return added, sum(len(_code(path)) for path in sources if not any(word in path.name for word in skipped))


_SUFFIXES = {".c", ".h", ".cpp", ".hpp"}


def _code(path):
    lines = (line.strip() for line in path.read_text().splitlines())
    return [line for line in lines if line and not line.startswith("//")]
