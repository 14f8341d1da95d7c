"""Conversions of constants and handles for the door of another binary interface (api/foreign): values.hpp, from the table's kinds and
table/NAME.interface. A function for each kind and direction that is not the same on both sides."""
from fnmatch import fnmatchcase

from mpi_interface import Interface
from mpi_kinds import Kind
from mpi_table import BadTable, Constant, Table
from write_entries import constant_name, handle_name
from write_foreign_header import is_pointer

NOTICE = "// Written by src/api/mpi/generate.py from src/api/mpi/table.\n"
CODES = {"codes"}
IN_CONTENTS = {"order", "distribution", "distribution_argument"}  # the integers of a datatype's contents (5.1.13)
NUMBERS = {"values", "bits", "contents"} | CODES


def standard_values(table: Table) -> dict[str, int]:
    return {each.name: int(each.value, 0) for section in table.sections if section.form == "enum" or section.c_type in ("int", "MPI_Offset")
            for each in section.constants}


def constants_of(kind: Kind, table: Table) -> list[str]:
    """The numbers among them, by name."""
    known = standard_values(table)
    return [name for pattern in kind.constants for name in known if fnmatchcase(name, pattern)]


def number_type(kind: Kind) -> str:
    return "MPI_Offset" if kind.c_type(False) == "MPI_Offset" else "int"


def short(c_type: str) -> str:
    return handle_name(c_type).removesuffix("_handle")


def word(name: str) -> str:
    return f"constants::{constant_name(name, 'int')}"


