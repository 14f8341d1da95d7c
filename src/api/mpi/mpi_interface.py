"""The binary interfaces that shipped programs were built for: table/NAME.interface, which read_interface.py writes.

table/NAME.interface
    [sizes]      sizeof TYPE | bytes; a field of MPI_Status | its offset
    [handles]    name | an int, or the variable whose address it is | the INTEGER of mpif.h, "-" if it has none
    [values]     name | value in C | value in mpif.h
    [addresses]  name | a number; the function or variable whose address it is; or *VARIABLE, what that has in it
    [data]       a variable | bytes
"""
from dataclasses import dataclass
from pathlib import Path

from mpi_table import BadTable, Constant, Section, Table

NAMES = {"openmpi": "Open MPI 4", "mpich": "MPICH, 3.3 and later"}
HAVE_DESCRIPTORS = {"mpich"}  # of buffers, in mpi_f08

# Constants that MPI has removed, or never had, and these interfaces have.
ONLY_OF_INTERFACES = (
    Section("handle", "MPI_Datatype", tuple(Constant(name, "-", None) for name in (
        "MPI_LB", "MPI_UB", "MPI_2COMPLEX", "MPI_2DOUBLE_COMPLEX"))),
    Section("enum", "", tuple(Constant(name, "-", None) for name in (
        "MPI_COMBINER_HVECTOR_INTEGER", "MPI_COMBINER_HINDEXED_INTEGER", "MPI_COMBINER_STRUCT_INTEGER"))),
)


@dataclass(frozen=True)
class Interface:
    name: str
    sizes: dict[str, int]
    handles: dict[str, tuple[str, str]]  # value, and in Fortran
    values: dict[str, tuple[int, str]]
    addresses: dict[str, str]
    data: dict[str, int]

    def has(self, constant: str) -> bool:
        return constant in self.handles or constant in self.values or constant in self.addresses

    def is_address(self, handle_type: str, table: Table) -> bool:
        """Whether handles of that C type are addresses of variables, and not numbers."""
        names = [each.name for section in table.sections if section.c_type == handle_type for each in section.constants]
        return any(each in self.handles and not self.handles[each][0][0].isdigit() for each in names)


def read_interface(name: str, folder: Path = Path(__file__).parent / "table") -> Interface:
    parts: dict[str, dict[str, list[str]]] = {each: {} for each in ("sizes", "handles", "values", "addresses", "data")}
    part = ""
    for number, line in enumerate((folder / f"{name}.interface").read_text().splitlines(), 1):
        if line.startswith("["):
            part = line.strip("[]")
        elif not line.startswith("#"):
            key, *cells = line.split(" | ")
            if part not in parts or not cells:
                raise BadTable(f"{name}.interface:{number}: {line!r}")
            parts[part][key] = cells
    return Interface(name, {key: int(cells[0]) for key, cells in parts["sizes"].items()},
                     {key: (cells[0], cells[1]) for key, cells in parts["handles"].items()},
                     {key: (int(cells[0]), cells[1]) for key, cells in parts["values"].items()},
                     {key: cells[0] for key, cells in parts["addresses"].items()},
                     {key: int(cells[0]) for key, cells in parts["data"].items()})
