#!/usr/bin/env python3
"""src/api/mpi/table/NAME.interface says what the header and the library of that MPI say, which are asked again; and no constant of the
table is without a partner there unknown.

    interfaces.py ROOT

Without the wrappers of an MPI nothing is compared with it, and that is said.
"""
import shutil
import subprocess
import sys
from pathlib import Path

# Constants that neither version of an interface has: those of MPI 5.0, and the standard ABI's own.
LACKING = {
    "openmpi": {"MPI_ABI_SUBVERSION", "MPI_ABI_VERSION", "MPI_BUFFER_AUTOMATIC", "MPI_COMBINER_VALUE_INDEX", "MPI_COMM_TYPE_RESOURCE_GUIDED",
                "MPI_COMPLEX4", "MPI_CONVERSION_FN_NULL_C", "MPI_ERR_ABI", "MPI_ERR_ERRHANDLER", "MPI_INTEGER16", "MPI_LOGICAL16",
                "MPI_REAL2", "MPI_T_BIND_MPI_SESSION", "MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE", "MPI_T_CB_REQUIRE_MPI_RESTRICTED",
                "MPI_T_CB_REQUIRE_NONE", "MPI_T_CB_REQUIRE_THREAD_SAFE", "MPI_T_ERR_NOT_ACCESSIBLE", "MPI_T_ERR_NOT_SUPPORTED",
                "MPI_T_SOURCE_ORDERED", "MPI_T_SOURCE_UNORDERED"},
    "mpich": {"MPI_ABI_SUBVERSION", "MPI_ABI_VERSION"}}
# In Fortran alone, or of the versions that the table was made of and not of others.
VERSIONS = {"MPI_VERSION", "MPI_SUBVERSION"}


def pairs(text: str) -> dict[str, str]:
    return {cells[0]: cells[1] for line in text.splitlines() if " | " in line for cells in [line.split(" | ")]}


def main(root: Path) -> int:
    sys.path.insert(0, str(root / "src/api/mpi"))
    sys.dont_write_bytecode = True
    from mpi_interface import NAMES, read_interface
    from mpi_table import read_table
    from read_interface import read
    table, wrong, compared = read_table(), [], 0
    names = {each.name for section in table.sections for each in section.constants if section.form == "handle" or section.constants}
    for name in NAMES:
        interface = read_interface(name)
        lacks = {each for each in names if not interface.has(each)}
        wrong += [f"{name} has no {each}, and it is not known why" for each in sorted(lacks - LACKING[name])]
        wrong += [f"{name} has {each}, which is said to be lacking" for each in sorted(LACKING[name] - lacks)]
        if shutil.which(f"mpicc.{name}") is None:
            print(f"SKIPPED: {name}: mpicc.{name} is not installed")
            continue
        compared += 1
        kept = pairs((root / f"src/api/mpi/table/{name}.interface").read_text())
        fortran = shutil.which(f"mpifort.{name}") if shutil.which("gfortran") else None
        asked = pairs(read(name, f"mpicc.{name}", fortran or ""))
        null = kept["MPI_DATATYPE_NULL"]
        for each, value in asked.items():
            its = kept.get(each)
            is_size = value.isdigit() and each[0].islower()  # of a variable: a later version may have a larger one
            if its != value and value != null and each not in VERSIONS and not (is_size and its and int(its) >= int(value)):
                wrong.append(f"{name}: {each} is {value}, and the table says {its}")
    print("\n".join(wrong) if wrong else f"{len(NAMES)} interfaces, {compared} of them compared with headers: as they say")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1])))
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}: {error.stderr}")
