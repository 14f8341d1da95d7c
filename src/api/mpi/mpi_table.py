"""The one table of the MPI door, read: functions with the kinds of their parameters, constants, types of callbacks.

table/NN_CHAPTER.table, removed.table
    name | state | attributes | parameters        (MPI_ is left out; one row for MPI_Send and MPI_Send_c)
    state       there   has a body in this folder
                small   the library has all that it takes; only the body is missing
                new     takes something that the library has not got yet
                later   left to an issue of its own
    attributes  "-", or some of: large (there is a form _c), returns KIND (others return an int: the error)
    parameters  NAME:[const|out|inout] KIND[[LENGTH]]; LENGTH names a parameter, or is the `size` of the communicator,
                the number of its `neighbors`, or empty where it takes a sentence of the standard to say it
table/callbacks.table
    name | result | attributes | parameters
table/constants.table
    [handle TYPE], [define TYPE], [enum] or [enum NAME], and rows: name | value, or the name that it is another one for;
    of a datatype besides: the type of pure.h with the same elements, "-" if there is none

A kind says how a parameter is declared in both forms, and what is checked: KINDS below.
"""
import re
from dataclasses import dataclass
from pathlib import Path

STATES = ("there", "small", "new", "later")

# kind: the C types in the usual form and in the form _c. Handles have the class of the error for a wrong one besides.
KINDS: dict[str, tuple[str, str]] = {
    **{kind: ("int", "int") for kind in ("int", "rank", "dest", "source", "root", "tag", "color", "key", "keyval", "flag",
                                         "errorcode", "number", "assertion")},
    "count": ("int", "MPI_Count"),
    "displacement": ("int", "MPI_Aint"),
    "extent": ("MPI_Aint", "MPI_Count"),
    "aint": ("MPI_Aint", "MPI_Aint"),
    "large": ("MPI_Count", "MPI_Count"),
    "offset": ("MPI_Offset", "MPI_Offset"),
    "double": ("double", "double"),
    "status": ("MPI_Status", "MPI_Status"),
}
HANDLES = {
    "type": "MPI_Datatype", "comm": "MPI_Comm", "group": "MPI_Group", "win": "MPI_Win", "file": "MPI_File",
    "session": "MPI_Session", "info": "MPI_Info", "op": "MPI_Op", "errhandler": "MPI_Errhandler",
    "request": "MPI_Request", "message": "MPI_Message",
}
TOOL_HANDLES = {
    "t_enum": "MPI_T_enum", "t_cvar": "MPI_T_cvar_handle", "t_pvar": "MPI_T_pvar_handle",
    "t_pvar_session": "MPI_T_pvar_session", "t_registration": "MPI_T_event_registration",
    "t_event": "MPI_T_event_instance",
}
KINDS.update({kind: (name, name) for kind, name in (HANDLES | TOOL_HANDLES).items()})
KINDS.update({"t_safety": ("MPI_T_cb_safety", "MPI_T_cb_safety"), "t_order": ("MPI_T_source_order",) * 2})

# kinds that are pointers as they stand
POINTERS = {
    "data": "const void *",            # what is sent
    "send_data": "const void *",       # likewise, or MPI_IN_PLACE
    "buffer": "void *",                # what is written, or both
    "receive_buffer": "void *",        # likewise, or MPI_IN_PLACE
    "weights": "const int *",          # or MPI_UNWEIGHTED: no array, for the compiler to look into
    "word": "void *",                  # a value of the program's own
    "pointer": "void *",               # a pointer to a pointer, but for its type
    "string": "const char *",
    "text": "char *",                  # a string that is written
    "argv": "char **",
    "argvs": "char ***",
    "main_argv": "char ***",
}


class BadTable(Exception):
    pass


