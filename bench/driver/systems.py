"""The systems that are compared: Pure with threads as ranks and with processes, Pure as the MPI of MPI programs, every
MPI that is found, OpenMP, TBB, and plain threads (limit).

An MPI is known by its compiler wrapper: what <mpi.h> defines tells its family and version, and its launcher lies
beside it. Each is run as its makers recommend for one machine; see FAMILIES.
"""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from driver.errors import BenchError

MPI_FAMILIES = ("mpich", "openmpi", "intelmpi")


@dataclass(frozen=True)
class Family:
    """How the MPIs of one family are run. Launchers bind nothing where the benchmark binds each rank itself."""

    options: tuple[str, ...] = ()
    unbound_options: tuple[str, ...] = ()
    environment: dict = field(default_factory=dict)
    # While each rank has a core of its own, waiting ranks may keep it; ranks that share a core should give it away.
    alone_options: tuple[str, ...] = ()
    crowded_options: tuple[str, ...] = ()
    crowded_environment: dict = field(default_factory=dict)


FAMILIES = {
    "mpich": Family(),
    "openmpi": Family(
        # --oversubscribe: it counts slots by its own rules. It would also make waits yield, which costs message rate.
        options=("--allow-run-as-root", "--oversubscribe"),
        unbound_options=("--bind-to", "none"),
        alone_options=("--mca", "mpi_yield_when_idle", "0"),
        crowded_options=("--mca", "mpi_yield_when_idle", "1"),
    ),
    "intelmpi": Family(
        environment={"I_MPI_FABRICS": "shm", "I_MPI_PIN": "off"},
        crowded_environment={"I_MPI_WAIT_MODE": "1"},
    ),
}


@dataclass(frozen=True)
class System:
    name: str
    kind: str  # as in a benchmark's systems=: pure, mpi, openmp, tbb, limit; or pure-mpi, which runs what mpi runs
    family: str = ""
    version: str = ""
    mpicc: str = ""
    mpiexec: str = ""
    compiled_as: "System | None" = None  # whose programs it runs; None: it has its own
    is_for_whom_names_it: bool = False  # not one of all

    @property
    def program(self):
        """The system that its programs are compiled for."""
        return self.compiled_as or self

    @property
    def environment(self):
        """What its compiler wrapper and its launcher need."""
        return wrapper_environment(self.mpicc) if self.mpicc else {}


PURE = System("pure", "pure")
# Ranks are processes that purerun starts itself, over net_shm: in every row that MPIs have.
PURE_PROCESSES = System("pure-processes", "pure", compiled_as=PURE)
# The programs of the MPIs, compiled for Pure and started by purerun: what the MPI door costs.
PURE_MPI_THREADS = System("pure-mpi-threads", "pure-mpi")
PURE_MPI_PROCESSES = System("pure-mpi-processes", "pure-mpi", compiled_as=PURE_MPI_THREADS)
# Each rank, or each process of several ranks, is one that purerun starts, over net_shm.
OWN_PROCESSES = (PURE_PROCESSES, PURE_MPI_PROCESSES)
KINDS_OF_PURE = ("pure", "pure-mpi")
KINDS_WITH_RANKS = (*KINDS_OF_PURE, "mpi")
OTHER_SYSTEMS = {system.name: system for system in (PURE, PURE_PROCESSES, PURE_MPI_THREADS, PURE_MPI_PROCESSES)}
OTHER_SYSTEMS |= {name: System(name, name) for name in ("openmp", "tbb", "limit")}


def over_doors(mpis):
    """Pure with the very programs of these MPIs, by its libraries of their names: what such a door costs. Ranks are threads."""
    return [
        System(f"door-{mpi.name}", "pure-mpi", compiled_as=mpi, is_for_whom_names_it=True)
        for mpi in mpis
        if mpi.family in MPI_FAMILIES
    ]


def wrapper_environment(mpicc):
    """Intel MPI's scripts must be told where they lie; the others know."""
    root = Path(os.path.realpath(mpicc)).parent.parent
    return {"I_MPI_ROOT": str(root)} if (root / "bin" / "impi_info").exists() else {}


