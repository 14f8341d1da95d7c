#!/usr/bin/env python3
"""What doc_programs.py takes for a program, a fragment and a mistake."""
import unittest

from doc_programs import BadDocument, programs_in


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


if __name__ == "__main__":
    unittest.main()
