#!/usr/bin/env python3
"""docs/glossary.md has every word of our own, once, with one meaning, or with all of them: usage glossary.py ROOT

- Each word has one row. One that means several things has them there, as (1), (2), and says why it is one word.
- The files of a row are there, and each of them uses the word: nobody looks up what nobody says.
- What names a thing in src, the last word of the name of a class, has a row, or is one of tests/house/plain_words.txt: a
  word that means there what a dictionary, C++ or the MPI standard says. A plural is its singular.
- What ARCHITECTURE.md introduces (*word*) has a row, or is such a word.
"""
import re
import sys
from pathlib import Path
from typing import Iterator, NamedTuple

from cxx_text import bare, classes
from source_files import files

GLOSSARY = "docs/glossary.md"
PLAIN = "tests/house/plain_words.txt"


class Row(NamedTuple):
    line: int
    words: list[str]
    meaning: str
    files: list[str]


def rows(text: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and len(cells) == 4 and cells[0] != "word":
            words = [re.sub(r"\(.*?\)", "", word).strip() for word in cells[0].split(",")]
            yield Row(number, words, cells[1], re.findall(r"`([\w/]+\.\w+)`", cells[3]))


def singular(word: str) -> str:
    """Of a word of a name: "classes" and "class" are one."""
    return re.sub(r"(?<=ss|sh|ch)es$|(?<=x)es$|(?<=[^aius])s$", "", word)


def is_said(word: str, text: str) -> bool:
    """Whether the text has the word, in whatever form: "pass on" is also "passed_on", "lent" only itself."""
    parts = [re.escape(singular(part)) + r"\w*" for part in re.split(r"[\s-]+", word.lower())]
    return re.search(r"(?:\b|_)" + r"[\s_/-]+".join(parts), text.lower()) is not None


def nouns_of_classes(root: Path) -> dict[str, str]:
    """The last words of the names of classes, each with a file where it stands."""
    found = dict[str, str]()
    for path in files(root, ["src"], {".hpp", ".h"}):
        for each in classes(bare(path.read_text(encoding="utf-8"))):
            noun = singular(each.name.split("::")[-1].split("_")[-1].lower())
            if noun:
                found.setdefault(noun, path.relative_to(root).as_posix())
    return found


def violations(root: Path) -> Iterator[str]:
    seen = dict[str, int]()
    explained = set[str]()
    for row in rows((root / GLOSSARY).read_text(encoding="utf-8")):
        meanings = re.findall(r"\((\d)\)", row.meaning)
        if meanings and meanings != [str(i + 1) for i in range(len(meanings))]:
            yield f"{GLOSSARY}:{row.line}: meanings are (1), (2) and so on"
        for word in row.words:
            explained.update(singular(part) for part in re.split(r"[\s-]+", word.lower()))
            if (first := seen.setdefault(word.lower(), row.line)) != row.line:
                yield f"{GLOSSARY}:{row.line}: {word} stands in line {first}, too: one row, with all that it means"
        for name in row.files:
            path = root / ("" if name.startswith("tests/") else "src") / name
            if not path.exists():
                yield f"{GLOSSARY}:{row.line}: there is no {name}"
            elif not any(is_said(word, path.read_text(encoding="utf-8") + name) for word in row.words):
                yield f"{GLOSSARY}:{row.line}: {name} does not say {' or '.join(row.words)}"
    plain = set((root / PLAIN).read_text(encoding="utf-8").split())
    nouns = nouns_of_classes(root)
    for noun, where in sorted(nouns.items()):
        if noun not in explained | plain:
            yield (f"{where}: a class is a {noun}: a word of our own has a row in {GLOSSARY}, one that means what everybody "
                   f"means by it stands in {PLAIN}")
    introduced = re.findall(r"(?<![\w*`])\*([A-Za-z][a-z ]+)\*(?!\*)", (root / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    for word in introduced:
        if not all(singular(part) in explained | plain for part in word.lower().split()):
            yield f"ARCHITECTURE.md: {word}: {GLOSSARY} has no such word"
    for word in sorted(plain - nouns.keys() - {singular(part) for each in introduced for part in each.lower().split()}):
        yield f"{PLAIN}: {word} is in no class's name any more"
    for word in sorted(plain & {singular(word) for word in seen}):
        yield f"{PLAIN}: {word} has a row in {GLOSSARY}"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(violations(Path(sys.argv[1])))
    print("\n".join([*found, f"{len(found)} violations"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
