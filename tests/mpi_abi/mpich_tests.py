#!/usr/bin/env python3
"""MPICH's own test programs over libmpi_abi.so.1: programs that none of us wrote.

    mpich_tests.py SOURCES BUILD [FOLDER...]

SOURCES is test/mpi of MPICH's sources (Debian: apt-get source mpich); BUILD the build folder. Each line of a folder's
testlist is a run: a program, its number of ranks, and arguments; right if it says " No Errors", or, where the line says
so, if it fails. Prints what is not right, and exits 1 if anything is not that the table below does not excuse.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = ("attr", "comm", "group", "pt2pt", "coll", "datatype", "topo", "errhan", "info", "init", "rma")
LONGEST_S = 120
MOST_RANKS = 16

# Lines that cannot be right here, and why; other lines may lack a function that is left to a later issue.
EXCUSED = {
    "adderr": "calls functions that MPICH alone has",
    "cartsuball": "a grid without dimensions has one process (MPI 5.0, 8.5.6); MPICH 4.0 does not pass it either",
    "contents": "takes handles for integers",
    "indexed_misc": "makes a type of one that it has freed",
    "indexed_misc_oldapi": "the same",
    "lbub_oldapi": "the standard ABI has no MPI_LB",
    "nonblocking2": "keeps datatypes in ints",
    "nonblocking3": "the same",
    "pack_external": "takes handles for integers",
    "pscancel": "sends cannot be taken back; an expected failure in MPICH's list",
    "scancel": "the same",
    "scancel_unmatch": "the same",
    "struct_no_real_types": "the standard ABI has no MPI_LB",
    "timeout": "is about MPICH's launcher",
    "typename": "asks for names of types that have two",
    "typename_oldapi": "the standard ABI has no MPI_LB",
    "acc_pairtype": "accumulates derived types of pairs, which are refused",
    "acc_pairtype_shm": "the same",
    "win_info": "says where a window's memory lies when it is there, and wants to be told that it lies so",
}

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


class Suite:
    def __init__(self, sources: Path, build: Path, work: Path) -> None:
        self.sources, self.build, self.work = sources, build, work
        (work / "mpitestconf.h").write_text(CONFIGURATION)
        own = work / "dtpools/src"
        own.mkdir(parents=True)
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

    def compile(self, *arguments: str) -> str:
        includes = (self.work, self.build / "mpi/include", self.sources / "include", self.work / "dtpools/include")
        done = subprocess.run(["cc", "-w", "-O0", *(f"-I{each}" for each in includes), *arguments],
                              capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ""
        errors = [line for line in done.stderr.splitlines() if "rror" in line or "undefined" in line]
        return errors[0] if errors else "not compiled"

    def program(self, folder: str, name: str) -> tuple[Path, str]:
        made = self.work / "programs" / folder / name
        if made.exists():
            return made, ""
        made.parent.mkdir(parents=True, exist_ok=True)
        makefile = (self.sources / folder / "Makefile.am").read_text().replace("\\\n", " ")
        of = {kind: dict(re.findall(rf"^(\w+)_{kind}\s*=\s*(.*)$", makefile, re.M)) for kind in ("SOURCES", "CPPFLAGS")}
        sources = of["SOURCES"].get(name, f"{name}.c").split()
        files = [str(self.sources / folder / file) for file in sources if file.endswith(".c")]
        defines = [word for word in of["CPPFLAGS"].get(name, "").split() if word.startswith("-D")]
        libraries = [f"{self.work}/libmtest.a", f"-L{self.build}/lib", "-lmpi_abi", f"-Wl,-rpath,{self.build}/lib",
                     "-lm", "-lpthread"]
        return made, self.compile(f"-I{self.sources}/{folder}", *defines, *files, "-o", str(made), *libraries)

    def said_by(self, folder: str, line: str) -> str:
        """What is not right about a line; empty: all is."""
        name, ranks, *options = line.split()
        program, said = self.program(folder, name)
        if said:
            return said
        arguments = [option[4:] for option in options if option.startswith("arg=")]
        fails = any(option.startswith("resultTest=") for option in options)
        own = dict(option[4:].split("=", 1) for option in options if option.startswith("env="))
        try:
            run = [f"{self.build}/bin/purerun", "--ranks-as", "processes", "-n", ranks, str(program), *arguments]
            done = subprocess.run(run, capture_output=True, text=True, errors="replace", timeout=LONGEST_S, check=False,
                                  cwd=self.sources / folder, env={**os.environ, **own, "PURE_CHECK": "0"})
        except subprocess.TimeoutExpired:
            return f"not done in {LONGEST_S} s"
        if fails:
            return "" if done.returncode != 0 else "ends with 0"
        is_right = done.returncode == 0 and "no errors" in done.stdout.lower()
        return "" if is_right else f"{done.returncode}: {(done.stderr or done.stdout).strip()[:200]}"


def lines_of(folder: Path) -> list[str]:
    text = "\n".join(file.read_text() for file in (folder / "testlist", folder / "testlist.in") if file.is_file())
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    return [line if re.match(r"\w+ \d", line) else f"{line} 1" for line in lines if line and not line.startswith("@")]


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        suite = Suite(Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), Path(work))
        for folder in arguments[2:] or FOLDERS:
            right, lacking, excused, failed = 0, 0, 0, []
            for line in lines_of(suite.sources / folder):
                if line.split()[0] in EXCUSED or int(line.split()[1]) > MOST_RANKS:
                    excused += 1
                    continue
                said = suite.said_by(folder, line)
                right += not said
                if "Pure does not have this function yet" in said:
                    lacking += 1
                elif said:
                    failed.append(f"  {line}: {said}")
            wrong += len(failed)
            print(f"{folder}: {right} right, {lacking} lack a function, {excused} excused, {len(failed)} wrong",
                  *failed, sep="\n", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
