#!/usr/bin/env python3
"""Random programs of MPI calls over Pure and over other MPIs, which are the oracle.

    random_programs.py BUILD [--seed 1] [--count 20] [--ranks 1,2,3,4,5] [--programs types,...] [--minutes M]
                       [--mpis NAME,...] [--as processes|threads] [--verbose] [--record | --expected]

Compiles tests/mpi_abi/random_*.c with each MPI that is there: the system's (mpich, openmpi), and those of build/rivals
(mpich-current, openmpi-current). Each runs the same seeds; what the ranks say has to be equal, line by line. A fault is
a line in which Pure agrees with none of them that runs the seed ("not run": its fault is known). Where they do not
agree with each other, and Pure with one, is counted only. Names the seed, the number of ranks and the first line that
differs. Exits 1 for a fault, 77 if there is no other MPI.
With --minutes, new seeds until the time is over.

--record writes to random_expected.txt what Pure and two other MPIs say alike; --expected compares Pure with that, and
takes no other MPI: for `make test`.
"""
import argparse
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "random_expected.txt"
PROGRAMS = tuple(sorted(path.stem[len("random_"):] for path in HERE.glob("random_*.c")))
LONGEST_S = 15  # of one run of an MPI
FLAGS = ("-std=c11", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-stringop-overread", "-Wno-stringop-overflow")


class Mpi:
    """How programs are compiled and started with one MPI."""

    def __init__(self, name: str, compiler: list[str], launcher: list[str], after: list[str] | None = None) -> None:
        self.name, self.compiler, self.launcher, self.after = name, compiler, launcher, after or []
        self.last_whole = 0  # seed of the last run

    def compile(self, program: str, to: Path) -> str:
        made = to / f"{program}.{self.name}"
        done = subprocess.run([*self.compiler, *FLAGS, str(HERE / f"random_{program}.c"), "-o", str(made), *self.after],
                              capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"{self.name}: random_{program}.c: {done.stderr.strip()[:2000]}"

    def run(self, program: str, work: Path, ranks: int, first: int, last: int) -> str:
        """What is wrong with the run itself; empty: nothing."""
        for stale in work.glob(f"out.{self.name}.*"):
            stale.unlink()
        with open(work / f"log.{self.name}", "w", encoding="utf-8") as log:
            ours = subprocess.Popen([*self.launcher, "-n", str(ranks), str(work / f"{program}.{self.name}"),
                                     str(work / f"out.{self.name}"), str(first), str(last)],
                                    stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
            try:
                status = ours.wait(timeout=LONGEST_S)
                return "" if status == 0 else f"status {status}"
            except subprocess.TimeoutExpired:
                return f"not done in {LONGEST_S} s"
            finally:
                try:
                    os.killpg(ours.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                ours.wait()

    def said(self, work: Path, ranks: int) -> dict[int, list[list[str]]]:
        """By seed, what each rank has said; a seed that was not done to its end by all is not there."""
        found: list[dict[int, list[str]]] = []
        complete = []
        for rank in range(ranks):
            found.append({})
            complete.append(0)
            path = work / f"out.{self.name}.{rank}"
            lines = path.read_text(errors="replace").splitlines() if path.exists() else []
            for line in lines:
                if line == "end":
                    complete[-1] = sys.maxsize
                    continue
                match = re.match(r"(\d+)\.", line)
                if match is None:
                    continue
                # How an MPI explains an error is its own matter.
                found[-1].setdefault(int(match[1]), []).append(re.sub(r"(: error [A-Z_]+):.*", r"\1", line))
            if complete[-1] == 0 and found[-1]:
                complete[-1] = max(found[-1])
        seeds = {seed for each in found for seed in each}
        whole = {seed: [each.get(seed, []) for each in found] for seed in seeds if seed < min(complete)}
        self.last_whole = max(whole, default=0)
        return {seed: lines for seed, lines in whole.items() if not lines[0] or not lines[0][0].endswith(" not run")}

    def last_words(self, work: Path) -> str:
        text = (work / f"log.{self.name}").read_text(errors="replace").strip()
        return " | ".join(text.splitlines()[:4])[:400]


def all_mpis(build: Path, ranks_as: str) -> list[Mpi]:
    found = [Mpi("pure", ["cc", f"-I{build}/mpi/include"],
                 [f"{build}/bin/purerun", "--ranks-as", ranks_as],
                 [f"-L{build}/lib", "-lmpi_abi", f"-Wl,-rpath,{build}/lib"])]
    rivals = HERE.parent.parent / "build/rivals"
    for family, options in (("mpich", []), ("openmpi", ["--oversubscribe"])):
        if shutil.which(f"mpicc.{family}") and shutil.which(f"mpiexec.{family}"):
            found.append(Mpi(family, [f"mpicc.{family}"], [f"mpiexec.{family}", *options]))
        if (rivals / family / "bin/mpicc").exists():
            found.append(Mpi(f"{family}-current", [str(rivals / family / "bin/mpicc")],
                             [str(rivals / family / "bin/mpiexec"), *options]))
    return found


def hash_of(of_ranks: list[list[str]]) -> str:
    return hashlib.sha256("\n".join("\n".join(lines) for lines in of_ranks).encode()).hexdigest()[:16]


def sources() -> str:
    """Of what the programs are made: with other sources they say other things."""
    made = hashlib.sha256()
    for path in sorted([*HERE.glob("random*.c"), *HERE.glob("random*.h")]):
        made.update(path.read_bytes())
    return made.hexdigest()[:16]


def recorded() -> dict[tuple[str, int, int], str]:
    lines = [line.split() for line in EXPECTED.read_text().splitlines() if line and not line.startswith("#")]
    if lines[0] != ["sources", sources()]:
        sys.exit(f"{EXPECTED.name} is of other programs than those of today: random_programs.py BUILD --record")
    return {(program, int(ranks), int(seed)): said for program, ranks, seed, said in lines[1:]}


def write_recorded(agreed: dict[tuple[str, int, int], str]) -> None:
    text = ["# Hashes of what two other MPIs or more have said alike, by program, ranks and seed:",
            "# by random_programs.py --record.",
            f"sources {sources()}",
            *(f"{program} {ranks} {seed} {said}" for (program, ranks, seed), said in sorted(agreed.items()))]
    EXPECTED.write_text("\n".join(text) + "\n")


class Comparison:
    def __init__(self, mpis: list[Mpi], work: Path, verbose: bool) -> None:
        self.pure, self.others, self.work, self.verbose = mpis[0], mpis[1:], work, verbose
        self.agreed: dict[tuple[str, int, int], str] = {}
        self.alone: tuple[tuple[str, int, int], list] = (("", 0, 0), [])
        self.faults = self.seeds = self.lines = self.open = self.not_run = 0

    def fault(self, program: str, ranks: int, seed: int, text: str) -> None:
        self.faults += 1
        print(f"FAULT: {program}, {ranks} ranks, seed {seed}: {text}", flush=True)

    def all_said(self, mpi: Mpi, program: str, ranks: int, first: int, last: int) -> dict[int, list[list[str]]]:
        """Of all these seeds; goes on behind one that an MPI does not survive."""
        said: dict[int, list[list[str]]] = {}
        while first <= last:
            wrong = mpi.run(program, self.work, ranks, first, last)
            said.update(mpi.said(self.work, ranks))
            if not wrong:
                break
            failed = max(mpi.last_whole + 1, first)
            if mpi is self.pure:
                self.fault(program, ranks, failed, f"{wrong}: {mpi.last_words(self.work)}")
            else:
                self.not_run += 1
                if self.verbose:
                    print(f"{mpi.name}: {program}, {ranks} ranks, seed {failed}: {wrong}: {mpi.last_words(self.work)}")
            first = failed + 1
        return said

    def compare(self, program: str, ranks: int, first: int, last: int) -> None:
        ours = self.all_said(self.pure, program, ranks, first, last)
        theirs = {mpi.name: self.all_said(mpi, program, ranks, first, last) for mpi in self.others}
        for seed, of_ranks in sorted(ours.items()):
            judges = {name: said[seed] for name, said in theirs.items() if seed in said}
            self.seeds += bool(judges)
            said = hash_of(of_ranks)
            if [hash_of(lines) for lines in judges.values()].count(said) > 1:
                self.agreed[program, ranks, seed] = said
            for rank, lines in enumerate(of_ranks):
                self.compare_rank(program, ranks, seed, rank, lines,
                                  {name: whole[rank] for name, whole in judges.items()})

    def compare_rank(self, program: str, ranks: int, seed: int, rank: int, ours: list[str],
                     judges: dict[str, list[str]]) -> None:
        longest = max([len(ours), *(len(lines) for lines in judges.values())])
        for number in range(longest):
            line = ours[number] if number < len(ours) else "nothing more"
            others = {name: lines[number] if number < len(lines) else "nothing more" for name, lines in judges.items()}
            # What typemaps say is said by the program itself, and needs no other MPI.
            others = {name: other for name, other in others.items() if " unlike the " not in other}
            if " unlike the " in line:
                self.fault(program, ranks, seed, f"rank {rank}: Pure says\n    {line}")
                return
            judges = {name: lines for name, lines in judges.items() if name in others}
            self.lines += bool(others)
            if not others or all(other == line for other in others.values()):
                continue
            if line not in others.values() and not self.is_said_at_last(program, ranks, seed, rank, number, line):
                self.fault(program, ranks, seed, f"rank {rank}: Pure says\n    {line}\n" + "\n".join(
                    f"    {other}  ({name})" for name, other in others.items()))
                return  # the lines behind it follow from this one
            self.open += 1
            if self.verbose:
                print(f"open: {program}, {ranks} ranks, seed {seed}, rank {rank}: Pure says\n    {line}\n" + "\n".join(
                    f"    {other}  ({name})" for name, other in others.items() if other != line))
            # One that says something else here may do something else from now on.
            judges = {name: lines for name, lines in judges.items() if others[name] == line}


    def is_said_at_last(self, program: str, ranks: int, seed: int, rank: int, number: int, line: str) -> bool:
        """Whether another MPI says the line when it runs the seed alone: some err now and then."""
        if self.alone[0] != (program, ranks, seed):
            said = [self.all_said(mpi, program, ranks, seed, seed).get(seed) for mpi in self.others]
            self.alone = ((program, ranks, seed), said)
        return any(of_ranks is not None and of_ranks[rank][number:number + 1] == [line] for of_ranks in self.alone[1])

    def compare_with_recorded(self, programs: list[str]) -> None:
        expected = recorded()
        for program, ranks in sorted({(program, ranks) for program, ranks, _ in expected if program in programs}):
            seeds = sorted(seed for of, many, seed in expected if (of, many) == (program, ranks))
            ours = self.all_said(self.pure, program, ranks, seeds[0], seeds[-1])
            for seed in seeds:
                self.seeds += 1
                if seed in ours and hash_of(ours[seed]) != expected[program, ranks, seed]:
                    self.fault(program, ranks, seed, "Pure says something else than other MPIs have said: look with "
                               f"random_programs.py BUILD --programs {program} --ranks {ranks} --seed {seed} --count 1")


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("build", type=Path)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=20)
    options.add_argument("--ranks", default="1,2,3,4,5")
    options.add_argument("--programs", default=",".join(PROGRAMS))
    options.add_argument("--minutes", type=float, default=0)
    options.add_argument("--mpis", default="")
    options.add_argument("--as", dest="ranks_as", default="processes")
    options.add_argument("--verbose", action="store_true")
    options.add_argument("--record", action="store_true")
    options.add_argument("--expected", action="store_true")
    given = options.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    mpis = all_mpis(given.build.resolve(), given.ranks_as)
    wanted = given.mpis.split(",") if given.mpis else [mpi.name for mpi in mpis]
    if given.expected:
        wanted = ["pure"]
    mpis = [mpi for mpi in mpis if mpi.name in ("pure", *wanted)]
    for name in sorted(set(wanted) - {mpi.name for mpi in mpis}):
        print(f"SKIPPED: {name}: it is not installed here")
    if len(mpis) == 1 and not given.expected:
        print("SKIPPED: all of it: there is no other MPI to compare with (Debian: mpich, openmpi-bin)")
        return 77
    programs = given.programs.split(",")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        work = Path(folder)
        said = list(pool.map(lambda each: each[0].compile(each[1], work), [(m, p) for p in programs for m in mpis]))
        if any(said):
            print("\n".join(text for text in said if text))
            return 1
        comparison = Comparison(mpis, work, given.verbose)
        if given.expected:
            comparison.compare_with_recorded(programs)
            print(f"{comparison.seeds} programs compared with what other MPIs have said: {comparison.faults} faults")
            return 1 if comparison.faults or comparison.seeds == 0 else 0
        end, seed = time.monotonic() + given.minutes * 60, given.seed
        while True:
            for ranks in (int(number) for number in given.ranks.split(",")):
                for program in programs:
                    comparison.compare(program, ranks, seed, seed + given.count - 1)
            seed += given.count
            if time.monotonic() >= end:
                break
    if given.record:
        write_recorded(comparison.agreed)
    print(f"{comparison.seeds} programs, {comparison.lines} lines compared with {', '.join(m.name for m in mpis[1:])}: "
          f"{comparison.faults} faults; {comparison.open} lines in which they differ, "
          f"{comparison.not_run} programs that one of them did not survive")
    return 1 if comparison.faults or comparison.seeds == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
