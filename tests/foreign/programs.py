"""Real programs beside an MPI: each is built with purecc and with MPICH's compiler, and has to come to equal results.

    HPC Challenge   C: Linpack, PTRANS, RandomAccess, FFT, STREAM, each with a check of its own
    MrBayes         C: samples trees of descent; nearly all of its state is in global variables
    LAMMPS          C++, a molecular-dynamics code, by itself and with threads of OpenMP in its ranks
    Tachyon         C, a ray tracer, with threads of its own in its ranks
    LAPACK's tests  Fortran: COMMON blocks and SAVE, functions in place of the library's; no MPI, each rank runs all

sources.sh has got the sources. A program is built by the first line that needs it; ninja builds again only what is
older than its source or than mpi.h. The MPI runs once for each number of ranks.
"""
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from lines import WAYS, Line, Said, named, run_limited

SYSTEMS = ("pure", "mpich")
RANKS = (2, 4)
LIMIT_S = 120.0
TOLERANCE = 1e-6  # relative: systems add in different orders


@dataclass(frozen=True)
class Program:
    name: str
    is_cxx: bool
    flags: tuple[str, ...]
    libraries: tuple[str, ...]
    sources: tuple[Path, ...]
    only_ours: dict[str, str] = field(default_factory=dict)  # names of sources, and what the MPI compiles instead


@dataclass(frozen=True)
class Case:
    name: str
    program: Program
    arguments: tuple[str, ...]
    results: Callable[[Path, str], list[str]]  # of the folder in which it ran and what it has printed: one each
    inputs: Callable[[Path, int], None] = lambda folder, ranks: None  # writes them into the folder
    own: dict[str, str] = field(default_factory=dict)  # variables of the environment
    mpi_ranks: int | None = None  # with which the MPI runs, where results are the same with any number


def different(one: list[str], other: list[str], tolerance: float = TOLERANCE) -> str:
    """The first result that is not the same; empty: all are."""
    if not one:
        return "there are no results"
    for a, b in zip(one, other):
        words = list(zip(a.split(), b.split()))
        if len(a.split()) != len(b.split()) or not all(same(*pair, tolerance) for pair in words):
            return f"{a!r} and {b!r}"
    return "" if len(one) == len(other) else f"{len(one)} results and {len(other)}"


def same(one: str, other: str, tolerance: float) -> bool:
    if one == other:
        return True
    try:
        a, b = float(one), float(other)
    except ValueError:
        return False
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def write_new(file: Path, text: str) -> None:
    """Leaves the file as old as it is where its text is the same."""
    if not file.is_file() or file.read_text() != text:
        file.write_text(text)


# ---- HPC Challenge --------------------------------------------------------------------------------------------------

HPCC_INPUT = """\
HPLinpack benchmark input file
small
HPL.out output file name
8 device out
1 number of N
200 Ns
1 number of NBs
32 NBs
0 PMAP
1 number of grids
{rows} Ps
{columns} Qs
16.0 threshold
1 number of PFACTs
2 PFACTs
1 number of NBMINs
4 NBMINs
1 number of NDIVs
2 NDIVs
1 number of RFACTs
1 RFACTs
1 number of BCASTs
1 BCASTs
1 number of DEPTHs
1 DEPTHs
2 SWAP
64 swapping threshold
0 L1
0 U
1 Equilibration
8 memory alignment
##### this line is not read #####
0 number of further Ns for PTRANS
0
0 number of further NBs for PTRANS
0
"""
# Of its summary: what does not depend on how fast the machine is.
HPCC_RESULTS = re.compile(
    r"^(?:Success|CommWorldProcs|HPL_(?:Anorm|Xnorm|Bnorm|N\b|NB|nprow|npcol|[ds]MACH)\w*|PTRANS_(?:residual|n)\w*|"
    r"\w+_(?:Errors|ExeUpdates|N)|STREAM_VectorSize|MPIFFT_Procs)=.*|"
    r".*(?:PASSED|Found \d+ errors|Node\(s\) with error|Solution Validates|residual checks).*", re.M)