@dataclass(frozen=True)
class Parameter:
    name: str
    direction: str  # in, const (by address), out, inout
    kind: str
    length: str | None  # of an array

    def is_array(self) -> bool:
        return self.length is not None

    def is_scalar_in(self) -> bool:
        return self.direction == "in" and self.kind in KINDS and not self.is_array()

    def c_type(self, large: bool, large_callbacks: set[str]) -> str:
        """Without the name; arrays are pointers."""
        if self.kind == "varargs":
            return "..."
        if self.kind == "ranges":
            return "int (*)[3]"
        if self.kind in POINTERS:
            return POINTERS[self.kind]
        if self.kind not in KINDS:  # a function
            return f"MPI_{self.kind}{'_c' if large and self.kind in large_callbacks else ''} *"
        plain = KINDS[self.kind][large]
        if self.direction == "const" or (self.is_array() and self.direction == "in"):
            return f"const {plain} *"
        return plain if self.direction == "in" else f"{plain} *"

    def declared(self, large: bool, large_callbacks: set[str]) -> str:
        if self.kind == "varargs":
            return "..."
        if self.kind == "ranges":
            return f"int {self.name}[][3]"
        of = self.c_type(large, large_callbacks)
        if self.is_array() and of.endswith(" *"):
            return f"{of[:-2]} {self.name}[]"
        return of + self.name if of.endswith("*") else f"{of} {self.name}"


@dataclass(frozen=True)
class Function:
    name: str  # without MPI_
    chapter: str  # "03_point_to_point", "removed", "callbacks"
    state: str  # of a callback: its result
    has_large: bool
    result: str  # the C type
    parameters: tuple[Parameter, ...]

    def forms(self) -> list[bool]:
        return [False, True] if self.has_large else [False]

    def c_name(self, large: bool) -> str:
        return f"MPI_{self.name}{'_c' if large else ''}"

    def declared_parameters(self, large: bool, large_callbacks: set[str]) -> str:
        return ", ".join(each.declared(large, large_callbacks) for each in self.parameters) or "void"


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

    def large_callbacks(self) -> set[str]:
        return {each.name for each in self.callbacks if each.has_large}

    def all_functions(self) -> tuple[Function, ...]:
        return self.functions + self.removed

    def names(self) -> list[str]:
        """Of all functions that the library exports, PMPI_ left out."""
        return [each.c_name(large) for each in self.all_functions() for large in each.forms()]


PARAMETER = re.compile(r"(\w+):(?:(const|out|inout) )?(\w+)(?:\[(\w*)\])?$")


def parameter_of(text: str, callbacks: set[str], where: str) -> Parameter:
    found = PARAMETER.match(text)
    if found is None:
        raise BadTable(f"{where}: not a parameter: {text!r}")
    name, direction, kind, length = found.groups()
    if kind not in KINDS and kind not in POINTERS and kind not in callbacks | {"varargs", "ranges"}:
        raise BadTable(f"{where}: no such kind: {kind!r}")
    return Parameter(name, direction or "in", kind, length)


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


def functions_of(file: Path, callbacks: set[str]) -> tuple[Function, ...]:
    functions = []
    for where, (name, state, attributes, parameters) in rows_of(file, (4,)):
        is_callback = file.stem == "callbacks"
        if not is_callback and state not in STATES:
            raise BadTable(f"{where}: no such state: {state!r}")
        result, has_large = state if is_callback else "int", False
        for attribute in attributes.split(", "):
            if attribute == "large":
                has_large = True
            elif attribute.startswith("returns ") and attribute[8:] in KINDS:
                result = KINDS[attribute[8:]][0]
            elif attribute != "-":
                raise BadTable(f"{where}: no such attribute: {attribute!r}")
        all_of_them = tuple(parameter_of(each, callbacks, where) for each in parameters.split(", ") if each)
        known = {each.name for each in all_of_them} | {"", "size", "neighbors", None}
        if unknown := [each.length for each in all_of_them if each.length not in known]:
            raise BadTable(f"{where}: no parameter is called {unknown[0]!r}")
        functions.append(Function(name, file.stem, state, has_large, result, all_of_them))
    return tuple(functions)


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
    callbacks = {cells[0] for _, cells in rows_of(folder / "callbacks.table", (4,))}
    functions: list[Function] = []
    for file in sorted(folder.glob("[0-9]*.table")):
        functions += functions_of(file, callbacks)
    removed = functions_of(folder / "removed.table", callbacks)
    names = [each.c_name(large) for each in (*functions, *removed) for large in each.forms()]
    if twice := {each for each in names if names.count(each) > 1}:
        raise BadTable(f"twice: {', '.join(sorted(twice))}")
    return Table(tuple(functions), removed, functions_of(folder / "callbacks.table", callbacks),
                 sections_of(folder / "constants.table"))
