#!/usr/bin/env python3
"""The rules that every source file keeps; CONTRIBUTING.md says why. Prints each violation, exits 1 if there is one.

usage: source_rules.py ROOT

source_rules_test.py plants a violation of every rule.
"""
import re
import sys
from pathlib import Path
from typing import Iterator

from architecture_page import DECISIONS, architecture_is_read_in_ten_minutes
from comment_rules import (comments_name_their_subject, comments_that_point_elsewhere,
                           fewer_comments_point_elsewhere)
from cxx_text import bare, classes, comment_blocks, functions, loops
from exceptions import (CLASSES_IN_MANY_FILES, CLASSES_OF_MANY_MEMBERS, COMMENTS_THAT_POINT_ELSEWHERE, FILES_OF_ONE_NAME,
                        KNOTS_OF_MANY_FILES, LOOPS_OUTSIDE_THE_WAIT, MOST_FILES_OF_A_CLASS, MOST_FILES_OF_A_KNOT,
                        MOST_MEMBERS, OUTPUT_ELSEWHERE)
from knots import knots
from shell_pipes import early_readers
from source_files import CXX, SOURCE_FOLDERS, SOURCES, files, lines_of

# From the lowest to the highest; a layer includes itself and what is lower. Layers of one row do not see each other.
LAYERS = [
    ["base"],
    ["machine"],
    ["runtime"],
    ["hang", "trace"],
    ["task"],
    ["layout"],
    ["transport"],
    ["network"],
    ["net_shm"],
    ["match"],
    ["gateway", "comm"],
    ["coll"],
    ["window", "aggregation"],
    ["objects"],
    ["start"],
    ["libc"],
    ["loader"],
    ["api", "net_mpi", "own_runtimes"],
]
# The plug-ins are no part of the library: they see the interface that they implement, and what lies at the bottom. Nor are
# the runtimes that a shared library has of its own.
PLUGINS = {"net_mpi": {"base", "network"}, "own_runtimes": {"base"}}
# Folders of a room that the room knows by an interface only, and the sources that make what is in them.
MAKERS = {"window/checks": {"window/create.cpp"}}
# What is no business of messages, though it lies below them: they work without anybody who looks.
ONLOOKERS = {"hang", "trace"}
MESSAGES = {"task", "layout", "transport", "network", "net_shm", "match", "gateway", "comm", "coll", "window", "aggregation",
            "objects"}
HEIGHT = {layer: height for height, row in enumerate(LAYERS) for layer in row}

# Public headers that only declare words which every layer may use. The others belong to api: only api includes them.
PUBLIC_BASE_HEADERS = {"call_site.hpp", "error.hpp", "export.hpp", "version.hpp", "datatypes.h", "number_array.h",
                       "detail/aggregation.hpp", "detail/archive.hpp", "detail/collectives.hpp", "detail/failure.hpp",
                       "detail/hash.hpp",
                       "detail/transfer.hpp"}

LONGEST_FILE = 400

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ORDERED = re.compile(r"memory_order(?:_|::)(?:acquire|release|acq_rel|seq_cst|consume)")
PAUSES = re.compile(r"\b(?:cpu_pause|_mm_pause|__builtin_ia32_pause|sched_yield|this_thread::yield)\b")
COMMENT = re.compile(r"//|/\*|^\s*\*")
PARTNER = re.compile(r"\b(?:pairs with|as in|see)\b(.*)", re.IGNORECASE | re.DOTALL)
FILE_NAME = re.compile(r"\b\w+\.(?:cpp|hpp|h)\b")
CALLED = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
LOOKS = re.compile(r"(?:\.|->)\s*(?:load|test)\s*\(|\b(?:poll|try_keep_network|try_lock\w*)\s*\(")
LOOKS_IN_BODY = re.compile(r"(?:\.|->)\s*(?:load|test)\s*\(\s*(?:\)|[\w:]*(?:acquire|seq_cst))|\bpoll\s*\(")
RESTS = re.compile(r"\b(?:sleep\w*|nanosleep|usleep|pause|let_others_run|progress_once)\s*\(")
TIMING = re.compile(r"\b\d+(?:\.\d+)?\s*(?:ns|us|ms)\b|\b\d+\.\d+ of (?:raw|MPI)")
OUTPUT = re.compile(r"\b(?:fmt|std)::print(?:ln)?\b|\bstd::(?:cerr|cout|clog)\b|"
                    r"\b(?:v?[df]?printf|f?puts|f?putc|putchar|fwrite|perror|psignal|v?warnx?|backtrace_symbols_fd|writev)\s*\(|"
                    r"(?<!\w)::write\s*\(|\b(?:stderr|stdout|STDERR_FILENO|STDOUT_FILENO)\b")


