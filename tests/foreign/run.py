#!/usr/bin/env python3
"""Programs that none of us wrote, over the MPI door: `make test-foreign`.

    run.py BUILD SOURCES [--jobs N] [--only PATTERN] [--large] [--page FILE]

SOURCES is the folder that sources.sh has filled. Every line of the suites runs, as processes and as threads, and every
program beside an MPI, but for what needs much memory (--large), or in whose name none of PATTERN is found (a regular
expression, ' as threads$' say). tests/foreign/expected.txt says which may fail, and why: a line that fails and is not
in it fails the run; one that is in it and passes is told. What failed has its output in SOURCES/logs. --page writes the
tables of docs/mpi_foreign.md, after a run of everything.
"""
import argparse
import re
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from expected import KINDS, Expected, counts, reasons, replaced
from fortran_programs import FortranPrograms
from lines import WAYS, Line, Mpi4py, Mpich, Said, named, way_of
from ported import Ports
from programs import Programs
from shipped import INTERFACES, MpichOf, Shipped

LACKS = "does not have this function yet"


class Progress:
    """What has been done, as lines that replace each other on a terminal, and one for each folder elsewhere."""

    def __init__(self, lines: list[Line]) -> None:
        self.left, self.all = (Counter(named(line.folder, line.way) for line in lines) for _ in range(2))
        self.passed, self.done, self.lock, self.began = Counter(), 0, threading.Lock(), time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def ended(self, line: Line, passed: bool) -> None:
        with self.lock:
            self.done += 1
            of = named(line.folder, line.way)
            self.left[of] -= 1
            self.passed[of] += passed
            if self.is_terminal:
                print(f"\r\033[K{self.done} of {self.all.total()}: {line.name[:60]}", end="", file=sys.stderr,
                      flush=True)
            if self.left[of] == 0:
                start = "\r\033[K" if self.is_terminal else ""
                print(f"{start}{of}: {self.passed[of]} of {self.all[of]} pass ({time.monotonic() - self.began:.0f} s)",
                      flush=True)


def run_all(lines: list[Line], jobs: int, logs: Path) -> dict[str, tuple[bool, Said]]:
    progress = Progress(lines)

    def run(line: Line) -> tuple[bool, Said]:
        right, said = line.run(line.limit_s)
        if said.status is None:  # a machine that had something else to do
            right, said = line.run(2 * line.limit_s)
        if not right:
            log = logs / (re.sub(r"[^\w.=+-]", "_", line.name)[:150] + f".{line.way}.log")
            log.write_text(f"{line.name}\nended with {said.status}\n{said.text}")
        progress.ended(line, right)
        return right, said

    with ThreadPoolExecutor(jobs) as pool:
        return dict(zip((line.name for line in lines), pool.map(run, lines)))


def in_short(said: Said) -> str:
    if said.status is None:
        return "not done at the time limit"
    text = [line for line in said.text.splitlines() if line.strip() and not line.startswith("purerun: ")]
    return "\n".join([f"ends with {said.status}", *(f"    {line[:150]}" for line in text[:6])])


def judge(results: dict[str, tuple[bool, Said]], expected: Expected, is_whole: bool) -> int:
    """Prints what is not as expected; the number of lines that fail the run."""
    wrong, counts = [], Counter()
    for name, (right, said) in results.items():
        row = expected.row_of(name)
        if right:
            counts["passes"] += 1
            if row and not row.is_unsure:
                print(f"PASSES, and expected.txt says that it does not: {name}")
        elif row is None:
            wrong.append(f"FAILS: {name}: {in_short(said)}")
        elif row.kind == "later" and LACKS not in said.text and "," not in row.why:
            wrong.append(f"FAILS, and names no function that is not there yet: {name}: {in_short(said)}")
        else:
            counts[row.kind] += 1
    if is_whole:
        for row in expected.unused():
            print(f"expected.txt, line {row.number}: there is no such line: {row.patterns[0]}")
    print(*wrong, sep="\n")
    ways = Counter(way_of(name) for name in results)
    print(f"{len(results)} lines ({', '.join(f'{ways[way]} as {way}' for way in WAYS)}): "
          f"{counts['passes']} pass, {len(wrong)} fail; "
          "expected not to pass: " + ", ".join(f"{counts[kind]} {kind}" for kind in KINDS))
    return len(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("sources", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", help="lines in whose name this is found")
    parser.add_argument("--large", action="store_true", help="the lines that need much memory, too")
    parser.add_argument("--page", type=Path, help="docs/mpi_foreign.md, whose tables are written again")
    given = parser.parse_args()

    build, sources = given.build.resolve(), given.sources.resolve()
    logs = sources / "logs"
    logs.mkdir(exist_ok=True)
    for old in logs.glob("*.log"):
        old.unlink()
    expected = Expected()
    lines = [*Mpich(sources / "mpich/test/mpi", build, sources / "work").lines(), *Mpi4py(sources, build).lines(),
             *Programs(sources, build, given.jobs).lines(), *FortranPrograms(sources, build, given.jobs).lines(),
             *Ports(sources, build, given.jobs).lines(), *Shipped(sources, build).lines(),
             *(line for each in INTERFACES
               for line in MpichOf(sources / "mpich/test/mpi", build, sources / f"work.{each}", each).lines())]
    wanted = [line for line in lines if (given.large or not line.is_large) and
              (not given.only or any(re.search(each, line.name) for each in given.only))]
    rows = {line.name: expected.row_of(line.name) for line in wanted}
    left_out = [name for name, row in rows.items() if row and row.is_left_out]
    results = run_all([line for line in wanted if line.name not in left_out], given.jobs, logs)
    wrong = judge(results, expected, given.only is None and given.large)
    if given.page:
        said = counts(expected, {name: right for name, (right, _) in results.items()}, left_out)
        text = replaced(replaced(given.page.read_text(), "reasons", reasons(expected)), "counts", said)
        given.page.write_text(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
