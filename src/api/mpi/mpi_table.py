"""The one table of the MPI door, read: functions with the kinds of their parameters, constants, types of callbacks.

table/NN_CHAPTER.table, removed.table
    name | state | attributes | parameters        (MPI_ is left out; one row for MPI_Send and MPI_Send_c)
    state       there   has a body in this folder
                small   the library has all that it takes; only the body is missing
                new     takes something that the library has not got yet
                later   left to an issue of its own
    attributes  "-", or some of:
                large           there is a form _c
                returns KIND    and no error; others return an int, the error
                collective      ranks call it together: its body finds what is wrong, so that the others get to know it, or
                                can go on
                persistent      makes a request that is started, once or again
                form_of NAME    one of the three forms of NAME, which have one body: it is told how, in place of the request
                keeps_arrays    its request needs the arrays that come in after the call has returned
                any_handle      has use for any handle: its body gets those as they are
                null_ok NAME .. parameters whose null pointer is right, or whose body says what is wrong with it
                of_files        of no file, and its errors go to the handler of files that are not open
                c_only          no function of Fortran
                overloads NAME  in mpi_f08 it is called NAME, whose large form it is; elsewhere in Fortran there is none
    parameters  NAME:[const|out|inout] KIND[[LENGTH]]; LENGTH: how many elements there are, or characters of a text with its
                end: a parameter, NAME+1, sum(NAME), last(NAME), a constant, or one of QUANTITIES;
                or ROOM:FILLED, where the parameter FILLED says how many of the elements are written
table/kinds.table
    what a kind is in each language and each binary interface: mpi_kinds.py
table/callbacks.table
    name | result | attributes | parameters
table/constants.table
    [handle TYPE], [define TYPE], [enum] or [enum NAME], and rows: name | value, or the name that it is another one for;
    of a datatype besides: the type of pure.h with the same elements, "-" if there is none
"""
import re
from dataclasses import dataclass
from pathlib import Path

from mpi_kinds import COLUMNS, Kind, function_kind, kind_of

STATES = ("there", "small", "new", "later")
ATTRIBUTES = {"large", "collective", "persistent", "keeps_arrays", "any_handle", "of_files", "c_only"}
# Lengths that belong to the communicator: its size, what its topology says.
QUANTITIES = {"size", "in_degree", "out_degree", "dimensions"}


class BadTable(Exception):
    pass


@dataclass(frozen=True)
class Parameter:
    name: str
    direction: str  # in, const (by address), out, inout
    kind: Kind
    length: str | None  # of an array or a text
    filled: str | None  # the parameter that says how many elements of a result there are

    def is_array(self) -> bool:
        return self.length is not None

    def is_scalar_in(self) -> bool:
        return self.direction == "in" and not self.kind.is_pointer() and not self.is_array() and self.kind.name != "varargs"

    def declared(self, large: bool, c_type: str | None = None) -> str:
        of = c_type or self.kind.c_type(large)
        if of == "...":
            return of
        if "(*)" in of:  # an array of arrays
            return of.replace("(*)", f"{self.name}[]")
        if self.direction == "const" or self.is_array() and self.direction == "in":
            of = f"const {of}"
        if self.kind.is_pointer():
            return of + self.name
        if self.is_array():
            return f"{of} {self.name}[]"
        return f"{of} {self.name}" if self.direction == "in" else f"{of} *{self.name}"


@dataclass(frozen=True)
class Function:
    name: str  # without MPI_
    chapter: str  # "03_point_to_point", "removed", "callbacks"
    state: str  # of a callback: its result
    attributes: frozenset[str]
    null_ok: tuple[str, ...]
    form_of: str | None
    overloads: str | None
    returns: Kind | None  # none: an int, the error
    result: str  # the C type
    parameters: tuple[Parameter, ...]

    @property
    def has_large(self) -> bool:
        return "large" in self.attributes

    def forms(self) -> list[bool]:
        return [False, True] if self.has_large else [False]

    def c_name(self, large: bool) -> str:
        return f"MPI_{self.name}{'_c' if large else ''}"

    def declared_parameters(self, large: bool) -> str:
        return ", ".join(each.declared(large) for each in self.parameters) or "void"


@dataclass(frozen=True)
class Constant:
    name: str
    value: str  # a number, or the name of another constant
    base: str | None  # of a datatype: that of pure.h, None if there is none


@dataclass(frozen=True)
class Section:
    """Constants of one C type."""
    form: str  # handle, define, enum
    c_type: str
    constants: tuple[Constant, ...]


@dataclass(frozen=True)
class Table:
    functions: tuple[Function, ...]
    removed: tuple[Function, ...]
    callbacks: tuple[Function, ...]
    sections: tuple[Section, ...]
    kinds: dict[str, Kind]  # by name; types of callbacks, too

    def all_functions(self) -> tuple[Function, ...]:
        return self.functions + self.removed

    def names(self) -> list[str]:
        """Of all functions that the library exports, PMPI_ left out."""
        return [each.c_name(large) for each in self.all_functions() for large in each.forms()]


