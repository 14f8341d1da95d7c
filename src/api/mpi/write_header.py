"""mpi.h of the MPI 5.0 standard ABI (MPI 5.0, chapter 20), from the table."""
from mpi_table import Function, Section, Table

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

# The ABI leaves these to each header (MPI 5.0, 19.3.4 and 19.3.5), and many programs in C have entries for Fortran. Made
# of functions of the ABI, they bind a program to no library. `inline` is no word of C89.
FORTRAN_OPENING = """
/* chapter 19: an INTEGER of Fortran, and handles and statuses as Fortran's. No functions of the library: what calls them
 * runs on any MPI that has the ABI. The addresses are those of the program's part in Fortran, and null without one. */
typedef int MPI_Fint;
typedef MPI_Status MPI_F08_status;
extern MPI_Fint pure_mpi_in_fortran[] __asm__("purempif_") __attribute__((__weak__));
#define MPI_F_STATUS_IGNORE (pure_mpi_in_fortran ? pure_mpi_in_fortran + 8 : (MPI_Fint*)0)
#define MPI_F_STATUSES_IGNORE (pure_mpi_in_fortran ? pure_mpi_in_fortran + 16 : (MPI_Fint*)0)
#define MPI_F08_STATUS_IGNORE ((MPI_F08_status*)MPI_F_STATUS_IGNORE)
#define MPI_F08_STATUSES_IGNORE ((MPI_F08_status*)MPI_F_STATUSES_IGNORE)
"""
FORTRAN_HANDLES = ("Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Type", "Win")
FORTRAN_STATUS = """\
static __inline__ int {0}_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status) {{
  int at;
  f_status[MPI_F_SOURCE] = c_status->MPI_SOURCE;
  f_status[MPI_F_TAG] = c_status->MPI_TAG;
  f_status[MPI_F_ERROR] = c_status->MPI_ERROR;
  for (at = 0; at < 5; ++at) f_status[3 + at] = c_status->MPI_internal[at];
  return MPI_SUCCESS;
}}
static __inline__ int {0}_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status) {{
  int at;
  c_status->MPI_SOURCE = f_status[MPI_F_SOURCE];
  c_status->MPI_TAG = f_status[MPI_F_TAG];
  c_status->MPI_ERROR = f_status[MPI_F_ERROR];
  for (at = 0; at < 5; ++at) c_status->MPI_internal[at] = f_status[3 + at];
  return MPI_SUCCESS;
}}
static __inline__ int {0}_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status) {{
  *f08_status = *c_status;
  return MPI_SUCCESS;
}}
static __inline__ int {0}_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status) {{
  *c_status = *f08_status;
  return MPI_SUCCESS;
}}
static __inline__ int {0}_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status) {{
  return {0}_Status_f2c(f_status, f08_status);
}}
static __inline__ int {0}_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status) {{
  return {0}_Status_c2f(f08_status, f_status);
}}"""

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


def callback(of: Function) -> list[str]:
    return [f"typedef {of.result} ({of.c_name(large)})({of.declared_parameters(large)});"
            for large in of.forms()]


def prototypes(of: Function) -> list[str]:
    space = "" if of.result.endswith("*") else " "
    return [f"{of.result}{space}{prefix}{of.c_name(large)}({of.declared_parameters(large)});"
            for prefix in ("", "P") for large in of.forms()]


def fortran() -> list[str]:
    lines = [FORTRAN_OPENING]
    for prefix in ("MPI", "PMPI"):
        for name in FORTRAN_HANDLES:
            of = f"MPI_{'Datatype' if name == 'Type' else name}"
            inside = f"{prefix}_{name}"
            lines += [f"static __inline__ MPI_Fint {inside}_c2f({of} handle) {{ return {inside}_toint(handle); }}",
                      f"static __inline__ {of} {inside}_f2c(MPI_Fint number) {{ return {inside}_fromint(number); }}"]
        lines.append(FORTRAN_STATUS.format(prefix))
    return lines


def header(table: Table) -> str:
    lines = [OPENING]
    for section in table.sections:
        if section.form == "handle":
            lines += [handle_type(section.c_type), *macros(section), ""]
    tools = (each.c_type(False) for each in table.kinds.values() if each.is_handle() and each.name.startswith("t_"))
    lines += [*(handle_type(name) for name in tools), ""]
    for section in table.sections:
        if section.form == "enum":
            lines += [*enumeration(section), ""]
    for each in table.callbacks:
        lines += callback(each)
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
        lines += prototypes(each)
    lines += fortran()
    return "\n".join(lines) + "\n" + CLOSING
