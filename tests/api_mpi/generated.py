#!/usr/bin/env python3
"""mpi.h and the generated files of the MPI door are what they were: by their hashes, in generated.txt.

    generated.py ROOT            compares
    generated.py ROOT --renew    writes the hashes of today: for a change that means to change these files
"""
import hashlib
import sys
from pathlib import Path

RENEW = "python3 tests/api_mpi/generated.py . --renew"


def hashes(root: Path) -> dict[str, str]:
    sys.path.insert(0, str(root / "src/api/mpi"))
    sys.dont_write_bytecode = True
    from mpi_table import read_table
    from write_entries import entries
    from write_header import header
    table = read_table()
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16]
            for name, text in {"mpi.h": header(table), **entries(table)}.items()}


def differences(kept: dict[str, str], made: dict[str, str]) -> list[str]:
    wrong = [f"{name}: is made, and was not" for name in sorted(made.keys() - kept.keys())]
    wrong += [f"{name}: was made, and is not" for name in sorted(kept.keys() - made.keys())]
    return wrong + [f"{name}: is another one" for name in sorted(kept.keys() & made.keys()) if kept[name] != made[name]]


def main(arguments: list[str]) -> int:
    root = Path(arguments[0])
    file, made = root / "tests/api_mpi/generated.txt", hashes(root)
    if "--renew" in arguments[1:]:
        file.write_text("".join(f"{value} {name}\n" for name, value in made.items()))
        return 0
    kept = {name: value for value, name in (line.split() for line in file.read_text().splitlines())}
    if wrong := differences(kept, made):
        print("\n".join([*wrong, f"Where the change means that: {RENEW}"]))
        return 1
    print(f"{len(made)} files: as they were")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
