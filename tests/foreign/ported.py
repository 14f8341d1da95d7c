"""Real programs whose OpenMP loops mpi2pure makes tasks: each is translated, and has to come to the results of the original.

    hypre        C, MPI: conjugate gradients with algebraic multigrid, by a driver of ours
    SUNDIALS     C: its own test of vectors with OpenMP, and its own example of CVODE with them, on one of the ranks
    LIBLINEAR    C++, its edition with OpenMP, by a driver of ours
    HPCC         C, MPI: HPC Challenge, its STREAM and the loops of its FFT and RandomAccess

The original is built with MPICH's compiler and -fopenmp. What is translated is built with purecc and -DPURE_TASKS, and once
more with chunks of three iterations each (tests/mpi2pure/programs/chunked.h), which other ranks take.
"""
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lines import WAYS, Line, Said, named, run_limited
from programs import LIMIT_S, different, hpcc, write_new

OURS = Path(__file__).resolve().parent
CHUNKED = OURS.parent / "mpi2pure/programs/chunked.h"
DRIVERS = OURS / "drivers"
BUILDS = ("tasks", "chunked")
TOLERANCE = 1e-12  # relative: a reduction adds in the order of its blocks


@dataclass(frozen=True)
class Case:
    name: str
    arguments: tuple[str, ...] = ()
    inputs: Callable[[Path, int], None] = lambda folder, ranks: None
    results: Callable[[Path, str], list[str]] = lambda _, said: told(said)
    ranks: tuple[int, ...] = (1, 2, 4)


@dataclass(frozen=True)
class Ported:
    name: str
    is_cxx: bool
    top: Path
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    translated: tuple[str, ...]  # below top
    sources: tuple[str, ...]  # the others, below top
    cases: tuple[Case, ...]
    loops: tuple[int, int]  # changed and left
    drivers: tuple[Path, ...] = ()
    only_original: tuple[str, ...] = ("-fopenmp",)  # flags; mpi2pure has them, too
    threads: int = 2  # of the original


def told(said: str) -> list[str]:
    return [line for line in said.splitlines() if line.strip() and not line.startswith("purerun: ")]


# ---- hypre ----------------------------------------------------------------------------------------------------------

HYPRE_FOLDERS = ("utilities", "seq_mv", "parcsr_mv", "parcsr_ls", "krylov", "IJ_mv", "parcsr_block_mv")
HYPRE_CONFIG = {
    "RELEASE_NAME": '"hypre"', "RELEASE_VERSION": '""', "RELEASE_NUMBER": "0", "RELEASE_DATE": '""',
    "RELEASE_TIME": '""', "RELEASE_BUGS": '""', "MAXDIM": "3", "HAVE_MPI": "1", "USING_HOST_MEMORY": "1", "FMANGLE": "0"}
# For accelerators, Fortran, and packages beside it; and what is no part of the library.
HYPRE_NOT = re.compile(r"driver|numbers\.c|oomp|F90_|_device|cuda|caliper|device_|memory_dmalloc|Euclid|ParaSails|pilut|"
                       r"_petsc|_isis|fortran|lsfit|mpi_comm_f2c|parchord|dsuperlu|ame\.c|lobpcg|parcsr_int|block_matop")