def family_and_version(mpicc):
    """("openmpi", "4.1.4") for a compiler wrapper; None if it cannot compile a program that includes <mpi.h>."""
    try:
        macros = subprocess.run(
            [mpicc, "-E", "-dM", "-x", "c", "-"],
            input="#include <mpi.h>\n",
            capture_output=True,
            text=True,
            timeout=60,
            env=os.environ | wrapper_environment(mpicc),
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = dict(re.findall(r'^#define (\w+) "?([^"\n]+)"?$', macros, re.MULTILINE))
    if "I_MPI_VERSION" in found:  # Intel MPI and MVAPICH define MPICH_VERSION, too
        return "intelmpi", found["I_MPI_VERSION"]
    if "OMPI_MAJOR_VERSION" in found:
        return "openmpi", ".".join(found[f"OMPI_{part}_VERSION"] for part in ("MAJOR", "MINOR", "RELEASE"))
    for macro in ("MVAPICH_VERSION", "MVAPICH2_VERSION"):
        if macro in found:
            return "mvapich", found[macro]
    if "MPICH_VERSION" in found:
        return "mpich", found["MPICH_VERSION"]
    return ("mpi", found["MPI_VERSION"]) if "MPI_VERSION" in found else None


def launcher_beside(mpicc):
    """The mpiexec that belongs to a wrapper: /usr/bin/mpiexec.openmpi for /usr/bin/mpicc.openmpi. None if none."""
    chain = [Path(mpicc)]
    while chain[-1].is_symlink() and len(chain) < 10:
        chain.append(Path(os.path.normpath(chain[-1].parent / os.readlink(chain[-1]))))
    # The end of the chain of links knows best which MPI it is; Open MPI's ends in a wrapper with another name.
    for path in reversed(chain):
        if path.name.startswith("mpicc"):
            launcher = path.parent / path.name.replace("mpicc", "mpiexec", 1)
            if launcher.exists():
                return str(launcher)
    return None


def mpi_from(name, mpicc):
    """The System for --mpi NAME=MPICC, or BenchError."""
    path = shutil.which(mpicc)
    if path is None:
        raise BenchError(f"--mpi {name}={mpicc}: there is no such program")
    identity = family_and_version(path)
    if identity is None:
        raise BenchError(f"--mpi {name}={mpicc}: it cannot compile a program that includes <mpi.h>")
    launcher = launcher_beside(path)
    if launcher is None:
        raise BenchError(f"--mpi {name}={mpicc}: there is no mpiexec beside it")
    return System(name, "mpi", *identity, path, launcher)


def find_mpis(rivals):
    """Every MPI in PATH and every one that bench/rivals has installed. The newest of a family has the family's name;
    the others have their version added."""
    wrappers = sorted(str(p) for p in rivals.glob("*/bin/mpicc"))
    for folder in dict.fromkeys(os.environ.get("PATH", "").split(os.pathsep)):
        names = Path(folder or ".").glob("mpicc*")
        wrappers.extend(sorted(str(path) for path in names if re.fullmatch(r"mpicc(\.\w+)?", path.name)))
    found = {}
    for mpicc in wrappers:
        launcher = launcher_beside(mpicc)
        identity = family_and_version(mpicc) if launcher and os.access(mpicc, os.X_OK) else None
        if identity:
            # One MPI has several names (mpicc and mpicc.mpich, /bin and /usr/bin); its launcher has one.
            found.setdefault((identity, os.path.realpath(os.path.dirname(launcher))), (mpicc, launcher))
    systems = {}
    for (family, version), folder in sorted(found, key=lambda key: _version_key(key[0][1]), reverse=True):
        name = family if family not in systems else f"{family}-{version}"
        if name not in systems:
            systems[name] = System(name, "mpi", family, version, *found[(family, version), folder])
    order = {family: i for i, family in enumerate(MPI_FAMILIES)}
    return sorted(systems.values(), key=lambda s: ("-" in s.name, order.get(s.family, 9), s.name))


def _version_key(version):
    return [int(part) for part in re.findall(r"\d+", version)]
