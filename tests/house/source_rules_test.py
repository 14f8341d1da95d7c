#!/usr/bin/env python3
"""Plants a violation of each rule of source_rules.py in a small tree, and checks that it is the one that is found."""
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import source_rules
from comment_subjects import comments_of, pronoun_at_first

# What the lists of the rules allow in the small tree.
LOOPS = {("src/match/engine.cpp", "engine::drain"): "sleeps"}
CLASSES = {"wide": "has its reason"}
OUTPUT = {"src/base/output.cpp": "it is the place"}
NAMES = {"queue.hpp": 2}
MEMBERS = {"large": (62, "D-one-large")}


def with_members(name: str, count: int) -> str:
    """A class that declares so many, half of them functions; and what counts as none."""
    pairs = "".join(f"  int f{i}() const {{ return x{i}; }}\n  int x{i}{{0}};\n" for i in range(count // 2))
    return (f"// large\n#pragma once\nclass {name} {{\n public:\n  {name}() = default;\n  using x = int;\n  friend class y;\n"
            f"  struct inner {{ int a; }};\n{pairs}}};\n")

GOOD = {
    "ARCHITECTURE.md": "# x\n\n" + "word " * 120 + "\n- " + "word " * 119 + "\n\n| " + "word " * 200 +
                       "|\n\n```\n" + "word " * 200 + "\n```\nfrom 1 -> 2\n",
    "include/pure/pure.hpp": "// public\n#pragma once\n#include <pure/error.hpp>\n",
    "include/pure/error.hpp": "// public\n#pragma once\n#include <string>\n",
    "src/base/text.hpp": "// text\n#pragma once\n#include <pure/error.hpp>\n",
    "src/base/output.cpp": """// what is said; stderr
void say() { ::write(STDERR_FILENO, "std::cerr", 4); }
""",
    "tests/errors/good.sh": "# f | head\nf || grep -q x y\ngrep -qm 1 x <<< \"$(f | grep -v x | sed -n 1p)\"\nf | header\n",
    "bench/good": "#!/usr/bin/env python3\n# x\nf | head\n",
    "src/base/quiet.cpp": "// x\nvoid f() { file.write(); std::snprintf(a, 1, \"stderr\"); my_printf(); out::write(1); }\n",
    "src/runtime/wait.cpp": '// the wait\n#include "base/text.hpp"\nvoid f() { cpu_pause(); }\n',
    "src/match/engine.cpp": """// matching
#include "match/queue.hpp"
#include "transport/ring.hpp"
#include <fmt/format.h>
// release: pairs with the acquire in g()
a.store(1,
        std::memory_order_release);
b.load(std::memory_order_relaxed);


c.load(std::memory_order_acquire);  // acquire: pairs with engine::h()


// seq_cst: a comment of several lines, which says
// with whom first (as in ring.hpp); what follows
// is long,
// and goes on
std::atomic_thread_fence(std::memory_order_seq_cst);

void g() {
  for (int i = 0; i < n; ++i) h(i, a.load(std::memory_order_relaxed));
  for (int i = 0; i < n; ++i) {
    if (!all[i].poll()) continue;  // while (!flag.load()) is not here
  }
  while (!a.compare_exchange_weak(was, will)) {
  }
}
void engine::drain() {
  while (is_full()) std::this_thread::sleep_for(1ms);
}
""",
    "src/match/wide1.cpp": "// wide\nint wide::f1() { return 1; }\nint narrow::f1() { return 1; }\n",
    "src/match/wide2.cpp": "// wide\nint wide::f2() { return 2; }\nint narrow::f2() { return 1; }\n",
    "src/match/wide3.cpp": "// wide\nint wide::f3() { return 3; }\nint narrow::f3() { return 1; }\n",
    "src/match/wide4.cpp": "// wide\nint wide::f4() { return 4; }\nint narrow::f4() { return 1; }\n",
    "src/match/wide5.cpp": "// wide\nint wide::f5() { return wide::f4() + narrow::f1(); }\n",
    "src/match/large.hpp": with_members("large", 62),
    "src/match/most.hpp": with_members("most", 60),
    "docs/decisions.md": '| <a id="D-one-large"></a>D-one-large | large | why |\n',
    "src/match/queue.hpp": "// a queue\n#pragma once\n",
    "src/coll/queue.hpp": "// another queue\n#pragma once\n",
    "src/api/text.hpp": "// names of doors are their own\n#pragma once\n",
    "src/match/queue.cpp": '#include "match/queue.hpp"\n',
    "src/transport/ring.hpp": "// a ring; nobody calls sched_yield() here\n#pragma once\n",
    "src/window/create.cpp": '// x\n#include "window/checks/a.hpp"\n',
    "src/window/checks/a.cpp": '// x\n#include "window/checks/a.hpp"\n',
    "src/network/net.hpp": "// the interface of plug-ins\n#pragma once\n",
    "src/net_mpi/mpi.cpp": '// the plug-in\n#include <mpi.h>\n#include "base/text.hpp"\n#include "network/net.hpp"\n',
    "src/api/c.cpp": '// the C door\n#include <pure.h>\n#include "match/engine.hpp"\n',
    "tools/purerun.cpp": "// purerun\nint main() {}\n",
}

# A knot of as many as may be: a header and its source are one.
for first, second in (("a", "b"), ("b", "c"), ("c", "a")):
    GOOD[f"src/comm/knot_{first}.hpp"] = f'// x\n#pragma once\n#include "comm/knot_{second}.hpp"\n#include "base/text.hpp"\n'
    GOOD[f"src/comm/knot_{first}.cpp"] = f'#include "comm/knot_{first}.hpp"\n'

# What is planted: the file, its text, and a part of the complaint.
PLANTED = [
    # comments
    ("src/layout/bad.cpp", "// x\n" + "".join(f"int a{i};  // {first} x\n" for i in range(30) for first in
                                              ("Of", "What is", "/ The same as")), "layout has 90 comments that begin with"),
    # includes
    ("src/base/bad.cpp", '// x\n#include "comm/comm.hpp"\n', "base may not include comm"),
    ("src/layout/bad.cpp", '// x\n  #  include "transport/ring.hpp"\n', "layout may not include transport"),
    ("src/window/bad.cpp", '// x\n#include "aggregation/a.hpp"\n', "window may not include aggregation"),
    ("src/window/bad.cpp", '// x\n#include "window/checks/a.hpp"\n', "only what makes them may include window/checks"),
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
    # names of files
    ("src/match/text.hpp", "// x\n#pragma once\n", "text.hpp is the name of 2 files, more than 1: find another (base/text.hpp, match"),
    ("src/comm/queue.hpp", "// x\n#pragma once\n", "queue.hpp is the name of 3 files, more than 2"),
    # concurrency
    ("src/comm/bad.cpp", "// x\n\n\na.load(std::memory_order_acquire);\n", "pairs with"),
    ("src/comm/bad.cpp", "// x\n\n\na.load(std::memory_order::seq_cst);\n", "pairs with"),
    ("src/comm/bad.cpp", "// x\nwhile (!ready()) cpu_pause();\n", "outside src/runtime/wait"),
    ("src/runtime/worker.cpp", "// x\nstd::this_thread::yield();\n", "outside src/runtime/wait"),
    ("src/comm/bad.cpp", "// x\n\n\n// nobody knows\na.store(1, std::memory_order_release);\n", "pairs with"),
    ("src/comm/bad.cpp", "// x\n\n\n// release: as above\na.store(1, std::memory_order_release);\n", "pairs with"),
    ("src/comm/bad.cpp", "// x\n\n\n// pairs with the stores\na.store(1, std::memory_order_release);\n", "pairs with"),
    ("src/comm/bad.cpp", "// x\n\n\n// pairs with nowhere()\na.store(1, std::memory_order_release);\n", "pairs with"),
    ("src/comm/bad.cpp", "// x\n\n\n// see nowhere.hpp\na.store(1, std::memory_order_release);\n", "pairs with"),
    ("src/comm/bad.cpp", "// as in g()\n\n\na.store(1, std::memory_order_release);\n", "pairs with"),
    # loops
    ("src/comm/bad.cpp", "// as in g()\nvoid f() {\n  while (!x.load(std::memory_order_acquire)) {}\n}\n", "in f:"),
    ("src/comm/bad.cpp", "// x\nvoid f() {\n  while (!flag.load()) {}\n}\n", "in f:"),
    ("src/comm/bad.cpp", "// x\nvoid f() {\n  while (flag.test(std::memory_order_relaxed))\n    ;\n}\n", "in f:"),
    ("src/comm/bad.cpp", "// x\nvoid c::f() {\n  for (;;) {\n    if (flag.load()) return;\n  }\n}\n", "in c::f:"),
    ("src/comm/bad.cpp", "// x\nvoid f() {\n  do g(); while (!network.poll(*this));\n}\n", "in f:"),
    ("src/comm/bad.cpp", "// x\nvoid f() {\n  while (!is_done) network->poll(it);\n}\n", "in f:"),
    ("src/comm/bad.cpp", "// x\nvoid f() {\n  for (int i = 0; is_full(); ++i) usleep(1);\n}\n", "in f:"),
    ("src/comm/bad.cpp", "// x\nvoid f() {\n  for (int i = 0; !lock.try_lock(); ++i) {}\n}\n", "in f:"),
    ("src/comm/bad.cpp", "// x\nvoid f() {\n  while (!try_lock_or_sleep()) g();\n}\n", "in f:"),
    ("src/match/engine.cpp", "// x\nvoid g() { h(); }\n", "engine::drain has no loop"),
    # classes
    ("src/comm/bad.cpp", "// x\nint narrow::f5() { return 1; }\n", "members of narrow are defined in 5 files"),
    ("src/match/wide5.cpp", "// x\nint wide_f5() { return wide::f4(); }\n", "wide is in 4 files"),
    ("src/match/most.hpp", with_members("most", 62), "most has 62 members, more than 60"),
    ("src/match/large.hpp", with_members("large", 64), "large has 64 members, more than 62"),
    ("src/match/large.hpp", with_members("large", 60), "src: large has 60 members, not 62"),
    # output
    ("src/comm/bad.cpp", "// x\nvoid f() { fmt::print(file, text); }\n", "fmt::print may throw"),
    ("src/comm/bad.cpp", "// x\nvoid f() { std::cerr << text; }\n", "std::cerr may throw"),
    ("src/comm/bad.cpp", "// x\nvoid f() { std::fprintf(file, text); }\n", "fprintf( may throw"),
    ("src/comm/bad.cpp", "// x\nvoid f() { printf(text); }\n", "printf( may throw"),
    ("src/comm/bad.cpp", "// x\nvoid f() { perror(text); }\n", "perror( may throw"),
    ("src/comm/bad.cpp", "// x\nvoid f() { std::fflush(stderr); }\n", "stderr may throw"),
    ("tools/purerun.cpp", "// x\nvoid f() { std::puts(text); }\n", "puts( may throw"),
    ("src/base/output.cpp", "// x\n", "take it off OUTPUT_ELSEWHERE"),
    # comments
    ("src/comm/bad.hpp", "// x\n#pragma once\nint f();  // It is freed.\n", 'begins with "It"'),
    ("src/comm/bad.cpp", "// x\n\n/// Those of\n/// a rank.\nint f();\n", 'begins with "Those"'),
    ("tests/model/bad.pml", "// x\n\n/* They wait. */\n", 'begins with "They"'),
    ("tools/bad.py", '"""x"""\n\n\ndef f():\n    """Its parts."""\n', 'begins with "Its"'),
    ("tools/bad.py", '# x\na = 1  # This holds\n# always.\n', 'begins with "This"'),
    ("bench/bad", "#!/usr/bin/env python3\n# x\n\n# That was it.\n", 'begins with "That"'),
    ("tests/errors/bad.sh", "# x\n\n# These are slow.\n", 'begins with "These"'),
    ("tests/errors/bad.sh", "# x\nf() { :; } # He is gone.\n", 'begins with "He"'),
    # pipes
    ("tests/errors/bad.sh", "# x\nif f | grep -vqE x; then g; fi\n", "grep -vq may end"),
    ("tests/errors/bad.bash", "# x\nx=$(f | grep -F -m 1 x)\n", "grep -F -m may end"),
    ("bench/bad", "#!/usr/bin/env bash\n# x\nf |\thead -n 1\n", "head may end"),
    ("cmake/bad.bash.in", "#!/bin/sh\n# x\nf | head -n 1\n", "head may end"),
    # ARCHITECTURE.md
    ("ARCHITECTURE.md", "x\n\n" * 126, "252 lines"),
    ("ARCHITECTURE.md", "x\n\n" + "word " * 60 + "\n" + "word " * 61 + "\n", "a paragraph of 121 words"),
    ("ARCHITECTURE.md", "- " + "word " * 120 + "\n- x\n", "a paragraph of 121 words"),
    ("ARCHITECTURE.md", "1 KB 1.58 ->\n1.11 of raw\n", "1.58 -> 1.11"),
]


# Comments with timings, of which each is a violation, and others.
TIMINGS_WITHOUT_DECISION = ["// takes 0.5 us\n", "/* 40 ns a poll */\n", "// x\n// 1.07 of raw\nint i;\n",
                            "// as in D-rings\n", "// takes 0.5 us: D-rin\n"]
TIMINGS_WITH_DECISION = ["// takes 0.5 us\n// (docs/decisions.md#D-ring)\n", "int i = 40;  // units: ns, us\n",
                         "constexpr int most_us = 40; f(\"40 us\");\n", "// longer: D-ring.\n"]


# Comments whose subject is a pronoun, and others.
PRONOUNS = ["// It is.", "/// Its receiver has taken it.", "// They wait.", "// Their places.", "/* He is gone. */",
            "/// Those of a rank.", "// Those that wait", "// Those", "// Those, in order.", "// ---- Those with a queue ----",
            "// This is why.", "// This costs a load.", "// This never waits.", "// This:", "// That of a fence.",
            "// That keeps\n// what it has.", "// That,\n// too.", "// These hold.", "// These are\n// freed.",
            "/**\n * It is.\n */", "/// This\n/// is why."]
NO_PRONOUNS = ["// it was cancelled", "// This rank's part.", "/// This process has passed on everything.", "// This class is small.",
               "/// Those elements of the range that are in one block.", "// These bytes have come.", "// These last bytes come.",
               "// That many messages may wait.", "// That a rank waits is known.", "// That `made` has what the set has.",
               "// That rank, which is here, waits.", "// Items are kept.", "// Iteration.", "// This status is read once.",
               "// That ranks' memory is freed is known.", "// IT", "// What is said of it.", "// Thatched.", "//", "// 4 of them."]


def planted(folder: str, tree: dict[str, str]) -> Path:
    for name, text in tree.items():
        path = Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Path(folder)


@mock.patch.object(source_rules, "LOOPS_OUTSIDE_THE_WAIT", LOOPS)
@mock.patch.object(source_rules, "CLASSES_IN_MANY_FILES", CLASSES)
@mock.patch.object(source_rules, "CLASSES_OF_MANY_MEMBERS", MEMBERS)
@mock.patch.object(source_rules, "OUTPUT_ELSEWHERE", OUTPUT)
@mock.patch.object(source_rules, "FILES_OF_ONE_NAME", NAMES)
def violations_of(tree: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        return source_rules.violations(planted(folder, tree))


def timings_of(text: str) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        tree = {"src/comm/some.cpp": text, "docs/decisions.md": '| <a id="D-ring"></a>D-ring | decided |\n'}
        return list(source_rules.measurements_are_decisions(planted(folder, tree)))


class SourceRules(unittest.TestCase):
    def test_a_good_tree_has_no_violations(self):
        self.assertEqual(violations_of(GOOD), [])

    def test_each_planted_violation_is_found_and_nothing_else(self):
        for path, text, message in PLANTED:
            with self.subTest(path=path, text=text[:80]):
                found = violations_of(GOOD | {path: text})
                self.assertEqual(len(found), 1, found)
                self.assertIn(message, found[0])
                self.assertTrue(found[0].startswith((path, "src: ")), found)

    def test_a_tree_without_its_picture_is_found(self):
        found = violations_of({path: text for path, text in GOOD.items() if path != "ARCHITECTURE.md"})
        self.assertEqual(found, ["ARCHITECTURE.md: it is not there"])

    def test_a_list_of_names_that_has_become_shorter_is_found(self):
        found = violations_of({path: text for path, text in GOOD.items() if path != "src/coll/queue.hpp"})
        self.assertEqual(found, ["src: queue.hpp is the name of 1 files, not 2: FILES_OF_ONE_NAME has to follow"])

    def test_a_pronoun_is_no_subject(self):
        for text in PRONOUNS:
            self.assertIsNotNone(pronoun_at_first(text), text)
        for text in NO_PRONOUNS:
            self.assertIsNone(pronoun_at_first(text), text)

    def test_no_text_is_taken_for_a_comment(self):
        self.assertEqual(list(comments_of(".py", 'a = "# It is"\nb = f("""\nIt is\n""")\n# x\n# It is\n')), [(5, "# x")])
        self.assertEqual(list(comments_of(".sh", '# x\n# It is\na=${b#It}; c=$# # y\n')), [(1, "# x"), (3, " y")])
        self.assertEqual(list(comments_of(".cpp", 'f("// It is");  // x\n// It is\n')), [(1, "// x\n// It is")])

    def test_a_larger_knot_is_found(self):
        in_d = '// x\n#pragma once\n#include "comm/knot_a.hpp"\n'
        self.assertEqual(violations_of(GOOD | {"src/comm/knot_d.hpp": in_d}), [], "on its way to a circle, not in it")
        found = violations_of(GOOD | {"src/comm/knot_d.hpp": in_d,
                                      "src/comm/knot_c.cpp": '#include "comm/knot_c.hpp"\n#include "comm/knot_d.hpp"\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("src/comm: 4 sources include each other in circles, more than 3", found[0])

    def test_measurements_are_decisions(self):
        for text in TIMINGS_WITHOUT_DECISION:
            self.assertEqual(len(timings_of(text)), 1, text)
        for text in TIMINGS_WITH_DECISION:
            self.assertEqual(timings_of(text), [], text)


if __name__ == "__main__":
    unittest.main()
