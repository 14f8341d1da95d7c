"""Programs as they are shipped: packages of Debian that were built for Open MPI or MPICH, over Pure's doors, each beside its own MPI
with equal results; and MPICH's suite, compiled with the wrappers of these MPIs.

    lammps, hpcc, gromacs       Open MPI; GROMACS has to write the same file, byte for byte
    quantum-espresso            Open MPI, Fortran; the pseudopotential is made by its own ld1.x
    nwchem                      both, Fortran with INTEGERs of 8 bytes over a library with 4. That for MPICH does not
                                converge with Debian's MPICH; its results have to be those of the other one
    scalapack                   both, its testers: Fortran, BLACS
    petsc4py                    Open MPI: Python, PETSc, SuperLU_DIST, PnetCDF
    mpi4py-debian, mpi4py-wheel the tests of mpi4py's sources over Debian's module and over PyPI's wheel

sources.sh has unpacked the packages; nothing of them is installed.
"""
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lines import MPI4PY_RANKS, MPICH_FOLDERS, WAYS, Line, Mpich, Said, named, run_limited
from programs import LAMMPS_INPUT, different, hpcc_input, hpcc_results

INTERFACES = ("openmpi", "mpich")
RANKS = (2, 4)
LIMIT_S = 240.0
# Debian's header of Open MPI hides what MPI 3.0 has removed, and its library has.
OLD_NAMES = ("-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-DOMPI_REMOVED_USE_STATIC_ASSERT=0")
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