def hpcc_input(ranks: int) -> str:
    rows = 2 if ranks % 4 == 0 else 1
    return HPCC_INPUT.format(rows=rows, columns=ranks // rows)


def hpcc_results(where: Path, _: str) -> list[str]:
    text = (where / "hpccoutf.txt").read_text()
    said = [line for line in HPCC_RESULTS.findall(text) if not line.startswith(("WALL", "CPU"))]  # PTRANS's times
    return [re.sub(r"=\s*\S+ \.+ PASSED", " PASSED", line).replace("=", " ") for line in said]


def hpcc(folder: Path) -> list[Case]:
    folders = ("hpl/include", "include", "DGEMM", "FFT", "PTRANS", "RandomAccess", "STREAM")
    includes = (f"-I{folder}/{each}" for each in folders)
    # The latencies that it measures take MPICH a minute where there are more ranks than cores, and have no results to compare.
    program = Program("hpcc", False, ("-O1", "-DHPL_CALL_CBLAS", *includes), ("-lblas", "-lm"),
                      tuple(sorted(folder.rglob("*.c"))),
                      {"bench_lat_bw_1.5.2.c": "void main_bench_lat_bw(void* params) {}\n"})

    def inputs(where: Path, ranks: int) -> None:
        (where / "hpccinf.txt").write_text(hpcc_input(ranks))

    return [Case("hpcc", program, (), hpcc_results, inputs)]


# ---- MrBayes --------------------------------------------------------------------------------------------------------

MRBAYES_INPUT = """\
begin mrbayes;
set autoclose=yes nowarn=yes quitonerror=yes seed=123 swapseed=456;
execute {data};
lset nst=6 rates=invgamma;
mcmc ngen=300 samplefreq=20 printfreq=100 diagnfreq=100 nruns=2 nchains=4 file=primates;
end;
"""


def mrbayes(folder: Path, made: Path) -> list[Case]:
    made.mkdir(parents=True, exist_ok=True)
    names = [f'{name} "mrbayes"' for name in ("PACKAGE", "PACKAGE_NAME", "PACKAGE_STRING")]
    others = ['PACKAGE_VERSION "3"', 'VERSION "3"', 'HOST_TYPE ""', 'HOST_CPU ""', "UNIX_VERSION 1", "HAVE_STRTOK_R 1"]
    write_new(made / "config.h", "".join(f"#define {each}\n" for each in (*names, *others)))
    program = Program("mrbayes", False, ("-O1", "-DMPI_ENABLED", "-DHAVE_CONFIG_H", f"-I{made}"), ("-lm",),
                      tuple(sorted((folder / "src").glob("*.c"))))

    def inputs(where: Path, _: int) -> None:
        (where / "input.nex").write_text(MRBAYES_INPUT.format(data=folder / "examples/primates.nex"))

    def results(where: Path, _: str) -> list[str]:
        files = [where / f"primates.run{run}.{kind}" for run in (1, 2) for kind in ("p", "t")]
        return [line for file in files for line in file.read_text().splitlines() if not line.startswith("[ID")]

    return [Case("mrbayes", program, ("input.nex",), results, inputs)]


# ---- LAMMPS ---------------------------------------------------------------------------------------------------------

# What the input below needs, and what files of LAMMPS name without including it.
LAMMPS_PARTS = """
main lammps verlet min_cg run create_box create_atoms velocity atom_map fmtlib_format fmtlib_os region_block
atom_vec_atomic atom_vec_hybrid atom_vec_ellipsoid atom_vec_line atom_vec_tri atom_vec_body
pair_lj_cut fix_nve compute_temp compute_pe compute_pressure
nbin_standard nstencil_half_bin_3d npair_half_bin_atomonly_newton npair_half_bin_newton
domain_omp fix_omp fix_nve_omp pair_lj_cut_omp npair_half_bin_atomonly_newton_omp npair_half_bin_newton_omp
thr_data thr_omp
""".split() + [f"ntopo_{of}_{which}" for of in ("bond", "angle", "dihedral", "improper")
               for which in ("all", "partial", "template")]
# Lists of classes, which its own build makes: the mark of a class, and how the names of their files begin.
LAMMPS_STYLES = {"atom": "atom_vec_", "minimize": "min_", "command": "", "integrate": "", "kspace": ""} | {
    name: f"{name}_" for name in ("angle body bond compute dihedral dump fix improper nbin npair nstencil ntopo pair "
                                  "reader region").split()}
LAMMPS_INPUT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 5 check yes
fix 1 all nve
thermo 5
run 40
"""


def lammps(folder: Path, made: Path) -> list[Case]:
    """Only the parts that the input needs: of nearly 400 files the first 120, which take a minute."""
    folders = (folder / "src", folder / "src/OPENMP")
    files: dict[str, Path] = {}
    to_do = [f"{name}.{end}" for name in LAMMPS_PARTS for end in ("cpp", "h")]
    while to_do:
        name = to_do.pop()
        file = next((each / name for each in folders if (each / name).is_file()), None)
        if name in files or file is None:
            continue
        files[name] = file
        for header in re.findall(r'^\s*#include "([\w/]+)\.h"', file.read_text(errors="replace"), re.M):
            if not header.startswith(("style_", "packages_")):
                to_do += [f"{header}.h", f"{header}.cpp"]
    made.mkdir(parents=True, exist_ok=True)
    for style, begins in LAMMPS_STYLES.items():
        headers = [name for name, file in sorted(files.items()) if name.endswith(".h") and name.startswith(begins) and
                   f"{style.upper()}_CLASS" in file.read_text(errors="replace")]
        write_new(made / f"style_{style}.h", "".join(f'#include "{name}"\n' for name in headers))
        write_new(made / f"packages_{style}.h", "")
    write_new(made / "lmpinstalledpkgs.h", "const char* LAMMPS_NS::LAMMPS::installed_packages[] = {nullptr};\n")
    write_new(made / "lmpgitversion.h", "const bool LAMMPS_NS::LAMMPS::has_git_info = false;\n" + "".join(
        f'const char LAMMPS_NS::LAMMPS::git_{name}[] = "";\n' for name in ("commit", "branch", "descriptor")))
    flags = ("-O0", "-std=c++14", "-fopenmp", "-DLMP_OPENMP", "-DLAMMPS_SMALLBIG")
    program = Program("lammps", True, (*flags, *(f"-I{each}" for each in (made, *folders))), (),
                      tuple(file for name, file in sorted(files.items()) if name.endswith(".cpp")))

    def inputs(where: Path, _: int) -> None:
        (where / "in.melt").write_text(LAMMPS_INPUT)

    def results(_: Path, text: str) -> list[str]:
        return re.findall(r"^Created \d+ atoms|^ +\d+(?: +[-+.\de]+){5} *$", text, re.M)

    arguments = ("-in", "in.melt", "-log", "none")
    passive = {"OMP_WAIT_POLICY": "passive"}
    return [Case("lammps", program, arguments, results, inputs, {"OMP_NUM_THREADS": "1"}),
            Case("lammps-openmp", program, (*arguments, "-sf", "omp", "-pk", "omp", "2"), results, inputs,
                 {"OMP_NUM_THREADS": "2", **passive})]


# ---- Tachyon --------------------------------------------------------------------------------------------------------


def tachyon(folder: Path) -> list[Case]:
    demo = ("main", "parse", "getargs", "mgfparse", "nffparse", "ac3dparse", "glwin", "spaceball", "trackball")
    flags = ("-O1", "-DLinux", "-DMPI", "-DUSE_MPI_IN_PLACE", "-DTHR", "-D_REENTRANT")
    program = Program("tachyon", False, (*flags, f"-I{folder}/src", f"-I{folder}/demosrc"), ("-lm", "-lpthread"),
                      (*(file for file in sorted((folder / "src").glob("*.c")) if file.stem != "parvol"),
                       *(folder / f"demosrc/{name}.c" for name in demo)))
    arguments = ("-res", "160", "120", "-numthreads", "2", "-format", "PPM", "-o", "picture.ppm")

    def results(where: Path, _: str) -> list[str]:
        return [(where / "picture.ppm").read_bytes().hex()]

    return [Case(f"tachyon-{scene}", program, (str(folder / f"scenes/{scene}.dat"), *arguments), results)
            for scene in ("dna", "teapot")]


# ---- LAPACK's tests of eigenvalues -----------------------------------------------------------------------------------

LAPACK_DIFFERENT = re.compile("^purerun: |seconds")


def lapack(folder: Path) -> list[Case]:
    """LAPACK fills COMMON blocks for functions that the library calls, xerbla and ilaenv in place of its own."""
    own = folder / "TESTING/EIG"
    common = ("alahdg", "alareq", "alasum", "alasvm", "chkxer", "ilaenv", "xerbla", "xlaenv")
    program = Program("lapack", False, ("-O1", "-std=legacy"), ("-llapack", "-lblas", "-lgfortran", "-lm"),
                      (*sorted(own.glob("d*.[fF]")), *(own / f"{name}.f" for name in common),
                       *sorted((folder / "TESTING/MATGEN").glob("d*.f"))))

    def case(name: str) -> Case:
        def inputs(where: Path, _: int) -> None:
            shutil.copy(folder / f"TESTING/{name}.in", where / "fort.5")

        def results(_: Path, said: str) -> list[str]:
            return sorted(line for line in said.splitlines() if line.strip() and not LAPACK_DIFFERENT.search(line))

        # Unit 5 is the file fort.5 then: standard input is rank 0's alone.
        return Case(f"lapack-{name}", program, (), results, inputs, {"GFORTRAN_STDIN_UNIT": "99"})

    return [case("nep"), case("ded")]


# ---- lines ----------------------------------------------------------------------------------------------------------


class Programs:
    def __init__(self, sources: Path, build: Path, jobs: int) -> None:
        self.work, self.build, self.jobs = sources / "programs", build, jobs
        self.cases = self.made_cases(sources)
        self.lock, self.locks = threading.Lock(), {}
        self.of_mpi: dict[tuple[str, int], tuple[list[str], Said]] = {}

    def made_cases(self, sources: Path) -> list[Case]:
        return [*hpcc(sources / "hpcc"), *mrbayes(sources / "mrbayes", self.work / "mrbayes"),
                *lammps(sources / "lammps", self.work / "lammps"), *tachyon(sources / "tachyon"),
                *lapack(sources / "lapack")]

    def lock_of(self, what: str) -> threading.Lock:
        with self.lock:
            return self.locks.setdefault(what, threading.Lock())

    def built(self, program: Program, system: str) -> tuple[Path, str]:
        """The program, and what is wrong (empty: nothing)."""
        folder = self.work / f"{program.name}.{system}"
        made = folder / program.name
        compiler = (f"mpi{'cxx' if program.is_cxx else 'cc'}.mpich" if system == "mpich" else
                    f"{self.build}/bin/pure{'cxx' if program.is_cxx else 'cc'}")
        with self.lock_of(str(made)):
            folder.mkdir(parents=True, exist_ok=True)
            needs = f" | {self.build}/mpi/include/mpi.h" if system == "pure" else ""
            sources = [self.source(program, file, folder, system) for file in program.sources]
            objects = [folder / f"{number}-{file.stem}.o" for number, file in enumerate(sources)]
            flags, libraries = " ".join(program.flags), " ".join(program.libraries)
            text = (f"rule compile\n  command = {compiler} -w {flags} -c $in -o $out\n"
                    f"rule link\n  command = {compiler} {flags} $in {libraries} -o $out\n")
            text += "".join(f"build {own}: compile {source}{needs}\n" for own, source in zip(objects, sources))
            text += f"build {made}: link {' '.join(map(str, objects))}\n"
            (folder / "build.ninja").write_text(text)
            done = subprocess.run(["ninja", "-C", str(folder), f"-j{self.jobs}", "--quiet"], capture_output=True,
                                  text=True, check=False)
        return made, "" if done.returncode == 0 else f"not built with {compiler}:\n{done.stdout[-3000:]}"

    @staticmethod
    def source(program: Program, file: Path, folder: Path, system: str) -> Path:
        if system == "pure" or file.name not in program.only_ours:
            return file
        write_new(folder / file.name, program.only_ours[file.name])
        return folder / file.name

    def run(self, case: Case, ranks: int, system: str, way: str, limit_s: float) -> tuple[list[str], Said]:
        program, wrong = self.built(case.program, system)
        if wrong:
            return [], Said(1, wrong)
        where = self.work / "runs" / f"{case.name}.{ranks}.{way}"
        shutil.rmtree(where, ignore_errors=True)
        where.mkdir(parents=True)
        case.inputs(where, ranks)
        launcher = ["mpiexec.mpich"] if system == "mpich" else [f"{self.build}/bin/purerun", "--ranks-as", way]
        said = run_limited([*launcher, "-n", str(ranks), str(program), *case.arguments], where,
                           {**case.own, "PURE_CHECK": "0"}, limit_s)
        try:
            return case.results(where, said.text), said
        except OSError as error:
            return [], Said(said.status, f"{said.text}\nno results: {error}")

    def beside_mpi(self, case: Case, ranks: int, way: str, limit_s: float) -> tuple[bool, Said]:
        of_mpi = case.name, case.mpi_ranks or ranks
        with self.lock_of(str(of_mpi)):
            if of_mpi not in self.of_mpi:
                self.of_mpi[of_mpi] = self.run(case, of_mpi[1], "mpich", "mpich", limit_s)
        expected, said_mpi = self.of_mpi[of_mpi]
        if said_mpi.status != 0:
            return False, Said(1, f"MPICH ended with {said_mpi.status}:\n{said_mpi.text}")
        results, said = self.run(case, ranks, "pure", way, limit_s)
        if said.status != 0:
            return False, said
        difference = different(results, expected)
        if difference:
            return False, Said(said.status, f"not what MPICH has: {difference[:1000]}\n{said.text}")
        return True, said

    def lines(self) -> list[Line]:
        return [self.line(case, ranks, way) for way in WAYS for case in self.cases for ranks in RANKS]

    def line(self, case: Case, ranks: int, way: str) -> Line:
        return Line(named(f"programs/{case.name} {ranks}", way),
                    lambda limit_s: self.beside_mpi(case, ranks, way, limit_s), LIMIT_S)