class Values:
    """The conversions of one interface."""

    def __init__(self, table: Table, interface: Interface) -> None:
        self.table, self.interface = table, interface
        self.standard = standard_values(table)

    def pairs(self, kind: Kind) -> list[tuple[str, int, int]]:
        """Name, value there, value here: of the constants that both have, one for each value there."""
        found: dict[int, tuple[str, int, int]] = {}
        for name in constants_of(kind, self.table):
            if name in self.interface.values and name != "MPI_ERR_LASTCODE":
                value = self.interface.values[name][0]
                found.setdefault(value, (name, value, self.standard[name]))
        return list(found.values())

    def is_same(self, kind: Kind) -> bool:
        """Whether numbers of that kind need no conversion in this interface."""
        conversions = set(kind.conversions[self.interface.name]) - {"-"}
        if not conversions & NUMBERS:
            return True
        here = {self.standard[name] for name in constants_of(kind, self.table)}
        pairs = self.pairs(kind)
        return not conversions & CODES and all(there == value for _, there, value in pairs) and here <= {value for _, _, value in pairs}

    def function(self, kind: Kind, direction: str) -> str | None:
        """`in` or `out`; none: as it is."""
        conversion = kind.conversions[self.interface.name][direction == "out"]
        if conversion not in NUMBERS or self.is_same(kind):
            return None
        return f"{'code' if conversion in CODES else kind.name}_{direction}"

    # ---- numbers ----

    def inward(self, kind: Kind) -> list[str]:
        pairs = self.pairs(kind)
        there = {value for _, value, _ in pairs}
        strange = sorted({self.standard[name] for name in constants_of(kind, self.table)} - there)
        lines = [f"inline {number_type(kind)} {kind.name}_in({number_type(kind)} given) {{", "  switch (given) {"]
        lines += [f"    case {name}: return {word(name)};" for name, value, here in pairs if value != here]
        lines += [f"    case {value}: return not_a_value;" for value in strange]
        return [*lines, "    default: return given;", "  }", "}"]

    def outward(self, kind: Kind) -> list[str]:
        by_value: dict[int, str] = {}
        for name, _, here in self.pairs(kind):
            by_value.setdefault(here, name)
        lines = [f"inline {number_type(kind)} {kind.name}_out({number_type(kind)} given) {{", "  switch (given) {"]
        lines += [f"    case {word(name)}: return {name};" for here, name in by_value.items() if self.interface.values[name][0] != here]
        return [*lines, "    default: return given;", "  }", "}"]

    def bits(self, kind: Kind, direction: str) -> list[str]:
        known, other = [], []
        for name, *_ in self.pairs(kind):
            from_name, to_name = (name, word(name)) if direction == "in" else (word(name), name)
            known.append(f"((given & {from_name}) != 0 ? {to_name} : 0)")
            other.append(from_name)
        rest = f"((given & ~({' | '.join(other)})) != 0 ? unknown_bit : 0)"
        return [f"inline int {kind.name}_{direction}(int given) {{", f"  return {' | '.join([*known, rest])};", "}"]

    def codes(self) -> list[str]:
        kind = self.table.kinds["error_code"]
        pairs = self.pairs(kind)
        there = {value for _, value, _ in pairs}
        strange = sorted({self.standard[name] for name in constants_of(kind, self.table)} - there - {self.standard["MPI_ERR_LASTCODE"]})
        strange = [each for each in strange if each <= self.interface.values["MPI_ERR_LASTCODE"][0]]
        lines = ["int code_in(int given) {", "  switch (given) {"]
        lines += [f"    case {name}: return {word(name)};" for name, value, here in pairs if value != here]
        lines += [f"    case {value}: return not_a_value;" for value in strange]
        lines += ["    default: break;", "  }",
                  "  return given >= MPI_ERR_LASTCODE ? constants::err_lastcode + (given - MPI_ERR_LASTCODE) : given;", "}"]
        lines += ["int other_code_out(int given) {", "  switch (given) {"]
        by_value: dict[int, str] = {}
        for name, _, here in pairs:
            by_value.setdefault(here, name)
        lines += [f"    case {word(name)}: return {name};" for name in by_value.values() if name != "MPI_SUCCESS"]
        lines += ["    default: break;", "  }",
                  "  return given >= constants::err_lastcode ? MPI_ERR_LASTCODE + (given - constants::err_lastcode) : MPI_ERR_OTHER;", "}"]
        return lines

    # ---- handles ----

    def handle_constants(self, c_type: str) -> list[Constant]:
        """Without second names."""
        return [each for section in self.table.sections if section.form == "handle" and section.c_type == c_type
                for each in section.constants if not each.value.startswith("MPI_")]

    def known_handles(self, c_type: str) -> list[Constant]:
        return [each for each in self.handle_constants(c_type) if each.name in self.interface.handles]

    def handles(self, c_type: str) -> tuple[list[str], list[str]]:
        """Functions, and tables that they need."""
        every, known, name = self.handle_constants(c_type), self.known_handles(c_type), short(c_type)
        if not known:
            of = f"{name}_handle"
            return [f"inline {of} {name}_in({c_type} given) {{ return {{reinterpret_cast<std::uintptr_t>(given)}}; }}",
                    f"inline {c_type} {name}_out({of} given) {{ return reinterpret_cast<{c_type}>(given.value); }}"], []
        first = min(int(each.value, 0) for each in every)
        last = max(int(each.value, 0) for each in every)
        null = every[0].name
        by_value = {int(each.value, 0): each.name for each in known}
        entries = [by_value.get(value, null) for value in range(first, last + 1)]
        pointer = is_pointer(c_type, self.interface, self.table)
        tables = [f"const {c_type} {name}_names[{last - first + 1}] = {{", "    " + ", ".join(entries), "};"]
        lines = [f"extern const {c_type} {name}_names[{last - first + 1}];",
                 f"inline {c_type} {name}_out({name}_handle given) {{",
                 f"  const std::uintptr_t at = given.value - {first:#x};",
                 f"  if (at < std::size({name}_names)) return {name}_names[at];",
                 f"  return {f'reinterpret_cast<{c_type}>(given.value)' if pointer else f'number_of_made(given)'};", "}"]
        if pointer:
            return [*lines, *self.inward_address(c_type, name, known)], tables
        return [*lines, *self.inward_number(c_type, name, known, tables)], tables

    def inward_address(self, c_type: str, name: str, known: list[Constant]) -> list[str]:
        """Objects say what they are; handles of requests look like addresses, and null addresses are none."""
        by_name = c_type == "MPI_Request" or self.interface.handles[known[0].name][0][0].isdigit()
        lines = [f"inline {name}_handle {name}_in({c_type} given) {{"]
        if by_name:
            lines += [f"  if (given == {each.name}) return constants::{constant_name(each.name, c_type)};" for each in known]
            lines.append("  return {reinterpret_cast<std::uintptr_t>(given)};")
        else:
            lines.append("  return {said_by(given)};")
        return [*lines, "}"]

    def inward_number(self, c_type: str, name: str, known: list[Constant], tables: list[str]) -> list[str]:
        values: dict[int, str] = {}
        for each in known:
            values.setdefault(int(self.interface.handles[each.name][0], 16), each.name)
        lines = [f"inline {name}_handle {name}_in({c_type} given) {{"]
        if len(values) <= 4:
            lines += [f"  if (given == {each}) return constants::{constant_name(each, c_type)};" for each in values.values()]
            return [*lines, f"  return made_of_number<{name}_handle>(given);", "}"]
        shift, bits = slots_for(list(values))
        slots = ["{}"] * (1 << bits)
        for value, each in values.items():
            slots[slot_of(value, shift, bits)] = f"{{{each}, constants::{constant_name(each, c_type)}}}"
        size = 1 << bits
        tables += [f"const known_number<{name}_handle> {name}_numbers[{size}] = {{", "    " + ", ".join(slots), "};"]
        return [f"extern const known_number<{name}_handle> {name}_numbers[{size}];", *lines,
                "  const auto bits = static_cast<unsigned>(given);",
                f"  const known_number<{name}_handle>& known = {name}_numbers[(bits ^ (bits >> {shift})) & {size - 1}];",
                "  if (known.number == given) return known.name;",
                f"  return made_of_number<{name}_handle>(given);", "}"]


