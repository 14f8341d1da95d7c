#!/usr/bin/env python3
"""The links of the pages hold: files are there, and so are the headings that a link names. Every page of docs/ is in
docs/README.md. Prints what is wrong, exits 1 if there is anything.

usage: doc_links.py ROOT

Links to other places of the internet are not looked at. doc_links_test.py plants each mistake.
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)(?: \"[^\"]*\")?\)")
PLACE = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
ELSEWHERE = re.compile(r"[a-z]+:")
LEFT_OUT = {"build", ".git", "shared"}  # what is no part of the sources
INDEX = "docs/README.md"


def without_code(text: str) -> str:
    """Blocks and words of code have no links."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


def places_in(text: str) -> set[str]:
    """What can stand behind a #: headings, as GitHub names them, and places that the page names itself."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    places = set(PLACE.findall(text))
    for heading in re.findall(r"^#+ +(.*?) *#*$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = 0
        while (name if again == 0 else f"{name}-{again}") in places:
            again += 1
        places.add(name if again == 0 else f"{name}-{again}")
    return places


def pages_of(root: Path) -> list[Path]:
    return sorted(page for page in root.rglob("*.md") if page.relative_to(root).parts[0] not in LEFT_OUT)


def wrong_links(root: Path, page: Path, texts: dict[Path, str]) -> list[str]:
    problems = []
    for target in LINK.findall(without_code(texts[page])):
        if ELSEWHERE.match(target):
            continue
        where = f"{page.relative_to(root)}: ({target})"
        name, _, place = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            problems.append(f"{where}: there is no such file")
        elif not file.is_relative_to(root):
            problems.append(f"{where}: this is outside of the sources")
        elif place and file in texts and place not in places_in(texts[file]):
            problems.append(f"{where}: there is no such heading")
    return problems


def missing_in_index(root: Path, texts: dict[Path, str]) -> list[str]:
    index = root / INDEX
    if index not in texts:
        return [f"there is no {INDEX}"]
    named = {(index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(without_code(texts[index]))}
    return [f"{page.relative_to(root)} is not in {INDEX}" for page in texts
            if page.parent == index.parent and page != index and page not in named]


def problems_of(root: Path) -> list[str]:
    root = root.resolve()
    texts = {page: page.read_text(encoding="utf-8") for page in pages_of(root)}
    return [problem for page in texts for problem in wrong_links(root, page, texts)] + missing_in_index(root, texts)


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    problems = problems_of(Path(sys.argv[1]))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
