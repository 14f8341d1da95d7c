"""What is claimed of Pure, and whether it holds in these results: what does not is what the report says first."""

from dataclasses import dataclass

from evaluation.measure import ratios

COMMUNICATION_GAIN = 1.2
PART_OF_IDEAL = 0.93
MOST_LINES = 0.10


@dataclass(frozen=True)
class Claim:
    holds: bool
    text: str


def claims_of(results, lines):
    """`lines`: for each program, (lines that tasks took, lines of the program)."""
    found = []
    for result in results:
        found += [_with_cores(claim, result) for claim in _of_messages(result) + _of_tasks(result)]
    for name, (added, all_lines) in lines.items():
        part = added / all_lines
        found.append(Claim(part < MOST_LINES, f"{name}: tasks took {added} of {all_lines} lines, {part:.1%}"))
    return found


def _with_cores(claim, result):
    if claim.holds or not result.lacks_cores:
        return claim
    return Claim(False, f"{claim.text} (in some rounds only {min(result.cores):.0%} of the cores were there)")


def _of_messages(result):
    pure, rival = result.of("pure"), result.best_rival
    if not (pure and rival):
        return []
    name = result.case.name
    ratio, low, high = ratios(rival, pure)
    spread = f"{ratio:.2f} times as fast as {rival.entrant.title} ({low:.2f} to {high:.2f})"
    least = COMMUNICATION_GAIN if result.case.is_communication else 1.0
    return [Claim(high >= least if least == 1.0 else ratio >= least, f"{name}: Pure is {spread}; claimed: {least:.1f}")]


def _of_tasks(result):
    tasks, pure = result.of("pure-tasks"), result.of("pure")
    if not (tasks and pure):
        return []
    name = result.case.name
    found = []
    if result.ideal:
        gain = ratios(pure, tasks)[0]
        part = gain / result.ideal
        found.append(
            Claim(
                part >= PART_OF_IDEAL,
                f"{name}: tasks make it {gain:.2f} times as fast, {part:.0%} of the {result.ideal:.2f} that perfect sharing "
                f"would give; claimed: {PART_OF_IDEAL:.0%}",
            )
        )
    hybrid = result.best_hybrid
    if hybrid:
        ratio, low, high = ratios(hybrid, tasks)
        found.append(
            Claim(
                high >= 1.0,
                f"{name}: Pure with tasks is {ratio:.2f} times as fast as {hybrid.entrant.title} ({low:.2f} to {high:.2f}); "
                "claimed: 1.0",
            )
        )
    return found
