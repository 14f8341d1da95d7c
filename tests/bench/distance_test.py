#!/usr/bin/env python3
"""Which samples bench/run compares, where the cores of two ranks lie differently from time to time."""

import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from driver import benchmarks, distance, execute, report, topology  # noqa: E402
from driver.errors import BenchError  # noqa: E402


class Distances(unittest.TestCase):
    @staticmethod
    def samples(*pairs):
        return [distance.Sample(value, (before, before)) for value, before in pairs]

    def test_samples_of_the_distance_that_all_have_most_are_compared(self):
        near = [(1.0, 50), (1.1, 52), (1.2, 54)]
        found, between = distance.comparable({
            "pure": self.samples(*near, (3.0, 170), (3.1, 175)),
            "mpi": self.samples((0.9, 51), (0.8, 55), (0.7, 56), (2.5, 171), (2.4, 172), (2.3, 173), (2.2, 174)),
        })
        self.assertEqual(found, {"pure": [1.0, 1.1, 1.2], "mpi": [0.9, 0.8, 0.7]})
        self.assertEqual(between, 53)

    def test_one_that_moved_meanwhile_counts_for_no_distance(self):
        moved = distance.Sample(9.0, (50, 170))
        found, _ = distance.comparable({"pure": [*self.samples((1, 50), (2, 50), (3, 50)), moved]})
        self.assertEqual(found, {"pure": [1, 2, 3]})

    def test_in_turn_neighbours_are_kept_or_left_out_together(self):
        given = {
            "pure": self.samples((1, 50), (2, 50), (3, 50), (4, 50), (5, 170)),
            "mpi": self.samples((6, 50), (7, 170), (8, 50), (9, 50), (9, 170)),
        }
        self.assertEqual(distance.comparable(given, True), ({"pure": [1, 3, 4], "mpi": [6, 8, 9]}, 50))
        far = {"pure": self.samples((1, 50)), "mpi": self.samples((2, 170))}
        self.assertEqual(distance.comparable(far, True), (far, distance.MIXED))
        self.assertEqual(distance.comparable({"pure": [], "mpi": []}, True), ({"pure": [], "mpi": []}, None))

    def test_without_a_distance_that_all_have_nothing_is_left_out(self):
        given = {"pure": self.samples((1, 50), (1, 50), (1, 50)), "mpi": self.samples((1, 170), (1, 170), (1, 170))}
        self.assertEqual(distance.comparable(given), (given, distance.MIXED))

    def test_few_samples_of_one_distance_are_compared(self):
        given = {"pure": self.samples((1, 50)), "mpi": self.samples((2, 51))}
        self.assertEqual(distance.comparable(given), (given, 50.5))

    def test_a_system_that_failed_does_not_count(self):
        near = self.samples((1, 50), (1, 50), (1, 50))
        self.assertEqual(distance.comparable({"pure": near, "mpi": []}), ({"pure": near, "mpi": []}, 50))

    def test_samples_without_distances_are_all_compared(self):
        given = {"pure": [1.0, distance.Sample(2.0)]}
        self.assertEqual(distance.comparable(given), (given, None))

    def test_the_table_has_them(self):
        benchmark = SimpleNamespace(name="net", unit="us", better="lower", cases=("8 B", "64 B"), is_together=False)
        pure = SimpleNamespace(name="pure", kind="pure")
        rows = [report.make_row(benchmark, case, 8, 2, 2, pure, [1.0], distance=between)
                for case, between in (("8 B", 52.5), ("64 B", distance.MIXED))]
        lines = report.table(benchmark, rows, [pure])
        self.assertEqual([line.split()[-1] for line in lines], ["ns", "52.50", "mixed"])

    def test_rows_from_cores_that_are_far_apart_are_named(self):
        rows = [{"case": case, "distance_ns": between}
                for case, between in (("8 B", 52.5), ("64 B", distance.MIXED), ("1 KB", None), ("4 KB", 100.0))]
        self.assertEqual(report.far_apart(rows), [])
        rows += [{"case": "16 KB", "distance_ns": 172.4}, {"case": "64 KB", "distance_ns": 101.0}]
        (said,) = report.far_apart(rows)
        self.assertRegex(said, "up to 172 ns, above 100 ns.*: 16 KB, 64 KB$")

    def test_a_team_of_threads_has_none(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "thing.cpp")
            head = "// A.\n// bench: systems=pure, {}; unit=us; better=lower; ranks=2; cases=8 B; distance=yes\n"
            for others in ("mpi", "mpi, limit"):
                source.write_text(head.format(others))
                self.assertTrue(benchmarks.read_benchmark(source).has_distance)
            source.write_text(head.format("openmp"))
            with self.assertRaisesRegex(BenchError, "distance=yes .* pure, mpi, limit"):
                benchmarks.read_benchmark(source)

    def test_in_one_process_they_are_measured_where_the_benchmark_says_so(self):
        placement = topology.Placement("same-numa", (0, 1))
        pure = SimpleNamespace(kind="pure", name="pure")
        for asked, file in ((False, None), (True, "far")):
            with tempfile.TemporaryDirectory() as folder:
                command, _ = execute.command_of(
                    pure, "prog", placement, 1, 2, "purerun", Path(folder, "map"), distance_file=file)
            self.assertEqual("--distance-file" in command, asked)

    def test_a_program_reports_them(self):
        output = "cpus\t0\t1\nsample\t8 B\t8\t0.25\t50.1\t51.2\n"
        placement = topology.Placement("same-numa", (0, 1))
        found = execute._parse(output, SimpleNamespace(kind="pure"), placement)
        self.assertEqual(found["8 B"][1][0].distances, (50.1, 51.2))


if __name__ == "__main__":
    unittest.main()
