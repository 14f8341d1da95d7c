"""Who runs the programs: Pure, with ranks as threads or as processes, and every MPI that is found, each as its makers
recommend for one machine: bound to cores; waiting ranks give the core away only where ranks share cores."""

import os
import shutil
from dataclasses import dataclass, field

from driver.systems import FAMILIES, Family


@dataclass(frozen=True)
class EvaluatedSystem:
    """`kind`: pure, mpi or ampi."""

    name: str
    title: str
    kind: str
    family: str = ""
    mpicc: str = ""
    mpiexec: str = ""
    environment: dict = field(default_factory=dict, hash=False, compare=False)

    def wrapper(self, language):
        """The compiler command. A C wrapper serves for C++: the compiler knows the language by the source's name."""
        if self.kind == "pure":
            return [self.mpicc if language == "c" else self.mpicc.replace("purecc", "purecxx")]
        if self.kind == "ampi" and language == "c++":
            return [self.mpicc.replace("ampicc", "ampicxx")]
        return [self.mpicc]


def pure_system(release):
    return EvaluatedSystem("pure", "Pure", "pure", mpicc=str(release / "bin" / "purecc"), mpiexec=str(release / "bin" / "purerun"))


def mpi_systems(found):
    """Of the newest of each family."""
    newest = [system for system in found if "-" not in system.name]
    titles = {"mpich": "MPICH", "openmpi": "Open MPI", "intelmpi": "Intel MPI"}
    return [
        EvaluatedSystem(
            each.name,
            f"{titles.get(each.family, each.family)} {each.version}",
            "mpi",
            each.family,
            each.mpicc,
            each.mpiexec,
            each.environment,
        )
        for each in newest
    ]


def ampi_system():
    """Charm++'s AMPI, if its compiler is in PATH."""
    mpicc = shutil.which("ampicc")
    launcher = shutil.which("ampirun") or shutil.which("charmrun")
    return EvaluatedSystem("ampi", "AMPI", "ampi", "ampi", mpicc, launcher) if mpicc and launcher else None


# What keeps a command from being refused that a person would not type.
_QUIET = {"PURE_OTHER_JOBS": "ignore"}


def launch(system, program, arguments, ranks, threads=1, *, as_processes=False, helpers=0, cores=None):
    """The command and its environment. `threads` of OpenMP in each rank."""
    cores = cores or len(os.sched_getaffinity(0))
    environment = dict(system.environment) | ({"OMP_NUM_THREADS": str(threads)} if threads > 1 else {})
    n = str(ranks)
    if system.kind == "pure":
        options = ["--ranks-as", "processes" if as_processes else "threads"]
        options += ["--helpers", str(helpers)] if helpers else []
        return [system.mpiexec, "-n", n, *options, str(program), *arguments], environment | _QUIET
    if system.kind == "ampi":
        virtual = [] if threads > 1 else [f"+vp{2 * ranks}"]
        return [system.mpiexec, f"+p{ranks}", str(program), *arguments, *virtual], environment
    family = FAMILIES.get(system.family, Family())
    is_crowded = ranks * threads > cores
    environment |= {key: value for key, value in family.environment.items() if key != "I_MPI_PIN"}
    environment |= family.crowded_environment if is_crowded else {}
    options = [*family.options, *(family.crowded_options if is_crowded else family.alone_options)]
    if not is_crowded:
        if system.family == "mpich":
            options += ["-bind-to", f"core:{threads}"]
        elif system.family == "openmpi":
            options += ["--bind-to", "core", "--map-by", f"slot:PE={threads}"]
        elif system.family == "intelmpi" and threads > 1:
            environment["I_MPI_PIN_DOMAIN"] = "omp"
    elif system.family == "openmpi":
        options += ["--bind-to", "none"]
    return [system.mpiexec, "-n", n, *options, str(program), *arguments], environment
