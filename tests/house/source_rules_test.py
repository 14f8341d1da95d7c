#!/usr/bin/env python3
"""Plants a violation of each rule of source_rules.py in a small tree, and checks that it is the one that is found."""
import tempfile
import unittest
from pathlib import Path

import source_rules

GOOD = {
    "include/pure/pure.hpp": "// public\n#pragma once\n#include <pure/error.hpp>\n",
    "include/pure/error.hpp": "// public\n#pragma once\n#include <string>\n",
    "src/base/text.hpp": "// text\n#pragma once\n#include <pure/error.hpp>\n",
    "src/runtime/wait.cpp": '// the wait\n#include "base/text.hpp"\nvoid f() { cpu_pause(); }\n',
    "src/match/engine.cpp": """// matching
#include "match/queue.hpp"
#include "transport/ring.hpp"
#include <fmt/format.h>
// release: pairs with the acquire in g
a.store(1,
        std::memory_order_release);
b.load(std::memory_order_relaxed);


c.load(std::memory_order_acquire);  // acquire: pairs with h
""",
    "src/match/queue.hpp": "// a queue\n#pragma once\n",
    "src/match/queue.cpp": '#include "match/queue.hpp"\n',
    "src/transport/ring.hpp": "// a ring; nobody calls sched_yield() here\n#pragma once\n",
    "src/net_mpi/mpi.cpp": '// the plug-in\n#include <mpi.h>\n#include "base/text.hpp"\n#include "transport/ring.hpp"\n',
    "src/api/c.cpp": '// the C door\n#include <pure.h>\n#include "match/engine.hpp"\n',
    "tools/purerun.cpp": "// purerun\nint main() {}\n",
}

# What is planted: the file, its text, and a part of the complaint.
PLANTED = [
    # includes
    ("src/base/bad.cpp", '// x\n#include "comm/comm.hpp"\n', "base may not include comm"),
    ("src/layout/bad.cpp", '// x\n  #  include "transport/ring.hpp"\n', "layout may not include transport"),
    ("src/window/bad.cpp", '// x\n#include "aggregate/a.hpp"\n', "window may not include aggregate"),
    ("src/comm/bad.cpp", "// x\n#include <pure/pure.hpp>\n", "comm may not include api"),
    ("src/net_mpi/bad.cpp", '// x\n#include "match/queue.hpp"\n', "net_mpi may not include match"),
    ("src/api/bad.cpp", '// x\n#include "net_mpi/mpi.hpp"\n', "api may not include net_mpi"),
    ("src/transport/bad.cpp", "// x\n#include <mpi.h>\n", "only src/net_mpi sees an MPI"),
    ("src/match/bad.cpp", "// x\n#include <pure.h>\n", "match may not include api"),
    ("src/match/bad.cpp", '// x\n#include "queue.hpp"\n', "from src"),
    ("src/misc/bad.cpp", "// x\n", "src/misc is not a layer"),
    ("include/pure/bad.hpp", '// x\n#pragma once\n#include "base/text.hpp"\n', "a public header includes"),
    ("include/pure/version.hpp", "// x\n#pragma once\n#include <pure/comm.hpp>\n", "may not include one of api"),
    # form
    ("tests/unit/bad_test.cpp", "// x\n" * 401, "401 lines"),
    ("src/comm/bad.cpp", "#include <vector>\n", "begins with a comment"),
    ("bench/bad.py", "import re\n", "begins with a comment"),
    ("bench/bad", "import re\n", "begins with a comment"),
    ("tests/errors/bad.bash", "fail() { exit 1; }\n", "begins with a comment"),
    ("src/comm/bad.hpp", "// x\nint f();\n", "#pragma once"),
    # concurrency
    ("src/comm/bad.cpp", "// x\n\n\na.load(std::memory_order_acquire);\n", "pairs with"),
    ("src/comm/bad.cpp", "// x\n\n\na.load(std::memory_order::seq_cst);\n", "pairs with"),
    ("src/comm/bad.cpp", "// x\nwhile (!ready()) cpu_pause();\n", "outside src/runtime/wait"),
    ("src/runtime/worker.cpp", "// x\nstd::this_thread::yield();\n", "outside src/runtime/wait"),
]


def violations_of(tree: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in tree.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return source_rules.violations(Path(folder))


class SourceRules(unittest.TestCase):
    def test_a_good_tree_has_no_violations(self):
        self.assertEqual(violations_of(GOOD), [])

    def test_each_planted_violation_is_found_and_nothing_else(self):
        for path, text, message in PLANTED:
            with self.subTest(path=path, text=text[:80]):
                found = violations_of(GOOD | {path: text})
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0])
                self.assertTrue(found[0].startswith(path), found)


if __name__ == "__main__":
    unittest.main()
