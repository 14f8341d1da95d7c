#!/usr/bin/env python3
"""What bench/evaluate makes of the runs: output read, ratios, claims, lines counted, commands of the launchers."""

import sys
import unittest
import unittest.mock
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from evaluation import claims, cores, machine, measure, scaling  # noqa: E402
from evaluation.cases import CASES, _box  # noqa: E402
from evaluation.entrants import Entrant, entrants_of  # noqa: E402
from evaluation.programs import PROGRAMS, lines_of  # noqa: E402
from evaluation.systems import EvaluatedSystem, launch  # noqa: E402

PURE = EvaluatedSystem("pure", "Pure", "pure", mpicc="/b/purecc", mpiexec="/b/purerun")
MPICH = EvaluatedSystem("mpich", "MPICH 5", "mpi", "mpich", "/m/mpicc", "/m/mpiexec")
OPENMPI = EvaluatedSystem("openmpi", "Open MPI 5", "mpi", "openmpi", "/o/mpicc", "/o/mpiexec")

STATISTICS = """pure: what 2 ranks did
          computing  waiting  stealing  cpu taken  preempted
  rank 0    0.179 s  0.003 s   0.000 s    0.100 s          5
  rank 1    0.094 s  0.006 s   0.082 s    0.200 s          4
  all       0.273 s  0.009 s   0.082 s    0.300 s          9
             75.1 %    2.4 %    22.5 %

          sent    bytes
  rank 0   203  1.6 KiB
"""


def case_named(name):
    return next(case for case in CASES if case.name == name)


def result_of(case, **seconds):
    """A result with the seconds of entrants by name; `mpich_openmp` is mpich-openmp."""
    made = []
    for name, values in seconds.items():
        name = name.replace("_", "-")
        system = MPICH if name.startswith("mpich") else PURE
        variant = "openmp" if name.endswith("openmp") else "tasks" if name.endswith("tasks") else "messages"
        made.append(measure.Measured(Entrant(name, name, system, variant, 2), values))
    return measure.CaseResult(case, made, "")


class Output(unittest.TestCase):
    def test_seconds_and_answers_of_each_program(self):
        dt = case_named("dt SH A")
        text = "time 1 s\nresult: seconds=0.250000000 checksum=610856482 verified=yes\n"
        self.assertEqual((dt.seconds_in(text), dt.answers_in(text)), (0.25, ["610856482"]))
        md = case_named("md, EAM")
        text = "  step   fs\n   0   0.00  -3.1  -3.2 0.1 600.0\n  20  20.00  -3.3798202303  -3.4 0.07  600.0  0.4\n  loop time       0.5468 s\n"
        self.assertEqual((md.seconds_in(text), md.answers_in(text)), (0.5468, ["-3.3798202303"]))
        self.assertIsNone(md.seconds_in("md: no such file"))

    def test_answers_agree_to_the_digits_of_the_case(self):
        md, dt = case_named("md, EAM"), case_named("dt SH A")
        self.assertTrue(md.agrees(["-3.379820230"], ["-3.379820239"]))
        self.assertFalse(md.agrees(["-3.37982023"], ["-3.37982123"]))
        self.assertFalse(md.agrees(["-3.37982023"], []))
        self.assertFalse(dt.agrees(["610856482"], ["610856483"]))

    def test_times_in_statistics_are_those_of_the_columns(self):
        self.assertEqual(measure.times_in_statistics(STATISTICS), [[0.179, 0.003], [0.094, 0.006]])
        self.assertEqual(measure.times_in_statistics("nothing"), [])

    def test_a_quick_run_has_fewer_steps(self):
        words = case_named("md, EAM").words(2, 2, True)
        self.assertEqual(words[words.index("--steps") + 1], "2")

    def test_with_threads_the_problem_stays(self):
        stencil = case_named("stencil, imbalanced")
        many, few = stencil.words(4, 4, False), stencil.words(4, 2, False)
        size = many.index("--size") + 1
        self.assertEqual((int(many[size]) * 4, many[many.index("--parts") + 1]), (int(few[size]) * 2, "4"))
        self.assertNotIn("--no-check", stencil.checked_words(4, 4))

    def test_box_grows_with_the_cores(self):
        for cores in range(1, 65):
            x, y, z = _box(cores, 16)
            self.assertEqual(x * y * z, 16**3 * cores)


class Ratios(unittest.TestCase):
    def test_ratios_are_of_rounds(self):
        result = result_of(case_named("md, EAM"), pure=[1.0, 2.0, 1.0], mpich=[2.0, 2.0, 3.0])
        self.assertEqual(measure.ratios(result.best_rival, result.of("pure")), (2.0, 1.0, 3.0))

    def test_claims_of_messages(self):
        even, messages = case_named("md, EAM"), case_named("md, 256 atoms")
        for case, rival, holds in ((even, 1.0, True), (even, 0.9, False), (messages, 1.1, False), (messages, 1.2, True)):
            found = claims.claims_of([result_of(case, pure=[1.0], mpich=[rival])], {})
            self.assertEqual([claim.holds for claim in found], [holds], found)

    def test_claims_of_tasks(self):
        result = result_of(case_named("md, hollow"), pure=[2.0], pure_tasks=[1.1], mpich=[2.0], mpich_openmp=[1.0])
        result.ideal = 2.0
        self.assertEqual([claim.holds for claim in claims.claims_of([result], {})], [True, False, False])

    def test_a_claim_that_fails_without_cores_says_so(self):
        result = result_of(case_named("md, EAM"), pure=[1.0], mpich=[0.9])
        result.cores = [0.6, 0.5, 1.0]
        self.assertIn("only 50% of the cores", claims.claims_of([result], {})[0].text)
        result.cores = [0.6, 1.0, 1.0]
        self.assertNotIn("cores", claims.claims_of([result], {})[0].text)

    def test_claims_of_lines(self):
        found = claims.claims_of([], {"a": (10, 100), "b": (9, 100)})
        self.assertEqual([claim.holds for claim in found], [False, True])

    def test_another_answer_is_an_error(self):
        result = result_of(case_named("dt SH A"), pure=[1.0], mpich=[1.0])
        result.measured[0].answer, result.measured[1].answer = ["1"], ["2"]
        measure._compare(result)
        self.assertEqual(len(result.errors), 1)


