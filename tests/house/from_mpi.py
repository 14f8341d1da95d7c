#!/usr/bin/env python3
"""Writes the tables of docs/from_mpi.md, the renames of docs/from_mpi.sed and the way back, of pure/mpi_names.h, or checks
that they hold.

usage: from_mpi.py ROOT --write
       from_mpi.py ROOT COMPILER

Both come from docs/from_mpi.txt, which people keep. The check: page and renames are up to date; every name of pure.h is
in a table, and every name that a table has is in the headers (of C by reading them, of C++ by a program that uses it and
compiles); no function of MPI comes twice, and those of the MPIs that are installed all come, but for the forms with _c,
which the page explains; MPI programs of ours, renamed, compile.
"""
import re
import subprocess
import sys
from dataclasses import dataclass, field
from glob import glob
from pathlib import Path

from cxx_text import without_comments

FUNCTIONS, CONSTANTS, ONLY_HERE = "functions", "constants", "only here"
MARK = re.compile(r"(<!-- generated: ([a-z ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
MPI_NAME = re.compile(r"\bMPI_\w+")
CXX_NAME = re.compile(r"(?:\w+::)+~?\w+")
# Words of pure.h that are no names for programs: guards, what marks exported functions, and what stands in for them in
# a program of another MPI.
NO_WORDS_OF_PURE_H = re.compile(r"PURE_API|\w+_H|PURE_TASKS_\w+|pure_in_place_\w+")
# What a header declares beside the standard.
NOT_OF_THE_STANDARD = {"MPI_Session_set_info"}
# Where headers of MPIs are: what bench/rivals has installed, and Debian.
FOLDERS = ["build/rivals/*/include", "/usr/include/*/mpich", "/usr/lib/*/openmpi/include"]
HEADERS = ["mpi.h", "mpi_proto.h", "mpi_abi.h"]
# Examples of ours for MPI: renamed, they compile as they are.
MPI_PROGRAMS = ["heat.cpp", "window_stencil.cpp"]
# Names of its types that stand in tables as the twins of MPI's; others belong to a function, or are in a signature.
TYPES = re.compile(r"pure_(?:comm|group|request|message|datatype|op|info|win|status|errhandler)\Z")

# Constants that a row of the table has with a star.
MAXIMA = ("MPI_MAX_PROCESSOR_NAME", "MPI_MAX_ERROR_STRING", "MPI_MAX_OBJECT_NAME")
THREADS = ("MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE")

SED_HEAD = """\
# From MPI to pure.h: sed -E -f from_mpi.sed program.c >program.cpp
# What has no twin stays as it is, and the compiler names it. Written by tests/house/from_mpi.py from docs/from_mpi.txt.
s/#( *)include *[<"]mpi\\.h[>"]/#\\1include <pure.h>/
s/\\b(MPI_[A-Z]\\w*)_c\\b/\\1/g
s/\\bMPI_(Aint|Count|Offset)\\b/std::int64_t/g
/^ *MPI_(Init|Finalize) *\\([^;]*\\); *$/d
s/\\bMPI_(Init|Finalize) *\\([^)]*\\)/PURE_SUCCESS/g
s/\\bMPI_Abort *\\([^,]*, */pure_abort(/g
s/\\bMPI_Comm_set_errhandler *\\([^,]*, */pure_set_errhandler(/g
s/(\\.|->)MPI_SOURCE\\b/\\1source/g
s/(\\.|->)MPI_TAG\\b/\\1tag/g
s/(\\.|->)MPI_ERROR\\b/\\1error/g
"""


class BadTable(Exception):
    pass


@dataclass
class Row:
    kind: str
    heading: str
    mpi: list[str]  # empty for what only Pure has
    pure_h: list[str]
    cxx: list[str]  # names, expressions, and (words)
    remark: str


@dataclass
class Table:
    rows: list[Row] = field(default_factory=list)

    def of(self, kind: str) -> list[Row]:
        return [row for row in self.rows if row.kind == kind]


def twin_of(name: str) -> str:
    """The same name with Pure's prefix."""
    rest = name.removeprefix("MPI_")
    return "PURE_" + rest if rest == rest.upper() else "pure_" + rest.lower()


def listed(column: str) -> list[str]:
    """The items of a column; commas between brackets belong to an item."""
    return [] if column == "-" else [item.strip() for item in re.findall(r"(?:\([^()]*\)|[^,(])+", column)]


def row_of(kind: str, heading: str, where: str, columns: list[str]) -> Row:
    if kind == ONLY_HERE:
        columns.insert(0, "")
    if len(columns) != 4:
        raise BadTable(f"{where}: {len(columns)} columns")
    mpi = columns[0].split()
    pure_h = [twin_of(name) for name in mpi] if columns[1] == "=" else listed(columns[1])
    return Row(kind, heading, mpi, pure_h, listed(columns[2].replace("\\|", "|")), columns[3])


def table_in(text: str, name: str) -> Table:
    table = Table()
    kind, heading = FUNCTIONS, ""
    titles = {"Constants, types and operators": CONSTANTS, "What MPI does not have": ONLY_HERE}
    for number, line in enumerate(text.splitlines(), 1):
        where = f"{name}:{number}"
        if line.startswith("=== "):
            if line[4:] not in titles:
                raise BadTable(f"{where}: this part is not known")
            kind, heading = titles[line[4:]], ""
        elif line.startswith("== "):
            heading = line[3:]
        elif line and not line.startswith("#"):
            columns = [column.strip() for column in re.split(r"(?<!\\)\|", line)]
            table.rows.append(row_of(kind, heading, where, columns))
    return table


# ---- the page ------------------------------------------------------------------------------------------------------


def cell(items: list[str]) -> str:
    def shown(item: str) -> str:
        if item.startswith("("):
            return item[1:-1]
        return f"`{item}`".replace("|", "\\|")
    return ", ".join(shown(item) for item in items)


def shown_names(row: Row) -> str:
    return ", ".join(f"`{name}`" for name in row.mpi)


def sections(rows: list[Row]) -> list[tuple[str, list[Row]]]:
    found: list[tuple[str, list[Row]]] = []
    for row in rows:
        if not found or found[-1][0] != row.heading:
            found.append((row.heading, []))
        found[-1][1].append(row)
    return found


def tables_of(rows: list[Row], level: str) -> str:
    parts = []
    for heading, of_section in sections(rows):
        lines = [f"{level} {heading}", "", "| MPI | `pure.h` | C++ | |", "|---|---|---|---|"]
        for row in of_section:
            same = row.pure_h == [twin_of(name) for name in row.mpi] and len(row.mpi) > 1
            pure_h = "=" if same else cell(row.pure_h)
            lines.append(f"| {shown_names(row)} | {pure_h} | {cell(row.cxx)} | {row.remark} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def only_here_of(rows: list[Row]) -> str:
    lines = ["| `pure.h` | C++ | |", "|---|---|---|"]
    lines += [f"| {cell(row.pure_h)} | {cell(row.cxx)} | {row.remark} |" for row in rows]
    return "\n".join(lines)


def counts_of(table: Table) -> str:
    rows = table.of(FUNCTIONS)
    of_mpi = sum(len(row.mpi) for row in rows)
    there = sum(len(row.mpi) for row in rows if row.pure_h)
    return f"Of these {of_mpi} functions {there} have a twin in `pure.h`."


def page_with(table: Table, page: str) -> str:
    made = {
        "functions": tables_of(table.of(FUNCTIONS), "###"),
        "constants": tables_of(table.of(CONSTANTS), "###"),
        "only here": only_here_of(table.of(ONLY_HERE)),
        "counts": counts_of(table),
    }
    missing = set(made) - {found[2] for found in MARK.finditer(page)}
    if missing:
        raise BadTable(f"the page has no place for: {', '.join(sorted(missing))}")
    return MARK.sub(lambda found: f"{found[1]}\n{made[found[2]]}\n\n{found[3]}", page)


def renames_of(table: Table) -> str:
    """Of every name that has one twin. (What SED_HEAD renames with its arguments, and numbers of versions, apart.)"""
    lines = []
    for row in table.of(FUNCTIONS) + table.of(CONSTANTS):
        twins = row.pure_h if len(row.pure_h) == len(row.mpi) else row.pure_h * len(row.mpi)
        for mpi, twin in zip(row.mpi, twins):
            if mpi != "MPI_Comm_set_errhandler" and mpi != "MPI_Abort" and "VERSION" not in mpi:
                lines.append(f"s/\\b{mpi}\\b/{twin}/g\n")
    return SED_HEAD + "".join(lines)


# ---- from pure.h to MPI --------------------------------------------------------------------------------------------

# Names of pure/mpi_names.h that stand for a name of MPI, and how that is spelled in large and small letters.
WITH_MPIS_ARGUMENTS = re.compile(r"\b(?:pure_mpi|PURE_MPI)_\w+")
BACK_HEAD = """\
// The names of pure.h, %s, in a program of MPI: part of pure/mpi_names.h with -DPURE_OVER_MPI.
// Written by tests/house/from_mpi.py from docs/from_mpi.txt.
#ifndef %s
#define %s

"""


def way_back(table: Table, root: Path, kind: str) -> str:
    """One #define for each name of pure.h: the first of MPI's of which it is the twin."""
    back: dict[str, str] = {}
    known = {name for row in table.rows for name in row.mpi} | {"MPI_SOURCE", "MPI_TAG", "MPI_ERROR", *MAXIMA, *THREADS}
    spelled = {twin_of(name): name for name in known}
    for row in table.of(kind):
        twins = row.pure_h if len(row.pure_h) == len(row.mpi) else row.pure_h * len(row.mpi)
        for mpi, twin in zip(row.mpi, twins):
            if "VERSION" not in mpi and not row.remark.startswith("other arguments:"):
                back.setdefault(twin, mpi)
    names = (root / "include" / "pure" / "mpi_names.h").read_text(encoding="utf-8")
    for name in sorted(set(WITH_MPIS_ARGUMENTS.findall(without_comments(names)))):
        mpi = spelled.get(name.replace("PURE_MPI_", "PURE_").replace("pure_mpi_", "pure_"))
        is_function = mpi in {name for row in table.of(FUNCTIONS) for name in row.mpi}
        if mpi is not None and is_function == (kind == FUNCTIONS):
            back[name] = mpi
    guard = f"PURE_DETAIL_OVER_MPI_{kind.upper()}_H"
    names_of = "\n".join(f"#define {twin} {mpi}" for twin, mpi in back.items())
    return BACK_HEAD % (kind, guard, guard) + names_of + f"\n\n#endif  // {guard}\n"


# ---- what is there -------------------------------------------------------------------------------------------------


def words_of_pure_h(root: Path) -> tuple[set[str], set[str]]:
    """Functions, and constants, macros and types, of pure.h."""
    include = root / "include"
    headers = [include / "pure.h", *sorted((include / "pure").glob("*.h"))]
    headers += [include / "pure" / "paper_task.hpp", include / "pure" / "version.hpp"]
    text = "\n".join(without_comments(header.read_text(encoding="utf-8")) for header in headers)
    declared = {word for word in re.findall(r"\b(pure_\w+)\s*\(", text) if not NO_WORDS_OF_PURE_H.fullmatch(word)}
    types = set(re.findall(r"^(?:enum|struct|using) (pure_\w+)", text, re.MULTILINE))
    types |= set(re.findall(r"^typedef [^;]*?(pure_\w+)\s*\(", text, re.MULTILINE)) | {"pure_agg_handler"}
    others = {word for word in re.findall(r"\bPURE_\w+", text) if not NO_WORDS_OF_PURE_H.fullmatch(word)}
    return declared - types, others | types


def check_names_of_pure_h(table: Table, root: Path) -> list[str]:
    functions, others = words_of_pure_h(root)
    named = {name for row in table.rows for name in row.pure_h}
    of_remarks = {name for row in table.rows for name in re.findall(r"\b(?:pure|PURE)_\w+", row.remark)}
    problems = [f"{name} is in no table" for name in sorted(functions - named)]
    wanted = {name for name in others if name.startswith("PURE_") or TYPES.match(name)}
    problems += [f"{name} is in no table" for name in sorted(wanted - named)]
    problems += [f"{name} is not in pure.h" for name in sorted((named | of_remarks) - functions - others)]
    return problems


def check_mpi_names(table: Table, headers: list[Path]) -> list[str]:
    rows = table.of(FUNCTIONS)
    names = [name for row in rows for name in row.mpi]
    problems = [f"{name} comes {names.count(name)} times" for name in sorted(set(names)) if names.count(name) > 1]
    constants = [name for row in table.of(CONSTANTS) for name in row.mpi]
    problems += [f"{name} comes twice" for name in sorted(set(constants)) if constants.count(name) > 1]
    patterns = [re.compile(re.escape(name).replace(r"\*", r"\w*")) for name in constants]
    for header in headers:
        text = without_comments(header.read_text(encoding="utf-8", errors="replace"))
        declared = set(re.findall(r"^(?!typedef)\s*[\w ]+[ *](MPI_[A-Z]\w*[a-z]\w*)\s*\(", text, re.MULTILINE))
        base = {name for name in declared - NOT_OF_THE_STANDARD if not name.endswith("_c")}
        problems += [f"{header}: {name} is in no table" for name in sorted(base - set(names))]
        if header.name != "mpi_abi.h":
            continue
        # Nothing is in it but what the standard has.
        unknown = {name for name in set(MPI_NAME.findall(text)) - declared
                   if name not in names and not name.endswith("_c")
                   and not any(pattern.fullmatch(name) for pattern in patterns)}
        unknown -= {"MPI_H_ABI", "MPI_SOURCE", "MPI_TAG", "MPI_ERROR", "MPI_internal"}
        problems += [f"{header}: {name} is in no table of constants" for name in sorted(unknown)]
        standard = declared | set(MPI_NAME.findall(text))
        removed = {name for row in rows for name in row.mpi if row.heading.startswith(("16", "19"))}
        problems += [f"{name} is not in {header}" for name in sorted(set(names) - standard - removed)]
    return problems


CXX_OBJECTS = {"window": "pure::window<double>", "layout": "pure::layout<double>", "channel": "pure::channel<double>"}


def uses_of(item: str, number: int) -> str:
    """A declaration that compiles if the item is there."""
    if not CXX_NAME.fullmatch(item):
        return f"void use{number}(const pure::group& a, const pure::group& b) {{ static_cast<void>({item}); }}"
    owner, _, member = item.rpartition("::")
    if owner == "pure":
        return f"namespace use{number} {{ using pure::{member}; }}"
    if owner == "errc":
        return f"constexpr auto use{number} = pure::{item};"
    whole = CXX_OBJECTS.get(owner, f"pure::{owner}")
    return f"struct use{number} : {whole} {{ using {whole}::{member}; }};"


def check_cxx_names(table: Table, root: Path, compiler: str) -> list[str]:
    items = sorted({item for row in table.rows for item in row.cxx if not item.startswith("(")})
    items = [item for item in items if not item.startswith("pure::serialized")]  # needs cereal: docs/cookbook.md
    lines = ["#include <pure/pure.hpp>"] + [uses_of(item, number) for number, item in enumerate(items)]
    compiled = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{root}/include", "-x", "c++", "-"],
                              input="\n".join(lines) + "\n", capture_output=True, text=True)
    if compiled.returncode == 0:
        return []
    wrong = {int(found) for found in re.findall(r"^<stdin>:(\d+):\d+: (?:fatal )?error", compiled.stderr, re.MULTILINE)}
    if not wrong:
        return [f"the program of C++ names does not compile\n{compiled.stderr}"]
    return [f"there is no C++ {items[line - 2]}" for line in sorted(wrong) if line >= 2]


def check_renames(root: Path, compiler: str) -> list[str]:
    problems = []
    for name in MPI_PROGRAMS:
        program = root / "examples" / "mpi" / name
        renamed = subprocess.run(["sed", "-E", "-f", root / "docs" / "from_mpi.sed", program], check=True,
                                 capture_output=True, text=True).stdout
        compiled = subprocess.run([compiler, "-std=c++20", "-fsyntax-only", f"-I{root}/include", "-x", "c++", "-"],
                                  input=renamed, capture_output=True, text=True)
        if compiled.returncode != 0:
            problems.append(f"{program}, renamed, does not compile\n{compiled.stderr}")
        if left := sorted(set(re.findall(r"\bMPI_\w+", without_comments(renamed)))):
            problems.append(f"{program}, renamed, still has {', '.join(left)}")
    return problems


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(sys.argv[1])
    page, renames = root / "docs" / "from_mpi.md", root / "docs" / "from_mpi.sed"
    table = table_in((root / "docs" / "from_mpi.txt").read_text(encoding="utf-8"), "docs/from_mpi.txt")
    should = {page: page_with(table, page.read_text(encoding="utf-8")), renames: renames_of(table)}
    should |= {root / "include" / "pure" / "detail" / f"over_mpi_{kind}.h": way_back(table, root, kind)
               for kind in (FUNCTIONS, CONSTANTS)}
    if sys.argv[2] == "--write":
        for file, text in should.items():
            file.write_text(text, encoding="utf-8")
        return 0
    problems = [f"{file} is not up to date: python3 tests/house/from_mpi.py . --write" for file, text in should.items()
                if not file.exists() or file.read_text(encoding="utf-8") != text]
    headers = sorted(found for folder in FOLDERS for header in HEADERS for found in glob(str(root / folder / header)))
    problems += check_names_of_pure_h(table, root)
    problems += check_mpi_names(table, [Path(header) for header in headers])
    problems += check_cxx_names(table, root, sys.argv[2])
    problems += check_renames(root, sys.argv[2])
    for problem in problems:
        print(problem)
    if not headers:
        print("SKIPPED: the functions of MPI: there is no MPI whose header has them")
    print(f"{len(table.rows)} rows, {len(headers)} headers of MPIs, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
