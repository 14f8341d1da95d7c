#!/usr/bin/env python3
"""What doc_programs.py takes for a program, a fragment and a mistake."""
import unittest

from pathlib import Path

from doc_programs import BadDocument, options_for, programs_in


def block(text: str, language: str = "cpp", above: str = "") -> str:
    return f"Words.\n{above}\n```{language}\n{text}\n```\nMore words.\n"


class DocPrograms(unittest.TestCase):
    def test_a_block_with_main_is_a_program(self):
        [program] = programs_in("README.md", block("int main() {}"))
        self.assertEqual((program.where, program.text), ("README.md:3", "int main() {}\n"))
        self.assertEqual(program.command, "purerun -n 4 {}")

    def test_a_comment_says_how_it_runs(self):
        [program] = programs_in("d.md", block("int main() {}", above="<!-- test: {} --size 3 -->\n"))
        self.assertEqual(program.command, "{} --size 3")

    def test_several_blocks(self):
        self.assertEqual(len(programs_in("d.md", block("int main() {}") + block("int main() {}"))), 2)

    def test_other_languages_and_fragments_are_left_out(self):
        self.assertEqual(programs_in("d.md", block("make test", "sh") + block("main()", "")), [])
        self.assertEqual(programs_in("d.md", block("f();", above="<!-- fragment -->")), [])

    def test_mistakes(self):
        for document in (block("f();"), block("int main() {}", above="<!-- fragment -->"), "```cpp\nint main() {}\n"):
            with self.subTest(document), self.assertRaises(BadDocument):
                programs_in("d.md", document)

    def test_only_what_a_program_includes_anyway_is_included_for_it(self):
        files = {"pure/pure.hpp": Path("/typed.hpp"), "pure.h": Path("/plain.hpp")}
        typed, plain = "#include <vector>\n#include <pure/pure.hpp>\n", "#include <pure.h>\n"
        self.assertEqual(options_for(typed, files), ["-include", "/typed.hpp"])
        self.assertEqual(options_for(plain + typed, files), ["-include", "/plain.hpp"])
        for text in ("#include <vector>\n", "#define NDEBUG\n" + plain, "// #include <pure.h>\n"):
            self.assertEqual(options_for(text, files), [], text)


if __name__ == "__main__":
    unittest.main()
