"""The rules of comments, for source_rules.py: what they begin with."""
from collections import Counter
from pathlib import Path
from typing import Iterator

from comment_subjects import comments_of, points_elsewhere, pronoun_at_first
from exceptions import COMMENTS_THAT_POINT_ELSEWHERE
from source_files import CXX, SOURCE_FOLDERS, SOURCES, files


def comments_name_their_subject(root: Path) -> Iterator[str]:
    for path in files(root, SOURCE_FOLDERS, SOURCES):
        where = path.relative_to(root).as_posix()
        for number, comment in comments_of(path.suffix, path.read_text(encoding="utf-8")):
            if (pronoun := pronoun_at_first(comment)) is not None:
                yield f'{where}:{number}: a comment that begins with "{pronoun}": name what it speaks of'


def comments_that_point_elsewhere(root: Path) -> Counter[str]:
    """How many comments of each room begin with "Of", "What" or "The same"."""
    counts = Counter[str]()
    for path in files(root, ["src"], CXX):
        comments = comments_of(path.suffix, path.read_text(encoding="utf-8"))
        counts[path.relative_to(root / "src").parts[0]] += sum(points_elsewhere(text) for _, text in comments)
    return counts


def fewer_comments_point_elsewhere(root: Path) -> Iterator[str]:
    for room, count in comments_that_point_elsewhere(root).items():
        if count > (most := COMMENTS_THAT_POINT_ELSEWHERE.get(room, 0)):
            yield f'src: {room} has {count} comments that begin with "Of", "What" or "The same", not {most}: name the thing'
