"""docs/mpi_coverage.md: which functions of MPI 5.0 there are, from the table."""
from mpi_table import STATES, Table

MEANING = {
    "there": "does what the standard says",
    "small": "refused; the library has all that it takes",
    "new": "refused; takes something that the library has not got yet",
    "later": "refused; left to an issue of its own",
}

OPENING = """\
# Which functions of MPI there are

`libmpi_abi.so.1` has every function of the standard ABI of MPI 5.0, also as `PMPI_`, and the ones of MPI-1 that old programs
call. A function that is refused returns `MPI_ERR_UNSUPPORTED_OPERATION` through the error handler, which says its name: by
default the job ends. `src/api/mpi/generate.py` writes this page from `src/api/mpi/table`; `f`+`_c` are two functions.

Limits of what is there, each an error that says so: `MPI_REAL16`, `MPI_COMPLEX32` and `MPI_INTEGER16` are combined by
predefined operators where the compiler that Pure was built with has such numbers (GCC and Clang on x86-64 do);
`MPI_THREAD_SERIALIZED` is the highest level of threads. Ranks are threads with globals of their own, or processes:
[mpi.md](mpi.md#what-a-rank-is). A program may use [Pure's own interfaces](mpi.md#pures-own-interfaces) as well.

More than the standard asks for: an error that concerns no object goes to the handler of `MPI_COMM_WORLD` where the
program has set that one and not `MPI_COMM_SELF`'s, as before MPI 4.0; arithmetic operators and `MPI_Compare_and_swap`
take `MPI_CHAR` as a number; arrays of counts of a collective that goes on without its call may be changed at once.
"""


def title(chapter: str) -> str:
    return "removed by MPI 3.0" if chapter == "removed" else f"{int(chapter[:2])} {chapter[3:].replace('_', ' ')}"


def coverage(table: Table) -> str:
    functions = table.all_functions()
    chapters = list(dict.fromkeys(each.chapter for each in functions))

    def count(chapter: str | None, state: str) -> int:
        return sum(len(each.forms()) for each in functions
                   if each.state == state and chapter in (None, each.chapter))

    lines = [OPENING]
    lines += ["| state | functions | a call |", "|---|---|---|"]
    lines += [f"| {state} | {count(None, state)} | {MEANING[state]} |" for state in STATES]
    lines += ["", f"| chapter | {' | '.join(STATES)} |", f"|---|{'---|' * len(STATES)}"]
    for chapter in chapters:
        lines.append(f"| {title(chapter)} | {' | '.join(str(count(chapter, state)) for state in STATES)} |")
    for chapter in chapters:
        lines += ["", f"## Chapter {title(chapter)}" if chapter != "removed" else "## Removed by MPI 3.0", ""]
        for state in STATES:
            names = [f"`{each.name}`{'+`_c`' if each.has_large else ''}" for each in functions
                     if each.chapter == chapter and each.state == state]
            if names:
                lines.append(f"- **{state}**: {', '.join(names)}")
    return "\n".join(lines) + "\n"
