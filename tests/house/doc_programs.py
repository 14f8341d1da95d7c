#!/usr/bin/env python3
"""Follows README.md and docs/*.md as a reader would: compiles and runs the programs, runs the commands, compares what is
printed with what the pages say. doc_pages.py has the rules; what builds Pure is left to `make fresh`.

usage: doc_programs.py ROOT BUILD_DIR COMPILER [PAGE...]

The build is installed into $HOME/opt/pure of a home of its own, as docs/quickstart.md does it, and each page is followed
in an empty folder.
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from doc_pages import BadDocument, Step, judge, script_for, steps_of

# What a program includes anyway, it gets precompiled, and before the rest: a third of the time. C++17 is pure.h's only.
PRECOMPILED = {("pure/pure.hpp", "c++20"), ("pure.h", "c++20"), ("pure.h", "c++17")}
SECONDS_FOR_A_PAGE = 240


def precompile(compiling: list[str], folder: Path) -> dict[tuple[str, str], Path]:
    """A file to be included for each header and standard, with the compiled one beside it, where GCC looks."""
    files = {}
    for number, (header, standard) in enumerate(sorted(PRECOMPILED)):
        file = files[header, standard] = folder / f"precompiled{number}.hpp"
        file.write_text(f"#include <{header}>\n", encoding="utf-8")
        subprocess.run([*compiling, f"-std={standard}", "-x", "c++-header", file, "-o", f"{file}.gch"], check=True)
    return files


def options_for(text: str, standard: str, precompiled: dict[tuple[str, str], Path]) -> list[str]:
    """What adds a precompiled header, for a program that includes the header before it defines a macro."""
    includes = text.partition("#define")[0].splitlines()
    for line in includes:
        for header in ("pure/pure.hpp", "pure.h"):
            if line == f"#include <{header}>" and (header, standard) in precompiled:
                return ["-include", str(precompiled[header, standard])]
    return []


def follow(name: str, steps: list[Step], home: Path, compiling: list[str],
           precompiled: dict[tuple[str, str], Path]) -> list[tuple[str, str]]:
    """Where and what is wrong, or "ok", for every step of one page."""
    prefix = home / "opt/pure"
    folder, results = home / name.replace("/", ".") , home / "results" / name.replace("/", ".")
    folder.mkdir()
    results.mkdir(parents=True)
    script = results / "script.sh"
    script.write_text(script_for(steps, str(results), compiling, [f"-L{prefix}/lib", f"-Wl,-rpath,{prefix}/lib", "-lpure"],
                                 None, lambda text, standard: options_for(text, standard, precompiled)),
                      encoding="utf-8")
    environment = os.environ | {"HOME": str(home), "PATH": f"{prefix}/bin:{os.environ['PATH']}"}
    for given in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS"):  # the test may run below another make
        environment.pop(given, None)
    try:
        ended = subprocess.run(["bash", str(script)], cwd=folder, env=environment, timeout=SECONDS_FOR_A_PAGE)
    except subprocess.TimeoutExpired:
        return [*judge(steps, results), (name, f"is not through after {SECONDS_FOR_A_PAGE} s")]
    found = judge(steps, results)
    if ended.returncode != 0 and all(problem == "ok" for _, problem in found):
        found.append((name, f"the script that follows the page ends with status {ended.returncode}"))
    return found


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    root, build, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    pages = [Path(page) for page in sys.argv[4:]] or [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder).resolve()
        prefix = home / "opt/pure"
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        compiling = [compiler, "-O0", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{prefix}/include"]
        precompiled = precompile(compiling, home)
        for page in pages:
            name = str(page.resolve().relative_to(root.resolve()))
            try:
                steps = steps_of(name, page.read_text(encoding="utf-8"))
            except (BadDocument, FileNotFoundError) as error:
                print(error, flush=True)
                failed = True
                continue
            for where, problem in follow(name, steps, home, compiling, precompiled):
                print(f"{where}: {problem}", flush=True)
                failed = failed or problem != "ok"
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
