"""Writes names.h for constants.c and its parts, and names.inc for constants.f90: the constants that the headers of an MPI
know, of those in the table of Pure's MPI door.

    names.py SOURCE_TREE MPICC MPIFORT FOLDER
"""
import sys
import tempfile
from pathlib import Path

tree, mpicc, mpifort, to = Path(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
sys.path.insert(0, str(tree / "src/api/mpi"))
sys.dont_write_bytecode = True
from mpi_table import read_table  # noqa: E402
from read_interface import FORTRAN, read_c  # noqa: E402

table = read_table()
with tempfile.TemporaryDirectory() as place:
    known, _, _ = read_c(mpicc, Path(place))


def names(c_type: str, form: str = "handle") -> list[str]:
    return [each.name for section in table.sections if section.form == form and section.c_type == c_type
            for each in section.constants if each.name in known]


def rows(all_of_them: list[str]) -> str:
    return ", ".join(f'{{{each}, "{each}"}}' for each in all_of_them)


values: dict[str, str] = {}
second = [name for name in names("MPI_Datatype") if values.setdefault(known[name], name) != name]
classes = [each for each in known if each == "MPI_SUCCESS" or each.startswith("MPI_ERR_") and each != "MPI_ERR_LASTCODE"]
keys = [each for each in ("MPI_TAG_UB", "MPI_HOST", "MPI_IO", "MPI_WTIME_IS_GLOBAL", "MPI_APPNUM", "MPI_LASTUSEDCODE", "MPI_UNIVERSE_SIZE")]
is_second = " || ".join(f'!strcmp(name, "{each}")' for each in second) or "0"
(to / "names.h").write_text(f"""#define DATATYPES {rows(names("MPI_Datatype"))}
#define OPERATORS {rows(names("MPI_Op"))}
#define CLASSES {rows(classes)}
#define KEYS_OF_WORLD {rows(keys)}
#define IS_SECOND_NAME(name) ({is_second})
""")

if mpifort != "none":
    wanted = [*names("MPI_Datatype"), *classes]
    with tempfile.TemporaryDirectory() as place:
        in_fortran = FORTRAN.output(mpifort, Path(place) / "names.f90", wanted)

    def arrays(what: str, all_of_them: list[str]) -> list[str]:
        there = [each for each in all_of_them if each in in_fortran]
        rows = [f"  integer, parameter :: size_of_{what} = {len(there)}", f"  integer :: {what}({len(there)}) = [ &",
                *(f"    {each}{', &' if each != there[-1] else ']'}" for each in there),
                f"  character(32) :: names_of_{what}({len(there)}) = [character(32) :: &",
                *(f"    '{each}'{', &' if each != there[-1] else ']'}" for each in there)]
        return rows

    (to / "names.inc").write_text("\n".join([*arrays("types", names("MPI_Datatype")), *arrays("classes", classes), ""]))
