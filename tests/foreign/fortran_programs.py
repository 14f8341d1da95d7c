"""Programs in Fortran beside an MPI, built with purefc and with MPICH's compiler; equal results are wanted.

    PARPACK     mpif.h, and mpi_f08 where C calls it: its examples and tests, eigenvalues of sparse matrices
    mpgrafic    mpi_f08: random fields for cosmology, by FFTW, whose part for MPI is C
    MUMPS       modules around mpif.h: its examples, and a larger matrix; a sparse direct solver that sends in the background

Their parts in C are compiled with purecc and mpicc.mpich. sources.sh has got the sources.
"""
import re
import subprocess
from array import array
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path

from lines import Said
from programs import Case, Programs, write_new

DRIVERS = Path(__file__).with_name("drivers")
COMPILERS = {"pure": ("bin/purecc", "bin/purefc"), "mpich": ("mpicc.mpich", "mpifort.mpich")}


@dataclass(frozen=True)
class Package:
    """An archive of the sources, and programs that are linked with it."""
    name: str
    sources: tuple[Path, ...]
    mains: dict[str, tuple[Path, ...]]
    fortran_flags: tuple[str, ...]
    c_flags: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ("-llapack", "-lblas", "-lm", "-lpthread")


@dataclass(frozen=True)
class FortranProgram:
    package: Package
    main: str


@cache
def modules_of(file: Path) -> tuple[frozenset[str], frozenset[str]]:
    """Modules that a source in Fortran defines, and modules that it uses, in small letters."""
    text = file.read_text(errors="replace").lower()
    defined = frozenset(re.findall(r"^\s*module\s+(?!procedure\b)(\w+)", text, re.M))
    return defined, frozenset(re.findall(r"^\s*use\b\s*(?:,\s*\w+\s*)?(?:::)?\s*(\w+)", text, re.M)) - defined


def is_c(file: Path) -> bool:
    return file.suffix == ".c"


def statements(package: Package, build: Path, system: str) -> str:
    """For ninja: it runs in the folder, where modules come to lie. A source waits for those whose modules it uses."""
    c, fortran = (f"{build}/{each}" if system == "pure" else each for each in COMPILERS[system])
    text = (f"rule c\n  command = {c} -w {' '.join(package.c_flags)} -c $in -o $out\n"
            f"rule fortran\n  command = {fortran} -w {' '.join(package.fortran_flags)} -c $in -o $out\n"
            f"rule archive\n  command = rm -f $out && ar rcs $out $in\n"
            f"rule link\n  command = {fortran} $in {' '.join(package.libraries)} -o $out\n")
    named = {file: f"{number}-{file.stem}.o" for number, file in enumerate(
        dict.fromkeys([*package.sources, *(file for files in package.mains.values() for file in files)]))}
    maker = {module: own for file, own in named.items() if not is_c(file) for module in modules_of(file)[0]}
    header = f"{build}/mpi/include/mpi.h" if system == "pure" else ""
    for file, own in named.items():
        needs = [] if is_c(file) else sorted({maker[module] for module in modules_of(file)[1] if module in maker})
        text += f"build {own}: {'c' if is_c(file) else 'fortran'} {file} | {' '.join([header, *needs])}\n"
    text += f"build all.a: archive {' '.join(named[file] for file in package.sources)}\n"
    for main, files in package.mains.items():
        text += f"build {main}: link {' '.join(named[file] for file in files)} all.a\n"
    return text


# ---- PARPACK --------------------------------------------------------------------------------------------------------

PARPACK_EXAMPLES = ("pdsdrv1", "pdndrv1", "pdndrv3", "pzndrv1")


