"""How the time changes with the number of cores: the problem grows with them (weak), or stays as it is (strong)."""

from dataclasses import dataclass, replace

from evaluation.cases import CASES
from evaluation.entrants import entrants_of
from evaluation.measure import measure

SCALED = (("md, EAM", "weak"), ("md, EAM", "strong"), ("amr", "weak"), ("amr", "strong"))
ROUNDS = 3


@dataclass
class Scaling:
    case: object
    kind: str  # weak or strong
    results: dict  # of a number of cores, the CaseResult

    @property
    def name(self):
        return f"{self.case.name}, {self.kind} scaling"

    def ideal(self, cores):
        """How many times as fast as on one core."""
        return cores if self.kind == "strong" else 1

    def gains(self, entrant):
        """For each number of cores: how many times as fast as that entrant was on one core (median, lowest, highest)."""
        one = self.results[1].of(entrant)
        found = {}
        for cores, result in self.results.items():
            measured = result.of(entrant)
            if one and measured:
                times = sorted(measured.seconds)
                found[cores] = tuple(one.median / time for time in (measured.median, times[-1], times[0]))
        return found


def numbers_of_cores(cores):
    """1, 2, 4, ... and all."""
    found = [1]
    while found[-1] * 2 < cores:
        found.append(found[-1] * 2)
    return [*found, cores] if cores > 1 else found


def of_all_cores(case, cores):
    """The case with the problem that it has on so many cores, whatever runs it."""
    return replace(case, arguments=lambda _, ranks, steps: case.arguments(cores, ranks, steps))


def scaled_entrants(case, pure, rivals, cores):
    """Messages alone: an entrant is the same on any number of cores."""
    return [each for each in entrants_of(replace(case, imbalance=""), pure, rivals, None, cores) if each.threads == 1]


def measure_scaling(pure, rivals, programs, cores, quick, say):
    by_name = {case.name: case for case in CASES}
    found = []
    for name, kind in SCALED:
        case = replace(by_name[name], imbalance="")
        sized = case if kind == "weak" else of_all_cores(case, cores)
        results = {}
        for some in numbers_of_cores(cores):
            named = replace(sized, name=f"{name}, {kind}, {some} of {cores} cores")
            entrants = scaled_entrants(named, pure, rivals, some)
            results[some] = measure(named, entrants, programs, some, 1 if quick else ROUNDS, quick, say)
        found.append(Scaling(case, kind, results))
    return found