class MpichOf(Mpich):
    """MPICH's suite, compiled with the wrapper of another MPI: what needs functions that its header lacks is left out."""

    def __init__(self, sources: Path, build: Path, work: Path, interface: str) -> None:
        self.interface = interface
        super().__init__(sources, build, work)

    def compile(self, *arguments: str) -> str:
        includes = (self.work, self.sources / "include", self.work / "dtpools/include")
        old = OLD_NAMES if self.interface == "openmpi" else ()
        done = subprocess.run([f"mpicc.{self.interface}", "-w", "-O0", *old, *(f"-I{each}" for each in includes), *arguments],
                              capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"not compiled:\n{done.stderr}"

    def run(self, folder: str, line: str, way: str, limit_s: float) -> tuple[bool, Said]:
        right, said = super().run(folder, line, way, limit_s)
        if not right and self.interface == "openmpi" and said.text.startswith("not compiled"):
            return True, Said(0, "not of this MPI: its header, of MPI 3.1, has not all of it")
        return right, said

    def lines(self) -> list[Line]:
        prefix = f"mpich@{self.interface}/"
        return [Line(each.name.replace("mpich/", prefix, 1), each.run, each.limit_s, each.is_large)
                for way in WAYS for folder in MPICH_FOLDERS for each in self.lines_of(folder, way)]


@dataclass(frozen=True)
class Package:
    name: str
    interface: str
    command: tuple[str, ...]  # with ROOT for the folder of the packages
    results: Callable[[Path, str], list[str]]
    inputs: Callable[[Path, int], None] = lambda where, ranks: None
    own: dict[str, str] = field(default_factory=dict)
    ranks: tuple[int, ...] = RANKS
    ways: tuple[str, ...] = WAYS
    tolerance: float = 0.0  # relative
    beside: str = ""  # the interface of the build whose results count, if not its own


def found_lines(pattern: str) -> Callable[[Path, str], list[str]]:
    return lambda _, text: re.findall(pattern, text, re.M)


GROMACS_TOPOLOGY = """\
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spce.itp"
[ system ]
water
[ molecules ]
SOL {}
"""
GROMACS_RUN = "nsteps = 100\ncutoff-scheme = Verlet\ncoulombtype = PME\nrvdw = 1.0\nrcoulomb = 1.0\n"
GROMACS_MOVES = "integrator = md\ndt = 0.001\nconstraints = h-bonds\ngen_vel = yes\ngen_seed = 7\n"

NWCHEM_INPUT = """\
start water
geometry noautoz
 O 0 0 0
 H 0 0.757 0.587
 H 0 -0.757 0.587
end
basis
 * library 6-31g
end
task scf energy
"""

ATOM_INPUT = """\
 &input title='Si', zed=14., rel=1, config='[Ne] 3s2 3p2 3d-2', iswitch=3, dft='PZ' /
 &inputp lpaw=.false., pseudotype=1, file_pseudopw='Si.UPF', author='a test', lloc=2, tm=.true. /
3
3S 1 0 2.00 0.00 2.10 2.10
3P 2 1 2.00 0.00 2.10 2.10
3D 3 2 -2.00 0.15 2.10 2.10
"""
CRYSTAL_INPUT = """\
 &control calculation='scf', prefix='si', pseudo_dir='.', outdir='.', disk_io='none' /
 &system ibrav=2, celldm(1)=10.2, nat=2, ntyp=1, ecutwfc=12.0 /
 &electrons conv_thr=1.0d-8 /
ATOMIC_SPECIES
 Si 28.086 Si.UPF
ATOMIC_POSITIONS alat
 Si 0.00 0.00 0.00
 Si 0.25 0.25 0.25
K_POINTS automatic
 2 2 2 1 1 1
"""

PETSC_PROGRAM = """\
import sys, petsc4py
petsc4py.init(sys.argv)
from petsc4py import PETSc
n = 200
A = PETSc.Mat().createAIJ([n, n], nnz=3)
A.setUp()
begin, end = A.getOwnershipRange()
for i in range(begin, end):
    A[i, i] = 2.0
    if i > 0: A[i, i - 1] = -1.0
    if i < n - 1: A[i, i + 1] = -1.0
A.assemble()
x, b = A.createVecs()
b.set(1.0)
for kind in ("cg", "gmres"):
    solver = PETSc.KSP().create()
    solver.setOperators(A)
    solver.setType(kind)
    solver.getPC().setType("jacobi")
    x.set(0.0)
    solver.solve(b, x)
    norm = x.norm()
    if PETSc.COMM_WORLD.getRank() == 0:
        print("result", kind, solver.getIterationNumber(), round(norm, 6))
"""


class Shipped:
    def __init__(self, sources: Path, build: Path) -> None:
        self.root, self.work, self.build, self.sources = sources / "shipped", sources / "shipped.work", build, sources
        self.lock, self.locks, self.of_mpi = threading.Lock(), {}, {}
        libraries = self.root / "usr/lib/x86_64-linux-gnu"
        places = (libraries, libraries / "blas", libraries / "lapack")
        self.own = {"LD_LIBRARY_PATH": ":".join(map(str, places)), "PATH": f"{self.root}/usr/bin:/usr/bin:/bin", **AS_ROOT}
        self.packages = [*self.molecules(), *self.chemistry(), *self.testers(libraries), self.petsc()]

    # ---- what runs ----

    def molecules(self) -> list[Package]:
        def melt(where: Path, _: int) -> None:
            (where / "in.melt").write_text(LAMMPS_INPUT)

        return [Package("lammps", "openmpi", ("lmp", "-in", "in.melt", "-log", "none"),
                        found_lines(r"^Created \d+ atoms|^ +\d+(?: +[-+.\de]+){5} *$"), melt, {"OMP_NUM_THREADS": "1"}),
                Package("hpcc", "openmpi", ("hpcc",),
                        hpcc_results, lambda where, ranks: (where / "hpccinf.txt").write_text(hpcc_input(ranks)), tolerance=1e-6),
                Package("gromacs", "openmpi", ("gmx_mpi", "mdrun", "-s", "run.tpr", "-deffnm", "end", "-reprod", "-ntomp", "1"),
                        lambda where, _: (where / "end.gro").read_text().splitlines(), self.water,
                        {"GMXLIB": f"{self.root}/usr/share/gromacs/top", "GMXDATA": f"{self.root}/usr/share/gromacs"})]

    def water(self, where: Path, _: int) -> None:
        """What mdrun reads: made once, and copied."""
        made = self.work / "water"
        own = {**self.own, "GMXLIB": f"{self.root}/usr/share/gromacs/top", "GMXDATA": f"{self.root}/usr/share/gromacs"}
        with self.lock_of("water"):
            if not (made / "run.tpr").exists():
                made.mkdir(parents=True, exist_ok=True)
                said = run_limited(["gmx", "solvate", "-cs", "spc216", "-box", "2.5", "2.5", "2.5", "-o", "begin.gro"], made, own, LIMIT_S)
                molecules = re.search(r"Number of solvent molecules:\s*(\d+)", said.text).group(1)
                (made / "topol.top").write_text(GROMACS_TOPOLOGY.format(molecules))
                for name, text, start in (("down", "integrator = steep\n" + GROMACS_RUN, "begin.gro"),
                                          ("run", GROMACS_MOVES + GROMACS_RUN, "down.gro")):
                    (made / f"{name}.mdp").write_text(text)
                    run_limited(["gmx", "grompp", "-f", f"{name}.mdp", "-c", start, "-p", "topol.top", "-o", f"{name}.tpr", "-maxwarn", "5"],
                                made, own, LIMIT_S)
                    if name == "down":
                        run_limited(["gmx", "mdrun", "-s", "down.tpr", "-deffnm", "down", "-ntmpi", "1", "-ntomp", "1"], made, own, LIMIT_S)
        shutil.copy(made / "run.tpr", where)

    def chemistry(self) -> list[Package]:
        def water(where: Path, _: int) -> None:
            (where / "water.nw").write_text(NWCHEM_INPUT)

        def silicon(where: Path, _: int) -> None:
            (where / "atom.in").write_text(ATOM_INPUT)
            (where / "crystal.in").write_text(CRYSTAL_INPUT)
            said = run_limited(["/bin/sh", "-c", "ld1.x < atom.in"], where, self.own, LIMIT_S)
            if said.status != 0:
                raise OSError(f"ld1.x ended with {said.status}:\n{said.text}")

        basis = {"NWCHEM_BASIS_LIBRARY": f"{self.root}/usr/share/nwchem/libraries/"}
        return [*(Package(f"nwchem-{interface}", interface, (f"nwchem.{interface}", "water.nw"),
                          found_lines(r"Total SCF energy = .*|^ *\d+ +-\d+\.\d{10}"), water, basis, ways=("processes",), tolerance=1e-9,
                          beside="openmpi")
                  for interface in INTERFACES),
                Package("quantum-espresso", "openmpi", ("pw.x", "-in", "crystal.in"),
                        found_lines(r"^! +total energy .*|^ +number of electrons .*|convergence has been achieved"), silicon,
                        {"OMP_NUM_THREADS": "1"}, tolerance=1e-7)]

    def testers(self, libraries: Path) -> list[Package]:
        """All of ScaLAPACK's in double and complex double: the others are the same text."""
        residuals = found_lines(r"^ *\d+ tests (?:completed and|passed|failed|completed without).*")
        found = []
        for interface in INTERFACES:
            folder = libraries / f"scalapack/{interface}-tests"
            for program in sorted([*folder.glob("xd*"), *folder.glob("xz*")]):
                def data(where: Path, _: int, folder: Path = folder) -> None:
                    for each in folder.glob("*.dat"):
                        shutil.copy(each, where)
                if program.suffix != ".dat":
                    found.append(Package(f"scalapack-{interface}-{program.name}", interface, (str(program),), residuals, data, ranks=(4,)))
        return found

    def petsc(self) -> Package:
        folder = f"{self.root}/usr/lib/petscdir/petsc3.18/x86_64-linux-gnu-real"

        def program(where: Path, _: int) -> None:
            (where / "solve.py").write_text(PETSC_PROGRAM)

        return Package("petsc4py", "openmpi", ("/usr/bin/python3", "solve.py"), found_lines(r"^result .*"), program,
                       {"PYTHONPATH": f"{folder}/lib/python3/dist-packages", "PETSC_DIR": folder}, ways=("processes",), tolerance=1e-6)

    # ---- beside its own MPI ----

    def lock_of(self, what: str) -> threading.Lock:
        with self.lock:
            return self.locks.setdefault(what, threading.Lock())

    def run(self, package: Package, ranks: int, way: str, limit_s: float) -> tuple[list[str], Said]:
        where = self.work / "runs" / f"{package.name}.{ranks}.{way}"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        try:
            package.inputs(where, ranks)
        except OSError as error:
            return [], Said(1, f"no input: {error}")
        command = package.command
        if way == "mpi":
            interface = package.beside or package.interface
            launcher = [f"/usr/bin/mpiexec.{interface}"]
            command = tuple(word.replace(f".{package.interface}", f".{interface}") for word in command)
        else:
            launcher = [f"{self.build}/bin/purerun", "--ranks-as", way]
        said = run_limited([*launcher, "-n", str(ranks), *command], where, {**self.own, **package.own, "PURE_CHECK": "0"}, limit_s)
        try:
            return package.results(where, said.text), said
        except OSError as error:
            return [], Said(said.status, f"{said.text}\nno results: {error}")

    def beside_mpi(self, package: Package, ranks: int, way: str, limit_s: float) -> tuple[bool, Said]:
        key = package.name, ranks
        with self.lock_of(str(key)):
            if key not in self.of_mpi:
                self.of_mpi[key] = self.run(package, ranks, "mpi", limit_s)
        expected, said_mpi = self.of_mpi[key]
        if said_mpi.status != 0:
            return False, Said(1, f"its own MPI ended with {said_mpi.status}:\n{said_mpi.text}")
        results, said = self.run(package, ranks, way, limit_s)
        if said.status != 0:
            return False, said
        difference = different(results, expected, package.tolerance)
        return (False, Said(said.status, f"not what its own MPI has: {difference[:1000]}\n{said.text}")) if difference else (True, said)

    # ---- mpi4py's suite, over modules that are built for other MPIs ----

    def mpi4py(self, kind: str, file: str, ranks: int, limit_s: float) -> tuple[bool, Said]:
        tests = self.sources / ("mpi4py-3.1.4" if kind == "debian" else "mpi4py")
        python = "/usr/bin/python3" if kind == "debian" else sys.executable
        place = self.root / "usr/lib/python3/dist-packages" if kind == "debian" else self.sources / "wheel"
        main = ["test/runtests.py", "--no-builddir", "--no-threads", "-q", "-i", file] if kind == "debian" else [
            "test/main.py", "--no-builddir", "--no-threads", "-q", "-f", "-i", f"^{file}$"]
        done = run_limited([f"{self.build}/bin/purerun", "--ranks-as", "processes", "-n", str(ranks), python, *main], tests,
                           {"PYTHONPATH": str(place)}, limit_s)
        return done.status == 0 and re.search(r"^OK", done.text, re.M) is not None, done

    def mpi4py_lines(self) -> list[Line]:
        from lines import MPI4PY_FILES
        lines = []
        for kind, folder in (("debian", "mpi4py-3.1.4"), ("wheel", "mpi4py")):
            files = [file.stem for file in sorted((self.sources / folder / "test").glob("test_*.py"))]
            wanted = [file for file in files if any(re.match(rf"test_{each}", file) for each in MPI4PY_FILES)]
            lines += [Line(f"mpi4py@{kind}/{file} {ranks}",
                           lambda limit_s, kind=kind, file=file, ranks=ranks: self.mpi4py(kind, file, ranks, limit_s), 300.0)
                      for file in wanted for ranks in MPI4PY_RANKS]
        return lines

    def lines(self) -> list[Line]:
        return [*(Line(named(f"shipped/{package.name} {ranks}", way),
                       lambda limit_s, package=package, ranks=ranks, way=way: self.beside_mpi(package, ranks, way, limit_s), LIMIT_S)
                  for way in WAYS for package in self.packages if way in package.ways for ranks in package.ranks), *self.mpi4py_lines()]
