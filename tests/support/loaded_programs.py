"""Compiles and runs programs whose ranks are threads with globals of their own, for tests/loader.

The same program runs as processes, which shows that it is right, and as threads that share its globals, which shows that
it would tell."""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCES = Path(__file__).parent.parent / "loader"
BUILD = Path(os.environ["PURETEST_BUILD_DIR"])
WAYS = {
    "processes": ["--ranks-as", "processes"],
    "private": ["--ranks-as", "threads", "--globals", "private"],
    "shared": ["--ranks-as", "threads", "--globals", "shared"],
}
SEVERAL = (2, 16, 64)
for name in [name for name in os.environ if name.startswith("PURE_")]:
    del os.environ[name]
os.environ.update(PURE_HANG_TIMEOUT="60", OMP_WAIT_POLICY="passive")
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Wrong(Exception):
    """What a check has found."""


def require(holds, text):
    if not holds:
        raise Wrong(text)


class Run:
    """How a program has ended."""

    def __init__(self, words, environment=None, folder=None, limit_s=100):
        self.words = [str(word) for word in words]
        merged = {**os.environ, **(environment or {})}
        try:
            done = subprocess.run(self.words, env=merged, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=limit_s, check=False)
        except subprocess.TimeoutExpired as late:
            raise Wrong(f"{' '.join(self.words)}: no end within {limit_s} s: {late.stdout} {late.stderr}") from None
        self.status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        self.out = done.stdout.decode(errors="replace")
        self.err = done.stderr.decode(errors="replace")

    def lines(self):
        """What the ranks have printed, in no order."""
        return sorted(self.out.splitlines())

    def said(self):
        """On stderr, but for what purerun says about globals."""
        lines = self.err.splitlines(True)
        return "".join(line for line in lines if not line.startswith("purerun: warning: as threads"))

    def __str__(self):
        return f"{' '.join(self.words)}: status {self.status}: {self.out}{self.err}"


class Folder:
    """Where a test has what it compiles. Checks run two at a time; `finish` says what they have found."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="loader."))
        self.pool = ThreadPoolExecutor(max_workers=2)
        self.checks = []

    def compile(self, name, sources, *options):
        """A program of C or C++, or a library if its name ends so; in a folder if its name begins so. Gives its path."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        is_cxx = any(str(source).endswith(".cpp") for source in sources)
        compiler = ["purecxx", "-std=c++17", "-O0"] if is_cxx else ["purecc", "-std=gnu11", "-O1"]
        shared = ["-shared", "-fPIC"] if ".so" in path.name else []
        self.command(*compiler, "-g", "-Wall", "-Wextra", "-Werror", *shared,
                     *[self.source(source) for source in sources], "-o", path, *options)
        return path

    def source(self, name):
        return name if Path(name).is_absolute() or str(name).startswith("-") else SOURCES / name

    def command(self, *words):
        run = Run(words, folder=self.path, limit_s=120)
        require(run.status == 0, str(run))

    def beside(self, check, *arguments, **how):
        """Runs check(*arguments, **how), while others go on."""
        what = " ".join(getattr(argument, "name", str(argument)) for argument in arguments)
        self.checks.append((f"{check.__name__} {what}", self.pool.submit(check, *arguments, **how)))

    def not_tested(self, what, why):
        print(f"SKIPPED: {what}: {why}")

    def finish(self):
        failed = 0
        for name, check in self.checks: # those that were added meanwhile, too
            try:
                check.result()
            except Wrong as wrong:
                failed += 1
                print(f"FAILED: {name}: {wrong}")
            except Exception:  # pylint: disable=broad-except
                failed += 1
                print(f"FAILED: {name}: {traceback.format_exc()}")
        shutil.rmtree(self.path)
        print(f"{failed} of {len(self.checks)} checks failed" if failed else f"all {len(self.checks)} checks passed")
        sys.exit(1 if failed else 0)


def purerun(way, ranks, program, *arguments, environment=None, folder=None, options=()):
    return Run(["purerun", *WAYS[way], *options, "-n", ranks, program, *arguments], environment, folder)


def cases_of(program, environment=None):
    """The program's cases (cases.h), by their names: what makes them fail."""
    run = Run([program, "list"], environment)
    cases = dict(reversed(line.split()) for line in run.out.splitlines())
    require(run.status == 0 and cases, str(run))
    return cases


def wrong_cases(run, ranks, cases):
    """The names of cases that some rank has found wrong, when all ranks have come to their end."""
    lines = run.lines()
    require(run.status == 0, str(run))
    for rank in range(ranks):
        ended = [line for line in lines if line.startswith(f"rank {rank} of {ranks}: {len(cases)} cases, ")]
        require(len(ended) == 1, f"rank {rank} does not say once that it has ended: {run}")
    return {line.split()[1].rstrip(":") for line in lines if line.startswith("WRONG ")}


def hold(way, ranks, program, says="", **how):
    """All cases are right, and of what is said each line has that text."""
    run = purerun(way, ranks, program, **how)
    wrong = wrong_cases(run, ranks, cases_of(program, how.get("environment")))
    require(not wrong, f"{way}, {ranks} ranks: {', '.join(sorted(wrong))}: {run}")
    require(all(says and says in line for line in run.said().splitlines()), f"{way}, {ranks} ranks: it says: {run.err}")


def fail_where_shared(program, kinds=("PRIVATE",), **how):
    """Ranks that share all globals find those cases wrong, each of them, and no others."""
    cases = cases_of(program, how.get("environment"))
    wrong = wrong_cases(purerun("shared", 2, program, "shared", **how), 2, cases)
    expected = {name for name, kind in cases.items() if kind in kinds}
    more, fewer = (", ".join(sorted(names)) for names in (wrong - expected, expected - wrong))
    require(not more and not fewer, f"shared: wrong, and are to be right: {more}; not found wrong: {fewer}")


def fail_in_control(program, **how):
    """Whoever looks for what another rank has written finds every case wrong."""
    cases = cases_of(program, how.get("environment"))
    wrong = wrong_cases(purerun("processes", 2, program, "control", **how), 2, cases)
    require(wrong == set(cases), f"control: not found wrong: {', '.join(sorted(set(cases) - wrong))}")


def right_cases(place, program, several=SEVERAL, says="", **how):
    """All there is to show of a program of cases. `says`: what each line has that purerun says of private globals."""
    place.beside(hold, "processes", 2, program, **how)
    place.beside(fail_where_shared, program, **how)
    place.beside(fail_in_control, program, **how)
    for ranks in several:
        place.beside(hold, "private", ranks, program, says=says, **how)


def output_of_ranks(way, program, ranks, arguments, text):
    """Each rank prints that line, with its number in it, and nothing else is said."""
    run = purerun(way, ranks, program, *arguments)
    expected = sorted(text.format(rank) for rank in range(ranks))
    require(run.status == 0 and run.lines() == expected and not run.said(), f"{way}: not {expected}: {run}")


def shares(program):
    """A program of pure.h, whose ranks are threads that share its globals unless other is asked for."""
    cases = cases_of(program)
    wrong = wrong_cases(Run(["purerun", "-n", 2, program, "shared"]), 2, cases)
    expected = {name for name, kind in cases.items() if kind == "PRIVATE"}
    require(wrong == expected, f"by default: wrong: {sorted(wrong)}, not {sorted(expected)}")
