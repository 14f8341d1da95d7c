"""Compiles Pure and the benchmarks. Products lie in build/: the library where the release preset puts it, each
benchmark as build/bench/NAME.SYSTEM. A benchmark is compiled again when anything it is made from has changed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from driver.errors import BenchError

# The same for all systems. A loop of few instructions takes twice as long where it lies across two cache lines, and
# where it lies depends on the calls around it: so that a benchmark's own loops are equally fast in all systems.
FLAGS = ("-std=c++20", "-Wall", "-Wextra", "-falign-loops=64")
# The MPI C++ interface, which is gone from the standard, only costs compile time.
MPI_FLAGS = ("-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
MPI_LIBRARIES = ("-lstdc++", "-lm", "-pthread")


class Builder:
    def __init__(self, root, say, optimization="-O3"):
        self.root = root
        self.release = root / "build" / "release"
        self.products = root / "build" / "bench"
        self.say = say
        self.flags = (*FLAGS, optimization)
        self.built = set()  # of Pure's targets

    @property
    def purerun(self):
        return self.release / "bin" / "purerun"

    def build_pure(self, *others):
        """The library and its launcher, by the release preset; and other targets: pure_plugins for all MPIs that CMake
        has found, pure_mpi and pure_doors for programs of MPIs."""
        targets = ["pure", "purerun", *others]
        if self.built.issuperset(targets):
            return
        if shutil.which("cmake") is None:
            raise BenchError("cmake is not installed, so Pure cannot be built ('make bench' installs what is missing)")
        self.say("building Pure (release)")
        with self._locked():
            if not (self.release / "build.ninja").exists():
                self._run("configuring Pure", ["cmake", "--preset", "release"])
            self._run("building Pure", ["cmake", "--build", "--preset", "release", "--target", *targets])
        self.built.update(targets)

    def build_all(self, pairs):
        """The path of the program for each pair of a benchmark and a system, or a BenchError."""

        def build_or_explain(pair):
            try:
                return self._build(*pair)
            except BenchError as error:
                return error

        with self._locked(), ThreadPoolExecutor(len(os.sched_getaffinity(0))) as compilers:
            return list(compilers.map(build_or_explain, pairs))

    def _build(self, benchmark, system):
        program = self.products / f"{benchmark.name}.{system.name}"
        command, inputs = self._compilation(benchmark, system)
        sources = [benchmark.source, *benchmark.source.parent.glob("*.hpp")]
        stamp = self._stamp([*command, system.version], [*sources, *inputs])
        stamp_file = program.with_name(program.name + ".stamp")
        self.products.mkdir(parents=True, exist_ok=True)
        if program.exists() and stamp_file.exists() and stamp_file.read_text() == stamp:
            return program
        self.say(f"compiling {program.name}")
        stamp_file.unlink(missing_ok=True)
        self._run(f"compiling {program.name}", [*command, "-o", str(program)], system.environment)
        stamp_file.write_text(stamp)
        return program

    def _compilation(self, benchmark, system):
        """The command without its output, and the files besides the benchmark's own that the program is made from."""
        cxx = os.environ.get("CXX", "c++")
        source = str(benchmark.source)
        if system.kind == "pure":
            options, inputs = self._with_pure()
            return [cxx, *self.flags, *options, source, "-lpure", "-pthread"], inputs
        if system.kind == "pure-mpi":
            # By this name purecxx compiles for libmpi_abi, whatever the source includes.
            wrapper, door = self.release / "mpi" / "bin" / "mpicxx", self.release / "mpi" / "include"
            inputs = [wrapper, *door.rglob("*.h"), *(self.release / "lib").glob("libmpi_abi.*")]
            return ["env", f"PURE_CXX={cxx}", str(wrapper), *self.flags, "-DBENCH_MPI", source], inputs
        if system.kind == "mpi":
            # A C wrapper serves: the compiler knows C++ by the name of the source.
            wrapper = Path(os.path.realpath(system.mpicc))
            with_mpi = [source, *MPI_LIBRARIES]
            if benchmark.is_together:
                options, inputs = self._with_pure()
                return [system.mpicc, *self.flags, *MPI_FLAGS, *options, *with_mpi, "-lpure"], [wrapper, *inputs]
            return [system.mpicc, *self.flags, "-DBENCH_MPI", *MPI_FLAGS, *with_mpi], [wrapper]
        options = {
            "openmp": ["-DBENCH_OPENMP", "-fopenmp"],
            "tbb": ["-DBENCH_TBB", "-ltbb"],
            "limit": ["-DBENCH_LIMIT"],
        }[system.kind]
        return [cxx, *self.flags, "-DBENCH_NO_MESSAGES", source, *options, "-pthread"], []

    def _with_pure(self):
        """The options of a program of Pure, and the files of Pure that it is made from."""
        lib = self.release / "lib"
        include = self.root / "include"
        options = ["-DBENCH_PURE", f"-I{include}", f"-L{lib}", f"-Wl,-rpath,{lib}"]
        return options, [*include.rglob("*.h*"), *lib.glob("libpure.*")]

    @staticmethod
    def _stamp(command, files):
        digest = hashlib.sha256("\0".join(command).encode())
        for path in sorted(files):
            digest.update(str(path).encode())
            digest.update(path.read_bytes())
        return digest.hexdigest()

    def _run(self, what, command, environment=None):
        done = subprocess.run(
            command, cwd=self.root, env=os.environ | (environment or {}), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            output = (done.stdout + done.stderr).strip().splitlines()
            raise BenchError("\n".join([f"{what} failed: {' '.join(command)}", *output[-30:]]))

    def _locked(self):
        """Two drivers in one tree must not compile at the same time."""
        return _Lock(self.root / "build" / "bench.lock")


class _Lock:
    def __init__(self, path):
        self.path = path

    def __enter__(self):
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.file = self.path.open("w")
        fcntl.flock(self.file, fcntl.LOCK_EX)

    def __exit__(self, *_):
        self.file.close()
