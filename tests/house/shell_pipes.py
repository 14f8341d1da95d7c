"""Pipes of shell scripts whose reader may end before all has been written.

With pipefail, the writer then fails by SIGPIPE: now and then, when it was the slower one. `ldconfig -p | grep -q NAME`
failed twice of 500 times where the library was there.
"""
import re
from pathlib import Path
from typing import Iterator

SHELL = re.compile(r"#!.*\b(?:ba)?sh\b")
EARLY_READER = re.compile(r"(?<!\|)\|\s*(?:head\b|grep\s+(?:-\S+\s+)*-[a-zA-Z]*[qm])")


def early_readers(path: Path) -> Iterator[tuple[int, str]]:
    """Numbers of lines, and what to say of them; nothing if it is no shell script."""
    text = path.read_text(encoding="utf-8")
    if path.suffix not in (".sh", ".bash") and not SHELL.match(text):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("#") and (found := EARLY_READER.search(line)):
            yield number, (f"{found[0].lstrip('|').strip()} may end before all is written, and the pipe then fails: "
                           'use <<< "$(...)", and sed -n 1p for head')
