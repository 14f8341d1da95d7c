#!/usr/bin/env python3
"""Writes what an MPI's binary interface has, from its own headers and library: table/NAME.interface.

    read_interface.py NAME MPICC [MPIFORT [LATER_MPICC]] > table/NAME.interface

MPICC and MPIFORT are that MPI's wrappers; LATER_MPICC is of a later version with the same interface, whose constants are added. Two
programs say the values: nothing is read by hand, and the suite compares (tests/api_mpi/interfaces.py). What the columns are:
mpi_interface.py.
"""
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mpi_interface import ONLY_OF_INTERFACES
from mpi_table import Section, read_table

C_OPENING = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

static void show_number(const char* name, long long value) { printf("%s | %lld\n", name, value); }
static void show_int(const char* name, const void* at) { printf("%s | 0x%08x\n", name, *(const unsigned*)at); }
static void show_address(const char* name, const void* value) {
  Dl_info found;
  if (value && dladdr(value, &found) && found.dli_sname && found.dli_saddr == value)
    printf("%s | %s\n", name, found.dli_sname);
  else
    printf("%s | %lld\n", name, (long long)value);
}
"""


# Variables besides those that constants mean.
OTHER_DATA = re.compile(r"MPI_|mpi_fortran_|MPIR_(C|F08)_|ompi_mpi_(lb|ub|2cplex|2dblcplex|c_complex|integer16|ldblcplex|real2|errors_throw_exceptions)$")


def run(*command: str, **options: object) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


@dataclass(frozen=True)
class Program:
    """A program that says what names mean, with one line for each."""
    opening: str
    line: Callable[[str], str]
    closing: str

    def output(self, compiler: str, source: Path, names: list[str]) -> dict[str, str]:
        """Without the names that the compiler does not know."""
        program, before = source.with_suffix(""), self.opening.count("\n") + 1
        while True:
            source.write_text("\n".join([self.opening, *map(self.line, names), self.closing]))
            done = subprocess.run([compiler, "-w", str(source), "-o", str(program), "-ldl"], capture_output=True, text=True)
            if done.returncode == 0:
                return dict(line.split(" | ") for line in run(str(program)).splitlines())
            wrong = {int(each) - before - 1 for each in re.findall(rf"^{re.escape(str(source))}:(\d+):", done.stderr, re.MULTILINE)}
            left = [name for at, name in enumerate(names) if at not in wrong]
            if len(left) == len(names):
                raise RuntimeError(done.stderr[:2000])
            names = left


def c_program(sections: dict[str, Section]) -> Program:
    def line(name: str) -> str:
        of = sections[name]
        if of.form == "handle":
            return (f'{{ {of.c_type} it = {name}; if (sizeof it == sizeof(int)) show_int("{name}", &it); '
                    f'else show_address("{name}", (void*)(long)it); }}')
        if is_number(of):
            return f'show_number("{name}", {name});'
        return f'{{ {of.c_type} it = ({of.c_type}){name}; show_address("{name}", (void*)it); }}'
    return Program(C_OPENING + "int main(void) {", line, "return 0; }\n")


FORTRAN = Program("program values\nimplicit none\ninclude 'mpif.h'", lambda name: f"write (*, '(A, I0)') '{name} | ', {name}",
                  "end program\n")


def is_number(section: Section) -> bool:
    return section.form == "enum" or section.c_type in ("int", "MPI_Offset")


def shown_sizes(compiler: str, folder: Path) -> dict[str, str]:
    source = folder / "sizes.c"
    fields = ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")
    shown = [f'show_number("{each}", offsetof(MPI_Status, {each}));' for each in fields]
    shown += [f'show_number("sizeof {each}", sizeof({each}));' for each in
              ("MPI_Status", "MPI_Aint", "MPI_Count", "MPI_Offset", "MPI_Fint", "MPI_Comm")]
    source.write_text(f"{C_OPENING}int main(int argc, char** argv) {{ if (argc > 1) MPI_Init(&argc, &argv); {' '.join(shown)} return 0; }}")
    run(compiler, "-w", str(source), "-o", str(folder / "sizes"))
    return dict(line.split(" | ") for line in run(str(folder / "sizes")).splitlines())


def library_of(program: Path) -> str:
    for line in run("ldd", str(program)).splitlines():
        found = re.match(r"\s*(libmpi(?:ch)?\.so\.\d+) => (\S+)", line)
        if found:
            return found.group(2)
    raise RuntimeError("the program has no library of an MPI")


def data_of(library: str) -> dict[str, int]:
    """Variables that a program may import, with their sizes."""
    found = {}
    for line in run("nm", "-D", "-S", "--defined-only", library).splitlines():
        words = line.split()
        if words[-2] in "BDRV" and len(words) == 4:
            found[words[-1].partition("@")[0]] = int(words[1], 16)
    return found


def read_c(mpicc: str, folder: Path) -> tuple[dict[str, str], dict[str, str], dict[str, int]]:
    """Of a header and its library: constants, sizes of types, and variables."""
    sections = sections_by_constant()
    values = c_program(sections).output(mpicc, folder / "values.c", list(sections))
    sizes = shown_sizes(mpicc, folder)
    data = data_of(library_of(folder / "sizes"))
    values.update({each: f"*{each}" for each in values if each in data})
    return values, sizes, data


def sections_by_constant() -> dict[str, Section]:
    return {each.name: section for section in (*read_table().sections, *ONLY_OF_INTERFACES) for each in section.constants}


def with_later(values: dict[str, str], later: dict[str, str]) -> dict[str, str]:
    """What a later version has besides, or where the first one has no such datatype; anything else would be another interface."""
    null = values["MPI_DATATYPE_NULL"]
    other = [each for each in values if each in later and later[each] != values[each] and values[each] != null and
             each not in ("MPI_VERSION", "MPI_SUBVERSION")]
    if other:
        raise RuntimeError(f"the later version has other values: {', '.join(other)}")
    return {**later, **{each: value for each, value in values.items() if value != null or each == "MPI_DATATYPE_NULL"}}


def read(name: str, mpicc: str, mpifort: str = "", later_mpicc: str = "") -> str:
    """The text of the file. No MPIFORT: nothing of Fortran."""
    sections = sections_by_constant()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        values, sizes, data = read_c(mpicc, folder)
        if later_mpicc:
            later, later_sizes, later_data = read_c(later_mpicc, folder)
            values = with_later(values, later)
            if sizes != later_sizes:
                raise RuntimeError("the later version has other sizes")
            data = {each: max(data.get(each, 0), later_data.get(each, 0)) for each in (*data, *later_data)}
        numbers = [each for each, section in sections.items() if section.form == "handle" or is_number(section)]
        fortran = FORTRAN.output(mpifort, folder / "values.f90", numbers) if mpifort else {}
    lines = [f"# {name}, of MPI {values['MPI_VERSION']}.{values['MPI_SUBVERSION']}. Written by src/api/mpi/read_interface.py: change nothing here.",
             "[sizes]", *(f"{each} | {value}" for each, value in sizes.items())]
    for form in ("handles", "values", "addresses"):
        lines.append(f"[{form}]")
        for each, section in sections.items():
            if each in values and form == ("handles" if section.form == "handle" else "values" if is_number(section) else "addresses"):
                lines.append(f"{each} | {values[each]} | {fortran.get(each, '-')}")
    lines.append("[data]")
    lines += [f"{each} | {size}" for each, size in sorted(data.items()) if each in values.values() or OTHER_DATA.match(each)]
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    if not 3 <= len(sys.argv) <= 5:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    print(read(*sys.argv[1:]), end="")
