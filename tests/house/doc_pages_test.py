#!/usr/bin/env python3
"""What doc_pages.py takes for a program, a file, a command, an output and a mistake; and what following a page does."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from doc_pages import BadDocument, Output, Step, is_as_said, judge, script_for, steps_of
from doc_programs import options_for


def block(text: str, language: str = "cpp", above: str = "") -> str:
    return f"Words.\n{above}\n```{language}\n{text}\n```\nMore words.\n"


def steps(*blocks: str) -> list[Step]:
    return steps_of("d.md", "".join(blocks))


class Steps(unittest.TestCase):
    def test_a_block_with_main_is_a_program(self):
        [program] = steps_of("README.md", block("int main() {}"))
        self.assertEqual((program.where, program.kind, program.text), ("README.md:3", "program", "int main() {}\n"))
        self.assertEqual((program.command, program.status), ("purerun -n 4 {}", 0))

    def test_comments_say_how_it_runs(self):
        [program] = steps(block("int main() {}", above="<!-- test: {} --size 3 -->\n<!-- status: 2 -->\n"))
        self.assertEqual((program.command, program.status), ("{} --size 3", 2))

    def test_only_pure_h_is_17(self):
        for text, standard in (("#include <pure.h>", "c++17"), ("#include <pure/pure.hpp>", "c++20"), ("", "c++20"),
                               ("#include <pure.h>\n#include <pure/pure.hpp>", "c++20")):
            [program] = steps(block(text + "\nint main() {}"))
            self.assertEqual(program.standard(), standard, text)

    def test_other_languages_and_fragments_are_left_out(self):
        self.assertEqual(steps(block("main()", ""), block("+ main()", "diff"), block("{}", "json")), [])
        self.assertEqual(steps(block("f();", above="<!-- fragment -->")), [])

    def test_commands_are_run_unless_the_page_says_otherwise(self):
        plain, fresh, skipped = steps(block("ls", "sh"), block("make", "sh", "<!-- make fresh: it builds Pure -->"),
                                      block("reboot", "sh", "<!-- not run: once is enough -->"))
        self.assertEqual([step.kind for step in (plain, fresh, skipped)], ["commands"] * 3)
        self.assertEqual([step.builds_pure for step in (plain, fresh, skipped)], [False, True, False])
        self.assertEqual([step.is_skipped for step in (plain, fresh, skipped)], [False, False, True])

    def test_a_file_that_a_command_names_is_compiled_by_no_one_else(self):
        source = block("int main() {}", above="<!-- file: sum.cpp -->")
        [alone] = steps(source)
        self.assertEqual((alone.kind, alone.name), ("program", "sum.cpp"))
        [file, _] = steps(source, block("g++ sum.cpp -o sum", "sh"))
        self.assertEqual((file.kind, file.name), ("file", "sum.cpp"))
        for commands in (block("g++ mysum.cpp", "sh"), block("g++ sum.cpp", "sh", "<!-- not run: why -->")):
            self.assertEqual(steps(source, commands)[0].kind, "program", commands)
        self.assertEqual(steps(block("all:", "make", "<!-- file: Makefile -->"))[0].name, "Makefile")

    def test_an_output_belongs_to_the_block_before(self):
        output = block("3", "text", "<!-- output -->")
        [_, commands] = steps(block("int main() {}"), block("echo 3", "sh"), output)
        self.assertEqual([each.text for each in commands.outputs], ["3\n"])
        self.assertEqual(steps(block("ls", "sh"), block("3", "text", "<!-- output -->\n<!-- not run: why -->"))[0].outputs, [])

    def test_mistakes(self):
        for document in (block("f();"), block("int main() {}", above="<!-- fragment -->"), "```cpp\nint main() {}\n",
                         block("3", "text"), block("3", "text", "<!-- output -->"), block("all:", "make"),
                         block("ls", "sh", "<!-- outptu -->"), block("ls", "sh", "<!-- not run -->"),
                         block("ls", "sh", "<!-- test: {} -->"), block("a", "text", "<!-- file: /etc/passwd -->"),
                         block("ls", "sh") + block("3", "text", "<!-- output: sorted -->"),
                         block("ls", "sh") + block("3", "json", "<!-- output -->")):
            with self.subTest(document), self.assertRaises(BadDocument):
                steps(document)


class Outputs(unittest.TestCase):
    def check(self, said: str, printed: str, any_order: bool = False) -> bool:
        return is_as_said(Output("d.md:1", said, any_order), printed)

    def test_literally(self):
        self.assertTrue(self.check("a (b)\n  c\n", "a (b)  \n  c\n\n"))
        for printed in ("a (b)\n", "a (b)\n  c\nd\n", "a b\n  c\n", "a (b)\nc\n"):
            self.assertFalse(self.check("a (b)\n  c\n", printed), printed)

    def test_dots_are_anything_in_a_line_or_any_lines(self):
        self.assertTrue(self.check("took ... s\n", "took 0.13 s\n"))
        self.assertFalse(self.check("took ... s\n", "took\n 3 s\n"))
        for printed in ("last\n", "one\nlast\n", "one\n\ntwo\nlast\n"):
            self.assertTrue(self.check("...\nlast\n", printed), printed)
        self.assertFalse(self.check("...\nlast\n", "last\nreally\n"))

    def test_in_any_order(self):
        said = "rank 0: ... s\nrank 1: 2\n"
        self.assertTrue(self.check(said, "rank 1: 2\nrank 0: 1.5 s\n", any_order=True))
        self.assertFalse(self.check(said, "rank 1: 2\nrank 1: 2\n", any_order=True))
        self.assertFalse(self.check(said, "rank 1: 2\nrank 0: 1 s\nmore\n", any_order=True))
        self.assertTrue(self.check(said + "...\n", "rank 1: 2\nrank 0: 1 s\nmore\n", any_order=True))


class Following(unittest.TestCase):
    def follow(self, *blocks: str, sources: str | None = None) -> list[str]:
        """What judge() says of each step, in an empty folder, with a compiler that makes a program of any text."""
        with tempfile.TemporaryDirectory() as folder:
            results = Path(folder, "results")
            results.mkdir()
            compiler = Path(folder, "compiler")
            compiler.write_text('#!/bin/bash\nfor word; do [[ $word != *.cpp ]] || file=$word; done\n'
                                'if grep -q wrong "$file"; then echo "error: wrong" >&2; exit 1; fi\n'
                                'printf "#!/bin/sh\\necho ran\\n" > "${file%.cpp}"; chmod +x "${file%.cpp}"\n')
            compiler.chmod(0o755)
            wanted = steps(*blocks)
            script = script_for(wanted, str(results), [str(compiler)], [], sources)
            subprocess.run(["bash", "-c", script], cwd=folder, check=False)
            return [problem for _, problem in judge(wanted, results)]

    def test_what_a_block_sets_is_there_for_the_next(self):
        self.assertEqual(self.follow(block("mkdir a && cd a\nexport NUMBER=3", "sh"), block("echo $NUMBER > b; cd ..", "sh"),
                                     block("cat a/b", "sh"), block("3", "text", "<!-- output -->")), ["ok"] * 3)

    def test_files_and_programs(self):
        self.assertEqual(self.follow(block("all:\n\techo '$@'", "make", "<!-- file: Makefile -->"), block("cat Makefile", "sh"),
                                     block("all:\n\techo '$@'", "text", "<!-- output -->"),
                                     block("int main() {}", above="<!-- test: {} -->"),
                                     block("ran", "text", "<!-- output -->")), ["ok"] * 2)
        [problem] = self.follow(block("int main() { wrong }"), block("echo never", "sh"))
        self.assertIn("error: wrong", problem)

    def test_a_failure_ends_the_page(self):
        [problem] = self.follow(block("echo said\nfalse\necho never", "sh"), block("echo never", "sh"))
        self.assertIn("said", problem)
        self.assertNotIn("never", problem)
        [problem] = self.follow(block("exit 3", "sh"), block("echo never", "sh"))
        self.assertIn("ends with status", problem)

    def test_a_status_that_the_page_says(self):
        three = "<!-- status: 3 -->"
        self.assertEqual(self.follow(block("echo a\n(exit 3)", "sh", three), block("a", "text", "<!-- output -->"),
                                     block("true", "sh")), ["ok", "ok"])
        [problem] = self.follow(block("true", "sh", three))
        self.assertIn("ends with status 0, not 3", problem)

    def test_another_output(self):
        [problem] = self.follow(block("echo 4", "sh"), block("3", "text", "<!-- output -->"))
        self.assertIn("the output is not what d.md:3 prints", problem)
        self.assertIn("\n4", problem)

    def test_what_builds_pure_is_run_in_the_sources_only(self):
        build = block("pwd", "sh", "<!-- make fresh: why -->"), block("/usr", "text", "<!-- output -->")
        self.assertEqual(self.follow(*build), [])
        self.assertEqual(self.follow(*build, sources="/usr"), ["ok"])


    def test_the_commands_that_build(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "README.md")
            page.write_text(block("make", "sh", "<!-- make fresh: why -->") + block("ls", "sh"), encoding="utf-8")
            said = subprocess.run([sys.executable, Path(__file__).with_name("doc_pages.py"), "builds", page], check=True,
                                  capture_output=True, text=True)
        self.assertEqual(said.stdout, "make\n")


class Precompiled(unittest.TestCase):
    def test_only_what_a_program_includes_anyway_is_included_for_it(self):
        files = {("pure/pure.hpp", "c++20"): Path("/typed.hpp"), ("pure.h", "c++17"): Path("/plain.hpp")}
        typed, plain = "#include <vector>\n#include <pure/pure.hpp>\n", "#include <pure.h>\n"
        self.assertEqual(options_for(typed, "c++20", files), ["-include", "/typed.hpp"])
        self.assertEqual(options_for(plain + typed, "c++17", files), ["-include", "/plain.hpp"])
        for text in ("#include <vector>\n", "#define NDEBUG\n" + plain, "// #include <pure.h>\n"):
            self.assertEqual(options_for(text, "c++17", files), [], text)


if __name__ == "__main__":
    unittest.main()
