#!/usr/bin/env python3
"""The systems pure-mpi-threads and pure-mpi-processes of bench/run: the programs of MPIs, compiled for Pure."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from driver import build, execute, networks, plan, systems, topology  # noqa: E402

THREADS, PROCESSES = systems.PURE_MPI_THREADS, systems.PURE_MPI_PROCESSES
MPICH = systems.System("mpich", "mpi", "mpich", "4.0", "/usr/bin/mpicc", "/usr/bin/mpiexec")


def benchmark(kinds=("pure", "mpi"), processes=1, is_together=False):
    return SimpleNamespace(name="some", unit="us", better="lower", ranks=(2,), ranks_may_be="even", place=None,
                           kinds=kinds, distribution="block", processes=processes, networks=("shm", "tcp"),
                           is_together=is_together)


class PureMpi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_one_program_runs_as_threads_and_as_processes(self):
        self.assertIs(THREADS.program, THREADS)
        self.assertIs(PROCESSES.program, THREADS)
        placement = topology.place("same-numa", 2, [[0, 1]])
        for system, link, expected in (
            (THREADS, None, "threads"),
            (PROCESSES, None, "processes"),
            (PROCESSES, networks.Link("shm", MPICH, 2, 2), "processes"),
        ):
            command, environment = execute.command_of(
                system, "prog", placement, 1, 2, "purerun", self.folder / "map", link
            )
            self.assertEqual(command[:6], ["purerun", "-n", "2", "--ranks-as", expected, "prog"])
            self.assertEqual(environment["PURE_MAP_BY"], f"file:{self.folder}/map")

    def test_ranks_elsewhere_are_an_error(self):
        placement = topology.place("same-numa", 2, [[0, 1]])
        good, bad = (f"cpus\t0\t{cpu}\nsample\t8 B\t8\t0.25\n" for cpu in (1, 0))
        for system in (THREADS, PROCESSES):
            self.assertEqual(execute._parse(good, system, placement), {"8 B": (8, [0.25])})
            with self.assertRaises(execute.RunFailed):
                execute._parse(bad, system, placement)

    def test_the_program_is_compiled_by_the_door(self):
        source = self.folder / "pingpong.cpp"
        source.touch()
        command, _ = build.Builder(self.folder, print)._compilation(SimpleNamespace(source=source), THREADS)
        self.assertIn(f"{self.folder}/build/release/mpi/bin/mpicxx", command)
        self.assertIn("-DBENCH_MPI", command)

    def test_they_are_where_mpis_are(self):
        for kinds, processes, together, network, as_threads, as_processes in (
            (("pure", "mpi"), 1, False, "shm", True, True),
            (("mpi",), 1, False, "shm", True, True),
            (("pure", "mpi"), 2, False, "shm", False, True),
            (("pure", "mpi"), 2, False, "tcp", False, False),
            (("pure", "mpi"), 2, True, "shm", False, False),
            (("pure", "openmp"), 1, False, "shm", False, False),
        ):
            of = benchmark(kinds, processes, together)
            for system, expected in ((THREADS, as_threads), (PROCESSES, as_processes)):
                self.assertEqual(plan._is_for(of, system, network), expected, (system.name, kinds, processes, network))

    def test_alone_they_have_jobs_where_there_is_shared_memory(self):
        arguments = SimpleNamespace(ranks=None, place="same-numa", systems=[THREADS.name, PROCESSES.name], network=None,
                                    only=None)
        found = plan.plan(arguments, [benchmark(processes=2)], [THREADS, PROCESSES], [[0, 1]],
                          plan.Networks({"mpich": MPICH}, None, "not root"))
        self.assertEqual([(job.link.network, job.systems) for job in found], [("shm", [PROCESSES])])
        self.assertEqual(found[0].runs, [(PROCESSES, THREADS, [PROCESSES])])


if __name__ == "__main__":
    unittest.main()
