"""Interfaces of procedures for the modules mpi and mpi_f08, from the table."""
from mpi_table import Function, Parameter
from write_fortran_side import CHOICES, is_described


def folded(line: str) -> list[str]:
    """Free form has 132 columns; none of ours is near that."""
    lines, indent = [], " " * (len(line) - len(line.lstrip()) + 4)
    while len(line) > 110:
        at = line.rindex(", ", 0, 108) + 2
        lines.append(line[:at] + "&")
        line = indent + line[at:]
    return [*lines, line]


class Interfaces:
    """Of one module."""

    def __init__(self, language: str) -> None:
        self.language, self.is_f08 = language, language != "mpif.h and mpi"
        self.lines: list[str] = []
        self.has_c_ptr = False  # the procedure that is being written, for its addresses

    def add(self, text: str) -> None:
        self.lines += folded(text)

    def type_of(self, each: Parameter, large: bool) -> str:
        language = "mpi_f08, form _c" if large and self.is_f08 else self.language
        return each.kind.types[language]

    def declared(self, of: Function, each: Parameter, large: bool, imported: set[str]) -> list[str]:
        """Lines that declare the argument."""
        kind, name, found = each.kind.name, each.name, self.type_of(each, large)
        is_waiting = any(other.kind.name == "request" and other.direction == "out" for other in of.parameters) or of.name.endswith(
            "_begin") or of.chapter == "12_one_sided" and kind in CHOICES
        if kind in CHOICES or found == "TYPE(*), DIMENSION(*)":
            if self.is_f08 and is_described(of):
                intent = ", intent(in)" if kind in ("data", "send_data") else ""
                return [f"type(*), dimension(..){intent}{', asynchronous' if is_waiting else ''} :: {name}"]
            return [f"!GCC$ ATTRIBUTES NO_ARG_CHECK :: {name}", f"!DIR$ IGNORE_TKR {name}", f"type(*), dimension(*) :: {name}"]
        if each.kind.is_function or found == "EXTERNAL":
            if not self.is_f08:
                return [f"external :: {name}"]
            type_name = found.removeprefix("PROCEDURE(").removesuffix(")")
            imported.add(type_name)
            return [f"procedure({type_name}) :: {name}"]
        intent = {"in": "in", "const": "in", "inout": "inout", "out": "out"}[each.direction]
        shape = "*" if each.is_array() else ""
        of_type, attributes = found.lower(), ""
        if kind == "status":
            if self.is_f08:
                imported.add("MPI_Status")
                of_type = "type(MPI_Status)"
            else:
                imported.add("MPI_STATUS_SIZE")
                of_type, shape = "integer", "MPI_STATUS_SIZE, *" if each.is_array() else "MPI_STATUS_SIZE"
            attributes = f", intent({intent})" if each.direction in ("const", "inout") else ""
        elif kind == "ranges":
            of_type, shape, attributes = "integer", "3, *", f", intent({intent})"
        elif kind in ("argv", "argvs"):
            of_type, attributes = "character(len=*)", ", intent(in)"
            shape = "*" if kind == "argv" else "count, *"
        elif found.startswith("CHARACTER"):
            of_type, shape, attributes = "character(len=*)", "", f", intent({intent})"
        elif kind in ("weights", "error_codes"):
            attributes = ", intent(in)" if each.direction == "in" else ""
        else:
            attributes = f", intent({intent})"
        if found.startswith("INTEGER(MPI_") and not (kind == "base" and self.has_c_ptr):
            of_kind = found[len("INTEGER("):-1]
            imported.add(of_kind)
            of_type = f"integer(kind={of_kind})"
        elif found.startswith("TYPE(MPI_") and kind != "status":
            of_type = f"type({found[5:-1]})"
            imported.add(found[5:-1])
        elif found == "TYPE(C_PTR)" or kind == "base" and self.has_c_ptr:
            imported.add("c_ptr")
            of_type = "type(c_ptr)"
        if each.is_array() and "keeps_arrays" in of.attributes and self.is_f08 and each.direction == "in":
            attributes += ", asynchronous"
        return [f"{of_type}{attributes} :: {name}{f'({shape})' if shape else ''}"]

    def procedure(self, of: Function, large: bool, specific: str, binding: str | None) -> None:
        """One interface body."""
        self.has_c_ptr = specific.endswith("_cptr")
        given = [each for each in of.parameters if self.type_of(each, large) != "none"]
        imported: set[str] = set()
        declared = [line for each in given for line in self.declared(of, each, large, imported)]
        bound = f' bind(C, name="{binding}")' if binding else ""
        names = [each.name for each in given]
        if of.returns:
            result = of.returns.types[self.language]
            if result.startswith("INTEGER("):
                imported.add(result[len("INTEGER("):-1])
                result = f"integer(kind={result[len('INTEGER('):-1]})"
            self.add(f"    function {specific}({', '.join(names)}) result(made){bound}")
            end, result = "function", [f"{result.lower() if '(' not in result else result} :: made"]
        else:
            self.add(f"    subroutine {specific}({', '.join([*names, 'ierror'])}){bound}")
            optional = ", optional" if self.is_f08 else ""
            end, result = "subroutine", [f"integer{optional}, intent(out) :: ierror"]
        if imported:
            self.add(f"      import :: {', '.join(sorted(imported))}")
        self.add("      implicit none")
        for line in [*declared, *result]:
            if line.startswith("!"):
                self.lines.append(line)
            else:
                self.add(f"      {line}")
        self.add(f"    end {end}")

    def add_all(self, name: str, bodies: list[tuple[Function, bool, str, str | None]]) -> None:
        """The specific procedures of a generic name; or of none."""
        self.add(f"  interface {name}".rstrip())
        for body in bodies:
            self.procedure(*body)
        self.add("  end interface")
