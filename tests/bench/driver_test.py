#!/usr/bin/env python3
"""The parts of bench/run that can be checked without measuring: topology, head comments, MPIs, plans."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from driver import benchmarks, execute, networks, plan, systems, topology  # noqa: E402
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

    def test_processes_have_cores_of_their_own(self):
        cpus = lambda name, ranks, nodes: topology.place(name, ranks, nodes, processes=2).cpus  # noqa: E731
        self.assertEqual(cpus("same-numa", 2, [[0, 1, 2, 3]]), (0, 1))
        self.assertEqual(cpus("same-numa", 8, [[0, 1]]), (0, 0, 0, 0, 1, 1, 1, 1))
        self.assertEqual(cpus("same-numa", 8, [[0, 1, 2]]), (0, 0, 0, 0, 1, 1, 2, 2))
        self.assertEqual(cpus("cross-numa", 4, [[0, 1], [4]]), (0, 1, 4, 4))
        self.assertEqual(cpus("same-core", 2, [[0, 1]]), (0, 0))

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

    def test_processes(self):
        two = self.read(self.GOOD.replace("ranks=2, 4", "ranks=2; ranks-may-be=any; processes=2; networks=shm, tcp"))
        self.assertEqual((two.processes, two.networks), (2, ("shm", "tcp")))
        self.assertTrue(two.allows(6))
        self.assertFalse(two.allows(3))

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
            ("unit=us", "unit=us; processes=2; networks=shm, udp", "networks=udp .* one of: shm, tcp"),
            ("unit=us", "unit=us; processes=3; networks=shm", "divisor of its ranks"),
            ("unit=us", "unit=us; processes=two; networks=shm", "processes= .* numbers"),
            ("unit=us", "unit=us; processes=2", "go together"),
            ("unit=us", "unit=us; networks=tcp", "go together"),
            ("unit=us", "unit=us; together=yes", "together=yes .* between processes"),
            ("unit=us", "unit", "is not key=value"),
        ]:
            with self.subTest(new), self.assertRaisesRegex(BenchError, message):
                self.read(self.GOOD.replace(old, new))

    def test_bytes_of_a_case(self):
        sizes = {"8 B": 8, "4 KB": 4096, "16 MB": 16 << 20, "copy own 1 KB": 1024, "barrier": 0, "8 chunks": 0}
        self.assertEqual({case: benchmarks.bytes_of(case) for case in sizes}, sizes)

    def test_every_benchmark_of_the_repository_is_well_formed(self):
        self.assertIn("pingpong", benchmarks.read_all(ROOT / "bench" / "micro"))


class WithMpis(InFolder):
    """Compiler wrappers that only know what their <mpi.h> would define."""

    def mpi(self, folder, macros, suffix=""):
        lines = "\n".join(f"#define {name} {value}" for name, value in macros.items())
        mpicc = self.write(f"{folder}/mpicc{suffix}", f"#!/bin/sh\ncat <<'END'\n{lines}\nEND\n", 0o755)
        self.write(f"{folder}/mpiexec{suffix}", "#!/bin/sh\n", 0o755)
        return mpicc


class FakeMpis(WithMpis):
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


class BetweenProcesses(WithMpis):
    MPICH = systems.System("mpich", "mpi", "mpich", "4.0", "/usr/bin/mpicc", "/usr/bin/mpiexec")
    OPENMPI = systems.System("openmpi", "mpi", "openmpi", "4.1.4", "/opt/mpicc", "/opt/mpiexec")
    PURE = systems.System("pure", "pure")
    HOSTS = SimpleNamespace(remote="/tmp/remote", within=lambda command: ["in-a", *command])

    def command(self, system, link):
        placement = topology.place("same-numa", link.ranks, [[0, 1]], processes=2)
        return execute.command_of(system, "prog", placement, 1, 2, "purerun", self.folder / "map", link)

    def test_mpis_are_those_of_the_plugins(self):
        self.mpi("bin", {"MPICH_VERSION": '"4.3"'}, ".mpich")
        self.write("lib/libpure_net_mpich.so", "")
        self.write("CMakeCache.txt", f"PURE_MPICXX_mpich:FILEPATH={self.folder}/bin/mpicxx.mpich\n"
                                     "PURE_MPICXX_openmpi:FILEPATH=PURE_MPICXX_openmpi-NOTFOUND\n")
        found = networks.plugin_mpis(self.folder)
        self.assertEqual(list(found), ["mpich"])
        self.assertEqual(found["mpich"].mpiexec, f"{self.folder}/bin/mpiexec.mpich")
        self.write("lib/libpure_net_openmpi.so", "")
        with self.assertRaisesRegex(BenchError, "does not say which"):
            networks.plugin_mpis(self.folder)
        self.assertEqual(networks.plugin_mpis(self.folder / "nowhere"), {})

    def test_both_systems_get_the_same_transports(self):
        for mpi in (self.MPICH, self.OPENMPI):
            for hosts in (None, self.HOSTS):
                link = networks.Link("tcp", mpi, 2, 2, hosts)
                pure = self.command(self.PURE, link)[1]
                self.assertEqual(pure.pop("PURE_MAP_BY"), f"file:{self.folder}/map")
                self.assertEqual(pure, self.command(mpi, link)[1])
                device = "pure0" if hosts else "lo"
                self.assertIn(device, {pure.get("UCX_NET_DEVICES"), pure.get("OMPI_MCA_btl_tcp_if_include")})
        self.assertEqual((self.folder / "map").read_text(), "0 0\n1 1\n")

    def test_shared_memory_is_for_ranks_of_one_host(self):
        alone = networks.Link("tcp", self.MPICH, 2, 2, self.HOSTS).environment
        four = networks.Link("tcp", self.MPICH, 2, 8, self.HOSTS).environment
        self.assertEqual((alone["UCX_TLS"], four["UCX_TLS"]), ("tcp,self", "tcp,self,sm"))
        self.assertIn("MPIR_CVAR_NOLOCAL", alone)
        self.assertNotIn("MPIR_CVAR_NOLOCAL", four)
        alone = networks.Link("tcp", self.OPENMPI, 2, 2, self.HOSTS).environment
        four = networks.Link("tcp", self.OPENMPI, 2, 8, self.HOSTS).environment
        self.assertEqual((alone["OMPI_MCA_btl"], four["OMPI_MCA_btl"]), ("tcp,self", "tcp,self,vader"))

    def test_commands(self):
        link = networks.Link("tcp", self.MPICH, 2, 8, self.HOSTS)
        text = " ".join(self.command(self.PURE, link)[0])
        self.assertRegex(text, "^in-a purerun -n 8 -N 2 --mpi mpich --mpiexec /usr/bin/mpiexec --hosts 10.9.0.1,10.9.0.2 ")
        self.assertRegex(text, " --devices pure0,lo$")
        text = " ".join(self.command(self.MPICH, link)[0])
        self.assertRegex(text, "^in-a /usr/bin/mpiexec -hosts 10.9.0.1:4,10.9.0.2:4 -n 8 prog ")
        link = networks.Link("shm", self.OPENMPI, 2, 8)
        text = " ".join(self.command(self.PURE, link)[0])
        self.assertRegex(text, "^purerun -n 8 -N 2 --mpi openmpi --mpiexec /opt/mpiexec prog ")
        self.assertNotIn("--devices", text)
        # Ranks that share cores: the MPI gives them away while it waits.
        self.assertRegex(" ".join(self.command(self.OPENMPI, link)[0]), "^/opt/mpiexec .*yield_when_idle 1 -n 8 prog ")

    def test_own_processes_run_the_programs_of_threads(self):
        own = systems.PURE_PROCESSES
        self.assertIs(own.program, systems.PURE)
        self.assertIs(self.MPICH.program, self.MPICH)
        placement = topology.place("same-numa", 2, [[0, 1]])
        for link, expected in (
            (None, ["--ranks-as", "processes"]),
            (networks.Link("shm", self.MPICH, 2, 2), ["-N", "2", "--mpi", "none"]),
        ):
            command, _ = execute.command_of(own, "prog", placement, 1, 2, "purerun", self.folder / "map", link)
            self.assertEqual(command[: 3 + len(expected)], ["purerun", "-n", "2", *expected])

    def test_own_processes_are_in_the_rows_that_mpis_have(self):
        own = systems.PURE_PROCESSES
        for kinds, together, network, is_there in (
            (("pure", "mpi"), False, "shm", True),
            (("pure", "mpi"), False, "tcp", False),
            (("pure", "mpi"), True, "shm", False),
            (("pure", "openmp"), False, "shm", False),
            (("limit",), False, "shm", False),
        ):
            benchmark = SimpleNamespace(kinds=kinds, is_together=together)
            self.assertEqual(plan._is_for(benchmark, own, network), is_there, (kinds, together, network))

    def test_doors_run_the_programs_of_their_mpi_as_threads(self):
        (door,) = systems.over_doors([self.MPICH])
        self.assertEqual((door.name, door.kind), ("door-mpich", "pure-mpi"))
        self.assertIs(door.program, self.MPICH)
        self.assertEqual(systems.over_doors([systems.System("mine", "mpi", "", "4.3", "/opt/mpicc", "/opt/mpiexec")]), [])
        placement = topology.place("same-numa", 2, [[0, 1]])
        command, _ = execute.command_of(door, "prog", placement, 1, 2, "purerun", self.folder / "map")
        self.assertEqual(command[:5], ["purerun", "-n", "2", "--ranks-as", "threads"])
        for processes, is_there in ((1, True), (2, False)):
            benchmark = SimpleNamespace(kinds=("pure", "mpi"), is_together=False, processes=processes)
            self.assertEqual(plan._is_for(benchmark, door), is_there)

    def test_own_processes_alone_have_jobs_where_there_is_shared_memory(self):
        own = systems.PURE_PROCESSES
        found = [(job.link.network, job.systems) for job in self.jobs(named=["pure-processes"])]
        self.assertEqual(found, [("shm", [own])] * 2)
        self.assertEqual(self.jobs(named=["pure-processes"], network="tcp"), [])
        both = self.jobs(named=["pure", "pure-processes", "mpich"])
        self.assertEqual([(job.link.network, [s.name for s in job.systems]) for job in both],
                         [("shm", ["pure", "pure-processes", "mpich"]), ("tcp", ["pure", "mpich"])])
        self.assertEqual(both[0].runs[1], (own, systems.PURE, [own]))

    def test_systems_that_place_their_ranks_themselves_are_told_nothing(self):
        placement = topology.place(topology.OWN, 2, [[0, 1]], processes=2)
        self.assertEqual((placement.binds, placement.crowded, placement.where), (False, False, "where each system puts them"))
        link = networks.Link("shm", self.OPENMPI, 2, 2)
        for system in (self.PURE, self.OPENMPI):
            command, environment = execute.command_of(
                system, "prog", placement, 1, 2, "purerun", self.folder / "map", link, "8 KB")
            self.assertRegex(" ".join(command), " -n 2 .*prog --samples 1 --batch-ms 2 --case 8 KB$")
            self.assertNotIn("--bind-to", command)
            self.assertNotIn("PURE_MAP_BY", environment)
        self.assertFalse((self.folder / "map").exists())
        self.assertEqual(execute._parse("cpus\t1\t1\nsample\t8 B\t8\t0.25\n", self.PURE, placement), {"8 B": (8, [0.25])})

    def test_bytes_of_the_devices_prove_the_way(self):
        link = networks.Link("tcp", self.MPICH, 2, 8, self.HOSTS)
        sizes = {"barrier": 0, "1 MB": 1 << 20}
        good = {"barrier": (1000, (150000, 0)), "1 MB": (10, (30 << 20, 5000))}
        self.assertIsNone(link.problem_of(sizes, good))
        self.assertIn("1 MB' did not go over TCP", link.problem_of(sizes, good | {"1 MB": (10, (9 << 20, 0))}))
        self.assertIn("barrier' did not go over TCP", link.problem_of(sizes, good | {"barrier": (1000, (5000, 0))}))
        self.assertIn("within the hosts", link.problem_of(sizes, good | {"1 MB": (10, (30 << 20, 20 << 20))}))
        self.assertIn("did not report", link.problem_of(sizes, {"barrier": good["barrier"]}))
        self.assertIsNone(networks.Link("shm", self.MPICH, 2, 8).problem_of(sizes, {}))

    def jobs(self, ranks=2, hosts=HOSTS, place="same-numa", named=None, network=None, together=False):
        benchmark = SimpleNamespace(name="net", unit="us", better="lower", ranks=(ranks,), ranks_may_be="even", place=None,
                                    kinds=("pure", "mpi"), distribution="block", processes=2, networks=("shm", "tcp"),
                                    is_together=together)
        arguments = SimpleNamespace(ranks=None, place=place, systems=named, network=network, only=None)
        wanted = [s for s in (self.PURE, self.MPICH, self.OPENMPI) if not named or s.name in named]
        wanted += [systems.PURE_PROCESSES] if systems.PURE_PROCESSES.name in (named or ()) else []
        found = plan.Networks({"mpich": self.MPICH, "openmpi": self.OPENMPI}, hosts, "not root")
        return plan.plan(arguments, [benchmark], wanted, [[0, 1]], found)

    def test_one_job_for_each_network_and_mpi(self):
        found = [(job.link.network, job.link.mpi.name, [s.name for s in job.systems]) for job in self.jobs()]
        self.assertEqual(found, [(network, mpi, ["pure", mpi]) for network in ("shm", "tcp") for mpi in ("mpich", "openmpi")])
        self.assertIn("2 ranks in 2 processes over TCP between two network namespaces, mpich 4.0", self.jobs()[2].title)
        found = [job.systems for job in self.jobs(named=["pure", "openmpi"], network="tcp")]
        self.assertEqual(found, [[self.PURE, self.OPENMPI]])
        self.assertEqual([job.systems for job in self.jobs(named=["pure"], network="shm")], [[self.PURE]] * 2)

    def test_one_program_for_both(self):
        first, *_ = self.jobs()
        self.assertEqual(first.runs, [(self.PURE, self.PURE, [self.PURE]), (self.MPICH, self.MPICH, [self.MPICH])])
        both = self.jobs(named=["pure", "openmpi"], network="shm", together=True)
        self.assertEqual([job.runs for job in both], [[(self.PURE, self.OPENMPI, [self.PURE, self.OPENMPI])]])
        found = {"8 B": 1, "mpi: 8 B": 2}
        self.assertEqual(both[0].samples_of(self.PURE, found), {"8 B": 1})
        self.assertEqual(both[0].samples_of(self.OPENMPI, found), {"8 B": 2})
        self.assertEqual(first.samples_of(self.PURE, {"8 B": 1}), {"8 B": 1})
        self.assertEqual(self.jobs(named=["pure"], together=True), [])
        self.assertEqual(self.jobs(named=["mpich"], together=True), [])

    def test_what_cannot_be_as_on_two_machines_says_why(self):
        shm, _, tcp, _ = self.jobs(ranks=8, hosts=None)
        self.assertIsNotNone(shm.placement)
        self.assertIsNone(tcp.placement)
        self.assertIn("need two network namespaces, and there are none: not root", tcp.title)
        self.assertIn("through the loopback device", self.jobs(hosts=None)[2].title)
        shm, _, tcp, _ = self.jobs(place="same-core")
        self.assertTrue(shm.placement.crowded)
        self.assertIn("two machines cannot share a core", tcp.title)


if __name__ == "__main__":
    unittest.main()
