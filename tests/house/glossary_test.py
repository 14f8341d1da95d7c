#!/usr/bin/env python3
"""Plants a violation of each rule of glossary.py in a small tree, and checks that it is the one that is found."""
import tempfile
import unittest
from pathlib import Path

import glossary

HEAD = "| word | what it is | nearest | file |\n|---|---|---|---|\n"
GOOD = {
    "docs/glossary.md": HEAD + "| dropbox | where it lies | none | `coll/dropbox.hpp` |\n"
                               "| part (of a window), pass on | (1) of a window; (2) of a rank | | `coll/dropbox.hpp` |\n",
    "src/coll/dropbox.hpp": "// Parts that are passed_on.\nclass dropbox { struct window_parts {}; struct of_addresses {}; };\n",
    "tests/house/plain_words.txt": "address rendezvous\n",
    "ARCHITECTURE.md": "A *dropbox* or *rendezvous*: operation *s*, **part**, `*pointer*`.\n",
}
PLANTED = [
    ("docs/glossary.md", GOOD["docs/glossary.md"] + "| part | a third | | `coll/dropbox.hpp` |\n", "part stands in line 4, too"),
    ("docs/glossary.md", GOOD["docs/glossary.md"] + "| hold | it | | `coll/nowhere.hpp` |\n", "there is no coll/nowhere.hpp"),
    ("docs/glossary.md", GOOD["docs/glossary.md"] + "| hold | it | | `coll/dropbox.hpp` |\n", "does not say hold"),
    ("docs/glossary.md", GOOD["docs/glossary.md"].replace("(2)", "(3)"), "meanings are (1), (2)"),
    ("src/coll/bad.hpp", "// x\nclass out_lender {};\n", "src/coll/bad.hpp: a class is a lender"),
    ("ARCHITECTURE.md", GOOD["ARCHITECTURE.md"] + "It *parks*.\n", "parks: docs/glossary.md has no such word"),
    ("tests/house/plain_words.txt", "address rendezvous class\n", "class is in no class's name"),
    ("tests/house/plain_words.txt", "address rendezvous dropbox\n", "dropbox has a row"),
]


def violations_of(tree: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return list(glossary.violations(Path(folder)))


class Glossary(unittest.TestCase):
    def test_a_good_tree_has_no_violations(self):
        self.assertEqual(violations_of(GOOD), [])

    def test_each_planted_violation_is_found_and_nothing_else(self):
        for path, text, message in PLANTED:
            with self.subTest(path=path, message=message):
                found = violations_of(GOOD | {path: text})
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0])

    def test_singulars(self):
        for plural, one in (("parts", "part"), ("classes", "class"), ("boxes", "box"), ("status", "status"), ("pass", "pass"),
                            ("processes", "process"), ("ways", "way"), ("axis", "axis")):
            self.assertEqual(glossary.singular(plural), one)


if __name__ == "__main__":
    unittest.main()
