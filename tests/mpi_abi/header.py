#!/usr/bin/env python3
"""Our mpi.h against the one of another MPI that has the standard ABI: every constant, type, struct and prototype.

    header.py OURS THEIRS COMPILER

THEIRS is mpi_abi.h of the Python package mpich, which bench/rivals installs; without one, the test is skipped. Names, values
and types have to be the same, both ways. What may differ is ALLOWED, with the reason.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
PROTOTYPE = re.compile(r"^([A-Za-z_]\w*(?:\s*\*)?)\s*\b(P?MPI_\w+)\s*\(([^;{}]*)\)\s*;", re.MULTILINE)
CALLBACK = re.compile(r"^typedef\s+(\w+)\s*\(\s*(MPI_\w+)\s*\)\s*\(([^;{}]*)\)\s*;", re.MULTILINE)
TYPE = re.compile(r"^typedef\s+[^;{}()]*?\b(MPI_\w+)\s*;|^}\s*(MPI_\w+)\s*;", re.MULTILINE)
MACRO = re.compile(r"^#\s*define\s+(MPI_\w+)[ \t]+\S", re.MULTILINE)
ENUMERATOR = re.compile(r"^\s*(MPI_\w+)\s*=", re.MULTILINE)

# The MPI Forum's own header counts partitioned messages as all others, and has the form _c.
PARTITIONED = {prefix + name for prefix in ("", "P") for name in ("MPI_Psend_init", "MPI_Precv_init")}
REMOVED = {prefix + "MPI_" + name for prefix in ("", "P") for name in (
    "Address", "Errhandler_create", "Errhandler_get", "Errhandler_set", "Type_extent", "Type_hindexed", "Type_hvector",
    "Type_lb", "Type_struct", "Type_ub")}  # programs for MPI-1 call them
# Inline functions, which only our header has.
FORTRAN_TYPES = {"MPI_Fint", "MPI_F08_status"}
FORTRAN_CONSTANTS = {f"MPI_{of}_{status}_IGNORE" for of in ("F", "F08") for status in ("STATUS", "STATUSES")}
OURS_ALONE = REMOVED | {name + "_c" for name in PARTITIONED}
GUARDS = {"MPI_H_ABI", "MPI_ABI_Aint", "MPI_ABI_Offset", "MPI_ABI_Count"}  # no part of the interface

INTEGERS = ["int", "unsigned", "long", "long long"]
FIELDS = ["MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal"]


def declarator(text: str) -> str:
    """A parameter without its name: arrays are pointers, const of the parameter itself is nothing."""
    text = text.strip()
    if text in ("void", "..."):
        return text
    ranges = text.endswith("[][3]")
    text = re.sub(r"\[\d*\]", "", text)
    stars = text.count("*") + (1 if ranges else 0)
    array = 1 if re.search(r"\w\[\]$", text) else 0
    words = re.sub(r"[*\[\]]", " ", text).split()[:-1]
    if stars + array == 0:
        words = [word for word in words if word != "const"]
        if words[-1].endswith("_function"):  # a function as a parameter is a pointer to it
            stars = 1
    return f"{' '.join(words)}{'*' * stars}{' rows of 3' if ranges else ''}"


def parameters(text: str) -> str:
    # Arrays become pointers before their brackets are looked for.
    return ", ".join(declarator(re.sub(r"(\w+)\s*\[\](?!\[)", r"*\1", each)) for each in text.split(","))


def spaceless(result: str) -> str:
    return re.sub(r"\s+", "", result)


class Header:
    def __init__(self, path: Path):
        self.path = path
        self.text = COMMENT.sub("", path.read_text())
        self.prototypes = {name: f"{spaceless(result)} ({parameters(of)})"
                           for result, name, of in PROTOTYPE.findall(self.text) if result != "typedef"}
        self.callbacks = {name: f"{result} ({parameters(of)})" for result, name, of in CALLBACK.findall(self.text)}
        self.types = {first or second for first, second in TYPE.findall(self.text)}
        self.constants = {*MACRO.findall(self.text), *ENUMERATOR.findall(self.text)} - GUARDS

    def facts(self, constants: list[str], types: list[str], pointers: list[str], compiler: str) -> dict[str, str]:
        """Value and type of each constant, size of each type, as a compiler sees them."""
        choices = [f'{name}: "{name}"' for name in [*INTEGERS, *pointers]]
        lines = [f'#include "{self.path}"', "#include <stdio.h>", "#include <stddef.h>",
                 f"#define TYPE_OF(x) _Generic((x), {', '.join(choices)}, default: \"another\")", "int main(void) {"]
        lines += [f'printf("{name}|%lld %s\\n", (long long){name}, TYPE_OF({name}));' for name in constants]
        lines += [f'printf("{name}|%zu bytes %zu\\n", sizeof({name}), _Alignof({name}));' for name in types]
        lines += [f'printf("MPI_Status.{name}|at %zu, %zu bytes\\n", offsetof(MPI_Status, {name}), '
                  f'sizeof(((MPI_Status*)0)->{name}));' for name in FIELDS]
        lines += ["return 0; }"]
        with tempfile.TemporaryDirectory() as folder:
            source, program = Path(folder, "facts.c"), Path(folder, "facts")
            source.write_text("\n".join(lines) + "\n")
            subprocess.run([compiler, "-x", "c", "-std=gnu11", "-w", "-O0", str(source), "-o", str(program)], check=True)
            printed = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
        return dict(line.split("|", 1) for line in printed.splitlines())


def differences(what: str, ours: dict[str, str], theirs: dict[str, str]) -> list[str]:
    found = []
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            found.append(f"{what} {name}: ours is {ours.get(name, 'missing')}; theirs is {theirs.get(name, 'missing')}")
    return found


def forum_counts(prototypes: dict[str, str]) -> None:
    for name in PARTITIONED & prototypes.keys():
        prototypes[name] = prototypes[name].replace("int, MPI_Count,", "int, int,")


def compare(ours: Header, theirs: Header, compiler: str) -> list[str]:
    for name in OURS_ALONE:
        ours.prototypes.pop(name, None)
    if missing := (FORTRAN_TYPES - ours.types) | (FORTRAN_CONSTANTS - ours.constants):
        return [f"for programs with entries for Fortran, ours lacks {name}" for name in sorted(missing)]
    ours.types -= FORTRAN_TYPES
    ours.constants -= FORTRAN_CONSTANTS
    forum_counts(theirs.prototypes)
    found = differences("prototype", ours.prototypes, theirs.prototypes)
    found += differences("type of functions", ours.callbacks, theirs.callbacks)
    found += differences("type", dict.fromkeys(ours.types, "there"), dict.fromkeys(theirs.types, "there"))
    found += differences("constant", dict.fromkeys(ours.constants, "there"), dict.fromkeys(theirs.constants, "there"))
    if found:
        return found
    constants, types = sorted(theirs.constants), sorted(theirs.types)
    pointers = ["void *", "char **", "char ***", "int *", "MPI_Status *"]
    pointers += [name for name in types if name not in ("MPI_Status", "MPI_Aint", "MPI_Count", "MPI_Offset",
                                                        "MPI_T_cb_safety", "MPI_T_source_order")
                 and not name.endswith("_fn")]
    signatures: dict[str, str] = {}  # _Generic takes each type once
    for name, signature in theirs.callbacks.items():
        signatures.setdefault(signature, name)
    pointers += [f"{name} *" for name in signatures.values()]
    sized = [name for name in types if not name.endswith("_fn")]
    return differences("", ours.facts(constants, sized, pointers, compiler), theirs.facts(constants, sized, pointers, compiler))


def main(arguments: list[str]) -> int:
    ours, theirs, compiler = Path(arguments[0]), Path(arguments[1]), arguments[2]
    if not theirs.is_file():
        print("SKIPPED: mpi.h of another MPI: bench/rivals has installed no MPICH with the standard ABI")
        return 77
    ours_read, theirs_read = Header(ours), Header(theirs)
    if min(len(theirs_read.prototypes), len(theirs_read.constants)) < 300 or len(theirs_read.callbacks) < 20:
        print("header.py does not understand their header")
        return 1
    found = compare(ours_read, theirs_read, compiler)
    print("\n".join(found) or f"{len(theirs_read.prototypes)} prototypes, {len(theirs_read.constants)} constants, "
          f"{len(theirs_read.types)} types, {len(theirs_read.callbacks)} types of functions: the same")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
