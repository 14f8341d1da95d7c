#!/usr/bin/env python3
"""Writes a program for MPI with globals declared in all ways, by a seed: two files and a header. Each rank gives each of
them a value of its own; after a barrier each looks whether it has kept it.

usage: fuzzed_globals.py SEED FOLDER c|cpp
"""
import random
import sys
from pathlib import Path

BASES = ["int", "unsigned", "long long", "double", "unsigned char", "struct pair"]


class Writer:
    def __init__(self, seed: int, is_cxx: bool):
        self.random = random.Random(seed)
        self.is_cxx = is_cxx
        self.count = 0
        self.header: list[str] = []
        self.definitions: list[str] = []  # In the second file.
        self.own: list[str] = []  # In the first one.
        self.places: list[str] = []  # Expressions of what each rank writes.
        self.pointers: list[tuple[str, str]] = []  # A pointer, and where it has to point.

    def name(self) -> str:
        self.count += 1
        return f"{self.random.choice(['v', 'MPI_my_', 'value_of_'])}{self.count}"

    def declarator(self, base: str) -> tuple[str, str]:
        """What declares one variable, without its initial value; that, with it."""
        name = self.name()
        member = self.random.choice([".first", ".second"]) if base == "struct pair" else ""
        kind = self.random.randrange(4)
        if kind == 0:
            length = self.random.randint(1, 5)
            self.places.append(f"{name}[{self.random.randrange(length)}]{member}")
            return f"{name}[{length}]", f"{name}[{length}] = {{0}}"
        if kind == 1:
            self.places.append(f"{name}[1][{self.random.randrange(3)}]{member}")
            return f"{name}[2][3]", f"{name}[2][3]"
        self.places.append(name + member)
        value = "{1, 2}" if base == "struct pair" else "(2 + 3)"
        return name, f"{name} = {value}" if kind == 2 else name

    def group(self, base: str) -> tuple[str, str]:
        pairs = [self.declarator(base) for _ in range(self.random.randint(1, 3))]
        comma = self.random.choice([", ", ",", " ,\n    "])
        return comma.join(pair[0] for pair in pairs), comma.join(pair[1] for pair in pairs)

    def add(self) -> None:
        base = self.random.choice(BASES)
        kind = self.random.randrange(8)
        plain, filled = self.group(base) if kind < 4 else ("", "")
        if kind == 0:
            self.own.append(f"static {base} {filled};")
        elif kind == 1:
            self.own.append(f"{base} static {filled};  /* static {base} MPI_Send; */")
        elif kind == 2:
            self.header.append(f"extern\t{base} {plain};")
            self.definitions.append(f"{base} {filled};")
        elif kind == 3:
            word = self.random.choice(["HIDDEN", "ALSO_HIDDEN"])
            self.own.append(f"{word} {base} {filled};")
        elif kind == 4:
            name = self.name()
            self.own.append(f"DECLARE({base}, {name});")
            member = ".first" if base == "struct pair" else ""
            self.places += [f"{name}_a{member}", f"{name}_b{member}"]
        elif kind == 5:
            target, name = self.name(), self.name()
            self.own.append(f"static int {target}, *{name} = &{target};")
            self.places.append(target)
            self.pointers.append((name, f"&{target}"))
        elif kind == 6:
            name = self.name()
            self.own.append(f"static int {name}(int by) {{ static int kept = 1; return kept += by; }}")
            self.own.append(f"static int (*{name}_called)(int) = {name};")
            self.places.append(f"*{name}_at()")
            self.own.append(f"static int* {name}_at(void) {{ static int here; {name}_called(1); return &here; }}")
        elif self.is_cxx:
            name = self.name()
            self.own.append(f"struct with_{name} {{ static int one; inline static long two = 3; }};\n"
                            f"int with_{name}::one;")
            self.places += [f"with_{name}::one", f"with_{name}::two"]

    def program(self) -> tuple[str, str, str]:
        for _ in range(40):
            self.add()
        self.header = ["#ifndef FUZZED_H", "#define FUZZED_H", "struct pair { int first, second; };", *self.header,
                       "#endif"]
        head = ["#include <mpi.h>", "#include <stdio.h>", '#include "fuzzed.h"', "#define HIDDEN static",
                "#define ALSO_HIDDEN", "#define DECLARE(type, name) static type name##_a; static type name##_b"]
        body = ["int main(int argc, char** argv) {", "  int rank, wrong = 0, all = 0;", "  MPI_Init(&argc, &argv);",
                "  MPI_Comm_rank(MPI_COMM_WORLD, &rank);"]
        body += [f"  {place} = (rank + {number}) % 200;" for number, place in enumerate(self.places)]
        body += ["  MPI_Barrier(MPI_COMM_WORLD);"]
        body += [f"  wrong += {place} != (rank + {number}) % 200;" for number, place in enumerate(self.places)]
        body += [f"  wrong += {pointer} != {target};" for pointer, target in self.pointers]
        body += ["  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);",
                 f'  if (rank == 0) printf("{len(self.places)} places, %d wrong\\n", all);', "  MPI_Finalize();",
                 "  return all != 0;", "}"]
        return ("\n".join(head + self.own + body) + "\n", "\n".join(['#include "fuzzed.h"', *self.definitions]) + "\n",
                "\n".join(self.header) + "\n")


def main() -> int:
    if len(sys.argv) != 4 or sys.argv[3] not in ("c", "cpp"):
        print(__doc__, file=sys.stderr)
        return 2
    folder, end = Path(sys.argv[2]), sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    texts = Writer(int(sys.argv[1]), end == "cpp").program()
    for name, text in zip((f"main.{end}", f"other.{end}", "fuzzed.h"), texts):
        (folder / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
