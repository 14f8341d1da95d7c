"""The door of another binary interface, from the table: each function converts its arguments, calls the core's entry of the
standard ABI, and converts what that gives (api/foreign)."""
from dataclasses import dataclass, field

from mpi_interface import Interface
from mpi_table import Function, Parameter, Table
from write_entries import handle_name
from write_foreign_header import functions_of, header
from write_foreign_values import NOTICE, Values, short, values

# Functions that are written by hand (api/foreign/*.cpp): with functions of the program that are called there, attributes that
# MPI sets itself, contents of datatypes; and what the interface says of itself.
BY_HAND = {"Op_create", "Comm_idup", "Comm_idup_with_info", "Comm_create_errhandler", "Win_create_errhandler", "File_create_errhandler", "Errhandler_create",
           "Comm_create_keyval", "Type_create_keyval", "Win_create_keyval", "Keyval_create", "Comm_get_attr", "Win_get_attr",
           "Attr_get", "Type_get_contents", "Type_get_contents_c", "Get_version", "Abort"}
# Where MPI_IN_PLACE may be, or is an error.
BUFFERS = {"data", "send_data", "buffer", "receive_buffer"}
# Lengths of texts that each interface says for itself; others are arguments.
TEXTS_OF_STANDARD = {"MPI_MAX_INFO_KEY", "MPI_MAX_OBJECT_NAME", "MPI_MAX_ERROR_STRING", "MPI_MAX_LIBRARY_VERSION_STRING", "MPI_MAX_PROCESSOR_NAME",
                     "MPI_MAX_PORT_NAME", "MPI_MAX_DATAREP_STRING"}


def core_type(each: Parameter, large: bool) -> str:
    """As the core's entry declares it."""
    kind = each.kind
    if kind.is_function:
        return f"void (*{each.name})()"
    c_type = kind.c_type(large)
    if kind.is_handle() and c_type in ("MPI_Comm", "MPI_Datatype", "MPI_Errhandler", "MPI_File", "MPI_Group", "MPI_Info", "MPI_Message",
                                       "MPI_Op", "MPI_Request", "MPI_Session", "MPI_Win"):
        c_type = handle_name(c_type)
    elif c_type == "MPI_Status":
        c_type = "message_status"
    return each.declared(large, c_type)


def core_entries(table: Table) -> str:
    lines = [NOTICE + "#pragma once\n", '#include "api/foreign/core.hpp"\n', "namespace pure::foreign {\n", 'extern "C" {', "#pragma GCC visibility push(default)",
             "#ifdef __clang__  // a handle is a word in a class, which calls return as a word", "#pragma GCC diagnostic push",
             '#pragma GCC diagnostic ignored "-Wreturn-type-c-linkage"', "#endif\n"]
    for of in table.all_functions():
        result = handle_name(of.result) if of.returns and of.returns.is_handle() else of.result
        for large in of.forms():
            declared = ", ".join(core_type(each, large) for each in of.parameters) or "void"
            lines.append(f"{result} pure_{of.c_name(large)}({declared});")
    lines += ["\n#ifdef __clang__", "#pragma GCC diagnostic pop", "#endif"]
    return "\n".join([*lines, "#pragma GCC visibility pop", '}  // extern "C"', "\n}  // namespace pure::foreign\n"])


@dataclass
class Written:
    before: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


