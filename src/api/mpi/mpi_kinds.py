"""What a parameter can be: table/kinds.table, read."""
from dataclasses import dataclass

LANGUAGES = ("C", "C, form _c", "mpif.h and mpi", "mpi_f08", "mpi_f08, form _c")
INTERFACES = ("Fortran", "standard", "openmpi", "mpich")  # that of a language, and the binary ones
COLUMNS = ("kind", *LANGUAGES, *INTERFACES, "constants")
CONVERSIONS = {"same", "values", "bits", "codes", "contents", "handle", "number", "status", "address", "overhead", "attribute",
               "function", "logical", "index", "room", "narrow", "text", "trimmed"}
NONE = "none"  # no argument of Fortran


@dataclass(frozen=True)
class Kind:
    name: str
    types: dict[str, str]  # by language
    conversions: dict[str, tuple[str, str]]  # by interface: inward and outward; "-" where there is none
    constants: tuple[str, ...]  # names, also with *, and C types
    is_function: bool = False  # of the program

    def c_type(self, large: bool) -> str:
        return self.types["C, form _c" if large else "C"]

    def is_pointer(self) -> bool:
        """As it stands, without a direction."""
        return self.c_type(False).endswith(("*", "*)[3]"))

    def is_handle(self) -> bool:
        return "handle" in self.conversions["standard"]

    def is_wider(self) -> bool:
        """Whether it is a number that differs in the two forms."""
        return not self.is_pointer() and self.c_type(False) != self.c_type(True)


def kind_of(cells: list[str]) -> Kind:
    """Of a row with all its columns; a conversion that nobody knows is a ValueError."""
    row = dict(zip(COLUMNS, cells, strict=True))
    if empty := [column for column, cell in row.items() if not cell]:
        raise ValueError(f"{row['kind']}: nothing in column {empty[0]}")
    conversions = {}
    for interface in INTERFACES:
        inward, given, outward = row[interface].partition("/")
        conversions[interface] = (inward, outward if given else inward)
        if unknown := set(conversions[interface]) - CONVERSIONS - {"-"}:
            raise ValueError(f"{row['kind']}, {interface}: no such conversion: {min(unknown)!r}")
    constants = tuple(row["constants"].split()) if row["constants"] != "-" else ()
    return Kind(row["kind"], {language: row[language] for language in LANGUAGES}, conversions, constants)


def function_kind(of: Kind, callback: str, has_large: bool) -> Kind:
    """A type of functions of the program, from the row of all of them."""
    types = {language: of.types[language if has_large else language.removesuffix(", form _c")].format(callback)
             for language in LANGUAGES}
    return Kind(callback, types, of.conversions, of.constants, is_function=True)
