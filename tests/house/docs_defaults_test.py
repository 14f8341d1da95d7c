#!/usr/bin/env python3
"""Plants every mistake that docs_defaults.py must find, and what it must leave alone."""
import tempfile
import unittest
from pathlib import Path

from docs_defaults import problems_of


def setting(name: str, default: str, meaning: str) -> dict:
    return {"name": name, "default": default, "meaning": meaning, "allowed": "1 B to 16 MiB"}


SETTINGS = [setting("PURE_EAGER_LIMIT", "2 KiB", "The largest message that is copied"),
            setting("PURE_SPIN_US", "50000 us", "How long a rank looks"),
            setting("PURE_TRACE_EVENTS", "1000000", "The most events. An event takes 88 bytes of memory")]


def problems(text: str, ranks_as: str = "threads", page: str = "docs/a.md") -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "docs").mkdir()
        (root / "README.md").write_text("# Top\n")
        (root / page).write_text(text, encoding="utf-8")
        return problems_of(root, {"settings": SETTINGS, "build": {"mpi_ranks_as": ranks_as}})


class Defaults(unittest.TestCase):
    def test_true_sentences_are_left_alone(self):
        for text in ("It sleeps after 50 ms (`PURE_SPIN_US`).",
                     "Up to 2 KiB,\nor 2048 bytes (`PURE_EAGER_LIMIT`), is copied.",
                     "From four times `PURE_EAGER_LIMIT` on (8 KiB) it is shared.", "`PURE_EAGER_LIMIT` may be 16 MiB.",
                     "Each event takes 88 bytes, a million at most (`PURE_TRACE_EVENTS`).",
                     "It is copied (`PURE_EAGER_LIMIT`). A stack has 8 MiB.", "`PURE_OTHER` is 3 KiB.",
                     "With `PURE_SPIN_US=100` it sleeps after 0.1 ms.", "```sh\nPURE_EAGER_LIMIT 3 KiB\n```\n"):
            self.assertEqual(problems(text), [], text)

    def test_stale_figures_are_found(self):
        for text, words in {"Each event takes 80 bytes (`PURE_TRACE_EVENTS`).": "80 bytes",
                            "`PURE_TRACE_EVENTS`: 2000000 at most.": "2000000",
                            "It sleeps after 5 ms\nof waiting (`PURE_SPIN_US`).": "5 ms",
                            "| `PURE_EAGER_LIMIT` | 8 KB |": "8 KB",
                            "From four times `PURE_EAGER_LIMIT` on (256 KiB).": "256 KiB",
                            "Four KiB (`PURE_EAGER_LIMIT`) take 2 s.": "2 s"}.items():
            for page in ("docs/a.md", "README.md"):
                found = problems(text, page=page)
                self.assertEqual(len(found), 1, text)
                self.assertTrue(found[0].startswith(f"{page}: '{words}' where pure info says: "), found)

    def test_pages_of_measurements_are_left_alone(self):
        self.assertEqual(problems("With 8 KB (`PURE_EAGER_LIMIT`) 3 us.", page="docs/decisions.md"), [])

    def test_ranks_that_are_threads_are_not_said_to_be_processes(self):
        for text in ("It runs. A process is one rank; all else is refused.", "It runs as it is,\neach rank a process."):
            found = problems(text)
            self.assertEqual(len(found), 1, text)
            self.assertIn("pure info says that ranks of MPI programs are threads", found[0])
            self.assertEqual(problems(text, ranks_as="processes"), [])
        for text in ("Each rank is a thread, or each rank a process.",
                     "With an MPI: with an MPI each rank is a process.",
                     "`--ranks-as processes`: each rank is a process."):
            self.assertEqual(problems(text), [], text)


if __name__ == "__main__":
    unittest.main()
