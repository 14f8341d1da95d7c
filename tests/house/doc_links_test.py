#!/usr/bin/env python3
"""Plants every mistake that doc_links.py must find, and what it must leave alone."""
import tempfile
import unittest
from pathlib import Path

from doc_links import places_in, problems_of

RIGHT = {
    "README.md": "# Top\n[docs](docs/README.md), [a word](docs/a.md#of-it-all-2), [top](#top), [x](https://x.org/y#z)\n",
    "docs/README.md": "# Docs\n[a](a.md) ![b](b.png) [new](new.md)\n",
    "docs/a.md": "# A\n## Of `it`, all: 2!\n`[none](no.md)`\n```sh\n[none](no.md)\n```\n[up](../README.md)\n",
    "docs/b.png": "",
    "docs/new.md": "# New\n",
    "build/other.md": "[none](no.md)\n",
}


def problems(**changed: str) -> list[str]:
    """Of the right pages with these parts in place of others: README for README.md."""
    names = {"README": "README.md", "index": "docs/README.md", "new": "docs/new.md", "more": "docs/more.md"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, text in (RIGHT | {names[short]: text for short, text in changed.items()}).items():
            (root / name).parent.mkdir(exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return problems_of(root)


class Links(unittest.TestCase):
    def test_right_links_are_left_alone(self):
        self.assertEqual(problems(), [])

    def test_files_and_headings_must_be_there(self):
        self.assertEqual(problems(README="[x](docs/c.md)"), ["README.md: (docs/c.md): there is no such file"])
        self.assertEqual(problems(README="[x](docs/a.md#b)"), ["README.md: (docs/a.md#b): there is no such heading"])
        self.assertEqual(problems(new="# A\n[x](#b)"), ["docs/new.md: (#b): there is no such heading"])
        self.assertEqual(problems(new="[x](../../../etc)"), ["docs/new.md: (../../../etc): this is outside of the sources"])

    def test_links_around_pictures_and_brackets_are_seen(self):
        for text in ("[![b](b.png)](c.md)", "[of [this]](c.md)", "![x](c.md)", '[x](c.md "words")', "| a | [x](c.md) |"):
            self.assertEqual(problems(new=text), ["docs/new.md: (c.md): there is no such file"], text)

    def test_the_index_has_all_pages(self):
        self.assertEqual(problems(more="# More"), ["docs/more.md is not in docs/README.md"])

    def test_places_are_github_s(self):
        self.assertEqual(places_in("# A b-c_d (e/f)\n## [x](y.md) z\n## z\n## z\n<a id=\"D-x\"></a>\n```sh\n# no\n```\n"),
                         {"a-b-c_d-ef", "x-z", "z", "z-1", "D-x"})


if __name__ == "__main__":
    unittest.main()
