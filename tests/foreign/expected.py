#!/usr/bin/env python3
"""tests/foreign/expected.txt, read: lines of the foreign suites that are not to pass, and why.

    expected.py docs/mpi_foreign.md    writes the table of that page again (run.py --page its counts, too)
"""
import fnmatch
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lines import WAYS, folder_of, way_of

KINDS = {
    "later": "needs a function that is left to a later issue; the program ends with its name",
    "standard": "asks for what the standard, or its ABI, does not have or leaves open",
    "mpich": "is about MPICH: its own functions, settings, launcher, or mistakes",
    "machine": "needs more than a small machine has",
    "threads": "changes what ranks of one process have in common, or needs the ranks to be processes",
}
FILE = Path(__file__).with_name("expected.txt")


class BadTable(Exception):
    pass


@dataclass(frozen=True)
class Row:
    number: int
    patterns: tuple[str, ...]  # of names of lines, or of their beginnings up to a blank
    ways: tuple[str, ...]  # of lines whose ranks are these
    kind: str
    is_unsure: bool  # passes now and then
    is_left_out: bool  # takes so long, or so much memory, that it is not run
    why: str
    excepted: str  # a suite over the door of another MPI for which it does not hold

    def fits(self, name: str) -> bool:
        return way_of(name) in self.ways and any(
            fnmatch.fnmatchcase(name, each) or fnmatch.fnmatchcase(name, f"{each} *") for each in self.patterns)

    @property
    def names(self) -> list[str]:
        """As the page has them."""
        of_ways = "" if self.ways == WAYS else f" as {self.ways[0]}"
        but = f" but {self.excepted}" if self.excepted else ""
        return [f"{pattern}{of_ways}{but}" for pattern in self.patterns]


def patterns_of(text: str) -> tuple[str, ...]:
    """a/{b,c} d: a/b d and a/c d."""
    braces = re.fullmatch(r"([^{]*)\{([^{}]*)\}([^{}]*)", text)
    if braces is None:
        return (text,)
    before, names, after = braces.groups()
    return tuple(f"{before}{name.strip()}{after}" for name in names.split(","))


class Expected:
    def __init__(self, file: Path = FILE) -> None:
        self.rows: list[Row] = []
        self.used: set[int] = set()
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells = [cell.strip() for cell in line.split("|", 2)]
            if len(cells) != 3 or cells[1].rstrip("?!") not in KINDS or not cells[2]:
                raise BadTable(f"{file.name}:{number}: not `LINES | {', '.join(KINDS)} | WHY`")
            lines, kind, why = cells
            lines, _, excepted = lines.partition(" but ")
            ways = tuple(way for way in WAYS if lines.endswith(f" as {way}")) or WAYS
            lines = re.sub(rf" as ({'|'.join(WAYS)})$", "", lines)
            self.rows.append(Row(number, patterns_of(lines), ways, kind.rstrip("?!"), kind.endswith("?"),
                                 kind.endswith("!"), why, excepted))

    def row_of(self, name: str) -> Row | None:
        """The first row that fits counts. What holds for a suite holds for it over the doors of other MPIs, too (mpich@openmpi)."""
        plain = re.sub(r"^(mpich|mpi4py)@\w+/", r"\1/", name)
        for row in self.rows:
            is_excepted = row.excepted and name.startswith(f"{row.excepted}/")
            if not is_excepted and (row.fits(name) or row.fits(plain)):
                self.used.add(row.number)
                return row
        return None

    def unused(self) -> list[Row]:
        return [row for row in self.rows if row.number not in self.used]


# ---- the page -------------------------------------------------------------------------------------------------------


def reasons(expected: Expected) -> str:
    """What does not pass and why, as Markdown."""
    text = []
    for kind, about in KINDS.items():
        of_kind = [row for row in expected.rows if row.kind == kind]
        if not of_kind:
            continue
        text += [f"**{kind}**: {about}.", "", "| why | lines |", "|---|---|"]
        for why in dict.fromkeys(row.why for row in of_kind):
            names = [name for row in of_kind if row.why == why for name in row.names]
            how = {"; passes now and then" for row in of_kind if row.why == why and row.is_unsure}
            how |= {"; not run" for row in of_kind if row.why == why and row.is_left_out}
            said = re.sub(r"^MPI_\w+", r"`\g<0>`", why) if kind == "later" else why
            text.append(f"| {said}{''.join(sorted(how))} | {', '.join(f'`{name}`' for name in names)} |")
        text.append("")
    return "\n".join(text)


def counts(expected: Expected, results: dict[str, bool], left_out: Iterable[str]) -> str:
    """Of a run of everything, as Markdown. Kinds count lines with processes, but "threads" those with threads."""
    passes = [f"pass as {way}" for way in WAYS]
    columns = [*passes, *KINDS, "unexplained"]
    table: dict[str, dict[str, int]] = {}
    for name in (*results, *left_out):
        row = expected.row_of(name)
        passed = results.get(name, False)
        column = f"pass as {way_of(name)}" if passed else row.kind if row else "unexplained"
        of = table.setdefault(folder_of(name), dict.fromkeys(["lines", *columns], 0))
        of["lines"] += way_of(name) == WAYS[0]
        of[column] += passed or way_of(name) == WAYS[0] or column in ("threads", "unexplained")
    table["sum"] = {column: sum(of[column] for of in table.values()) for column in ("lines", *columns)}
    shown = ["lines", *(column for column in columns if column in passes or table["sum"][column] > 0)]
    text = [f"| folder | {' | '.join(shown)} |", "|---" * (len(shown) + 1) + "|"]
    ran = {(folder_of(name), f"pass as {way_of(name)}") for name in results}
    text += [f"| {folder} | " + " | ".join(
        "-" if column in passes and folder != "sum" and (folder, column) not in ran else str(of[column])
        for column in shown) + " |" for folder, of in table.items()]
    return "\n".join([*text, ""])


def replaced(page: str, part: str, by: str) -> str:
    """The page, with what is between the marks of that part replaced. Throws BadTable if it has none."""
    begin, end = f"<!-- {part}: from tests/foreign -->\n\n", f"<!-- end of {part} -->\n"
    if begin not in page or end not in page:
        raise BadTable(f"the page has no marks of {part}")
    before, _, rest = page.partition(begin)
    return f"{before}{begin}{by}\n{end}{rest.partition(end)[2]}"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    page = Path(arguments[0])
    page.write_text(replaced(page.read_text(), "reasons", reasons(Expected())))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