class Entry:
    def __init__(self, of: Function, large: bool, known: Values) -> None:
        self.of, self.large, self.known, self.text = of, large, known, Written()

    def function(self) -> str:
        of, text = self.of, self.text
        name = of.c_name(self.large)
        for each in of.parameters:
            if each.kind.name != "varargs":
                self.parameter(each)
        call = f"pure_{name}({', '.join(text.arguments)})"
        lines = [f"int P{name}({of.declared_parameters(self.large)}) {{"]
        lines += [f"  {line}" for line in text.before]
        lines.append("  called_from(__builtin_return_address(0));")
        if text.after:
            lines += [f"  const int code = {call};", *(f"  {line}" for line in text.after), "  return code_out(code);"]
        else:
            lines.append(f"  return code_out({call});")
        return "\n".join([*lines, "}", f"PURE_FOREIGN_NAME({name});", ""])

    def length(self, length: str) -> str:
        names = {each.name: each for each in self.of.parameters}
        if length in names:
            return length if names[length].direction == "in" else f"({length} == nullptr ? 0 : *{length})"
        if length.endswith("+1"):
            return f"{length[:-2]} + 1"
        comm = next((each.name for each in self.of.parameters if each.kind.name == "comm"), "comm")
        quantities = {"size": f"ranks_of({comm}_in_core)", "in_degree": f"degrees_of({comm}_in_core).in",
                      "out_degree": f"degrees_of({comm}_in_core).out"}
        if length.startswith("sum("):
            inner = length[4:-1]
            of = next(each for each in self.of.parameters if each.name == inner)
            return f"sum_of({inner}, {of.length})"
        if length.startswith("last("):
            inner = length[5:-1]
            of = next(each for each in self.of.parameters if each.name == inner)
            return f"last_of({inner}, {of.length})"
        return quantities.get(length, length)

    def parameter(self, each: Parameter) -> None:
        kind, text = each.kind, self.text
        if kind.is_function:
            text.arguments.append(f"reinterpret_cast<void (*)()>({each.name})")
        elif kind.name == "status":
            self.status(each)
        elif kind.is_handle() and not kind.name.startswith("t_"):
            self.handle(each)
        elif kind.name in BUFFERS and each.direction == "in":
            text.arguments.append(f"buffer_in({each.name})")
        elif kind.name == "attached":
            text.arguments.append(f"attached_in({each.name})")
        elif kind.name == "detached":
            text.arguments.append(each.name)
            text.after.append(f"if (code == constants::success) give_detached({each.name});")
        elif kind.name == "weights":
            text.arguments.append(f"weights_in({each.name})")
        elif kind.name == "text" and each.length in TEXTS_OF_STANDARD:
            self.written_text(each)
        else:
            self.number(each)

    def status(self, each: Parameter) -> None:
        text, name = self.text, each.name
        if each.direction == "const":
            text.before.append(f"const read_status {name}_here({name});")
            text.arguments.append(f"{name}_here.place()")
        elif each.is_array():
            text.before.append(f"written_status_array {name}_here({name}, {self.length(each.length)});")
            text.arguments.append(f"{name}_here.place()")
            text.after.append(f"{name}_here.give();")
        elif each.direction == "inout":
            text.before.append(f"changed_status {name}_here({name});")
            text.arguments.append(f"{name}_here.place()")
            text.after.append(f"{name}_here.give();")
        else:
            text.before.append(f"written_status {name}_here({name});")
            text.arguments.append(f"{name}_here.place()")
            text.after.append(f"{name}_here.give();")

    def handle(self, each: Parameter) -> None:
        text, name, c_type = self.text, each.name, each.kind.c_type(False)
        of = short(c_type)
        templates = f"<{of}_handle, {c_type}, {of}_in, {of}_out>"
        if each.is_array() and each.direction == "in":
            text.before.append(f"read_handles{templates} {name}_here({name}, {self.length(each.length)});")
            text.arguments.append(f"{name}_here.place()")
        elif each.is_array():
            form = "changed_handles" if each.direction == "inout" else "made_handles"
            text.before.append(f"{form}{templates} {name}_here({name}, {self.length(each.length)});")
            text.arguments.append(f"{name}_here.place()")
            text.after.append(f"{name}_here.give();")
        elif each.direction == "in":
            needs_name = c_type == "MPI_Comm" and any(other.length in ("size", "in_degree", "out_degree") and self.is_converted(other)
                                                      for other in self.of.parameters)
            if needs_name:
                text.before.insert(0, f"const comm_handle {name}_in_core = {of}_in({name});")
            text.arguments.append(f"{name}_in_core" if needs_name else f"{of}_in({name})")
        else:
            form = "changed_handle" if each.direction == "inout" else "made_handle"
            text.before.append(f"{form}{templates} {name}_here({name});")
            text.arguments.append(f"{name}_here.place()")
            text.after.append(f"{name}_here.give();")

    def is_converted(self, each: Parameter) -> bool:
        return each.kind.is_handle() or self.known.function(each.kind, "in") is not None

    def written_text(self, each: Parameter) -> None:
        """Cut to what the program has room for."""
        text, name = self.text, each.name
        length = next((other.name for other in self.of.parameters if other.name == "resultlen"), None)
        text.before.append(f"written_text<constants::{each.length.removeprefix('MPI_').lower()}> {name}_here({name});")
        text.arguments.append(f"{name}_here.place()")
        text.after.append(f"if (code == constants::success) {name}_here.give({each.length}, {length or 'nullptr'});")

    def number(self, each: Parameter) -> None:
        text, name, kind = self.text, each.name, each.kind
        inward, outward = self.known.function(kind, "in"), self.known.function(kind, "out")
        if each.is_array():
            if each.direction == "in" and inward:
                text.before.append(f"read_numbers {name}_here({name}, {self.length(each.length)}, {inward});")
                text.arguments.append(f"{name}_here.place()")
                return
            if each.direction != "in" and outward:
                length = each.filled and f"*{each.filled}" or self.length(each.length)
                text.after.append(f"if (code == constants::success) convert({name}, {length}, {outward});")
        elif each.direction == "in" and inward:
            text.arguments.append(f"{inward}({name})")
            return
        elif each.direction == "inout" and (inward or outward):
            text.before.append(f"changed_number {name}_here({name}, {inward or 'same'}, {outward or 'same'});")
            text.arguments.append(f"{name}_here.place()")
            text.after.append(f"{name}_here.give();")
            return
        elif each.direction == "out" and outward:
            text.after.append(f"if (code == constants::success) *{name} = {outward}(*{name});")
        text.arguments.append(name)


def is_jump(of: Function) -> bool:
    """The core's as it is: there is nothing to convert."""
    return of.returns is not None or any(each.kind.name == "varargs" for each in of.parameters)


def entries(table: Table, interface: Interface) -> dict[str, str]:
    """The texts of the files, by name."""
    known = Values(table, interface)
    files: dict[str, str] = {"mpi.h": header(table, interface), "api/foreign/core_entries.hpp": core_entries(table)}
    files |= {f"api/foreign/{name}": text for name, text in values(table, interface).items()}
    opening = [NOTICE, '#include "api/foreign/entry.hpp"\n', "using namespace pure::foreign;\n", 'extern "C" {\n']
    by_chapter: dict[str, list[str]] = {}
    for of in functions_of(table):
        lines = by_chapter.setdefault(of.chapter, list(opening))
        if of.name in BY_HAND:
            continue
        for large in of.forms():
            lines.append(f"PURE_JUMP_OF_MPI({of.c_name(large)});\n" if is_jump(of) else Entry(of, large, known).function())
    for chapter, lines in by_chapter.items():
        files[f"api/foreign/entries_{chapter}.cpp"] = "\n".join([*lines, '}  // extern "C"\n'])
    return files