def layer_of_include(kind: str, name: str) -> str | None:
    """The layer that an #include reaches, or None for the standard library and other people's headers."""
    if kind == "<":
        if name == "pure.h":
            return "api"
        if name.startswith("pure/"):
            return "base" if name[len("pure/"):] in PUBLIC_BASE_HEADERS else "api"
        return None
    return name.split("/")[0] if "/" in name else "(relative)"


def includes_point_downward(root: Path) -> Iterator[str]:
    for path in files(root, ["src"], CXX):
        layer = path.relative_to(root / "src").parts[0]
        where = path.relative_to(root)
        if layer not in HEIGHT:
            yield f"{where}: src/{layer} is not a layer (the list is in tests/house/source_rules.py)"
            continue
        for number, line in enumerate(lines_of(path), 1):
            if not (found := INCLUDE.match(line)):
                continue
            reached = layer_of_include(*found.groups())
            if reached is None or reached == layer:
                continue
            if reached not in HEIGHT:
                yield f'{where}:{number}: write "layer/file.hpp", from src: {line.strip()}'
            elif HEIGHT[reached] >= HEIGHT[layer] or reached not in PLUGINS.get(layer, HEIGHT):
                yield f"{where}:{number}: {layer} may not include {reached}, which is not below it: {line.strip()}"
            elif layer in MESSAGES and reached in ONLOOKERS:
                yield f"{where}:{number}: {layer} may not include {reached}, which only looks on: {line.strip()}"


def includes_make_no_large_knots(root: Path) -> Iterator[str]:
    """Of sources that include each other in a circle, none can be understood, or tested, without the others."""
    for knot in knots(root):
        room = knot[0].split("/")[0]
        if len(knot) > (most := KNOTS_OF_MANY_FILES.get(room, MOST_FILES_OF_A_KNOT)):
            yield (f"src/{room}: {len(knot)} sources include each other in circles, more than {most}: cut an include "
                   f"({', '.join(knot)})")


NAMES_FOR_DOORS = {"api/foreign": {"api/mpi/constants.hpp", "api/mpi/message_status.hpp", "api/mpi/object_names.hpp",
                                   "api/doors/jump.hpp"},
                   "api/fortran": {"api/doors/jump.hpp"}}


def doors_are_strangers(root: Path) -> Iterator[str]:
    """A folder in src/api is a door: it includes nothing of another one, but what the core calls things."""
    for path in files(root, ["src/api"], CXX):
        door = path.parent.relative_to(root / "src").as_posix()
        for number, line in enumerate(lines_of(path), 1):
            if (found := INCLUDE.match(line)) and found.group(1) == '"' and found.group(2).startswith("api/"):
                reached = Path(found.group(2)).parent.as_posix()
                if reached not in (door, "api") and found.group(2) not in NAMES_FOR_DOORS.get(door, ()):
                    yield f"{path.relative_to(root)}:{number}: {door} may not include {reached}: {line.strip()}"


def folders_of_rooms_are_known_to_their_makers(root: Path) -> Iterator[str]:
    for path in files(root, ["src"], CXX):
        where = path.relative_to(root / "src")
        for number, line in enumerate(lines_of(path), 1):
            if not (found := INCLUDE.match(line)):
                continue
            folder = Path(found.group(2)).parent.as_posix()
            if where.parent.as_posix() != folder and where.as_posix() not in MAKERS.get(folder, {where.as_posix()}):
                yield f"src/{where}:{number}: only what makes them may include {folder}: {line.strip()}"


