#!/usr/bin/env python3
"""What bench/run makes of a run: its output read, rows and tables."""

import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from types import SimpleNamespace

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from driver import execute, report, topology  # noqa: E402
from driver.errors import BenchError  # noqa: E402


class Results(unittest.TestCase):
    BENCHMARK = SimpleNamespace(name="thing", unit="us", better="lower", cases=("8 B", "64 B"), is_together=False)

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

    def test_processes_have_a_ratio_of_their_own(self):
        values = {("8 B", "pure"): [1.0], ("8 B", "pure-processes"): [3.0], ("8 B", "a"): [2.0]}
        columns = [SimpleNamespace(name=n, kind=k) for n, k in (("pure", "pure"), ("pure-processes", "pure"), ("a", "mpi"))]
        header, line, _ = report.table(self.BENCHMARK, self.rows(values), columns)
        self.assertRegex(header, "pure/best MPI +processes/best MPI$")
        self.assertEqual(line.split(), "8 B 1.000 3.000 2.000 0.50 a 1.50 a".split())
        header, line, _ = report.table(self.BENCHMARK, self.rows(values), columns[1:])
        self.assertNotIn("pure/best MPI", header)
        self.assertEqual(line.split(), "8 B 3.000 2.000 1.50 a".split())

    def test_each_of_threads_and_processes_is_compared_with_the_limit(self):
        values = {("8 B", "pure"): [1.0], ("8 B", "pure-processes"): [3.0], ("8 B", "limit"): [0.5], ("64 B", "pure"): [1.0]}
        columns = [SimpleNamespace(name=n, kind=k) for n, k in
                   (("pure", "pure"), ("pure-processes", "pure"), ("limit", "limit"))]
        header, line, without_limit = report.table(self.BENCHMARK, self.rows(values), columns)
        self.assertRegex(header, "pure/limit +processes/limit$")
        self.assertEqual(line.split(), "8 B 1.000 3.000 0.500 2.00 6.00".split())
        self.assertEqual(without_limit.split(), "64 B 1.000 - - - -".split())

    def test_the_mpi_door_is_compared_with_mpis_and_with_pure(self):
        values = {("8 B", "pure"): [1.0], ("8 B", "pure-processes"): [2.0], ("8 B", "pure-mpi-threads"): [1.5],
                  ("8 B", "pure-mpi-processes"): [2.5], ("8 B", "a"): [5.0]}
        kinds = ("pure", "pure", "pure-mpi", "pure-mpi", "mpi")
        columns = [SimpleNamespace(name=name, kind=kind) for (_, name), kind in zip(values, kinds)]
        header, line, _ = report.table(self.BENCHMARK, self.rows(values), columns)
        self.assertRegex(header, "door threads/best MPI +door processes/best MPI +door threads/pure +"
                                 "door processes/pure-processes$")
        self.assertEqual(line.split()[-8:], "0.40 a 0.30 a 0.50 a 1.50 1.25".split())
        header, line, _ = report.table(self.BENCHMARK, self.rows(values), columns[2:3])
        self.assertEqual((header.split(), line.split()), ("case pure-mpi-threads".split(), "8 B 1.500".split()))

    def test_in_turn_neighbours_are_compared(self):
        both = SimpleNamespace(**{**vars(self.BENCHMARK), "is_together": True})
        values = {("8 B", "pure"): [1.5, 30.0, 3.0], ("8 B", "a"): [1.0, 10.0, 2.0]}
        columns = [SimpleNamespace(name=n, kind=k) for n, k in (("pure", "pure"), ("a", "mpi"))]
        lines = report.table(both, self.rows(values), columns)
        self.assertEqual(lines[0].split(), "case pure a pure/MPI pure-MPI".split())
        self.assertEqual(lines[1].split(), "8 B 3.000 2.000 1.500 +1".split())
        self.assertEqual(lines[2].split(), "64 B - - - -".split())

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
                ("echo cpus 0 | tr ' ' '\\t'; echo end", "no samples"),
            ]:
                program.write_text(f"#!/bin/sh\n{script}\n")
                program.chmod(0o755)
                with self.assertRaisesRegex(BenchError, message):
                    execute.run_once(limit, program, placement, 1, 1, None)
            program.write_text("#!/bin/sh\nprintf 'cpus\\t0\\nsample\\t8 B\\t8\\t0.5\\nend\\n'; sleep 60\n")
            notes = []
            with unittest.mock.patch.object(execute, "END_SECONDS", 0.1):
                found = execute.run_once(limit, program, placement, 1, 1, None, note=notes.append)
            self.assertEqual((found, len(notes)), ({"8 B": (8, [0.5])}, 1))
            with self.assertRaisesRegex(BenchError, "cannot start"):
                execute.run_once(limit, Path(folder, "nothing"), placement, 1, 1, None)


if __name__ == "__main__":
    unittest.main()
