#!/usr/bin/env python3
"""docs/mpi_coverage.md is what the table says, and the door exports what the table has, and no more; nor does the core.

    coverage.py ROOT [DOOR CORE]      without libraries: the page alone
"""
import re
import subprocess
import sys
from pathlib import Path

# What of libc both libraries stand in front of, and pure/tasks.h: src/api/doors/beside_mpi.cpp, src/exports.map.
OF_LIBC = {"__libc_start_main", "exit", "quick_exit", "_exit", "_Exit", "pthread_create", "thrd_create", "pthread_exit", "thrd_exit",
           "pthread_cancel", "err", "errx", "error", "verr", "verrx"}
TASKS = {"pure_parallel_for", "pure_parallel_reduce", "pure_task_execute", "pure_task_chunks", "pure_task_items"}
OF_FORTRAN = {f"pure_mpi_{name}" for name in ("called_from", "raise", "op_create_fortran", "create_errhandler_fortran")}
OF_PROGRAMS = ("libstdc++", "libfmt", "libgcc_s", "libhwloc")  # which a program may have of its own


def exported_by(library: str) -> set[str]:
    listed = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in listed.splitlines()}


def needed_by(library: str) -> set[str]:
    listed = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    return {line.split("[")[1].split(".so")[0] for line in listed.splitlines() if "(NEEDED)" in line}


def wrong_door(library: str, wanted: set[str]) -> list[str]:
    exported = exported_by(library)
    return ([f"exported, and not in the table: {name}" for name in sorted(exported - wanted)]
            + [f"in the table, and not exported: {name}" for name in sorted(wanted - exported)]
            + [f"the door needs {name}" for name in sorted(needed_by(library) - {"libpure", "libpure_core", "libc"})])


def wrong_core(library: str, entries: set[str]) -> list[str]:
    exported = exported_by(library)
    # Functions of pure.h that have overloads are mangled: _Z9pure_send...
    strange = {name for name in exported - OF_LIBC if not re.match(r"(_Z\d+)?pure_", name)}
    return ([f"exported by the core: {name}" for name in sorted(strange)]
            + [f"not exported by the core: {name}" for name in sorted((entries | OF_LIBC) - exported)]
            + [f"the core needs {name}" for name in sorted(needed_by(library) & set(OF_PROGRAMS))])


def main(arguments: list[str]) -> int:
    root = Path(arguments[0])
    sys.path.insert(0, str(root / "src/api/mpi"))
    sys.dont_write_bytecode = True
    from mpi_table import read_table
    from write_coverage import coverage
    table, wrong = read_table(), []
    if (root / "docs/mpi_coverage.md").read_text() != coverage(table):
        wrong.append("docs/mpi_coverage.md is not what the table says: src/api/mpi/generate.py coverage docs/mpi_coverage.md")
    sys.path.insert(0, str(root / "tests/foreign"))
    from expected import Expected, reasons
    if reasons(Expected()) not in (root / "docs/mpi_foreign.md").read_text():
        wrong.append("docs/mpi_foreign.md is not what tests/foreign/expected.txt says: "
                     "tests/foreign/expected.py docs/mpi_foreign.md")
    if len(arguments) > 1:
        names = table.names()
        wrong += wrong_door(arguments[1], {prefix + name for name in names for prefix in ("", "P")} | OF_LIBC | TASKS | OF_FORTRAN)
        wrong += wrong_core(arguments[2], {f"pure_{name}" for name in names})
    print("\n".join(wrong) or f"{2 * len(table.names())} functions: as the table says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