PARAMETER = re.compile(r"(\w+):(?:(const|out|inout) )?(\w+)(?:\[(.+)\])?$")
LENGTH = re.compile(r"(?:(?:sum|last)\((\w+)\)|(\w+?)(?:\+1)?)$")


def parameter_of(text: str, kinds: dict[str, Kind], where: str) -> Parameter:
    found = PARAMETER.match(text)
    if found is None:
        raise BadTable(f"{where}: not a parameter: {text!r}")
    name, direction, kind, length = found.groups()
    if kind not in kinds:
        raise BadTable(f"{where}: no such kind: {kind!r}")
    room, _, filled = (length or "").partition(":")
    return Parameter(name, direction or "in", kinds[kind], room or None, filled or None)


def check_lengths(parameters: tuple[Parameter, ...], constants: set[str], where: str) -> None:
    known = {each.name for each in parameters} | QUANTITIES | constants
    for each in parameters:
        for length in (each.length, each.filled):
            if length is None:
                continue
            found = LENGTH.match(length)
            if found is None or (found.group(1) or found.group(2)) not in known:
                raise BadTable(f"{where}: {each.name} has no length {length!r}")


def rows_of(file: Path, columns: tuple[int, ...]) -> list[tuple[str, list[str]]]:
    rows = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) not in columns and not line.startswith("["):
            raise BadTable(f"{file.name}:{number}: {len(cells)} columns")
        rows.append((f"{file.name}:{number}", cells))
    return rows


def functions_of(file: Path, kinds: dict[str, Kind], constants: set[str]) -> tuple[Function, ...]:
    functions = []
    for where, (name, state, attributes, parameters) in rows_of(file, (4,)):
        is_callback = file.stem == "callbacks"
        if not is_callback and state not in STATES:
            raise BadTable(f"{where}: no such state: {state!r}")
        returns, null_ok, form_of, overloads, others = None, (), None, None, set()
        for attribute in attributes.split(", ") if attributes != "-" else ():
            word, _, rest = attribute.partition(" ")
            if word == "returns" and rest in kinds:
                returns = kinds[rest]
            elif word == "null_ok" and rest:
                null_ok = tuple(rest.split())
            elif word == "form_of" and rest:
                form_of = rest
            elif word == "overloads" and rest:
                overloads = rest
            elif attribute in ATTRIBUTES:
                others.add(attribute)
            else:
                raise BadTable(f"{where}: no such attribute: {attribute!r}")
        all_of_them = tuple(parameter_of(each, kinds, where) for each in parameters.split(", ") if each)
        check_lengths(all_of_them, constants, where)
        if unknown := set(null_ok) - {each.name for each in all_of_them}:
            raise BadTable(f"{where}: no parameter is called {min(unknown)!r}")
        result = returns.c_type(False) if returns else state if is_callback else "int"
        functions.append(Function(name, file.stem, state, frozenset(others), null_ok, form_of, overloads, returns, result, all_of_them))
    return tuple(functions)


def kinds_of(folder: Path) -> dict[str, Kind]:
    kinds = {}
    for where, cells in rows_of(folder / "kinds.table", (len(COLUMNS),)):
        try:
            kind = kind_of(cells)
        except ValueError as error:
            raise BadTable(f"{where}: {error}") from None
        kinds[kind.name] = kind
    of_functions = kinds.pop("function")
    for _, (name, _, attributes, _) in rows_of(folder / "callbacks.table", (4,)):
        kinds[name] = function_kind(of_functions, name, attributes == "large")
    return kinds


def sections_of(file: Path) -> tuple[Section, ...]:
    sections: list[tuple[str, str, list[Constant]]] = []
    for where, cells in rows_of(file, (2, 3)):
        if cells[0].startswith("["):
            form, _, of = cells[0].strip("[]").partition(" ")
            if form not in ("handle", "define", "enum"):
                raise BadTable(f"{where}: no such form: {form!r}")
            sections.append((form, of, []))
        else:
            base = cells[2] if len(cells) == 3 and cells[2] != "-" else None
            sections[-1][2].append(Constant(cells[0], cells[1], base))
    return tuple(Section(form, of, tuple(constants)) for form, of, constants in sections)


def read_table(folder: Path = Path(__file__).parent / "table") -> Table:
    kinds, sections = kinds_of(folder), sections_of(folder / "constants.table")
    constants = {each.name for section in sections if section.c_type == "int" for each in section.constants}
    functions: list[Function] = []
    for file in sorted(folder.glob("[0-9]*.table")):
        functions += functions_of(file, kinds, constants)
    removed = functions_of(folder / "removed.table", kinds, constants)
    blocking = {each.name for each in functions if each.form_of == each.name}
    if unknown := {each.form_of for each in functions if each.form_of} - blocking:
        raise BadTable(f"no form of its own name: {', '.join(sorted(unknown))}")
    names = [each.c_name(large) for each in (*functions, *removed) for large in each.forms()]
    if twice := {each for each in names if names.count(each) > 1}:
        raise BadTable(f"twice: {', '.join(sorted(twice))}")
    return Table(tuple(functions), removed, functions_of(folder / "callbacks.table", kinds, constants), sections, kinds)