def only_plugins_see_mpi(root: Path) -> Iterator[str]:
    for path in files(root, ["src", "include", "tools"], CXX):
        where = path.relative_to(root)
        if str(where).startswith("src/net_mpi/") or where.as_posix() in (
                "src/api/mpi/mpi_h.hpp",  # our own mpi.h
                "src/api/fortran/side.hpp",  # a part of programs, which calls MPI by its names
                "src/api/foreign/core.hpp",  # the header that is made for each door
                "include/pure/mpi_names.h"):  # whose programs are to be those of an MPI
            continue
        for number, line in enumerate(lines_of(path), 1):
            if (found := INCLUDE.match(line)) and found.group(2) == "mpi.h":
                yield f"{where}:{number}: only src/net_mpi sees an MPI: {line.strip()}"


def public_headers_are_self_contained(root: Path) -> Iterator[str]:
    """An installed header includes installed headers only, and points downward too."""
    for path in files(root, ["include"], CXX):
        where = path.relative_to(root)
        is_base = str(path.relative_to(root / "include")) in {f"pure/{name}" for name in PUBLIC_BASE_HEADERS}
        for number, line in enumerate(lines_of(path), 1):
            if not (found := INCLUDE.match(line)):
                continue
            if found.group(1) == '"':
                yield f"{where}:{number}: a public header includes <pure/...>: {line.strip()}"
            elif is_base and layer_of_include(*found.groups()) == "api":
                yield f"{where}:{number}: a header for every layer may not include one of api: {line.strip()}"


def files_are_short(root: Path) -> Iterator[str]:
    for path in files(root, SOURCE_FOLDERS, SOURCES):
        if (length := len(lines_of(path))) > LONGEST_FILE:
            yield f"{path.relative_to(root)}: {length} lines, more than {LONGEST_FILE}: split it"


def files_say_what_they_are(root: Path) -> Iterator[str]:
    for path in files(root, SOURCE_FOLDERS, SOURCES):
        if path.with_suffix(".hpp").exists() and path.suffix == ".cpp":
            continue  # the header says it for both
        comment = ("//", "/*") if path.suffix in CXX else ("#", '"""', "//", "/*")
        if not path.read_text(encoding="utf-8").startswith(comment):
            yield f"{path.relative_to(root)}:1: a file begins with a comment that says what it is"


def file_names_are_found_once(root: Path) -> Iterator[str]:
    """Who is told the name of a file knows the file. But each door has names of its own, and so has include."""
    places = dict[str, list[str]]()
    for path in files(root, ["src"], CXX):
        if (where := path.relative_to(root / "src")).parts[0] != "api":
            places.setdefault(path.name, []).append(where.as_posix())
    for name in sorted(places.keys() | FILES_OF_ONE_NAME.keys()):
        count, most = len(found := places.get(name, [])), FILES_OF_ONE_NAME.get(name, 1)
        if count > most:
            yield f"src: {name} is the name of {count} files, more than {most}: find another ({', '.join(found)})"
        elif name in FILES_OF_ONE_NAME and count < most:
            yield f"src: {name} is the name of {count} files, not {most}: FILES_OF_ONE_NAME has to follow"


