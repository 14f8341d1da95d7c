#!/usr/bin/env python3
"""Compiles and runs the C++ programs of README.md and docs/*.md.

usage: doc_programs.py ROOT BUILD_DIR COMPILER

A ```cpp block with a main is a program: it is compiled as a user would (C++20, every warning an error), and must
exit with 0. It runs as `purerun -n 4 PROGRAM`; a comment on the line before the block may say otherwise:
    <!-- test: PURE_RANKS=2 {} -->
A block that cannot stand alone is preceded by <!-- fragment -->. Shell blocks and the like are not run.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

FENCE = re.compile(r"^(\s*)```(\w*)")
FRAGMENT = "<!-- fragment -->"
COMMAND = re.compile(r"<!-- test: (.*\S) -->")
# What a program includes anyway, it gets precompiled, and before the rest: a third of the time.
PRECOMPILED = ("pure/pure.hpp", "pure.h")
MAIN = re.compile(r"\bmain\s*\(")
DEFAULT_COMMAND = "purerun -n 4 {}"


class BadDocument(Exception):
    pass


@dataclass
class Program:
    where: str  # file:line of the block
    text: str
    command: str


def programs_in(name: str, document: str) -> list[Program]:
    programs = []
    lines = document.splitlines()
    index = 0
    while index < len(lines):
        opening = FENCE.match(lines[index])
        index += 1
        if not opening:
            continue
        where, first = f"{name}:{index}", index
        while index < len(lines) and lines[index].strip() != "```":
            index += 1
        if index == len(lines):
            raise BadDocument(f"{where}: this block has no end")
        text = "\n".join(lines[first:index]) + "\n"
        index += 1
        if opening.group(2) not in ("cpp", "c++", "cc", "c"):
            continue
        above = next((line.strip() for line in reversed(lines[:first - 1]) if line.strip()), "")
        stands_alone = bool(MAIN.search(text))
        if above == FRAGMENT and stands_alone:
            raise BadDocument(f"{where}: a block with a main is no fragment: let it be compiled")
        if above != FRAGMENT and not stands_alone:
            raise BadDocument(f"{where}: a block without a main: make it a program, or write {FRAGMENT} above it")
        if stands_alone:
            said = COMMAND.fullmatch(above)
            programs.append(Program(where, text, said.group(1) if said else DEFAULT_COMMAND))
    return programs


def precompile(compiling: list[str], folder: str) -> dict[str, Path]:
    """A file to be included for each header, with the compiled one beside it, where GCC looks."""
    files = {}
    for number, header in enumerate(PRECOMPILED):
        file = files[header] = Path(folder, f"precompiled{number}.hpp")
        file.write_text(f"#include <{header}>\n", encoding="utf-8")
        subprocess.run([*compiling, "-x", "c++-header", file, "-o", f"{file}.gch"], check=True)
    return files


def options_for(text: str, precompiled: dict[str, Path]) -> list[str]:
    """What adds a precompiled header, for a program that includes the header before it defines a macro."""
    includes = text.partition("#define")[0].splitlines()
    header = next((name for line in includes for name in precompiled if line == f"#include <{name}>"), None)
    return ["-include", str(precompiled[header])] if header else []


def check(program: Program, build: Path, compiling: list[str], precompiled: dict[str, Path], folder: str) -> str | None:
    """What is wrong with the program, or None."""
    source, binary = Path(folder, "program.cpp"), Path(folder, "program")
    source.write_text(program.text, encoding="utf-8")
    compiled = subprocess.run(
        [*compiling, *options_for(program.text, precompiled), source, "-o", binary,
         f"-L{build}/lib", f"-Wl,-rpath,{build}/lib", "-lpure"],
        capture_output=True, text=True)
    if compiled.returncode != 0:
        return f"does not compile\n{compiled.stderr}"
    environment = os.environ | {"PATH": f"{build}/bin:{os.environ['PATH']}"}
    command = program.command.replace("{}", shlex.quote(str(binary)))
    ran = subprocess.run(["timeout", "60", "bash", "-c", command], cwd=folder, env=environment, capture_output=True,
                         text=True)
    if ran.returncode == 124:
        return f"`{program.command}` still runs after 60 s\n{ran.stdout}{ran.stderr}"
    if ran.returncode != 0:
        return f"`{program.command}` exits with {ran.returncode}\n{ran.stdout}{ran.stderr}"
    return None


def check_document(document: Path, root: Path, build: Path, compiling: list[str], precompiled: dict[str, Path]) -> bool:
    """Says what it finds of each program; whether all is well."""
    try:
        programs = programs_in(str(document.relative_to(root)), document.read_text(encoding="utf-8"))
    except (BadDocument, FileNotFoundError) as error:
        print(error)
        return False
    good = True
    for program in programs:
        with tempfile.TemporaryDirectory() as folder:
            problem = check(program, build, compiling, precompiled, folder)
        print(f"{program.where}: {problem or 'ok'}", flush=True)
        good = good and problem is None
    return good


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    root, build, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    compiling = [compiler, "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{root}/include"]
    documents = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    with tempfile.TemporaryDirectory() as headers:
        precompiled = precompile(compiling, headers)
        failed = not all([check_document(document, root, build, compiling, precompiled) for document in documents])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
