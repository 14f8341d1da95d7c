"""mpi.h of the MPI 5.0 standard ABI (MPI 5.0, chapter 20), from the table."""
from mpi_table import Function, Section, Table, TOOL_HANDLES

OPENING = """\
/* mpi.h of Pure: MPI 5.0 for C and C++, with the standard ABI. A program that is compiled with this file runs on any MPI
 * whose library is libmpi_abi.so.1. Written by src/api/mpi/generate.py from src/api/mpi/table: change these instead.
 *
 * Handles are pointers; the predefined ones are small numbers. What Pure does not do yet is declared all the same, and
 * ends with MPI_ERR_UNSUPPORTED_OPERATION: docs/mpi_coverage.md. */
#ifndef PURE_MPI_H
#define PURE_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;

typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;
"""

CLOSING = """
#ifdef __cplusplus
}
#endif

#endif
"""


def handle_type(name: str) -> str:
    return f"typedef struct {name.replace('MPI_', 'MPI_ABI_', 1)} *{name};"


def macros(section: Section) -> list[str]:
    lines = []
    for each in section.constants:
        value = each.value
        if not value.startswith("MPI_"):
            value = value if section.c_type == "int" else f"(({section.c_type}){value})"
            if value.startswith("-"):
                value = f"({value})"
        lines.append(f"#define {each.name} {value}")
    return lines


def enumeration(section: Section) -> list[str]:
    values = [f"  {each.name} = {each.value}," for each in section.constants]
    values[-1] = values[-1].rstrip(",")
    name = section.c_type
    return [f"typedef enum {name} {{" if name else "enum {", *values, f"}} {name};" if name else "};"]


def callback(of: Function, large_callbacks: set[str]) -> list[str]:
    return [f"typedef {of.result} ({of.c_name(large)})({of.declared_parameters(large, large_callbacks)});"
            for large in of.forms()]


def prototypes(of: Function, large_callbacks: set[str]) -> list[str]:
    space = "" if of.result.endswith("*") else " "
    return [f"{of.result}{space}{prefix}{of.c_name(large)}({of.declared_parameters(large, large_callbacks)});"
            for prefix in ("", "P") for large in of.forms()]


def header(table: Table) -> str:
    large_callbacks = table.large_callbacks()
    lines = [OPENING]
    for section in table.sections:
        if section.form == "handle":
            lines += [handle_type(section.c_type), *macros(section), ""]
    lines += [*(handle_type(name) for name in TOOL_HANDLES.values()), ""]
    for section in table.sections:
        if section.form == "enum":
            lines += [*enumeration(section), ""]
    for each in table.callbacks:
        lines += callback(each, large_callbacks)
    lines += [f"typedef MPI_{of}_errhandler_function MPI_{of}_errhandler_fn;" for of in ("Comm", "File", "Win", "Session")]
    lines.append("")
    for section in table.sections:
        if section.form == "define":
            lines += [*macros(section), ""]
    chapter = ""
    for each in table.all_functions():
        if each.chapter != chapter:
            chapter = each.chapter
            title = "removed by MPI 3.0; old programs call them" if chapter == "removed" else (
                f"chapter {int(chapter[:2])}: {chapter[3:].replace('_', ' ')}")
            lines += ["", f"/* {title} */"]
        lines += prototypes(each, large_callbacks)
    return "\n".join(lines) + "\n" + CLOSING
