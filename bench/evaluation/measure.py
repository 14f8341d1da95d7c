"""Runs what takes part in a case in turn (A B C A B C ...), round after round, and checks that all agree."""

import os
import re
import signal
import statistics
import subprocess
from dataclasses import dataclass, field

from evaluation.cores import ENOUGH, wait_for_cores

TIMEOUT_SECONDS = 120
# Whoever takes so many times as long as the quickest runs once.
HOPELESS = 6


@dataclass
class Measured:
    entrant: object
    seconds: list[float] = field(default_factory=list)
    answer: list[str] = field(default_factory=list)
    error: str = ""

    @property
    def median(self):
        return statistics.median(self.seconds) if self.seconds else None


@dataclass
class CaseResult:
    case: object
    measured: list[Measured]
    command: str  # of Pure
    ideal: float | None = None  # speed-up that perfect sharing of what the ranks compute would give
    cores: list[float] = field(default_factory=list)  # for each round, what part of the cores was there

    @property
    def lacks_cores(self):
        """In more than one round."""
        return sum(part < ENOUGH for part in self.cores) > 1

    def of(self, name):
        return next((each for each in self.measured if each.entrant.name == name and each.seconds), None)

    @property
    def best_rival(self):
        rivals = [each for each in self.measured if each.entrant.is_rival and each.seconds]
        return min(rivals, key=lambda each: each.median, default=None)

    @property
    def best_hybrid(self):
        hybrids = [each for each in self.measured if each.entrant.variant == "openmp" and each.seconds]
        return min(hybrids, key=lambda each: each.median, default=None)

    @property
    def errors(self):
        return [f"{self.case.name}, {each.entrant.title}: {each.error}" for each in self.measured if each.error]


def ratios(slower, faster):
    """How many times as long `slower` takes as `faster`, round by round: (median, lowest, highest)."""
    pairs = [a / b for a, b in zip(slower.seconds, faster.seconds, strict=False)]
    return (statistics.median(pairs), min(pairs), max(pairs)) if pairs else None


def run(command, environment):
    """(status, output); None for the status if it took too long."""
    process = subprocess.Popen(
        command,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=TIMEOUT_SECONDS)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


def measure(case, entrants, programs, cores, rounds, quick, say):
    """`programs`: of (program, variant, system name), the path, or the error of its compilation."""
    all_of_them = [Measured(each) for each in entrants]
    say(f"{case.name}: checks")
    for each in all_of_them:
        _check(case, each, programs, cores)
    parts = []
    for number in range(rounds):
        parts.append(1.0 if quick else wait_for_cores(cores, say))
        for each in all_of_them:
            if each.error or (number > 0 and _is_hopeless(each, all_of_them)):
                continue
            say(f"{case.name}: round {number + 1} of {rounds}: {each.entrant.title}")
            _run_once(case, each, programs, cores, quick)
    words, _ = entrants[0].command(case.program, case, cores, quick)
    result = CaseResult(case, all_of_them, " ".join(["purerun", *map(str, words[1:])]), cores=parts)
    _compare(result)
    if case.imbalance:
        say(f"{case.name}: what its ranks compute")
        result.ideal = _ideal(case, entrants[0], programs, cores, quick)
    return result


def _is_hopeless(one, all_of_them):
    return one.seconds[0] > HOPELESS * min(each.seconds[0] for each in all_of_them if each.seconds)


def _program(case, entrant, programs):
    return programs[case.program, entrant.variant, entrant.system.name]


def _check(case, measured, programs, cores):
    """Before any time is taken: a program that can compares its result with its own serial run."""
    program = _program(case, measured.entrant, programs)
    if isinstance(program, Exception):
        measured.error = str(program)
    elif case.checked_words:
        command, environment = measured.entrant.command_of(program, case.checked_words(cores, measured.entrant.ranks), cores)
        status, output = run(command, environment)
        if status != 0:
            measured.error = f"status {status}: {' '.join(command)}: {output.strip()[-600:]}"


def _run_once(case, measured, programs, cores, quick):
    program = _program(case, measured.entrant, programs)
    command, environment = measured.entrant.command(program, case, cores, quick)
    status, output = run(command, environment)
    seconds = case.seconds_in(output)
    if status is None:
        measured.error = f"no end after {TIMEOUT_SECONDS} s: {' '.join(command)}"
    elif status != 0 or seconds is None:
        measured.error = f"status {status}: {' '.join(command)}: {output.strip()[-600:]}"
    else:
        measured.seconds.append(seconds)
        measured.answer = measured.answer or case.answers_in(output)
        if not case.agrees(measured.answer, case.answers_in(output)):
            measured.error = f"another answer than in the round before: {measured.answer}, {case.answers_in(output)}"


def _compare(result):
    first = result.measured[0]
    for each in result.measured[1:]:
        if each.seconds and not each.error and not result.case.agrees(first.answer, each.answer):
            each.error = f"it computes {each.answer}, and {first.entrant.title} {first.answer}"


def _ideal(case, entrant, programs, cores, quick):
    """The whole time of the ranks divided by what they compute in it, as --stats has it, without tasks; without the time
    before and after the loop, which a run of one step has, too."""
    program = _program(case, entrant, programs)
    if isinstance(program, Exception):
        return None
    found = []
    for _ in range(1 if quick else 3):
        sums = [_whole_and_computing(entrant.command(program, case, cores, quick, steps)) for steps in (None, 1)]
        if None in sums:
            return None
        whole, computing = (long - short for long, short in zip(*sums, strict=True))
        if computing > 0:
            found.append(whole / computing)
    return statistics.median(found) if found else None


def _whole_and_computing(launched):
    """Seconds of all ranks of a run."""
    (launcher, *words), environment = launched
    status, output = run([launcher, "--stats", *words], environment)
    times = times_in_statistics(output)
    return (sum(map(sum, times)), sum(each[0] for each in times)) if status == 0 and times else None


def times_in_statistics(output):
    """For each rank of a report of --stats: the seconds that it computed, and waited."""
    header = re.search(r"^pure: what \d+ ranks? did\n(.*)$", output, re.MULTILINE)
    if header is None:
        return []
    columns = re.split(r" {2,}", header[1].strip())
    if "computing" not in columns or "waiting" not in columns:
        return []
    found = []
    for line in output[header.end() :].lstrip("\n").splitlines():
        rank = re.match(r" +rank \d+ +(.*)", line)
        if rank is None:
            break
        cells = re.split(r" {2,}", rank[1].strip())
        found.append([float(cells[columns.index(name)].removesuffix(" s")) for name in ("computing", "waiting")])
    return found
