#!/usr/bin/env python3
"""Plants a violation of each rule of models.py in a small tree, and checks that it is the one that is found."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import models

RING = """// A ring. tests/model/ring.pml
struct ring {
  void put(int x) { all[x] = 1; }  // puts
  void put() { put(0); }
};
"""
RANK = """// Modelled by tests/model/ring.pml, park.pml.
bool rank::wake() { return is_asleep("a text"); }
void rank::park() { sleep(); }
"""
OF_RING = "/* A ring.\n * models: src/transport/ring.hpp: put\n * models: src/runtime/rank.cpp: wake\n */\n"
PARK = "/* Parking.\n * models: src/runtime/rank.cpp: park, rank::wake\n * must hold:\n */\nbyte x;\n"
GOOD = {
    "src/transport/ring.hpp": RING,
    "src/runtime/rank.cpp": RANK,
    "src/runtime/rank.hpp": "// A rank, whose sleep is in park.pml\n",
    "src/runtime/texts.cpp": '// texts\nconst char* text = "nowhere.pml";\n',
    "tests/model/ring.pml": OF_RING,
    "tests/model/park.pml": PARK,
}

CHANGED = ("{function} in {file} has changed since tests/model/{model}.pml was compared with it: look at {model}.pml, "
           "then `python3 tests/house/models.py --refresh {model} --compared TEXT`")

COMPARED = "All is new; each step of it was compared."
AGAIN = "Another text; the order of steps is as it was."

# What is planted after the hashes were written: the file, its text (None: it is removed), and the complaints' parts.
PLANTED = [
    # a function has changed
    ("src/runtime/rank.cpp", RANK.replace("sleep()", "sleep(1)"),
     [CHANGED.format(function="park", file="src/runtime/rank.cpp", model="park")]),
    ("src/runtime/rank.cpp", RANK.replace("a text", "another text"),
     [CHANGED.format(function="rank::wake", file="src/runtime/rank.cpp", model="park"),
      CHANGED.format(function="wake", file="src/runtime/rank.cpp", model="ring")]),
    ("src/runtime/rank.cpp", RANK.replace("bool rank::wake()", "bool rank::wake() noexcept"),
     ["rank::wake in src/runtime/rank.cpp has changed", "wake in src/runtime/rank.cpp has changed"]),
    ("src/transport/ring.hpp", RING.replace("put(0)", "put(1)"), ["put in src/transport/ring.hpp has changed"]),
    ("src/transport/ring.hpp", RING.replace("};", "  void put(long) {}\n};"), ["put in src/transport/ring.hpp has"]),
    # a function or a file is gone
    ("src/runtime/rank.cpp", RANK.replace("park()", "halt()"),
     ["park.pml: it models park, which src/runtime/rank.cpp does not define"]),
    ("src/transport/ring.hpp", None, ["it models put in src/transport/ring.hpp, which is not there"]),
    # the model's header
    ("tests/model/new.pml", "/* New.\n */\n/* models: src/runtime/rank.cpp: park */\n",
     ["new.pml: its header does not say"]),
    ("tests/model/park.pml", PARK.replace("park, ", ""), ["park.pml does not name park in src/runtime/rank.cpp"]),
    ("tests/model/ring.pml", OF_RING.replace("put", "put, ring"),
     ["it models ring, which src/transport/ring.hpp does not define"]),
    ("tests/model/park.pml", PARK.replace("park,", "rank::park,"),
     ["rank::park in src/runtime/rank.cpp has not been compared", "does not name park in src/runtime/rank.cpp"]),
    # the source names no model, one that is not there, or one that does not name it
    ("src/transport/ring.hpp", RING.replace("tests/model/ring.pml", ""), ["no comment names ring.pml"]),
    ("src/transport/ring.hpp", RING.replace("// A ring. tests/model/ring.pml", '// x\nauto x = "ring.pml";'),
     ["no comment names ring.pml"]),
    ("src/comm/comm.cpp", "// as in gone.pml\n", ["src/comm/comm.cpp:1: there is no tests/model/gone.pml"]),
    ("src/comm/comm.cpp", "// x\n\nint i;  // tests/model/ring.pml\n",
     ["src/comm/comm.cpp:3: tests/model/ring.pml does not say that it models functions of this file"]),
    # the list is not for editors
    ("tests/model/functions.txt", "", ["has not been compared"] * 4),
    ("tests/model/comparisons.txt", "", ["nothing says what was compared"] * 2),
]

# Changes that no model has to be looked at for.
HARMLESS = [
    ("src/runtime/rank.cpp", RANK.replace("sleep();", "\n  sleep( );  // once\n")),
    ("src/runtime/rank.cpp", RANK + "void rank::stop() {}\n"),
    ("src/transport/ring.hpp", RING.replace("// puts", "/* it puts } */")),
]


def write(root: Path, tree: dict[str, str | None]) -> None:
    for name, text in tree.items():
        path = root / name
        if text is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Models(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        write(self.root, GOOD)
        self.assertEqual(models.refresh(self.root, ["ring", "tests/model/park.pml"], COMPARED), [])

    def test_a_good_tree_has_no_violations(self):
        self.assertEqual(models.violations(self.root), [])

    def test_each_planted_violation_is_found_and_nothing_else(self):
        kept = {str(name): (self.root / name).read_text(encoding="utf-8") for name in (models.HASHES, models.COMPARISONS)}
        for path, text, messages in PLANTED:
            with self.subTest(path=path, text=text):
                write(self.root, {path: text})
                found = models.violations(self.root)
                self.assertEqual(len(found), len(messages), found)
                for message in messages:
                    self.assertTrue(any(message in each for each in found), found)
                (self.root / path).unlink(missing_ok=True)
                write(self.root, GOOD | kept)

    def test_comments_white_space_and_other_functions_may_change(self):
        for path, text in HARMLESS:
            write(self.root, GOOD | {path: text})
            self.assertEqual(models.violations(self.root), [], text)

    def test_the_list_may_not_be_edited(self):
        path = self.root / models.HASHES
        header, first, *others = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join([header, *others, first]), encoding="utf-8")
        self.assertEqual(len(models.violations(self.root)), 1)

    def test_refresh_writes_the_lines_of_the_model_that_was_looked_at_and_of_no_other(self):
        write(self.root, {"src/runtime/rank.cpp": RANK.replace("a text", "another text")})
        self.assertEqual(models.refresh(self.root, ["park"], AGAIN), [])
        found = models.violations(self.root)
        self.assertEqual(len(found), 1, found)
        self.assertIn("wake in src/runtime/rank.cpp has changed since tests/model/ring.pml", found[0])
        models.refresh(self.root, ["ring.pml"], AGAIN)
        self.assertEqual(models.violations(self.root), [])

    def test_hashes_that_are_written_by_hand_are_found(self):
        path = self.root / models.HASHES
        rows = path.read_text(encoding="utf-8").splitlines(keepends=True)
        write(self.root, {"src/runtime/rank.cpp": RANK.replace("sleep()", "sleep(1)")})
        hashes = models.read_hashes(self.root)
        parked = models.Modelled("park", "src/runtime/rank.cpp", "park")
        hashes[parked] = models.hash_of(models.texts_of(self.root, parked.file, parked.function))
        path.write_text(models.text_of_hashes(hashes), encoding="utf-8")
        self.assertNotEqual(path.read_text(encoding="utf-8"), "".join(rows))
        found = models.violations(self.root)
        self.assertEqual(len(found), 1, found)
        self.assertIn("nothing says what was compared when the hashes of tests/model/park.pml", found[0])

    def test_refresh_asks_what_was_compared(self):
        before = (self.root / models.COMPARISONS).read_text(encoding="utf-8")
        for said in ("", "looked at it", COMPARED):
            self.assertEqual(len(models.refresh(self.root, ["park"], said)), 1, said)
        self.assertEqual((self.root / models.COMPARISONS).read_text(encoding="utf-8"), before)
        self.assertIn(COMPARED, before)

    def test_refresh_of_a_model_that_is_gone_takes_its_lines_out(self):
        write(self.root, {"tests/model/park.pml": None, "src/runtime/rank.hpp": "// x\n",
                          "src/runtime/rank.cpp": RANK.replace(", park.pml", "")})
        self.assertEqual(len(models.violations(self.root)), 2)
        self.assertEqual(models.refresh(self.root, ["park"], AGAIN), [])
        self.assertEqual(models.violations(self.root), [])

    def test_refresh_writes_nothing_for_a_model_that_names_what_is_not_there(self):
        before = (self.root / models.HASHES).read_text(encoding="utf-8")
        write(self.root, {"src/runtime/rank.cpp": RANK.replace("park()", "halt()")})
        self.assertEqual(len(models.refresh(self.root, ["park"], AGAIN)), 1)
        self.assertEqual(len(models.refresh(self.root, ["prak"], AGAIN)), 1)
        self.assertEqual((self.root / models.HASHES).read_text(encoding="utf-8"), before)

    def test_the_command_fails_if_there_is_a_violation(self):
        command = [sys.executable, models.__file__, str(self.root)]
        self.assertEqual(subprocess.run(command, stdout=subprocess.DEVNULL).returncode, 0)
        write(self.root, {"src/transport/ring.hpp": RING.replace("put(0)", "put(1)")})
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("put in src/transport/ring.hpp has changed", done.stdout)
        command[2] = str(self.root / "src")
        self.assertEqual(subprocess.run(command, stderr=subprocess.DEVNULL).returncode, 2)


if __name__ == "__main__":
    unittest.main()
