#!/usr/bin/env python3
"""The parts of the suite, and what each test costs (tests/suite.txt).

usage: suite.py --check BUILD          every test of the release build has a row, and each part fits its budget
       suite.py --run PART BUILD COMMAND...   runs ctest, with a line now and then that says how long it will take
       suite.py --times PART BUILD     how long the tests of the last run took. One that outgrew its row runs once more,
                                       alone, and fails the check if it outgrows it again
       suite.py --renew PART BUILD     rows from the last run, for whoever has changed what tests do
       suite.py --left-out PART BUILD  what the part leaves out, in a line

A row is exceeded by a test that took three times as long and ten seconds more, twice, where the machine is as fast as the
one of the rows: the median of all tests tells how fast it is, or how busy.
"""
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

TABLE = Path(__file__).resolve().parents[1] / "suite.txt"
ENDED = re.compile(r"^ *(\d+)/(\d+) Test +#\d+: (\S+) .*? ([\d.]+) sec")
PARTS = ("quick", "deep")
SLOTS = 4  # "jobs" of CMakePresets.json
TIMES_AS_LONG, SECONDS_MORE = 3, 10
# Below that, what a test takes is what it takes to start.
COUNTS_FOR_SPEED = 1.0


class BadTable(Exception):
    pass


@dataclass
class Suite:
    budgets: dict[str, float]
    builds: dict[str, float]  # seconds before the tests of a part
    seconds: dict[str, dict[str, float]]  # by part and test

    def part_of(self, test: str) -> str | None:
        return next((part for part in PARTS if test in self.seconds[part]), None)


def suite_in(text: str, name: str = TABLE.name) -> Suite:
    suite = Suite({}, {}, {part: {} for part in PARTS})
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = line.split()
        if len(words) != 3 or words[0] not in ("budget", "build", *PARTS):
            raise BadTable(f"{name}:{number}: a line is PART SECONDS TEST, or budget or build, SECONDS and PART")
        try:
            seconds = float(words[1])
        except ValueError:
            raise BadTable(f"{name}:{number}: '{words[1]}' is no number of seconds") from None
        if words[0] in PARTS:
            if suite.part_of(words[2]):
                raise BadTable(f"{name}:{number}: {words[2]} has a row")
            suite.seconds[words[0]][words[2]] = seconds
        elif words[2] not in PARTS:
            raise BadTable(f"{name}:{number}: '{words[2]}' is no part")
        else:
            (suite.budgets if words[0] == "budget" else suite.builds)[words[2]] = seconds
    missing = [part for part in PARTS if part not in suite.budgets or part not in suite.builds]
    if missing:
        raise BadTable(f"{name}: no budget, or no build, of {', '.join(missing)}")
    return suite


@dataclass(frozen=True)
class Registered:
    slots: int  # how many tests of one processor it stands for
    labels: frozenset[str]


