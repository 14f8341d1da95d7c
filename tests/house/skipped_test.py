#!/usr/bin/env python3
"""A test that does not test is counted, and fails the run where it may not be skipped: tests/support/skipped.py, and what
the tests do for it.

usage: skipped_test.py ROOT BUILD_DIR
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT, BUILD = Path(sys.argv[1]), Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "tests/support"))
import skipped  # noqa: E402

# A script of tests/ that ends early and well has not tested.
EARLY_END = re.compile(r"^\s*exit( 0)?\s*(;|\}|$)|^\s*echo .*\b(not tested|skipped|not tried)\b")


def puts(text: str, status: int, property_of_ctest: str = "SKIP_RETURN_CODE 77") -> str:
    """A test for a CTestTestfile.cmake."""
    return (f'add_test(NAME "sh" "-c" "echo \'{text}\'; exit {status}")\n'
            f'set_tests_properties(NAME PROPERTIES {property_of_ctest})\n')


class Run(unittest.TestCase):
    """Real runs of ctest and of skipped.py behind it."""

    def run_of(self, tests: dict[str, str], *options: str, **environment: str) -> subprocess.CompletedProcess:
        with tempfile.TemporaryDirectory() as folder:
            file = "".join(text.replace("NAME", name, 2) for name, text in tests.items())
            Path(folder, "CTestTestfile.cmake").write_text(file, encoding="utf-8")
            ran = subprocess.run(["ctest"], cwd=folder, capture_output=True, text=True, check=False)
            Path(folder, "ctest.log").write_text(ran.stdout, encoding="utf-8")
            return subprocess.run([sys.executable, skipped.__file__, *options, "release", folder], capture_output=True,
                                  text=True, check=False, env=os.environ | {"PURETEST_MAY_SKIP": ""} | environment)

    def test_all_tested(self):
        ran = self.run_of({"good": puts("fine", 0)}, "--strict")
        self.assertEqual((ran.returncode, ran.stdout), (0, "  nothing was skipped\n"))

    def test_a_skipped_test_is_named_with_its_reason_and_fails_where_it_counts(self):
        tests = {"good": puts("fine", 0), "bad": puts("SKIPPED: all of it: there is no moon", 77)}
        ran = self.run_of(tests)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("skipped: bad, all of it: there is no moon (NOT ALLOWED", ran.stdout)
        self.assertNotIn("good", ran.stdout)
        self.assertEqual(self.run_of(tests, "--strict").returncode, 1)
        self.assertEqual(self.run_of(tests, "--strict", PURETEST_MAY_SKIP="x b?d").returncode, 0)
        self.assertEqual(self.run_of(tests, "--strict", PURETEST_MAY_SKIP="bad_one").returncode, 1)

    def test_a_part_that_is_skipped_counts_though_the_test_passes(self):
        ran = self.run_of({"half": puts("SKIPPED: mpich: it is not there: why", 0)}, "--strict")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("skipped: half, mpich: it is not there: why (NOT ALLOWED", ran.stdout)

    def test_silence_is_no_excuse(self):
        ran = self.run_of({"mute": puts("hm", 77)}, "--strict")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("skipped: mute, all of it: it gives no reason", ran.stdout)

    def test_unittest_is_understood(self):
        ran = self.run_of({"python": puts("OK (expected failures=1, skipped=3)", 0)}, "--strict")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("skipped: python, 3 tests of unittest", ran.stdout)

    def test_what_the_list_allows_passes_with_its_reason(self):
        name = "unit.api.huge_pages"
        said = "SKIPPED: huge_pages.reserved_ones_that_are_granted_are_there: none"
        ran = self.run_of({name: puts(said, 0)}, "--strict")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("(allowed: the kernel decides", ran.stdout)
        self.assertEqual(self.run_of({"unit.other": puts(said, 0)}, "--strict").returncode, 1)


class List(unittest.TestCase):
    def test_conditions(self):
        rules = skipped.rules_in("# x\n\na* | all of it | root | why\n", ["root"])
        skip = skipped.Skip("abc", "all of it", "no")
        for is_root in (False, True):
            lines, refused = skipped.judge([skip], rules, {"root": is_root}, [])
            self.assertEqual(refused, 0 if is_root else 1, lines)

    def test_bad_lines(self):
        for line in ("a | b | always", "a | b | always |", "a | b | sometimes | why"):
            with self.assertRaises(skipped.BadList):
                skipped.rules_in(line, ["always"])

    def test_every_line_is_about_a_test(self):
        text = (ROOT / "tests/may_skip.txt").read_text(encoding="utf-8")
        names = [test["name"] for test in registered()]
        for rule in skipped.rules_in(text, skipped.conditions("release")):
            self.assertTrue([name for name in names if skipped.fnmatch.fnmatchcase(name, rule.test)], rule)


class Tests(unittest.TestCase):
    """What all tests of this build do."""

    def test_every_test_can_be_skipped(self):
        for test in registered():
            properties = {entry["name"]: entry["value"] for entry in test["properties"]}
            self.assertEqual(properties.get("SKIP_RETURN_CODE"), 77, f"{test['name']}: its status 77 is not known to ctest")

    def test_no_script_ends_early_and_well(self):
        for path in sorted((ROOT / "tests").rglob("*")):
            if path.suffix not in (".sh", ".bash") or path.name in NO_SCRIPTS_OF_TESTS:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                self.assertIsNone(EARLY_END.search(line), f"{path}:{number}: use skip or not_tested: {line.strip()}")


# The second has its answer before it asks: the model's text is the one that was answered for.
NO_SCRIPTS_OF_TESTS = ("run_all.sh", "run_model.sh", "fresh.sh")


def registered() -> list[dict]:
    """The tests of the build; asked from elsewhere, because ctest writes a new log where it is started."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "CTestTestfile.cmake").write_text(f'subdirs("{BUILD}")\n', encoding="utf-8")
        shown = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, capture_output=True, text=True, check=True)
    tests = json.loads(shown.stdout)["tests"]
    assert tests, f"{BUILD} has no tests"
    return tests


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
