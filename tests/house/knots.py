"""Finds knots of includes: sources of src that include each other, in a circle. A header and its .cpp are one source."""
import re
from pathlib import Path
from typing import Iterator

INCLUDE = re.compile(r'^\s*#\s*include\s*"([\w/]+)\.(?:hpp|h)"', re.MULTILINE)


def included_by(root: Path) -> dict[str, set[str]]:
    found = dict[str, set[str]]()
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in (".cpp", ".hpp", ".h"):
            source = path.relative_to(root / "src").with_suffix("").as_posix()
            found.setdefault(source, set()).update(set(INCLUDE.findall(path.read_text(encoding="utf-8"))) - {source})
    return found


def knots(root: Path) -> Iterator[list[str]]:
    """Each of at least two sources, from every one of which a path of includes leads to every other one."""
    includes = included_by(root)

    def reached(source: str) -> set[str]:
        seen, left = set[str](), [source]
        while left:
            for each in includes.get(left.pop(), set()) - seen:
                seen.add(each)
                left.append(each)
        return seen
    reach = {source: reached(source) for source in includes}
    done = set[str]()
    for source in includes:
        knot = sorted(each for each in reach[source] if each in reach and source in reach[each])
        if source not in done and len(knot) > 1:
            yield knot
        done.update(knot)