def parpack(folder: Path, made: Path) -> list[Case]:
    made.mkdir(parents=True, exist_ok=True)
    for name in ("arpackdef.h", "arpackicb.h"):
        write_new(made / name, (folder / f"{name}.in").read_text().replace("@INTERFACE64@", "0"))
    own, tests = folder / "PARPACK", folder / "PARPACK/TESTS/MPI"
    utilities = [folder / f"UTIL/{name}.f" for name in (
        "icnteq icopy iset iswap ivout second_NONE svout smout dvout dmout cvout cmout zvout zmout").split()]
    sources = (*sorted((folder / "SRC").glob("*.f")), *sorted((own / "SRC/MPI").glob("*.[fF]*")), *utilities,
               *sorted((own / "UTIL/MPI").glob("*.f")), *sorted((folder / "ICB").glob("*.F90")), folder / "dbgini.f",
               folder / "staini.f")
    mains = {name: (own / f"EXAMPLES/MPI/{name}.f",) for name in PARPACK_EXAMPLES}
    mains |= {"issue46": (tests / "issue46.f",), "icb_parpack_c": (tests / "icb_parpack_c.c",)}
    includes = [f"-I{each}" for each in (made, folder, folder / "ICB")]
    package = Package("parpack", sources, mains, ("-O0", "-fallow-argument-mismatch", "-DHAVE_MPI_ICB=1", *includes),
                      ("-O0", "-DHAVE_MPI_ICB=1", *includes))

    def results(_: Path, said: str) -> list[str]:
        """Ritz values, but not their residuals, which are noise; where C calls, what all ranks have found."""
        values = re.findall(r"^ *Row +\d+: +(\S+)", said, re.M)
        return sorted(value.replace("D", "E") for value in values) + sorted(set(re.findall(r"rank \d+ : (.*)", said)))

    # MPICH's ranks spin while they wait: with more ranks than cores these take it half a minute each.
    return [Case(f"parpack-{main}", FortranProgram(package, main), (), results, mpi_ranks=2) for main in mains]


# ---- MUMPS ----------------------------------------------------------------------------------------------------------


def grid(side: int) -> str:
    """dsimpletest's input: N, entries, their rows, columns and values, a right side; not symmetric."""
    rows = []
    for y in range(side):
        for x in range(side):
            here = y * side + x + 1
            rows.append(f"{here} {here} 4.5")
            rows += [f"{here} {here + step} {value}" for step, value, fits in (
                (1, "-1.25", x + 1 < side), (-1, "-0.75", x > 0), (side, "-1.5", y + 1 < side), (-side, "-0.5", y > 0))
                if fits]
    right = [str((7 * each) % 11 - 5) for each in range(side * side)]
    return "\n".join([str(side * side), str(len(rows)), *rows, *right, ""])


def mumps(folder: Path, made: Path) -> list[Case]:
    """Real numbers of eight bytes only, and no ScaLAPACK: it would solve dense parts of some hundreds of unknowns."""
    made.mkdir(parents=True, exist_ok=True)
    write_new(made / "mumps_int_def.h", (folder / "src/mumps_int_def32_h.in").read_text())
    files = {file.name: file for file in sorted((folder / "src").glob("*.[Fc]"))}
    kinds = {name for name in files if all(f"{kind}{name[1:]}" in files for kind in "sdcz")}
    sources = (*(file for name, file in files.items() if name not in kinds or name.startswith("d")),
               *sorted((folder / "PORD/lib").glob("*.c")), DRIVERS / "no_scalapack.c")
    mains = {"dsimpletest": (folder / "examples/dsimpletest.F",), "c_example": (folder / "examples/c_example.c",)}
    flags = ("-O0", "-Dpord", "-DAdd_", f"-I{made}", *(f"-I{folder}/{each}" for each in ("include", "src", "PORD/include")))
    package = Package("mumps", sources, mains, (*flags, "-fallow-argument-mismatch"),
                      (*flags, "-DMUMPS_ARITH=MUMPS_ARITH_d"))
    small = (folder / "examples/input_simpletest_real").read_text()

    def case(name: str, main: str, text: str) -> Case:
        def inputs(where: Path, _: int) -> None:
            (where / "fort.5").write_text(text)

        def results(_: Path, said: str) -> list[str]:
            after = said.partition("Solution is")[2].partition("Entering")[0]
            return re.findall(r"[-+]?\d+\.\d*(?:E[-+]\d+)?", after)

        # Unit 5 is the file fort.5 then: standard input is rank 0's alone.
        return Case(f"mumps-{name}", FortranProgram(package, main), (), results, inputs, {"GFORTRAN_STDIN_UNIT": "99"})

    return [case("example", "dsimpletest", small), case("grid", "dsimpletest", grid(40)), case("c", "c_example", "")]


