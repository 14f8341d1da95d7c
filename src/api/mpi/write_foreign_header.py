"""mpi.h as another MPI has it, from the table and table/NAME.interface: for the door of that interface (api/foreign), not for
programs."""
from mpi_interface import Interface
from mpi_table import BadTable, Function, Table
from write_header import FORTRAN_HANDLES, callback, prototypes

NOTICE = "// Written by src/api/mpi/generate.py from src/api/mpi/table: what programs were compiled with that have this interface.\n"

STATUS = {  # what the fields between those of the standard are; the program checks that they lie where read_interface.py saw them
    "openmpi": "int MPI_SOURCE; int MPI_TAG; int MPI_ERROR; int _cancelled; unsigned long _ucount;",
    "mpich": "int count_lo; int count_hi_and_cancelled; int MPI_SOURCE; int MPI_TAG; int MPI_ERROR;",
}


def without_fortran(name: str) -> bool:
    return name in ("19_languages", "20_abi")


def functions_of(table: Table) -> list[Function]:
    """The door's, from the table; chapters 19 and 20 are the standard ABI's own."""
    return [each for each in table.all_functions() if not without_fortran(each.chapter)]


def is_pointer(c_type: str, interface: Interface, table: Table) -> bool:
    """MPICH has files by address, and all else by number."""
    names = [each.name for section in table.sections if section.c_type == c_type for each in section.constants]
    known = [interface.handles[each][0] for each in names if each in interface.handles]
    return not known and interface.sizes["sizeof MPI_Comm"] == 8 or any(not each.startswith("0x") for each in known)


def header(table: Table, interface: Interface) -> str:
    sizes = interface.sizes
    lines = [NOTICE + "#pragma once\n", f"#define PURE_FOREIGN_{interface.name.upper()}", "#include <cstddef>\n", 'extern "C" {', "#pragma GCC visibility push(default)\n", "using MPI_Aint = long;", "using MPI_Count = long;",
             "using MPI_Offset = long;", "using MPI_Fint = int;", f"struct MPI_Status {{ {STATUS[interface.name]} }};"]
    lines += [f"static_assert(sizeof({each.split()[-1]}) == {value});" for each, value in sizes.items()
              if each.startswith("sizeof") and each != "sizeof MPI_Comm"]
    lines += [f"static_assert(offsetof(MPI_Status, {each}) == {sizes[each]});" for each in ("MPI_SOURCE", "MPI_TAG", "MPI_ERROR")]
    for section in table.sections:
        if section.form == "handle":
            lines.append(f"using {section.c_type} = {f'struct of_{section.c_type}*' if is_pointer(section.c_type, interface, table) else 'int'};")
    for each in table.kinds.values():
        if each.is_handle() and each.name.startswith("t_"):
            lines.append(f"using {each.c_type(False)} = struct of_{each.c_type(False)}*;")
    lines += ["using MPI_T_cb_safety = int;", "using MPI_T_source_order = int;", ""]
    for each, size in interface.data.items():
        if each.startswith("ompi_"):
            lines.append(f"extern std::size_t {each}[{size // 8}];")
        elif each.startswith("MPIR_"):
            lines.append(f"extern int {each}[{size // 4}];")
        elif each.startswith("mpi_fortran_"):
            lines.append(f"extern {'char' if 'argv' in each else 'MPI_Fint'} {each}{'[6]' if 'status' in each else ''};")
    lines.append("")
    for section in (*table.sections,):
        for each in section.constants:
            if each.name in interface.handles:
                value = interface.handles[each.name][0]
                if is_pointer(section.c_type, interface, table):
                    of = f"reinterpret_cast<{section.c_type}>({value if value[0].isdigit() else f'&{value}'})"
                    lines.append(f"#define {each.name} ({of})")
                else:
                    lines.append(f"#define {each.name} (static_cast<int>({value}U))")
            elif each.name in interface.values:
                lines.append(f"#define {each.name} ({interface.values[each.name][0]})")
    lines.append("")
    for each in table.callbacks:
        lines += callback(each)
    lines += [f"typedef MPI_{of}_errhandler_function MPI_{of}_errhandler_fn;" for of in ("Comm", "File", "Win", "Session")]
    lines += ["", *addresses(table, interface), ""]
    for each in functions_of(table):
        lines += prototypes(each)
    for prefix in ("MPI", "PMPI"):
        for name in FORTRAN_HANDLES:
            of = f"MPI_{'Datatype' if name == 'Type' else name}"
            lines += [f"MPI_Fint {prefix}_{name}_c2f({of} handle);", f"{of} {prefix}_{name}_f2c(MPI_Fint number);"]
        lines += [f"int {prefix}_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status);",
                  f"int {prefix}_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status);"]
    return "\n".join([*lines, "\n#pragma GCC visibility pop", '}  // extern "C"', ""])


def addresses(table: Table, interface: Interface) -> list[str]:
    """Constants that are addresses, functions, or what lies in variables."""
    lines, declared = [], set()
    for section in table.sections:
        for each in section.constants:
            if each.name not in interface.addresses:
                continue
            value = interface.addresses[each.name]
            if value.startswith("*"):
                lines.append(f"extern {section.c_type} const {each.name};")
            elif value.lstrip("-").isdigit():
                lines.append(f"#define {each.name} (reinterpret_cast<{section.c_type}>({value}L))")
            else:
                if value not in declared:
                    lines.append(f"extern {section.c_type.removesuffix(' *')} {value};")
                declared.add(value)
                lines.append(f"#define {each.name} {value}")
    for short, name in (("IN_PLACE", "MPI_IN_PLACE"), ("STATUS_IGNORE", "MPI_STATUS_IGNORE")):
        lines.append(f"#define PURE_FOREIGN_{short}_VALUE {interface.addresses[name]}L")
    if interface.addresses["MPI_STATUS_IGNORE"] != interface.addresses["MPI_STATUSES_IGNORE"] or interface.addresses["MPI_BOTTOM"] != "0":
        raise BadTable(f"{interface.name}: statuses that are ignored, or MPI_BOTTOM, are not what the door takes them for")
    return lines