def headers_are_included_once(root: Path) -> Iterator[str]:
    for path in files(root, SOURCE_FOLDERS, {".hpp", ".h"}):
        if not re.search(r"^#pragma once$|^#ifndef \w+_H$", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield f"{path.relative_to(root)}: no #pragma once"


def comment_near(lines: list[str], index: int) -> str:
    """The comment on the line or at most two lines above; of one that begins higher up, all of it."""
    first = max(0, index - 2)
    while first > 0 and lines[first].lstrip().startswith("//") and lines[first - 1].lstrip().startswith("//"):
        first -= 1
    return " ".join(line[found.end():] for line in lines[first:index + 1] if (found := COMMENT.search(line)))


def names_a_partner(comment: str, names: set[str]) -> bool:
    """Whether it says "pairs with", "as in" or "see", and then the name of a function, with its (), or of a file."""
    if (found := PARTNER.search(comment)) is None:
        return False
    return any(name in names for name in CALLED.findall(found[1]) + FILE_NAME.findall(found[1]))


def memory_orders_name_their_partner(root: Path) -> Iterator[str]:
    code = list(files(root, ["src", "include"], CXX))
    names = {path.name for path in code}
    for path in code:
        names.update(CALLED.findall(bare(path.read_text(encoding="utf-8"))))
    for path in code:
        lines = lines_of(path)
        for index, line in enumerate(lines):
            if ORDERED.search(line.split("//")[0]) and not names_a_partner(comment_near(lines, index), names):
                yield (f"{path.relative_to(root)}:{index + 1}: say what this order pairs with, on the line or at most "
                       'two lines above ("pairs with", "as in" or "see", then a function() or a file that src has): '
                       f"{line.strip()}")


def only_the_wait_spins(root: Path) -> Iterator[str]:
    for path in files(root, ["src"], CXX):
        where = path.relative_to(root)
        if str(where).startswith("src/runtime/wait"):
            continue
        for number, line in enumerate(lines_of(path), 1):
            if found := PAUSES.search(line.split("//")[0]):
                yield f"{where}:{number}: {found.group(0)} outside src/runtime/wait*: block with wait_until"


def loops_are_in_the_wait(root: Path) -> Iterator[str]:
    """A loop that polls may not be outside the wait, but for those of the list; which has no others."""
    seen = set[tuple[str, str]]()
    for path in files(root, ["src"], CXX):
        where = path.relative_to(root).as_posix()
        if where.startswith("src/runtime/wait"):
            continue
        code = bare(path.read_text(encoding="utf-8"))
        for loop in loops(code):
            is_endless = loop.kind != "for" or not loop.condition
            if not (LOOKS.search(loop.condition) or RESTS.search(loop.condition + loop.body) or
                    is_endless and LOOKS_IN_BODY.search(loop.body)):
                continue
            around = [each.name for each in functions(code) if each.begin <= loop.begin <= each.end]
            function = around[0] if around else "(no function)"
            seen.add((where, function))
            if (where, function) not in LOOPS_OUTSIDE_THE_WAIT:
                number = code.count("\n", 0, loop.begin) + 1
                yield (f"{where}:{number}: a loop that polls, in {function}: block with wait_until, or say why not in "
                       "LOOPS_OUTSIDE_THE_WAIT of tests/house/exceptions.py")
    for where, function in sorted(LOOPS_OUTSIDE_THE_WAIT.keys() - seen):
        yield f"{where}: {function} has no loop that polls: take it off LOOPS_OUTSIDE_THE_WAIT"


def output_goes_through_one_place(root: Path) -> Iterator[str]:
    """What is said changes nothing, for it is written where nothing throws; but for the files of the list."""
    seen = set[str]()
    for path in files(root, ["src", "include", "tools"], CXX):
        where = path.relative_to(root).as_posix()
        for number, line in enumerate(bare(path.read_text(encoding="utf-8")).splitlines(), 1):
            if not (found := OUTPUT.search(line)):
                continue
            seen.add(where)
            if where not in OUTPUT_ELSEWHERE:
                yield (f"{where}:{number}: {found[0].strip()} may throw, block, raise a signal: say it with base/say.hpp or "
                       "base/output.hpp (a tool's results: standard_output.hpp)")
    for where in sorted(OUTPUT_ELSEWHERE.keys() - seen):
        yield f"{where}: it writes nothing: take it off OUTPUT_ELSEWHERE of tests/house/exceptions.py"


def classes_are_in_few_files(root: Path) -> Iterator[str]:
    places = dict[str, set[str]]()
    for path in files(root, ["src"], CXX):
        for function in functions(bare(path.read_text(encoding="utf-8"))):
            if "::" in function.written:
                places.setdefault(function.written.split("::")[-2], set()).add(path.name)
    many = {name for name, where in places.items() if len(where) > MOST_FILES_OF_A_CLASS}
    for name in sorted(many - CLASSES_IN_MANY_FILES.keys()):
        yield (f"src: members of {name} are defined in {len(places[name])} files, more than {MOST_FILES_OF_A_CLASS}: "
               f"make parts that own their state ({', '.join(sorted(places[name]))})")
    for name in sorted(CLASSES_IN_MANY_FILES.keys() - many):
        yield f"src: {name} is in {len(places.get(name, ()))} files: take it off CLASSES_IN_MANY_FILES"


def classes_have_few_members(root: Path) -> Iterator[str]:
    decisions = root / DECISIONS
    rows = decisions.read_text(encoding="utf-8") if decisions.exists() else ""
    counted = dict[str, tuple[int, str]]()
    for path in files(root, ["src"], CXX):
        for each in classes(bare(path.read_text(encoding="utf-8"))):
            where = path.relative_to(root).as_posix()
            counted[each.name] = max(counted.get(each.name, (0, "")), (each.members, where))
    for name, (count, where) in sorted(counted.items()):
        most, row = CLASSES_OF_MANY_MEMBERS.get(name, (MOST_MEMBERS, None))
        if count > most:
            yield f"{where}: {name} has {count} members, more than {most}: make parts that own their state"
        elif row is not None and f'<a id="{row}">' not in rows:
            yield f"{where}: {DECISIONS} has no row {row}, which says why {name} is one class"
    for name, (most, _) in sorted(CLASSES_OF_MANY_MEMBERS.items()):
        if counted.get(name, (0, ""))[0] < most:
            yield f"src: {name} has {counted.get(name, (0, ''))[0]} members, not {most}: CLASSES_OF_MANY_MEMBERS has to follow"


def measurements_are_decisions(root: Path) -> Iterator[str]:
    """Measured figures are in the rows of docs/decisions.md, with their machines; comments name a row."""
    decisions = root / DECISIONS
    rows = set(re.findall(r'<a id="(D-[a-z0-9-]+)">', decisions.read_text(encoding="utf-8") if decisions.exists() else ""))
    for path in files(root, ["src"], CXX):
        for number, comment in comment_blocks(path.read_text(encoding="utf-8")):
            where = f"{path.relative_to(root)}:{number}"
            cited = re.findall(r"\bD-[a-z0-9]+(?:-[a-z0-9]+)*", comment)
            if (found := TIMING.search(comment)) and not cited:
                yield f"{where}: a timing that cites no row of {DECISIONS}: {found[0]}"
            for row in cited:
                if row not in rows:
                    yield f"{where}: {DECISIONS} has no row {row}"


def pipes_are_read_to_their_ends(root: Path) -> Iterator[str]:
    for path in files(root, [*SOURCE_FOLDERS, "packaging", ".ci"], {".sh", ".bash", ".in", ""}):
        yield from (f"{path.relative_to(root)}:{number}: {complaint}" for number, complaint in early_readers(path))


RULES = [
    includes_point_downward,
    includes_make_no_large_knots,
    doors_are_strangers,
    folders_of_rooms_are_known_to_their_makers,
    only_plugins_see_mpi,
    public_headers_are_self_contained,
    files_are_short,
    files_say_what_they_are,
    file_names_are_found_once,
    headers_are_included_once,
    memory_orders_name_their_partner,
    only_the_wait_spins,
    loops_are_in_the_wait,
    output_goes_through_one_place,
    classes_are_in_few_files,
    classes_have_few_members,
    architecture_is_read_in_ten_minutes,
    measurements_are_decisions,
    comments_name_their_subject,
    fewer_comments_point_elsewhere,
    pipes_are_read_to_their_ends,
]


def violations(root: Path) -> list[str]:
    return [violation for rule in RULES for violation in rule(root)]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(sys.argv[1])
    if not any(files(root, ["src"], CXX)):
        print(f"{root} has no sources in src/: wrong folder?", file=sys.stderr)
        return 2
    found = violations(root)
    found += [f"src: {room} has {count} comments that point elsewhere: COMMENTS_THAT_POINT_ELSEWHERE has to follow"
              for room, count in comments_that_point_elsewhere(root).items()
              if count < COMMENTS_THAT_POINT_ELSEWHERE.get(room, 0)]
    for violation in found:
        print(violation)
    print(f"{len(RULES)} rules, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