def split(top: Path, files: list[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Files with pragmas, and those without."""
    having = tuple(file for file in files if "pragma omp" in (top / file).read_text(errors="replace"))
    return having, tuple(file for file in files if file not in having)


def hypre(folder: Path, made: Path) -> Ported:
    top = folder / "src"
    made.mkdir(parents=True, exist_ok=True)
    write_new(made / "HYPRE_config.h", "#pragma once\n" + "".join(
        f"#define HYPRE_{name} {value}\n" for name, value in HYPRE_CONFIG.items()))
    files = [str(file.relative_to(top)) for each in HYPRE_FOLDERS for file in sorted((top / each).glob("*.c"))
             if not HYPRE_NOT.search(file.name)]
    own = (top, *(top / each for each in (*HYPRE_FOLDERS, "multivector", "blas", "lapack")), made)
    translated, others = split(top, files)
    return Ported("hypre", False, top, ("-O0", *(f"-I{each}" for each in own)), ("-llapack", "-lblas", "-lm"),
                  translated, others, (Case("hypre"),), (239, 63),
                  (DRIVERS / "multigrid.c", DRIVERS / "no_packages.c"), ("-fopenmp", "-DHYPRE_USING_OPENMP=1"),
                  1)  # two of its smoothers do something else for each number of threads


# ---- SUNDIALS -------------------------------------------------------------------------------------------------------

SUNDIALS_CONFIG = {
    **dict.fromkeys(("EXPORT", "NO_EXPORT", "DEPRECATED", "DEPRECATED_EXPORT", "DEPRECATED_MSG(text)",
                     "DEPRECATED_EXPORT_MSG(text)"), ""),
    **dict.fromkeys(("VERSION", "VERSION_LABEL", "GIT_VERSION"), '""'),
    **dict.fromkeys(("VERSION_MAJOR", "VERSION_MINOR", "VERSION_PATCH", "LOGGING_LEVEL", "MPI_ENABLED"), "0"),
    **dict.fromkeys(("C_COMPILER_HAS_INLINE", "C_COMPILER_HAS_SNPRINTF_AND_VA_COPY", "DOUBLE_PRECISION", "INT64_T",
                     "USE_GENERIC_MATH", "HAVE_POSIX_TIMERS"), "1"),
    "INDEX_TYPE": "int64_t", "MAX_SPRINTF_SIZE": "5120"}
SUNDIALS_PARTS = ("sundials/sundials_{context,logger,nvector,matrix,linearsolver,nonlinearsolver,math,memory,band,dense,direct,"
                  "version,iterative,nvector_senswrapper}", "cvode/cvode{,_direct,_fused_stubs,_io,_ls,_nls,_proj}",
                  "sunmatrix/band/sunmatrix_band", "sunmatrix/dense/sunmatrix_dense", "sunlinsol/band/sunlinsol_band",
                  "sunnonlinsol/newton/sunnonlinsol_newton")


def sundials(folder: Path, made: Path) -> list[Ported]:
    """Two programs of its own over its vectors of OpenMP: their test, and a solver with them."""
    (made / "sundials").mkdir(parents=True, exist_ok=True)
    write_new(made / "sundials/sundials_config.h", "#pragma once\n" + "".join(
        f"#define SUNDIALS_{name} {value}\n" for name, value in SUNDIALS_CONFIG.items()))
    parts = []
    for part in SUNDIALS_PARTS:
        before, _, names = part.partition("{")
        parts += [f"src/{before}{name}.c" for name in names.rstrip("}").split(",")]
    flags = ("-O1", "-Dmain=their_main", f"-I{made}", *(f"-I{folder}/{each}" for each in ("include", "src/sundials", "examples/nvector")))
    vectors = "src/nvector/openmp/nvector_openmp.c"

    def program(name: str, translated: tuple[str, ...], others: tuple[str, ...], loops: tuple[int, int],
                *arguments: str) -> Ported:
        return Ported(name, False, folder, flags, ("-lm", "-lgomp"), translated, (*parts, *others),
                      (Case(name, arguments),), loops, (DRIVERS / "one_runs.c",))

    return [program("sundials-vectors", (vectors,), ("examples/nvector/C_openmp/test_nvector_openmp.c",
                                                     "examples/nvector/test_nvector.c"), (28, 35), "1000", "2", "0"),
            program("sundials-cvode", (vectors, "examples/cvode/C_openmp/cvAdvDiff_bnd_omp.c"), (), (31, 35), "2")]


# ---- LIBLINEAR ------------------------------------------------------------------------------------------------------


def liblinear(folder: Path) -> Ported:
    top = folder / "cpp-source"
    blas = tuple(str(file.relative_to(top)) for file in sorted((top / "blas").glob("*.c")))
    return Ported("liblinear", True, top, ("-O1", f"-I{top}"), ("-lgomp", "-lm"), ("linear.cpp",), ("newton.cpp", *blas),
                  (Case("liblinear"),), (33, 6), (DRIVERS / "classify.cpp",))


# ---- HPC Challenge --------------------------------------------------------------------------------------------------


def hpcc_ported(folder: Path) -> Ported:
    (case,) = hpcc(folder)
    own = {"bench_lat_bw_1.5.2.c"}
    files = [str(file.relative_to(folder)) for file in case.program.sources if file.name not in own]
    translated, others = split(folder, files)

    def results(where: Path, said: str) -> list[str]:
        # Updates of RandomAccess get lost where a loop's iterations run at a time; up to a hundredth of them may.
        return [re.sub(r"Found \d+ errors", "Found errors", line) for line in case.results(where, said)
                if not re.search(r"RandomAccess\w*_Errors", line)]

    return Ported("hpcc", False, folder, case.program.flags, case.program.libraries, translated, others,
                  (Case("hpcc", (), case.inputs, results, (2, 4)),), (13, 15), (DRIVERS / "no_latencies.c",))


# ---- lines ----------------------------------------------------------------------------------------------------------


class Ports:
    def __init__(self, sources: Path, build: Path, jobs: int) -> None:
        self.work, self.build, self.jobs = sources / "ported", build, jobs
        self.ports = [hypre(sources / "hypre", self.work / "hypre.h"),
                      *sundials(sources / "sundials", self.work / "sundials.h"),
                      liblinear(sources / "liblinear"), hpcc_ported(sources / "hpcc")]
        self.locks = {port.name: threading.Lock() for port in self.ports}
        self.made: dict[str, str] = {}
        self.of_original: dict[tuple[str, int], tuple[list[str], Said]] = {}

    def translate(self, port: Ported) -> str:
        """What is wrong; empty: nothing. What is translated is as old as it was where it is the same."""
        new, made = (self.work / f"{port.name}.{each}" for each in ("new", "translated"))
        shutil.rmtree(new, ignore_errors=True)
        of_mpi = "mpicxx.mpich" if port.is_cxx else "mpicc.mpich"
        said = run_limited([f"{self.build}/bin/mpi2pure", "tasks", "--output", str(new), *port.translated, "--", of_mpi,
                            *port.flags, *port.only_original], port.top, {}, LIMIT_S)
        last = said.text.splitlines()[-1:]
        if last != [f"mpi2pure: loops changed: {port.loops[0]}, left: {port.loops[1]}"] or "not understood" in said.text:
            return f"mpi2pure ends with {said.status}, not with {port.loops} loops changed and left:\n{said.text}"
        for file in new.rglob("*"):
            if file.is_file():
                kept = made / file.relative_to(new)
                kept.parent.mkdir(parents=True, exist_ok=True)
                write_new(kept, file.read_text())
        return ""

    def built(self, port: Ported) -> str:
        """What is wrong; empty: nothing. All programs of the port, once."""
        with self.locks[port.name]:
            if port.name not in self.made:
                self.made[port.name] = self.translate(port) or self.compile(port)
            return self.made[port.name]

    def compile(self, port: Ported) -> str:
        folder = self.work / port.name
        folder.mkdir(parents=True, exist_ok=True)
        own = "cxx" if port.is_cxx else "cc"
        kinds = {".c": "cc", ".cpp": "cxx"}
        flags = {"original": " ".join((*port.flags, *port.only_original)),
                 "tasks": " ".join((f"-I{self.work}/{port.name}.translated", *port.flags, "-DPURE_TASKS"))}
        flags["chunked"] = f"-include {CHUNKED} {flags['tasks']}"
        compilers = {"original": "mpi{}.mpich", "tasks": f"{self.build}/bin/pure{{}}"}
        compilers["chunked"] = compilers["tasks"]
        text = ""
        for build, compiler in compilers.items():
            for kind in kinds.values():
                text += (f"rule {build}-{kind}\n  command = {compiler.format(kind)} -w {flags[build]} -c $in -o $out "
                         f"-MD -MF $out.d\n  depfile = $out.d\n")
            text += (f"rule {build}-link\n  command = {compiler.format(own)} "
                     f"{'-fopenmp' if build == 'original' else ''} $in {' '.join(port.libraries)} -o $out\n")
            objects = []
            for number, file in enumerate((*port.translated, *port.sources, *port.drivers)):
                is_ours = number < len(port.translated) and build != "original"
                source = self.work / f"{port.name}.translated" / file if is_ours else port.top / file
                if is_ours and not source.is_file():  # nothing in it has changed
                    source = port.top / file
                of = build if build != "chunked" or is_ours else "tasks"
                objects.append(f"{of}/{number}-{Path(file).stem}.o")
                if of == build:
                    text += f"build {objects[-1]}: {build}-{kinds[source.suffix]} {source}\n"
            text += f"build {build}.program: {build}-link {' '.join(objects)}\n"
        (folder / "build.ninja").write_text(text)
        done = subprocess.run(["ninja", "-C", str(folder), f"-j{self.jobs}", "--quiet"], capture_output=True, text=True,
                              check=False)
        return "" if done.returncode == 0 else f"not built:\n{done.stdout[-3000:]}"

    def run(self, port: Ported, case: Case, ranks: int, build: str, way: str, limit_s: float) -> tuple[list[str], Said]:
        where = self.work / "runs" / f"{case.name}.{ranks}.{build}.{way}"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        case.inputs(where, ranks)
        launcher = [f"{self.build}/bin/purerun", "--ranks-as", way, "-n", str(ranks)]
        if build == "original":
            launcher = ["mpiexec.mpich", "-n", str(ranks)]
        threads = {"OMP_NUM_THREADS": str(port.threads), "OMP_WAIT_POLICY": "passive"}
        said = run_limited([*launcher, str(self.work / port.name / f"{build}.program"), *case.arguments], where,
                           {**threads, "PURE_CHECK": "0"}, limit_s)
        try:
            return case.results(where, said.text), said
        except OSError as error:
            return [], Said(said.status, f"{said.text}\nno results: {error}")

    def beside_original(self, port: Ported, case: Case, ranks: int, build: str, way: str,
                        limit_s: float) -> tuple[bool, Said]:
        wrong = self.built(port)
        if wrong:
            return False, Said(1, wrong)
        with self.locks[port.name]:
            if (case.name, ranks) not in self.of_original:
                self.of_original[case.name, ranks] = self.run(port, case, ranks, "original", "mpich", limit_s)
        expected, said = self.of_original[case.name, ranks]
        if said.status != 0:
            return False, Said(1, f"the original ended with {said.status}:\n{said.text}")
        results, said = self.run(port, case, ranks, build, way, limit_s)
        difference = "" if said.status != 0 else different(results, expected, TOLERANCE)
        if difference:
            return False, Said(said.status, f"not what the original has: {difference[:1000]}\n{said.text}")
        return said.status == 0, said

    def lines(self) -> list[Line]:
        return [self.line(port, case, ranks, build, way) for way in WAYS for port in self.ports for case in port.cases
                for build in BUILDS for ranks in case.ranks]

    def line(self, port: Ported, case: Case, ranks: int, build: str, way: str) -> Line:
        chunks = " chunked" if build == "chunked" else ""
        return Line(named(f"ported/{case.name} {ranks}{chunks}", way),
                    lambda limit_s: self.beside_original(port, case, ranks, build, way, limit_s), LIMIT_S)
