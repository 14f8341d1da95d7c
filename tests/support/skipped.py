#!/usr/bin/env python3
"""What the tests that ctest has just run could not test, by their names and reasons.

usage: skipped.py [--strict] PRESET BUILD_DIR

Reads what the tests have printed (BUILD_DIR/Testing/Temporary/LastTest.log) and what ctest has (BUILD_DIR/ctest.log). A
test says of each part that it leaves out "SKIPPED: what: why", and ends with status 77 where nothing is left. unittest's
own count is understood, too. tests/may_skip.txt says what may be skipped; so does PURETEST_MAY_SKIP, names of tests with
* and ?, separated by blanks. With --strict anything else is a failure: status 1.
"""
import fnmatch
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).resolve().parents[1] / "may_skip.txt"
TESTING = re.compile(r"^\d+/\d+ Testing: (.+)$")
SAID = re.compile(r"^SKIPPED: (.*?): (.*)$")
UNITTEST = re.compile(r"^OK \(.*\bskipped=(\d+)")
WHOLE = re.compile(r"^ *\d+/\d+ Test +#\d+: (\S+) \.*\*\*\*Skipped")
ALL_OF_IT = "all of it"
CAP_NET_ADMIN, CAP_SYS_ADMIN = 12, 21


class BadList(Exception):
    pass


@dataclass(frozen=True)
class Skip:
    test: str
    what: str
    why: str


@dataclass(frozen=True)
class Rule:
    test: str
    what: str
    when: str
    why: str

    def covers(self, skip: Skip) -> bool:
        return fnmatch.fnmatchcase(skip.test, self.test) and fnmatch.fnmatchcase(skip.what, self.what)


def conditions(preset: str) -> dict[str, bool]:
    """What `WHEN` may be, and whether it is so here."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    capabilities = int(re.search(r"^CapEff:\s*(\w+)", status, re.MULTILINE).group(1), 16)
    may_make_namespaces = all(capabilities >> bit & 1 for bit in (CAP_NET_ADMIN, CAP_SYS_ADMIN))
    return {
        "always": True,
        "sanitized": preset in ("asan", "tsan"),
        "unprivileged": not may_make_namespaces,
        "root": os.geteuid() == 0,
        "one-core": len(os.sched_getaffinity(0)) == 1,
        "not-ci": os.environ.get("CI") not in ("1", "true"),
    }


def rules_in(text: str, conditions_known) -> list[Rule]:
    rules = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = [field.strip() for field in line.split("|")]
        if len(fields) != 4 or not all(fields):
            raise BadList(f"{LIST.name}:{number}: a line is TEST | WHAT | WHEN | WHY")
        if fields[2] not in conditions_known:
            raise BadList(f"{LIST.name}:{number}: '{fields[2]}' is none of {', '.join(conditions_known)}")
        rules.append(Rule(*fields))
    return rules


def skips_in(printed: str, ctest: str) -> list[Skip]:
    """`printed`: LastTest.log; `ctest`: what ctest itself has printed."""
    skips: dict[Skip, None] = {}  # a set in order
    test = ""
    for line in printed.splitlines():
        if begins := TESTING.match(line):
            test = begins.group(1)
        elif said := SAID.match(line):
            skips[Skip(test, *said.groups())] = None
        elif count := UNITTEST.match(line):
            skips[Skip(test, f"{count.group(1)} tests of unittest", "see its output")] = None
    named = {skip.test for skip in skips}
    for line in ctest.splitlines():
        if (whole := WHOLE.match(line)) and whole.group(1) not in named:
            skips[Skip(whole.group(1), ALL_OF_IT, "it gives no reason")] = None
    return list(skips)


def judge(skips: list[Skip], rules: list[Rule], holds: dict[str, bool], by_user: list[str]) -> tuple[list[str], int]:
    """A line for each skip, and how many are not allowed."""
    lines, refused = [], 0
    for skip in skips:
        rule = next((rule for rule in rules if holds[rule.when] and rule.covers(skip)), None)
        if rule:
            verdict = f"allowed: {rule.why}"
        elif any(fnmatch.fnmatchcase(skip.test, pattern) for pattern in by_user):
            verdict = "allowed by PURETEST_MAY_SKIP"
        else:
            verdict = "NOT ALLOWED by tests/may_skip.txt"
            refused += 1
        lines.append(f"  skipped: {skip.test}, {skip.what}: {skip.why} ({verdict})")
    return lines, refused


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def main() -> int:
    arguments = [argument for argument in sys.argv[1:] if argument != "--strict"]
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    preset, build = arguments[0], Path(arguments[1])
    holds = conditions(preset)
    try:
        rules = rules_in(text_of(LIST), holds)
        skips = skips_in(text_of(build / "Testing/Temporary/LastTest.log"), text_of(build / "ctest.log"))
    except (BadList, OSError) as error:
        print(f"  skipped tests: {error}")
        return 1
    lines, refused = judge(skips, rules, holds, os.environ.get("PURETEST_MAY_SKIP", "").split())
    print("\n".join(lines) if lines else "  nothing was skipped")
    if refused and "--strict" in sys.argv:
        print(f"  {refused} skipped that may not be: install what is missing, or let PURETEST_MAY_SKIP name the tests")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
