#!/usr/bin/env python3
"""What src/api/mpi/table says is whole: every kind has every column, every constant a kind, every array a length; the
generator knows no function by name, and the bodies no word of an ABI.

    table.py ROOT

A row that cannot be read is mpi_table.py's to refuse. table_test.py plants a violation of each rule.
"""
import fnmatch
import re
import sys
from pathlib import Path
from typing import Iterator

# Constants that no argument has: limits and versions, and places in a status of Fortran.
NO_ARGUMENT = {"MPI_VERSION", "MPI_SUBVERSION", "MPI_ABI_VERSION", "MPI_ABI_SUBVERSION", "MPI_MAX_*", "MPI_F_*"}
# What the standard calls an argument that has constants of its own.
WORDS_OF_CONSTANTS = {"order", "combiner", "typeclass", "split_type", "lock_type", "assert", "whence", "amode", "required",
                      "provided", "errorclass", "errorcode", "error", "error_code", "array_of_errcodes", "array_of_distribs",
                      "array_of_dargs", "result", "tag", "dest", "source", "root", "color", "keyval", "newrank", "rank_source",
                      "rank_dest", "ranks", "ranks1", "ranks2", "array_of_indices", "outcount", "verbosity", "scope", "bind",
                      "var_class", "sourceweights", "destweights", "weights"}
LOGICALS = {"flag", "reorder", "periods", "remain_dims", "high", "commute", "weighted", "is_set"}
# Sources that may name what mpi.h has: the conversions, and where functions of the program are called.
OF_THE_STANDARD_ABI = {"standard_abi.hpp", "mpi_h.hpp"}
CALL_THE_PROGRAM = {"arguments.hpp", "attributes.cpp", "door.cpp", "error_handlers.cpp", "operators.cpp"}
HANDED_OVER = {"MPI_Comm", "MPI_Datatype", "MPI_File", "MPI_Win"}
OF_ALL_ABIS = {"MPI_Aint", "MPI_Count", "MPI_Offset"}  # numbers of 64 bits
CODE_WORD = re.compile(r"\bMPI_\w+")
TEXT_OR_COMMENT = re.compile(r'//[^\n]*|"(?:[^"\\]|\\.)*"')
LONG_BY_NATURE = {"text", "weights", "error_codes", "ranges"}


def is_of(constant: str, c_type: str, kind) -> bool:
    return any(fnmatch.fnmatchcase(constant, each) or each == c_type for each in kind.constants)


def kinds_have_all_columns(table) -> Iterator[str]:
    """By mpi_kinds.py no cell is empty; here: what is converted for one ABI is for the others, and has constants."""
    for kind in table.kinds.values():
        for direction in (0, 1):
            there = {interface: words[direction] != "-" for interface, words in kind.conversions.items()}
            if len(set(there.values())) > 1:
                yield f"kind {kind.name}: one of its interfaces has a conversion {('inward', 'outward')[direction]}, another none"
        for interface, words in kind.conversions.items():
            if {"values", "bits", "codes", "address", "contents", "overhead"} & set(words) and not kind.constants:
                yield f"kind {kind.name}: {interface} converts constants, and it has none"


def kinds_are_used_as_they_say(table) -> Iterator[str]:
    """What goes into a function of the program comes out of the library."""
    uses = {name: set() for name in table.kinds}
    for of in (*table.all_functions(), *table.callbacks):
        into, out = (1, 0) if of.chapter == "callbacks" else (0, 1)
        for each in of.parameters:
            uses[each.kind.name] |= {"in": {into}, "const": {into}, "out": {out}, "inout": {0, 1}}[each.direction]
        if of.returns:
            uses[of.returns.name].add(out)
    for kind in table.kinds.values():
        if not uses[kind.name]:
            yield f"kind {kind.name}: no parameter is of it"
            continue
        for direction, word in enumerate(("inward", "outward")):
            if (kind.conversions["standard"][direction] != "-") != (direction in uses[kind.name]):
                yield f"kind {kind.name}: {word} it has {'no ' if direction in uses[kind.name] else 'a '}conversion"