def registered(build: Path) -> dict[str, Registered]:
    """The tests of the build; asked from elsewhere, because ctest writes a new log where it is started."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "CTestTestfile.cmake").write_text(f'subdirs("{build.resolve()}")\n', encoding="utf-8")
        shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, capture_output=True, text=True, check=True)
    tests = {}
    for test in json.loads(shown.stdout)["tests"]:
        properties = {entry["name"]: entry["value"] for entry in test["properties"]}
        slots = SLOTS if properties.get("RUN_SERIAL") else min(SLOTS, int(properties.get("PROCESSORS", 1)))
        tests[test["name"]] = Registered(slots, frozenset(properties.get("LABELS", [])))
    return tests


def expected(seconds: dict[str, float], tests: dict[str, Registered]) -> float:
    """How long these tests take beside each other."""
    return sum(taken * tests[test].slots for test, taken in seconds.items() if test in tests) / SLOTS


def slowness(taken: dict[str, float], rows: dict[str, float]) -> float:
    """How many times as long as their rows the tests of this run take."""
    ratios = [taken[test] / rows[test] for test in taken if rows.get(test, 0) >= COUNTS_FOR_SPEED]
    return max(1.0, median(ratios)) if ratios else 1.0


def outgrown(taken: dict[str, float], rows: dict[str, float], again=lambda tests: {}) -> list[str]:
    """`again` runs tests alone and says how long they took: what a machine that stood still did, it does once."""
    times = slowness(taken, rows)
    suspects = {test: taken[test] for test in sorted(taken)
                if test in rows and taken[test] > TIMES_AS_LONG * times * rows[test] + SECONDS_MORE}
    seconds = again(suspects) if suspects else {}
    return [f"{test} took {taken[test]:.0f} s, and its row in tests/suite.txt says {rows[test]:.0f} s"
            + (f" (the machine is {times:.1f} times as slow)" if times > 1.05 else "")
            + (f"; alone {seconds[test]:.0f} s" if test in seconds else "")
            for test in suspects
            if seconds.get(test, taken[test]) > TIMES_AS_LONG * times * rows[test] + SECONDS_MORE]


def alone(build: Path, tests: Iterable[str]) -> dict[str, float]:
    names = "|".join(re.escape(test) for test in tests)
    command = ["ctest", "--test-dir", str(build), "-j", "1", "-R", f"^({names})$", "--output-on-failure"]
    with tempfile.TemporaryDirectory() as folder:  # the log of all tests stays
        log = Path(folder, "ctest.log")
        subprocess.run([*command, "--output-log", str(log)], stdout=subprocess.DEVNULL, check=False)
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        return taken_in("\n".join(line for line in lines if "***" not in line))  # one that fails has no time that counts


def problems_of(suite: Suite, tests: dict[str, Registered]) -> list[str]:
    rows = {test for part in PARTS for test in suite.seconds[part]}
    problems = [f"{test} has no row in tests/suite.txt" for test in sorted(set(tests) - rows)]
    problems += [f"tests/suite.txt has a row for {test}, which is no test" for test in sorted(rows - set(tests))]
    problems += [f"{test} has not the label {suite.part_of(test)}, which tests/suite.txt says"
                 for test in sorted(rows & set(tests)) if suite.part_of(test) not in tests[test].labels]
    for part in PARTS:
        whole = suite.builds[part] + expected(suite.seconds[part], tests)
        if whole > suite.budgets[part]:
            problems.append(f"{part}: {whole:.0f} s by the rows of tests/suite.txt, and {suite.budgets[part]:.0f} s are "
                            "its budget")
    return problems


def taken_in(log: str) -> dict[str, float]:
    ended = (ENDED.match(line) for line in log.splitlines())
    return {end[3]: float(end[4]) for end in ended if end}


def shown_time(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{max(5, round(seconds / 5) * 5)} s"


class Progress:
    """What is left, after each test that ends; said every `every` seconds."""

    def __init__(self, rows: dict[str, float], tests: dict[str, Registered], now: float, every: float = 20):
        self.rows, self.tests, self.every, self.said, self.taken = rows, tests, every, now, {}

    def after(self, line: str, now: float) -> str | None:
        end = ENDED.match(line)
        if not end:
            return None
        self.taken[end[3]] = float(end[4])
        if now - self.said < self.every:
            return None
        self.said = now
        left = {test: taken for test, taken in self.rows.items() if test not in self.taken}
        seconds = expected(left, self.tests) * slowness(self.taken, self.rows)
        return f"--- {end[1]} of {end[2]} tests; about {shown_time(seconds)} left"


def run(part: str, build: Path, command: list[str]) -> int:
    rows, tests = suite_in(TABLE.read_text(encoding="utf-8")).seconds[part], registered(build)
    rows = {test: seconds for test, seconds in rows.items() if test in tests}
    print(f"--- {len(rows)} tests, about {shown_time(expected(rows, tests))}", flush=True)
    progress = Progress(rows, tests, time.monotonic())
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as ctest:
        for line in ctest.stdout:
            print(line, end="", flush=True)
            if said := progress.after(line, time.monotonic()):
                print(said, flush=True)
    return ctest.returncode


def renewed(text: str, taken: dict[str, float], tests: dict[str, Registered], part: str) -> str:
    """The table with these times in its rows; new tests get theirs in this part."""
    lines = []
    known = set()
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] in PARTS:
            if words[2] not in tests:
                continue
            known.add(words[2])
            if words[2] in taken:
                line = f"{words[0]} {max(0.1, taken[words[2]]):.1f} {words[2]}"
        lines.append(line)
    lines += [f"{part} {max(0.1, taken[test]):.1f} {test}" for test in sorted(set(taken) - known)]
    return "\n".join(lines) + "\n"


def left_out(suite: Suite, part: str, tests: dict[str, Registered]) -> str:
    other = suite.seconds[next(each for each in PARTS if each != part)]
    return f"{sum(test in tests for test in other)} tests of the release build"


def main() -> int:
    arguments = sys.argv[1:]
    try:
        if len(arguments) == 2 and arguments[0] == "--check":
            tests = registered(Path(arguments[1]))
            suite = suite_in(TABLE.read_text(encoding="utf-8"))
            problems = problems_of(suite, tests)
            for part in PARTS:
                print(f"{part}: {len(suite.seconds[part])} tests, {suite.builds[part]:.0f} s of building and "
                      f"{expected(suite.seconds[part], tests):.0f} s of tests, of {suite.budgets[part]:.0f} s")
        elif len(arguments) >= 4 and arguments[0] == "--run" and arguments[1] in PARTS:
            return run(arguments[1], Path(arguments[2]), arguments[3:])
        elif len(arguments) == 3 and arguments[1] in PARTS:
            part, build = arguments[1], Path(arguments[2])
            suite = suite_in(TABLE.read_text(encoding="utf-8"))
            if arguments[0] == "--left-out":
                print(left_out(suite, part, registered(build)))
                return 0
            taken = taken_in((build / "ctest.log").read_text(encoding="utf-8", errors="replace"))
            if arguments[0] == "--renew":
                text = renewed(TABLE.read_text(encoding="utf-8"), taken, registered(build), part)
                TABLE.write_text(text, encoding="utf-8")
                return 0
            if arguments[0] != "--times":
                raise BadTable(f"{arguments[0]} is not known")
            problems = outgrown(taken, suite.seconds[part], lambda tests: alone(build, tests))
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except (BadTable, OSError) as error:
        print(f"  {error}")
        return 1
    for problem in problems:
        print(f"  {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