def fortran_numbers(of: Values) -> str:
    """For each type of handles, what the functions for numbers of Fortran need (api/foreign/fortran_numbers.cpp)."""
    lines = [NOTICE]
    for section in of.table.sections:
        if section.form != "handle":
            continue
        known = of.known_handles(section.c_type)
        name = "Type" if section.c_type == "MPI_Datatype" else section.c_type.removeprefix("MPI_")
        if is_pointer(section.c_type, of.interface, of.table):
            numbers = {int(of.interface.handles[each.name][1]): each.name for each in reversed(known) if of.interface.handles[each.name][1] != "-"}
            all_of_them = ", ".join(f"{{{number}, {each}}}" for number, each in sorted(numbers.items())) or "{-1, nullptr}"
            lines += [f"PURE_FOREIGN_NUMBERS({name}, {section.c_type}, {short(section.c_type)},", f"    {all_of_them})"]
        else:
            lines.append(f"PURE_FOREIGN_SAME_NUMBERS({name}, {section.c_type})")
    return "\n".join([*lines, ""])


def data(table: Table, interface: Interface) -> str:
    """The variables of the interface. Objects say in their first word what they are, as the standard ABI has it."""
    lines = [NOTICE, '#include "api/foreign/values.hpp"\n', 'extern "C" {', "#pragma GCC visibility push(default)\n"]
    standard = {interface.handles[each.name][0]: each.value for section in table.sections if section.form == "handle"
                for each in reversed(section.constants) if each.name in interface.handles and not each.value.startswith("MPI_")}
    for name, size in interface.data.items():
        if name.startswith("ompi_"):
            lines.append(f"std::size_t {name}[{size // 8}] = {{{standard.get(name, OBJECTS_BESIDE.get(name, UNKNOWN))}}};")
        elif name in FORTRAN_STATUSES[interface.name]:
            common, place = FORTRAN_STATUSES[interface.name][name]
            lines += [f"extern MPI_Fint {common}[] __attribute__((weak));"] if common not in interface.data else []
            lines.append(f"MPI_Fint* {name} = {common}{place};")
        elif name.startswith("MPIR_"):
            lines.append(f"int {name}[{size // 4}] = {{0}};")
        elif name.startswith("MPI_F08_"):
            of = name.removeprefix("MPI_F08_")
            lines.append(f"MPI_Fint* {name} = {f'MPIR_F08_MPI_{of}_OBJ' if interface.name == 'mpich' else f'mpi_fortran_{of.lower()}_'};")
        elif name.startswith("mpi_fortran_"):
            lines.append(f"{'char' if 'argv' in name else 'MPI_Fint'} {name}{'[6]' if 'status' in name else ''};")
    for name, value in interface.addresses.items():
        if value == "*MPI_T_PVAR_ALL_HANDLES":
            lines.append(f"MPI_T_pvar_handle const {name} = reinterpret_cast<MPI_T_pvar_handle>(1L);  // as in the standard ABI")
        elif value.startswith("*"):
            lines.append(f"int* const {name} = MPIR_C_{name};")
    return "\n".join([*lines, "\n#pragma GCC visibility pop", '}  // extern "C"\n'])


