#!/usr/bin/env python3
"""The table of the suite's parts: what it may hold, how long a run will take, and which test outgrew its row."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import suite  # noqa: E402

HEAD = "budget 100 quick\nbuild 20 quick\nbudget 200 deep\nbuild 30 deep\n"


def test_of(slots: int, *labels: str) -> suite.Registered:
    return suite.Registered(slots, frozenset(labels))


class Table(unittest.TestCase):
    def test_rows_and_parts(self):
        read = suite.suite_in(HEAD + "# words\n\nquick 2.5 unit.a\ndeep 40 net.b.mpis\n")
        self.assertEqual(read.seconds, {"quick": {"unit.a": 2.5}, "deep": {"net.b.mpis": 40}})
        self.assertEqual((read.budgets["quick"], read.builds["deep"]), (100, 30))
        self.assertEqual([read.part_of(test) for test in ("unit.a", "net.b.mpis", "other")], ["quick", "deep", None])

    def test_bad_lines(self):
        for line in ("quick unit.a", "slow 3 unit.a", "quick three unit.a", "budget 3 slow", "quick 1 a\ndeep 1 a"):
            with self.assertRaises(suite.BadTable, msg=line):
                suite.suite_in(HEAD + line + "\n")
        with self.assertRaises(suite.BadTable):
            suite.suite_in("budget 100 quick\n")

    def test_what_is_wrong_is_found(self):
        read = suite.suite_in(HEAD + "quick 2 a\nquick 2 gone\ndeep 2 b\n")
        tests = {"a": test_of(1, "quick"), "b": test_of(1, "quick"), "new": test_of(1)}
        self.assertEqual(suite.problems_of(read, tests),
                         ["new has no row in tests/suite.txt", "tests/suite.txt has a row for gone, which is no test",
                          "b has not the label deep, which tests/suite.txt says"])

    def test_budgets_hold_builds_and_rows(self):
        def problems(seconds: float) -> list[str]:
            read = suite.suite_in(HEAD + f"quick {seconds} a\nquick 40 b\n")
            return suite.problems_of(read, {"a": test_of(4, "quick"), "b": test_of(2, "quick")})
        self.assertEqual(problems(60), [])  # 20 + 60 + 40 / 2
        self.assertEqual(len(problems(61)), 1)

    def test_renewed_rows(self):
        tests = {"a": test_of(1), "b": test_of(1), "c": test_of(1)}
        text = "# words\nquick 1 a\nquick 5 gone\ndeep 3 b\n"
        self.assertEqual(suite.renewed(text, {"a": 2.0, "c": 0.01}, tests, "quick"),
                         "# words\nquick 2.0 a\ndeep 3 b\nquick 0.1 c\n")


class Times(unittest.TestCase):
    rows = {"a": 10.0, "b": 10.0, "c": 10.0, "short": 0.1}

    def test_lines_of_ctest(self):
        log = (" 3/12 Test  #7: unit.a ....................   Passed    1.50 sec\n"
               "4/12 Test #70: net.b.mpis ...............***Failed   20.02 sec\n      Start 8: unit.c\n")
        self.assertEqual(suite.taken_in(log), {"unit.a": 1.5, "net.b.mpis": 20.02})

    def test_one_that_outgrew_its_row(self):
        taken = {"a": 10.0, "b": 9.0, "c": 40.0, "short": 10.2}
        self.assertEqual(suite.outgrown(taken, self.rows), [])
        taken["c"] = 40.1
        self.assertEqual(suite.outgrown(taken, self.rows), ["c took 40 s, and its row in tests/suite.txt says 10 s"])
        taken["short"] = 10.4
        self.assertEqual(len(suite.outgrown(taken, self.rows)), 2)

    def test_a_test_that_was_slow_once_is_no_fault(self):
        rows = {**self.rows, "d": 10.0, "e": 10.0}
        taken = {"a": 10.0, "b": 50.0, "c": 41.0, "d": 9.0, "e": 10.0}
        asked = []

        def again(tests):
            asked.extend(tests)
            return {"b": 12.0, "c": 43.0}
        self.assertEqual(suite.outgrown(taken, rows, again),
                         ["c took 41 s, and its row in tests/suite.txt says 10 s; alone 43 s"])
        self.assertEqual(asked, ["b", "c"])
        self.assertEqual(len(suite.outgrown(taken, rows, lambda tests: {})), 2)  # they did not run: nothing is known

    def test_a_slow_machine_is_no_fault(self):
        self.assertEqual(suite.outgrown({"a": 30.0, "b": 30.0, "c": 60.0}, self.rows), [])
        self.assertEqual(len(suite.outgrown({"a": 30.0, "b": 30.0, "c": 101.0}, self.rows)), 1)

    def test_a_fast_machine_is_no_reason_to_be_slow(self):
        self.assertEqual(suite.slowness({"a": 1.0, "b": 1.0}, self.rows), 1.0)

    def test_progress(self):
        tests = {name: test_of(2) for name in self.rows}
        progress = suite.Progress(self.rows, tests, now=0, every=20)
        line = " 1/4 Test #1: {} ........   Passed    {} sec"
        self.assertIsNone(progress.after("      Start 1: a", 30))
        self.assertIsNone(progress.after(line.format("short", 0.1), 10))
        said = progress.after(line.format("a", 20.0), 30)  # twice as slow: 2 * (10 + 10) * 2 / 4
        self.assertEqual(said, "--- 1 of 4 tests; about 20 s left")
        self.assertIsNone(progress.after(line.format("b", 20.0), 40))


if __name__ == "__main__":
    unittest.main()
