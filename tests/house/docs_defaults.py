#!/usr/bin/env python3
"""Compares what the pages say of settings, and of the ranks of MPI programs, with what `pure info --json` says. Prints
what differs, exits 1 if there is anything.

usage: docs_defaults.py ROOT PURE

A sentence that names settings may have no size, time or million but those of their defaults, limits and meanings, and
round multiples of a default where it says "times". docs/settings.md has a test of its own, and pages of measurements
are not looked at. docs_defaults_test.py plants each mistake.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

LEFT_OUT = {"settings.md", "decisions.md", "benchmarks.md"}
UNITS = {"byte": 1, "bytes": 1, "B": 1, "KB": 2**10, "KiB": 2**10, "MB": 2**20, "MiB": 2**20, "GB": 2**30, "GiB": 2**30,
         "TiB": 2**40, "us": 1e-6, "ms": 1e-3, "s": 1, "seconds": 1}
FIGURE = re.compile(r"\b(\d[\d.,]*) (bytes?|[KMG]i?B|TiB|B|us|ms|s|seconds)\b|\b(a million|\d{7,})\b")
SETTING = re.compile(r"\bPURE_[A-Z_]+\b(?!=)")
# Sayings that are wrong where ranks of MPI programs are threads, if the sentence speaks of no other case.
AS_PROCESSES = re.compile(r"\b(a process is one rank|each rank (is )?a process)\b", re.IGNORECASE)
ANOTHER_CASE = re.compile(r"\bthread|--ranks-as processes|\bwith an MPI\b")


def sentences(text: str) -> list[str]:
    """Rows of tables count as paragraphs."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    paragraphs = re.split(r"\n\s*\n|\n(?=- |\|)", text)
    return [each for paragraph in paragraphs for each in re.split(r"(?<=[.;])\s+", " ".join(paragraph.split()))]


def figures(text: str) -> dict[str, tuple[str, float]]:
    """Each by its words: its dimension, and its size in bytes, seconds, or pieces."""
    found = {}
    for match in FIGURE.finditer(text):
        number, unit, count = match.groups()
        if count:
            found[match.group()] = ("pieces", 1e6 if count == "a million" else float(count))
        else:
            dimension = "seconds" if unit in ("us", "ms", "s", "seconds") else "bytes"
            found[match.group()] = (dimension, round(float(number.rstrip(".,").replace(",", "")) * UNITS[unit], 9))
    return found


def wrong_figures(sentence: str, settings: dict[str, dict]) -> list[str]:
    named = [name for name in dict.fromkeys(SETTING.findall(sentence)) if name in settings]
    if not named:
        return []
    right = set()
    for name in named:
        defaults = set(figures(settings[name]["default"]).values())
        for part in ("default", "allowed", "meaning"):
            right |= set(figures(settings[name][part]).values())
        if " times " in sentence:
            right |= {(dimension, size * factor) for dimension, size in defaults for factor in (2, 4, 8)}
    said = " and ".join(f"{name} is {settings[name]['default']}: {settings[name]['meaning']}" for name in named)
    return [f"'{words}' where pure info says: {said}"
            for words, figure in figures(sentence).items() if figure not in right]


def problems_of(root: Path, info: dict) -> list[str]:
    settings = {each["name"]: each for each in info["settings"]}
    problems = []
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        if page.name in LEFT_OUT:
            continue
        for sentence in sentences(page.read_text(encoding="utf-8")):
            where = f"{page.relative_to(root)}: "
            problems += [where + wrong for wrong in wrong_figures(sentence, settings)]
            said = AS_PROCESSES.search(sentence)
            if said and info["build"]["mpi_ranks_as"] == "threads" and not ANOTHER_CASE.search(sentence):
                problems.append(f"{where}'{said.group()}' where pure info says that ranks of MPI programs are threads")
    return problems


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    info = subprocess.run([sys.argv[2], "info", "--json"], check=True, capture_output=True, timeout=60)
    problems = problems_of(Path(sys.argv[1]), json.loads(info.stdout))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