# Where a status of Fortran is that is ignored: in the program, if it has Fortran.
FORTRAN_STATUSES = {"openmpi": {"MPI_F_STATUS_IGNORE": ("mpi_fortran_status_ignore_", ""),
                                "MPI_F_STATUSES_IGNORE": ("mpi_fortran_statuses_ignore_", "")},
                    "mpich": {"MPI_F_STATUS_IGNORE": ("mpipriv1_", " + 2"), "MPI_F_STATUSES_IGNORE": ("mpipriv2_", "")}}
# Objects that stand for none of the standard's: no core's datatype has that name.
UNKNOWN = "0x3ff"
OBJECTS_BESIDE = {  # what no constant means, and the standard ABI has
    "ompi_mpi_errors_throw_exceptions": "0x141",  # MPI_ERRORS_ARE_FATAL: the C++ bindings throw by themselves
    "ompi_mpi_c_complex": "0x212", "ompi_mpi_integer16": "0x2e1", "ompi_mpi_ldblcplex": "0x224", "ompi_mpi_real2": "0x2ca"}


def slot_of(value: int, shift: int, bits: int) -> int:
    return (value ^ (value >> shift)) & ((1 << bits) - 1)


def slots_for(values: list[int]) -> tuple[int, int]:
    """A shift with which no two of them have one slot."""
    for bits in range(4, 11):
        for shift in range(1, 32):
            if len({slot_of(each, shift, bits) for each in values}) == len(values):
                return shift, bits
    raise BadTable("no slots for the numbers of handles")


def values(table: Table, interface: Interface) -> dict[str, str]:
    """The texts of the files, by name."""
    of = Values(table, interface)
    lines = [NOTICE + "#pragma once\n", '#include "api/foreign/values_here.hpp"\n', "namespace pure::foreign {\n"]
    tables = [NOTICE, '#include "api/foreign/values.hpp"\n', "namespace pure::foreign {\n"]
    for c_type in dict.fromkeys(section.c_type for section in table.sections if section.form == "handle"):
        functions, needed = of.handles(c_type)
        lines += [*functions, ""]
        tables += [*needed, ""]
    for kind in table.kinds.values():
        inward, outward = kind.conversions[interface.name]
        if of.is_same(kind) or kind.is_function or "codes" in (inward, outward):
            continue
        if inward == "bits":
            lines += of.bits(kind, "in")
        elif inward in NUMBERS:
            lines += of.inward(kind)
        if outward == "bits":
            lines += of.bits(kind, "out")
        elif outward in NUMBERS or kind.name in IN_CONTENTS:
            lines += of.outward(kind)
    tables += of.codes()
    end = "\n}  // namespace pure::foreign\n"
    return {"values.hpp": "\n".join([*lines, end]), "values.cpp": "\n".join([*tables, end]), "data.cpp": data(table, interface),
            "fortran_numbers.inc": fortran_numbers(of)}
