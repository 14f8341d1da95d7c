"""Which files of the tree are sources, for the rules of the house."""
from pathlib import Path
from typing import Iterator

SOURCE_FOLDERS = ["include", "src", "tools", "examples", "bench", "tests", "cmake"]
CXX = {".cpp", ".hpp", ".h"}
SOURCES = CXX | {".py", ".sh", ".bash", ".pml", ".inc", ".cmake", ""}  # "": bench/run, Makefile


def files(root: Path, folders: list[str], suffixes: set[str]) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix in suffixes:
                yield path


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()
