"""What is run: programs with their arguments for a number of cores, and how to read what they print.

A case has one problem. With OpenMP a rank has several threads and there are fewer ranks: the problem stays. Sizes are of
runs of half a second on two cores of 2020 or so; --quick takes fewer steps.
"""

import re
from dataclasses import dataclass
from typing import Callable

QUICK_PART = 10  # a quick run has a tenth of the steps


@dataclass(frozen=True)
class Case:
    name: str
    program: str
    says: str  # for the report
    paper: str  # the figure or the section that it answers
    arguments: Callable  # (cores, ranks, steps) -> words
    steps: int
    time: str  # of the loop, in seconds: a regular expression
    answer: str  # what all systems must agree on
    digits: int = 0  # of the answer that must agree; 0: all
    # What imbalance there is. With one, tasks are compared with the ideal.
    imbalance: str = ""
    is_communication: bool = False  # half of the time or more
    has_helpers: bool = False

    # (cores, ranks) -> words of a short run in which the program checks its own result; the others print an answer.
    checked_words: Callable | None = None

    def words(self, cores, ranks, quick, steps=None):
        """`steps`: other than the case's."""
        steps = steps or (max(1, self.steps // QUICK_PART) if quick else self.steps)
        return [str(word) for word in self.arguments(cores, ranks, steps)]

    def seconds_in(self, text):
        found = re.search(self.time, text, re.MULTILINE)
        return float(found[1]) if found else None

    def answers_in(self, text):
        """The numbers that must agree, in their order."""
        return re.findall(self.answer, text, re.MULTILINE)

    def agrees(self, one, other):
        if self.digits == 0:
            return one == other
        tolerance = 10.0**-self.digits
        pairs = list(zip(one, other, strict=False))
        return len(one) == len(other) and all(
            abs(float(a) - float(b)) <= tolerance * max(1, abs(float(a))) for a, b in pairs
        )


_LOOP_TIME = r"loop time +([\d.]+) s"
_RESULT_TIME = r"^result:.*\bseconds=([\d.e+-]+)"
_CHECKSUM = r"^result:.*checksum=(\S+)"


def _stencil(name, says, paper, words, steps, size=10_000, **more):
    def arguments(cores, ranks, steps):
        of_rank = size * cores // ranks
        parts = ["--parts", cores] if "--imbalance" in words else []
        return ["--size", of_rank, "--iterations", steps, "--no-check", *words, *parts]

    def checked_words(cores, ranks):
        words = arguments(cores, ranks, min(steps, 1000) // 20)
        return [str(word) for word in words if word != "--no-check"]

    none = r"(?!)"  # it checks itself
    return Case(name, "stencil", says, paper, arguments, steps, _LOOP_TIME, none, checked_words=checked_words, **more)


def _box(cores, edge):
    """Unit cells of a crystal that grows with the cores: each prime factor lengthens the axis that is shortest."""
    axes = [edge, edge, edge]
    factor = 2
    while cores > 1:
        while cores % factor == 0:
            axes[axes.index(min(axes))] *= factor
            cores //= factor
        factor += 1
    return axes


def _md(name, says, paper, edge, steps, words=(), void=False, **more):
    def arguments(cores, ranks, steps):
        x, y, z = _box(cores, edge)
        made = ["--nx", x, "--ny", y, "--nz", z, "--steps", steps, "--print-every", steps, *words]
        if void:
            at = ",".join(f"{1 - edge / (2 * axis):g}" for axis in (x, y, z))
            made += ["--void", f"{at},0.55"]
        return made

    # The total energy of an atom, at the end. Grids of ranks differ with their number: rounding.
    answer = r"^ +[1-9]\d* +[\d.]+ +(-?[\d.]+)"
    return Case(name, "md", says, paper, arguments, steps, _LOOP_TIME, answer, digits=8, **more)


def _dt(name, graph, size, repeat, **more):
    def arguments(cores, ranks, repeat):
        return [graph, size, "--repeat", repeat]

    titles = {"SH": "a shuffle", "BH": "a black hole: all to one", "WH": "a white hole: one to all"}
    says = f"data traffic along {titles[graph]}, class {size}"
    return Case(name, "dt", says, "Figure 4", arguments, repeat, _RESULT_TIME, _CHECKSUM, **more)


def _amr(name, says, steps, words, **more):
    def arguments(cores, ranks, steps):
        blocks = ",".join(map(str, _box(cores, 4)))
        return ["--blocks", blocks, "--report", 0, "--steps", steps, *words]

    return Case(name, "amr", says, "Figure 5d", arguments, steps, _RESULT_TIME, _CHECKSUM, **more)


EAM = ("--potential", "eam")

CASES = [
    _stencil("stencil", "elements of random cost", "Section 2", ["--work", 10], 600, imbalance="random"),
    _stencil(
        "stencil, messages", "10 elements without work: two messages a step", "Section 2", ["--work", 0], 400_000, 10,
        is_communication=True,
    ),
    _stencil(
        "stencil, imbalanced", "one part costs three times as much", "Section 2", ["--work", 10, "--imbalance", 3], 300,
        imbalance="static",
    ),
    _stencil(
        "stencil, moving", "the part that costs three times as much moves", "Section 2",
        ["--work", 10, "--imbalance", 3, "--moving", 20], 300, imbalance="moving",
    ),
    _dt("dt SH W", "SH", "W", 40, imbalance="of the graph", has_helpers=True),
    _dt("dt SH A", "SH", "A", 2, imbalance="of the graph", has_helpers=True),
    _dt("dt BH A", "BH", "A", 6, imbalance="of the graph"),
    _dt("dt WH A", "WH", "A", 6, imbalance="of the graph"),
    _md("md, Lennard-Jones", "a copper crystal, 16384 atoms a core", "Figure 5a", 16, 30),
    _md("md, EAM", "a copper crystal, 16384 atoms a core", "Figure 5a", 16, 20, EAM),
    _md("md, 256 atoms", "256 atoms a core: messages", "Figure 5a", 4, 2000, is_communication=True),
    _md("md, hollow", "EAM; a sphere of the last rank's atoms removed", "Figure 5b", 16, 30, EAM, True, imbalance="static"),
    _md(
        "md, drifting", "EAM; the hollow crystal drifts through the ranks", "Figure 5c", 16, 30,
        (*EAM, "--drift", "0.5,0.5,0.5"), True, imbalance="moving",
    ),
    _amr("amr", "a sphere grows and moves; blocks are shared out anew", 16, [], imbalance="between balances"),
    _amr("amr, 27 points", "the same, with corners", 10, ["--stencil", 27], imbalance="between balances"),
    _amr("amr, unbalanced", "blocks stay with the ranks that made them", 16, ["--balance", "off"], imbalance="static"),
    _amr(
        "amr, moving", "blocks at the sphere take four sweeps, and it crosses the cube", 12,
        ["--balance", "off", "--work-in-objects", 4, "--object", "at=0.2:0.5:0.2,radius=0.15,velocity=0.05:0:0.05"],
        imbalance="moving",
    ),
]  # fmt: skip
