#!/usr/bin/env python3
"""The rules that every source file keeps; CONTRIBUTING.md says why. Prints each violation, exits 1 if there is one.

usage: source_rules.py ROOT

source_rules_test.py plants a violation of every rule.
"""
import re
import sys
from pathlib import Path
from typing import Iterator

# From the lowest to the highest; a layer includes itself and what is lower. Layers of one row do not see each other.
LAYERS = [
    ["base"],
    ["runtime"],
    ["task"],
    ["layout"],
    ["transport"],
    ["match"],
    ["comm"],
    ["coll"],
    ["window", "aggregate"],
    ["api", "net_mpi"],
]
# The plug-ins are no part of the library: they see the interface that they implement, and what lies at the bottom.
PLUGINS = {"net_mpi": {"base", "transport"}}
HEIGHT = {layer: height for height, row in enumerate(LAYERS) for layer in row}

# Public headers that only declare words which every layer may use. The others belong to api: only api includes them.
PUBLIC_BASE_HEADERS = {"call_site.hpp", "error.hpp", "export.hpp", "version.hpp", "datatypes.h",
                       "detail/archive.hpp", "detail/collectives.hpp", "detail/hash.hpp", "detail/transfer.hpp"}

LONGEST_FILE = 400
SOURCE_FOLDERS = ["include", "src", "tools", "examples", "bench", "tests", "cmake"]
CXX = {".cpp", ".hpp", ".h"}
SOURCES = CXX | {".py", ".sh", ".bash", ".pml", ".inc", ".cmake", ""}  # "": bench/run, Makefile

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ORDERED = re.compile(r"memory_order(?:_|::)(?:acquire|release|acq_rel|seq_cst|consume)")
PAUSES = re.compile(r"\b(?:cpu_pause|_mm_pause|__builtin_ia32_pause|sched_yield|this_thread::yield)\b")
COMMENT = re.compile(r"//|/\*|^\s*\*")


def files(root: Path, folders: list[str], suffixes: set[str]) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes:
                yield path


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


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


def only_plugins_see_mpi(root: Path) -> Iterator[str]:
    for path in files(root, ["src", "include", "tools"], CXX):
        where = path.relative_to(root)
        if str(where).startswith("src/net_mpi/"):
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


def headers_are_included_once(root: Path) -> Iterator[str]:
    for path in files(root, SOURCE_FOLDERS, {".hpp", ".h"}):
        if not re.search(r"^#pragma once$|^#ifndef \w+_H$", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield f"{path.relative_to(root)}: no #pragma once"


def memory_orders_name_their_partner(root: Path) -> Iterator[str]:
    for path in files(root, ["src", "include"], CXX):
        lines = lines_of(path)
        for index, line in enumerate(lines):
            near = lines[max(0, index - 2):index + 1]
            if ORDERED.search(line.split("//")[0]) and not any(map(COMMENT.search, near)):
                yield (f"{path.relative_to(root)}:{index + 1}: say what this order pairs with, on the line or at most "
                       f"two lines above: {line.strip()}")


def only_the_wait_spins(root: Path) -> Iterator[str]:
    for path in files(root, ["src"], CXX):
        where = path.relative_to(root)
        if str(where).startswith("src/runtime/wait"):
            continue
        for number, line in enumerate(lines_of(path), 1):
            if found := PAUSES.search(line.split("//")[0]):
                yield f"{where}:{number}: {found.group(0)} outside src/runtime/wait*: block with wait_until"


RULES = [
    includes_point_downward,
    only_plugins_see_mpi,
    public_headers_are_self_contained,
    files_are_short,
    files_say_what_they_are,
    headers_are_included_once,
    memory_orders_name_their_partner,
    only_the_wait_spins,
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
    for violation in found:
        print(violation)
    print(f"{len(RULES)} rules, {len(found)} violations")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