class Machine(unittest.TestCase):
    def test_is_described_also_where_there_is_no_git(self):
        with unittest.mock.patch.dict("os.environ", {"PATH": "/nowhere", "CXX": "none"}):
            self.assertIn(("Pure", "of no repository"), machine.describe(ROOT))


class Cores(unittest.TestCase):
    def test_what_part_there_is(self):
        self.assertGreater(cores.part_of_cores(1), 0)
        with unittest.mock.patch.object(cores, "part_of_cores", side_effect=[0.5, 0.7, 0.9]), unittest.mock.patch.object(
            cores.time, "sleep"
        ):
            said = []
            self.assertEqual(cores.wait_for_cores(2, said.append), 0.9)
            self.assertEqual(len(said), 2)


class FromOneCoreToAll(unittest.TestCase):
    def test_numbers_of_cores(self):
        found = {cores: scaling.numbers_of_cores(cores) for cores in (1, 2, 3, 4, 6, 8)}
        self.assertEqual(found, {1: [1], 2: [1, 2], 3: [1, 2, 3], 4: [1, 2, 4], 6: [1, 2, 4, 6], 8: [1, 2, 4, 8]})

    def test_a_strong_problem_is_that_of_all_cores(self):
        case = case_named("md, EAM")
        words = scaling.of_all_cores(case, 4).words(1, 1, False)
        self.assertEqual(words[: words.index("--steps")], case.words(4, 4, False)[: words.index("--steps")])

    def test_gains_are_over_one_core(self):
        case = case_named("md, EAM")
        results = {1: result_of(case, pure=[2.0, 2.0]), 2: result_of(case, pure=[1.0, 0.8, 1.6])}
        strong = scaling.Scaling(case, "strong", results)
        self.assertEqual(strong.gains("pure")[2], (2.0, 1.25, 2.5))
        self.assertEqual((strong.ideal(2), scaling.Scaling(case, "weak", results).ideal(2)), (2, 1))

    def test_who_takes_part_is_the_same_on_any_number(self):
        case = case_named("amr")
        for count in (1, 2, 4):
            names = [each.name for each in scaling.scaled_entrants(case, PURE, [MPICH], count)]
            self.assertEqual(names, ["pure", "pure-processes", "mpich"])


class Programs(unittest.TestCase):
    def test_every_source_is_there(self):
        for program in PROGRAMS.values():
            sources = [*program.common, *program.lesson]
            sources += [source for variant in program.variants.values() for source in variant.sources]
            for source in sources:
                self.assertTrue((ROOT / source).is_file(), source)

    def test_tasks_take_few_lines(self):
        for program in PROGRAMS.values():
            added, all_lines = lines_of(ROOT, program)
            self.assertGreater(added, 0, program.name)
            self.assertLess(added / all_lines, claims.MOST_LINES, program.name)

    def test_every_case_names_a_program(self):
        self.assertLessEqual({case.program for case in CASES}, set(PROGRAMS))


class Launching(unittest.TestCase):
    def test_each_is_bound_where_it_has_cores(self):
        command, environment = launch(MPICH, "p", ["x"], 2, 2, cores=4)
        self.assertEqual(command, ["/m/mpiexec", "-n", "2", "-bind-to", "core:2", "p", "x"])
        self.assertEqual(environment["OMP_NUM_THREADS"], "2")
        command, _ = launch(OPENMPI, "p", [], 2, cores=2)
        self.assertIn("slot:PE=1", command)
        command, _ = launch(OPENMPI, "p", [], 3, cores=2)
        self.assertIn("none", command)

    def test_pure(self):
        command, _ = launch(PURE, "p", ["x"], 1, helpers=1, cores=2)
        self.assertEqual(command, ["/b/purerun", "-n", "1", "--ranks-as", "threads", "--helpers", "1", "p", "x"])

    def test_who_takes_part(self):
        names = [each.name for each in entrants_of(case_named("dt SH A"), PURE, [MPICH], None, 2)]
        self.assertEqual(names, ["pure", "pure-processes", "pure-tasks", "pure-helpers", "mpich", "mpich-openmp"])
        names = [each.name for each in entrants_of(case_named("md, EAM"), PURE, [], None, 1)]
        self.assertEqual(names, ["pure", "pure-processes"])
        hybrids = [each for each in entrants_of(case_named("md, EAM"), PURE, [MPICH], None, 16) if each.threads > 1]
        self.assertEqual([(each.ranks, each.threads) for each in hybrids], [(4, 4)])


if __name__ == "__main__":
    unittest.main()
