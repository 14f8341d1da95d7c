#!/usr/bin/env python3
"""docs/mpi_coverage.md is what the table says, and the library exports what the table has, and no more.

    coverage.py ROOT [LIBRARY]      without LIBRARY: the page alone
"""
import subprocess
import sys
from pathlib import Path

# What of libc the library stands in front of, what the launcher calls, and pure/tasks.h: src/api/mpi/exports.map.
OF_LIBC = {"__libc_start_main", "pure_take_program", "pure_run_program", "exit", "quick_exit", "_exit", "_Exit", "pthread_create", "thrd_create", "pthread_exit",
           "thrd_exit", "pthread_cancel", "err", "errx", "error", "verr", "verrx"}
TASKS = {"pure_parallel_for", "pure_parallel_reduce", "pure_task_execute", "pure_task_chunks", "pure_task_items"}


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
        listed = subprocess.run(["nm", "-D", "--defined-only", arguments[1]], check=True, capture_output=True, text=True)
        exported = {line.split()[-1] for line in listed.stdout.splitlines()}
        wanted = {prefix + name for name in table.names() for prefix in ("", "P")} | OF_LIBC | TASKS
        wrong += [f"exported, and not in the table: {name}" for name in sorted(exported - wanted)]
        wrong += [f"in the table, and not exported: {name}" for name in sorted(wanted - exported)]
        needed = subprocess.run(["readelf", "-d", arguments[1]], check=True, capture_output=True, text=True).stdout
        wrong += [f"the library needs {name}, which a program may have of its own" for name in
                  ("libstdc++", "libfmt", "libgcc_s", "libhwloc", "libpure") if f"[{name}." in needed]
    print("\n".join(wrong) or f"{2 * len(table.names())} functions: as the table says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
