"""Lines of the foreign suites: what each runs, and how its output is judged.

A line is a program, a number of ranks and arguments: in MPICH's own suite as its testlists have them, in mpi4py's one
for each file of tests and number of ranks. Its ranks are processes, or, in a line of its own, threads that have the
program's globals for themselves. Threads may run lines beside each other.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import mpich_fortran

MPICH_FOLDERS = ("attr", "comm", "group", "pt2pt", "coll", "datatype", "topo", "errhan", "info", "init", "rma",
                 *(f"errors/{name}" for name in ("attr", "coll", "comm", "datatype", "group", "pt2pt", "rma", "topo",
                                                 "faults")))
# Files of mpi4py's tests, by the part of the standard that each is about; the others are about Python, or files.
MPI4PY_FILES = ("p2p", "cco", "comm", "group", "datatype", "rma", "win", "op$", "request", "status", "info", "err",
                "attributes", "pack$", "buffer", "msg", "environ", "objmodel", "handle")
MPI4PY_RANKS = (1, 2, 3)
WAYS = ("processes", "threads")  # what the ranks of a line are

CONFIGURATION = """\
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
#define POINTERINT_t long
#define USE_STRICT_MPI 1
#define USE_LONG_DOUBLE_COMPLEX 1
""" + "".join(f"#define HAVE_{name} 1\n" for name in (
    "STDARG_H STDLIB_H STRING_H STRINGS_H UNISTD_H SYS_TIME_H SYS_RESOURCE_H INTTYPES_H STDINT_H PTHREAD_H GETRUSAGE "
    "LONG_DOUBLE LONG_LONG FLOAT__COMPLEX DOUBLE__COMPLEX LONG_DOUBLE__COMPLEX _BOOL USLEEP STRDUP MPI_WIN_CREATE"
    ).split()) + "".join(
    f"#define SIZEOF_{name} {size}\n" for name, size in (
        ("SHORT", 2), ("INT", 4), ("LONG", 8), ("LONG_LONG", 8), ("VOID_P", 8), ("MPI_OFFSET", 8)))


@dataclass(frozen=True)
class Said:
    """What a run has said."""
    status: int | None  # None: it was ended at the time limit
    text: str


@dataclass(frozen=True)
class Line:
    name: str  # mpich/attr/keyval 2 arg=..., mpi4py/test_group 3, mpich/attr/keyval 2 arg=... as threads
    run: Callable[[float], tuple[bool, Said]]  # of a limit in seconds: whether all is right
    limit_s: float
    is_large: bool = False

    @property
    def way(self) -> str:
        return way_of(self.name)

    @property
    def folder(self) -> str:
        return folder_of(self.name)


def named(name: str, way: str) -> str:
    return name if way == "processes" else f"{name} as {way}"


def way_of(name: str) -> str:
    return next((way for way in WAYS if name.endswith(f" as {way}")), "processes")


def folder_of(name: str) -> str:
    """The folders of a language of Fortran are one."""
    folder = name.split()[0].rpartition("/")[0]
    return re.sub(rf"/({'|'.join(mpich_fortran.LANGUAGES)})/.*", r"/\1", folder)


def run_limited(command: list[str], cwd: Path, own: dict[str, str], limit_s: float) -> Said:
    """Ends all processes of the command at the limit, and with it."""
    with subprocess.Popen(command, cwd=cwd, env={**os.environ, **own}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True) as process:
        try:
            text, _ = process.communicate(timeout=limit_s)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            text, _ = process.communicate()
            status = None
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return Said(status, text)


class Mpich:
    """MPICH's suite: needs none of its configure."""

    def __init__(self, sources: Path, build: Path, work: Path) -> None:
        self.sources, self.build, self.work = sources, build, work
        self.lock, self.programs = threading.Lock(), {}
        shutil.rmtree(work, ignore_errors=True)
        own = work / "dtpools/src"
        own.mkdir(parents=True)
        (work / "mpitestconf.h").write_text(CONFIGURATION)
        (own.parent / "dtpoolsconf.h").write_text(CONFIGURATION)
        (own.parent / "include").mkdir()
        for header in (sources / "dtpools/include").glob("*.h"):  # one of them looks for what configure makes beside it
            (work / "dtpools/include" / header.name).write_text(header.read_text())
        objects = []
        for file in [*(sources / "util" / name for name in ("mtest.c", "mtest_common.c", "mtest_thread.c", "dtypes.c")),
                     *sorted((sources / "dtpools/src").glob("*.c"))]:
            objects.append(str(work / f"{file.stem}.o"))
            said = self.compile("-c", str(file), "-o", objects[-1])
            if said:
                sys.exit(said)
        subprocess.run(["ar", "rcs", str(work / "libmtest.a"), *objects], check=True)
        self.fortran = mpich_fortran.Fortran(sources, build, work, self.compile)

    def compile(self, *arguments: str) -> str:
        """What is wrong; empty: nothing."""
        includes = (self.work, self.sources / "include", self.work / "dtpools/include")
        command = [str(self.build / "bin/purecc"), "-w", "-O0", *(f"-I{each}" for each in includes), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"not compiled:\n{done.stderr}"

    def program(self, folder: str, name: str) -> tuple[Path, str]:
        """Compiled once, by the first line that needs it."""
        with self.lock:
            mine = self.programs.setdefault((folder, name), threading.Lock())
        made = self.work / "programs" / folder / name
        with mine:
            if made.exists():
                return made, ""
            made.parent.mkdir(parents=True, exist_ok=True)
            makefile = (self.sources / folder / "Makefile.am").read_text().replace("\\\n", " ")
            of = {kind: dict(re.findall(rf"^(\w+)_{kind}\s*=\s*(.*)$", makefile, re.M))
                  for kind in ("SOURCES", "CPPFLAGS")}
            ending = {None: "c", "f77": "f"}.get(mpich_fortran.language_of(folder), "f90")
            sources = of["SOURCES"].get(name, f"{name}.{ending}").split()
            if any(not file.endswith((".c", ".h")) for file in sources):
                return made, self.fortran.program(folder, made, sources, self.work / "libmtest.a")
            files = [str(self.sources / folder / file) for file in sources if file.endswith(".c")]
            defines = [word for word in of["CPPFLAGS"].get(name, "").split() if word.startswith("-D")]
            return made, self.compile(f"-I{self.sources}/{folder}", *defines, *files, "-o", str(made),
                                      f"{self.work}/libmtest.a", "-lm", "-lpthread")

    def run(self, folder: str, line: str, way: str, limit_s: float) -> tuple[bool, Said]:
        name, ranks, *options = line.split()
        program, said = self.program(folder, name)
        if said:
            return False, Said(1, said)
        arguments = [option[4:] for option in options if option.startswith("arg=")]
        own = dict(option[4:].split("=", 1) for option in options if option.startswith("env="))
        done = run_limited([f"{self.build}/bin/purerun", "--ranks-as", way, "-n", ranks, str(program), *arguments],
                           self.sources / folder, {**own, "PURE_CHECK": "0"}, limit_s)
        if any(option.startswith("resultTest=") for option in options):
            return done.status not in (0, None), done
        return done.status == 0 and "no errors" in done.text.lower(), done

    def lines(self) -> list[Line]:
        folders = (*MPICH_FOLDERS, *mpich_fortran.fortran_folders(self.sources))
        return [line for way in WAYS for folder in folders for line in self.lines_of(folder, way)]

    def lines_of(self, folder: str, way: str) -> list[Line]:
        files = [self.sources / folder / name for name in ("testlist", "testlist.in")]
        text = "\n".join(file.read_text() for file in files if file.is_file())
        lines = []
        for row in dict.fromkeys(" ".join(row.split("#")[0].split()) for row in text.splitlines()):
            if not row:
                continue
            is_large = row.startswith("@largetest@")
            row = mpich_fortran.LINES_OF_CONFIGURE.get(row, row)
            row = re.sub(r"^@\w+@", "", row)
            row = row if re.match(r"\w+ \d", row) else f"{row} 1"
            limit = re.search(r"timeLimit=(\d+)", row)
            lines.append(Line(named(f"mpich/{folder}/{row}", way),
                              lambda limit_s, row=row: self.run(folder, row, way, limit_s),
                              max(120.0, float(limit.group(1)) if limit else 0), is_large))
        return lines


class Mpi4py:
    """mpi4py's tests, over the module that sources.sh has built; and it beside a module of C++ with tasks
    (tests/mpi_abi/mixed.sh). Debian's python3 is not position-independent, so that no rank could have one of its own:
    processes only."""

    def __init__(self, folder: Path, build: Path) -> None:
        self.tests, self.site, self.build = folder / "mpi4py/test", folder / "site", build

    def run(self, file: str, ranks: int, limit_s: float) -> tuple[bool, Said]:
        done = run_limited([f"{self.build}/bin/purerun", "--ranks-as", "processes", "-n", str(ranks), sys.executable,
                            "test/main.py", "--no-builddir", "--no-threads", "-q", "-f", "-i", f"^{file}$"],
                           self.tests.parent, {"PYTHONPATH": str(self.site)}, limit_s)
        return done.status == 0 and re.search(r"^OK", done.text, re.M) is not None, done

    def run_beside_tasks(self, limit_s: float) -> tuple[bool, Said]:
        done = run_limited(["bash", str(Path(__file__).parents[1] / "mpi_abi/mixed.sh")], self.tests.parent,
                           {"PYTHONPATH": str(self.site), "PURETEST_BUILD_DIR": str(self.build.resolve()),
                            "PATH": f"{self.build.resolve()}/bin:{os.environ['PATH']}"}, limit_s)
        return done.status == 0 and "beside mpi4py" in done.text, done

    def lines(self) -> list[Line]:
        files = [file.stem for file in sorted(self.tests.glob("test_*.py"))]
        wanted = [file for file in files if any(re.match(rf"test_{each}", file) for each in MPI4PY_FILES)]
        return [Line("mpi4py/beside_tasks 3", self.run_beside_tasks, 300.0),
                *(Line(f"mpi4py/{file} {ranks}", lambda limit_s, file=file, ranks=ranks: self.run(file, ranks, limit_s),
                       300.0) for file in wanted for ranks in MPI4PY_RANKS)]
