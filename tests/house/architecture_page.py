"""The rule of ARCHITECTURE.md, for source_rules.py: it is short, and measurements stand elsewhere."""
import re
from pathlib import Path
from typing import Iterator

LONGEST_ARCHITECTURE = 250  # lines
LONGEST_PARAGRAPH = 120  # words
DECISIONS = "docs/decisions.md"


def paragraphs(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Paragraphs, and the numbers of their first lines: an item of a list is one. No tables, no code."""
    begun, words, is_code = 0, list[str](), False
    for number, line in enumerate([*lines, ""], 1):
        is_fence = line.lstrip().startswith("```")
        is_item = re.match(r"\s*(?:[-*]|\d+\.)\s", line) is not None
        is_between = is_code or is_fence or not line.strip() or line.lstrip().startswith(("|", "#"))
        is_code ^= is_fence
        if words and (is_between or is_item):
            yield begun, " ".join(words)
            words = []
        if not is_between:
            begun = begun if words else number
            words += line.split()


def architecture_is_read_in_ten_minutes(root: Path) -> Iterator[str]:
    path = root / "ARCHITECTURE.md"
    if not path.exists():
        yield "ARCHITECTURE.md: it is not there"
        return
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) > LONGEST_ARCHITECTURE:
        yield f"ARCHITECTURE.md: {len(lines)} lines, more than {LONGEST_ARCHITECTURE}"
    for number, text in paragraphs(lines):
        if (count := len(text.split())) > LONGEST_PARAGRAPH:
            yield f"ARCHITECTURE.md:{number}: a paragraph of {count} words, more than {LONGEST_PARAGRAPH}"
    for found in re.finditer(r"\d+\.\d+\s*->\s*\d+\.\d+", text := "\n".join(lines)):
        number = text.count("\n", 0, found.start()) + 1
        yield f"ARCHITECTURE.md:{number}: a measurement, which belongs in {DECISIONS}: {' '.join(found[0].split())}"