# ---- mpgrafic -------------------------------------------------------------------------------------------------------

# Input of its own test.
MPGRAFIC_INPUT = """\
4
0.3,0.7,70
0.05
1
-0.92
0.01,100.0
-50
1
0




1
1234
noise.dat
0
none.dat
"""


def mpgrafic(folder: Path, fftw: Path, made: Path) -> list[Case]:
    """With FFTW 2, whose part for MPI is C. Each rank has a generator of random numbers of GSL."""
    (made / "src").mkdir(parents=True, exist_ok=True)
    write_new(made / "config.h", '#define HAVE_LIBGSL 1\n#define PACKAGE_STRING ""\n#define PACKAGE_BUGREPORT ""\n')
    tests = {file.name for file in (fftw / "mpi").glob("*test*")}
    files = [file for part in ("fftw", "rfftw", "mpi") for file in sorted((fftw / part).glob("*.c")) if file.name not in tests]
    own = [file for file in sorted((folder / "src").glob("*.[fc]*")) if file.name != "transform_single.f90"]
    program = folder / "src/mpgrafic.f90"
    defines = ("-DDOUB", "-DHAVE_USE_MPI_F08")
    includes = tuple(f"-I{each}" for each in (*(fftw / part for part in ("fftw", "rfftw", "mpi")), made / "src"))
    package = Package(
        "mpgrafic", tuple(file for file in (*files, *own) if file != program), {"mpgrafic": (program,)},
        ("-O0", "-cpp", "-fallow-argument-mismatch", *defines, *includes),
        ("-O1", "-DHAVE_MPI_COMM_F2C", "'-DF77_FUNC_(name,NAME)=name##_'", *includes), ("-lgsl", "-lgslcblas", "-lm"))

    def inputs(where: Path, _: int) -> None:
        (where / "input").write_text(MPGRAFIC_INPUT)

    def results(where: Path, said: str) -> list[str]:
        """Values as they are said, and of each file of numbers in four bytes the sum of their sizes."""
        text = sorted(line for line in said.splitlines() if "=" in line)
        for file in sorted(where.glob("ic_*")):
            numbers = array("f", file.read_bytes())
            text.append(f"{file.name} {sum(abs(number) for number in numbers if isfinite(number))}")
        return text

    return [Case("mpgrafic", FortranProgram(package, "mpgrafic"), ("--np=32", "input"), results, inputs)]


# ---- lines ----------------------------------------------------------------------------------------------------------


class FortranPrograms(Programs):
    def made_cases(self, sources: Path) -> list[Case]:
        return [*parpack(sources / "arpack", self.work / "parpack"), *mumps(sources / "mumps", self.work / "mumps"),
                *mpgrafic(sources / "mpgrafic", sources / "fftw", self.work / "mpgrafic")]

    def built(self, program: FortranProgram, system: str) -> tuple[Path, str]:
        folder = self.work / f"{program.package.name}.{system}"
        with self.lock_of(str(folder)):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "build.ninja").write_text(statements(program.package, self.build, system))
            done = subprocess.run(["ninja", "-C", str(folder), f"-j{self.jobs}", "--quiet"], capture_output=True,
                                  text=True, check=False)
        return folder / program.main, "" if done.returncode == 0 else f"not built:\n{done.stdout[-3000:]}"