def constants_have_kinds(table) -> Iterator[str]:
    names = {}
    for section in table.sections:
        for each in section.constants:
            names[each.name] = section.c_type
            if any(fnmatch.fnmatchcase(each.name, exempt) for exempt in NO_ARGUMENT):
                continue
            if not any(is_of(each.name, section.c_type, kind) for kind in table.kinds.values()):
                yield f"constant {each.name}: no kind has it"
    types = set(names.values())
    for kind in table.kinds.values():
        for each in kind.constants:
            if each not in types and not fnmatch.filter(names, each):
                yield f"kind {kind.name}: there is no constant {each}"


def parameters(table) -> Iterator[tuple]:
    for of in (*table.all_functions(), *table.callbacks):
        for each in of.parameters:
            yield of, each


def no_int_is_a_constant(table) -> Iterator[str]:
    for of, each in parameters(table):
        if each.kind.name in ("int", "number") and each.name in WORDS_OF_CONSTANTS:
            yield f"{of.name}: {each.name} has constants, and is {each.kind.name}"
        if each.kind.name in ("int", "number") and each.name in LOGICALS:
            yield f"{of.name}: {each.name} is true or false, and is {each.kind.name}"


def arrays_say_how_long(table) -> Iterator[str]:
    for of, each in parameters(table):
        if each.length is None and (each.kind.name in LONG_BY_NATURE or each.name.startswith("array_of_")
                                    and each.kind.name not in ("argv", "argvs")):
            yield f"{of.name}: {each.name} has no length"


def requests_say_what_they_keep(table) -> Iterator[str]:
    for of in table.all_functions():
        makes = any(each.kind.name == "request" and each.direction == "out" and not each.is_array() for each in of.parameters)
        given = any(each.is_array() and each.direction == "in" for each in of.parameters)
        if (makes and given) != ("keeps_arrays" in of.attributes):
            yield f"{of.name}: keeps_arrays is for what makes a request of arrays"
        if "persistent" in of.attributes and not makes:
            yield f"{of.name}: persistent, and makes no request"
        if "collective" in of.attributes and not any(each.kind.name == "comm" and each.is_scalar_in() for each in of.parameters):
            yield f"{of.name}: collective, and has no communicator"


def forms_are_alike(table) -> Iterator[str]:
    by_name = {each.name: each for each in table.all_functions()}
    for of in table.all_functions():
        if of.form_of is None:
            continue
        common = [each for each in of.parameters if each.kind.name not in ("request", "hints")]
        if tuple(common) != by_name[of.form_of].parameters:
            yield f"{of.name}: not the parameters of {of.form_of}"


def functions_named_in(writer: str, table) -> Iterator[str]:
    """In the text of a generator, which is to know kinds and attributes only."""
    names = {each.name for each in table.all_functions()} | {each.chapter for each in table.functions}
    for each in sorted(set(re.findall(r"""["'](\w+)["']""", writer)) & names):
        yield f"write_entries.py: knows {each} by name"


def words_of_an_abi(name: str, text: str) -> Iterator[str]:
    """In a source of the door: handles, statuses and constants of mpi.h, which are others in another ABI."""
    if name in OF_THE_STANDARD_ABI:
        return
    found = {word for word in CODE_WORD.findall(TEXT_OR_COMMENT.sub("", text)) if word not in OF_ALL_ABIS}
    if name in CALL_THE_PROGRAM:
        found = {word for word in found if not word.endswith(("_function", "_function_c", "_FN")) and word not in HANDED_OVER}
    for each in sorted(found):
        yield f"{name}: names {each}, which is another one in another ABI (api/mpi/constants.hpp, object_names.hpp)"


RULES = (kinds_have_all_columns, kinds_are_used_as_they_say, constants_have_kinds, no_int_is_a_constant, arrays_say_how_long,
         requests_say_what_they_keep, forms_are_alike)


def violations(table) -> list[str]:
    return [each for rule in RULES for each in rule(table)]


def main(arguments: list[str]) -> int:
    sys.path.insert(0, str(Path(arguments[0]) / "src/api/mpi"))
    sys.dont_write_bytecode = True
    from mpi_table import read_table
    table = read_table()
    door = Path(arguments[0]) / "src/api/mpi"
    found = violations(table) + list(functions_named_in((door / "write_entries.py").read_text(), table))
    for source in sorted([*door.glob("*.cpp"), *door.glob("*.hpp")]):
        found += words_of_an_abi(source.name, source.read_text())
    print("\n".join(found) or f"{len(table.kinds)} kinds: whole")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
