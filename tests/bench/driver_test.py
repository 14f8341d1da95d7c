#!/usr/bin/env python3
"""The parts of bench/run that can be checked without measuring: topology, head comments, MPIs, results."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from driver import benchmarks, execute, report, systems, topology  # noqa: E402
from driver.errors import BenchError  # noqa: E402


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, path, text, mode=0o644):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path


class Topology(InFolder):
    def machine(self, nodes, siblings):
        for number, cpus in enumerate(nodes):
            self.write(f"node/node{number}/cpulist", cpus + "\n")
        for cpu, text in siblings.items():
            self.write(f"cpu/cpu{cpu}/topology/thread_siblings_list", text + "\n")

    def test_cpu_list(self):
        self.assertEqual(topology.parse_cpu_list("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11])
        self.assertEqual(topology.parse_cpu_list("\n"), [])

    def test_one_cpu_of_each_core_and_only_allowed_ones(self):
        pairs = {cpu: f"{cpu % 4},{cpu % 4 + 4}" for cpu in range(8)}
        self.machine(["0-1,4-5", "2-3,6-7"], pairs)
        self.assertEqual(topology.numa_nodes(self.folder, set(range(8))), [[0, 1], [2, 3]])
        self.assertEqual(topology.numa_nodes(self.folder, {1, 4, 5}), [[1, 4]])

    def test_without_numa_information(self):
        self.assertEqual(topology.numa_nodes(self.folder, {2, 5}), [[2, 5]])

    def test_placements(self):
        nodes = [[0, 1, 2], [4, 5]]
        cpus = lambda name, ranks: topology.place(name, ranks, nodes).cpus  # noqa: E731
        self.assertEqual(cpus("same-core", 2), (0, 0))
        self.assertEqual(cpus("same-numa", 2), (0, 1))
        self.assertEqual(cpus("cross-numa", 2), (0, 4))
        self.assertEqual(cpus("cross-numa", 4), (0, 1, 4, 5))
        self.assertEqual(cpus("same-numa", 6), (0, 0, 1, 1, 2, 2))
        self.assertEqual(cpus("same-numa", 1), (0,))

    def test_cyclic(self):
        nodes = [[0, 1, 2], [4, 5]]
        cpus = lambda name, ranks: topology.place(name, ranks, nodes, "cyclic").cpus  # noqa: E731
        self.assertEqual(cpus("same-numa", 2), (0, 1))
        self.assertEqual(cpus("same-numa", 5), (0, 1, 2, 0, 1))
        self.assertEqual(cpus("cross-numa", 8), (0, 1, 2, 0, 4, 5, 4, 5))
        self.assertEqual(cpus("same-core", 3), (0, 0, 0))

    def test_crowded(self):
        self.assertTrue(topology.place("same-core", 2, [[0, 1]]).crowded)
        self.assertFalse(topology.place("same-numa", 2, [[0, 1]]).crowded)
        self.assertEqual(topology.place("same-numa", 4, [[0, 1]]).cores, 2)

    def test_missing_placements_say_why(self):
        with self.assertRaisesRegex(topology.MissingPlacement, "one NUMA node"):
            topology.place("cross-numa", 2, [[0, 1]])
        with self.assertRaisesRegex(topology.MissingPlacement, "two cores"):
            topology.place("same-numa", 2, [[3]])


class HeadComments(InFolder):
    GOOD = (
        "// What it is.\n// In two lines.\n//\n// bench: systems=pure, mpi; unit=us; better=lower; ranks=2, 4\n"
        "// bench: cases=8 B\n// bench: cases=copy 4 KB, other\nint main() {}\n"
    )

    def read(self, text):
        return benchmarks.read_benchmark(self.write("thing.cpp", text))

    def test_good(self):
        found = self.read(self.GOOD)
        self.assertEqual(found.name, "thing")
        self.assertEqual(found.title, "What it is. In two lines.")
        self.assertEqual(found.kinds, ("pure", "mpi"))
        self.assertEqual(found.cases, ("8 B", "copy 4 KB", "other"))
        self.assertEqual(found.ranks, (2, 4))
        self.assertEqual(found.distribution, "block")
        self.assertTrue(found.allows(4))
        self.assertFalse(found.allows(6))

    def test_other_numbers_of_ranks(self):
        even = self.read(self.GOOD.replace("ranks=2, 4", "ranks=2; ranks-may-be=even"))
        self.assertTrue(even.allows(6))
        self.assertFalse(even.allows(3))

    def test_distribution(self):
        self.assertEqual(self.read(self.GOOD.replace("ranks=2, 4", "ranks=2; distribution=cyclic")).distribution, "cyclic")

    def test_what_is_wrong_is_named(self):
        for old, new, message in [
            ("ranks=2, 4", "ranks=2; distribution=random", "distribution=random .* block, cyclic"),
            ("unit=us; ", "", "has no '// bench: unit="),
            ("systems=pure", "systems=pvm", "systems=pvm .* one of"),
            ("better=lower", "better=smaller", "better=smaller"),
            ("ranks=2, 4", "ranks=two", "must be numbers"),
            ("unit=us", "unit=us; colour=red", "unknown key .* colour"),
            ("unit=us", "unit", "is not key=value"),
        ]:
            with self.subTest(new), self.assertRaisesRegex(BenchError, message):
                self.read(self.GOOD.replace(old, new))

    def test_bytes_of_a_case(self):
        sizes = {"8 B": 8, "4 KB": 4096, "16 MB": 16 << 20, "copy own 1 KB": 1024, "barrier": 0, "8 chunks": 0}
        self.assertEqual({case: benchmarks.bytes_of(case) for case in sizes}, sizes)

    def test_every_benchmark_of_the_repository_is_well_formed(self):
        self.assertIn("pingpong", benchmarks.read_all(ROOT / "bench" / "micro"))


class FakeMpis(InFolder):
    """Compiler wrappers that only know what their <mpi.h> would define."""

    def mpi(self, folder, macros, suffix=""):
        lines = "\n".join(f"#define {name} {value}" for name, value in macros.items())
        mpicc = self.write(f"{folder}/mpicc{suffix}", f"#!/bin/sh\ncat <<'END'\n{lines}\nEND\n", 0o755)
        self.write(f"{folder}/mpiexec{suffix}", "#!/bin/sh\n", 0o755)
        return mpicc

    def test_families(self):
        ompi = {"OMPI_MAJOR_VERSION": 5, "OMPI_MINOR_VERSION": 0, "OMPI_RELEASE_VERSION": 11, "MPI_VERSION": 3}
        for macros, expected in [
            ({"MPICH_VERSION": '"4.0.2"', "MPI_VERSION": 4}, ("mpich", "4.0.2")),
            ({"MPICH_VERSION": '"3.4"', "I_MPI_VERSION": '"2021.18"'}, ("intelmpi", "2021.18")),
            ({"MPICH_VERSION": '"3.4"', "MVAPICH2_VERSION": '"2.3.7"'}, ("mvapich", "2.3.7")),
            (ompi, ("openmpi", "5.0.11")),
            ({}, None),
        ]:
            self.assertEqual(systems.family_and_version(str(self.mpi("bin", macros))), expected)

    def test_launcher_follows_the_alternatives(self):
        real = self.mpi("usr/bin", {}, ".openmpi")
        self.mpi("usr/bin", {}, ".mpich")
        self.write("usr/bin/opal_wrapper", "")
        real.unlink()
        real.symlink_to("opal_wrapper")
        (self.folder / "etc").mkdir()
        (self.folder / "etc/mpi").symlink_to(real)
        plain = self.folder / "usr/bin/mpicc"
        plain.symlink_to(self.folder / "etc/mpi")
        (self.folder / "usr/bin/mpiexec").symlink_to("mpiexec.mpich")  # not in step with mpicc
        self.assertEqual(systems.launcher_beside(str(plain)), str(self.folder / "usr/bin/mpiexec.openmpi"))

    def test_newest_has_the_name_of_its_family(self):
        for version in ("4.0.2", "10.1", "5.0.2"):
            self.mpi(f"rivals/{version}/bin", {"MPICH_VERSION": f'"{version}"'})
        self.mpi("rivals/intel/bin", {"MPICH_VERSION": '"3.4"', "I_MPI_VERSION": '"2021.18"'})
        found = systems.find_mpis(self.folder / "rivals")
        mine = [s for s in found if s.mpicc.startswith(str(self.folder))]
        self.assertEqual({s.name: s.version for s in mine if s.family == "mpich"},
                         {"mpich": "10.1", "mpich-5.0.2": "5.0.2", "mpich-4.0.2": "4.0.2"})

    def test_named_mpi(self):
        mpicc = self.mpi("bin", {"MPICH_VERSION": '"4.3"'})
        self.assertEqual(systems.mpi_from("mine", str(mpicc)).version, "4.3")
        (self.folder / "bin/mpiexec").unlink()
        with self.assertRaisesRegex(BenchError, "no mpiexec beside it"):
            systems.mpi_from("mine", str(mpicc))
        with self.assertRaisesRegex(BenchError, "no such program"):
            systems.mpi_from("mine", str(self.folder / "nowhere"))
        with self.assertRaisesRegex(BenchError, "cannot compile"):
            systems.mpi_from("mine", "/bin/true")


class Results(unittest.TestCase):
    BENCHMARK = SimpleNamespace(name="thing", unit="us", better="lower", cases=("8 B", "64 B"))

    def rows(self, values):
        systems_of = {name: SimpleNamespace(name=name) for _, name in values}
        return [
            report.make_row(self.BENCHMARK, case, 8, 2, 2, systems_of[name], samples)
            for (case, name), samples in values.items()
        ]

    def test_value_is_the_median(self):
        self.assertEqual(self.rows({("8 B", "pure"): [3.0, 1.0, 9.0]})[0]["value"], 3.0)
        self.assertIsNone(self.rows({("8 B", "pure"): []})[0]["value"])

    def test_ratios_are_against_the_best_mpi_of_each_case(self):
        values = {
            ("8 B", "pure"): [1.0], ("8 B", "a"): [2.0], ("8 B", "b"): [4.0], ("8 B", "limit"): [0.5],
            ("64 B", "pure"): [1.0], ("64 B", "a"): [8.0], ("64 B", "b"): [4.0],
        }
        columns = [SimpleNamespace(name=n, kind=k) for n, k in
                   (("pure", "pure"), ("a", "mpi"), ("b", "mpi"), ("limit", "limit"))]
        lines = report.table(self.BENCHMARK, self.rows(values), columns)
        self.assertEqual(lines[1].split(), "8 B 1.000 2.000 4.000 0.500 0.50 a 2.00".split())
        self.assertEqual(lines[2].split(), "64 B 1.000 8.000 4.000 - 0.25 b -".split())
        faster = SimpleNamespace(**{**vars(self.BENCHMARK), "better": "higher"})
        self.assertIn("0.25 b", report.table(faster, self.rows(values), columns)[1])

    def test_reading_a_program(self):
        pure = SimpleNamespace(kind="pure")
        placement = topology.Placement("same-numa", (0, 1))
        good = "noise\ncpus\t0\t1\nsample\t8 B\t8\t0.25\nsample\t8 B\t8\t0.5\n"
        self.assertEqual(execute._parse(good, pure, placement), {"8 B": (8, [0.25, 0.5])})
        with self.assertRaisesRegex(BenchError, "should run on CPUs"):
            execute._parse(good.replace("0\t1", "0\t0", 1), pure, placement)
        with self.assertRaisesRegex(BenchError, "no samples"):
            execute._parse("cpus\t0\t1\n", pure, placement)

    def test_a_failing_program_is_reported_with_its_last_words(self):
        limit = SimpleNamespace(kind="limit")
        placement = topology.Placement("same-numa", (0, 1))
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "program")
            for script, message in [
                ("echo wrong answer >&2; exit 3", "(?s)exit status 3.*wrong answer"),
                ("kill -SEGV $$", "killed by SIGSEGV"),
            ]:
                program.write_text(f"#!/bin/sh\n{script}\n")
                program.chmod(0o755)
                with self.assertRaisesRegex(BenchError, message):
                    execute.run_once(limit, program, placement, 1, 1, None)
            with self.assertRaisesRegex(BenchError, "cannot start"):
                execute.run_once(limit, Path(folder, "nothing"), placement, 1, 1, None)


if __name__ == "__main__":
    unittest.main()
