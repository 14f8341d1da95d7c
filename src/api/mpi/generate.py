#!/usr/bin/env python3
"""Writes what comes from the table of the MPI door; CMake calls it.

    generate.py header FILE      mpi.h
    generate.py entries FOLDER   entries_CHAPTER.cpp, bodies.hpp, constants.hpp, datatypes.inc
    generate.py jumps FILE       the functions of libmpi_abi
    generate.py fortran FOLDER   include/mpif.h; fortran/mpi.F90, mpi_f08.F90; api/fortran/side_CHAPTER.cpp
    generate.py foreign NAME FOLDER   mpi.h, and the door of that interface (table/NAME.interface)
    generate.py foreign_fortran NAME FOLDER   likewise, its Fortran: api/fortran/side_CHAPTER.cpp
    generate.py coverage FILE    docs/mpi_coverage.md
    generate.py names            the functions that the library exports, one a line, on standard output

A file that has what it should is left alone, so that nothing is compiled again.
"""
import sys
from pathlib import Path

import write_foreign_entries as foreign
from mpi_interface import HAVE_DESCRIPTORS, read_interface
from mpi_table import BadTable, read_table
from write_coverage import coverage
from write_entries import entries, jumps
from write_fortran_modules import modules
from write_fortran_side import side
from write_header import header


def put(file: Path, text: str) -> None:
    if not file.is_file() or file.read_text() != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def main(arguments: list[str]) -> int:
    try:
        table = read_table()
        match arguments:
            case ["header", file]:
                put(Path(file), header(table))
            case ["entries", folder]:
                for name, text in entries(table).items():
                    put(Path(folder, name), text)
            case ["jumps", file]:
                put(Path(file), jumps(table))
            case ["fortran", folder]:
                for name, text in {**side(table), **modules(table)}.items():
                    put(Path(folder, name), text)
            case ["foreign", name, folder]:
                for file, text in foreign.entries(table, read_interface(name)).items():
                    put(Path(folder, file), text)
            case ["foreign_fortran", name, folder]:
                for file, text in side(table, has_descriptors=name in HAVE_DESCRIPTORS, is_mpich=name == "mpich").items():
                    put(Path(folder, file), text)
            case ["coverage", file]:
                put(Path(file), coverage(table))
            case ["names"]:
                print("\n".join(prefix + name for name in table.names() for prefix in ("", "P")))
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except BadTable as error:
        print(f"generate.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
