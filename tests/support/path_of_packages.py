#!/usr/bin/env python3
"""A folder that has, as links, the programs of the named packages of Debian, of what these depend on, and of a minimal system:
what is there after set-up on a machine that has nothing. As PATH of the tests it shows which program they have by chance.
(Not those that a program starts by their whole path: Clang's sanitizers of Debian start /usr/bin/llvm-symbolizer-14.)

usage: path_of_packages.py FOLDER PACKAGE...      makes FOLDER anew; says nothing

Packages that are not installed are left out, with what they depend on: the tests that need them say so. Recommended
packages are not installed by set-up, and do not count.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")


class Package:
    """What dpkg knows of an installed one."""

    def __init__(self, line: str):
        self.name, self.priority, essential, depends, provides = line.split("\t")
        self.is_minimal = essential == "yes" or self.priority == "required"
        self.depends = [[name_of(each) for each in one.split("|")] for one in depends.split(",") if one.strip()]
        self.provides = [name_of(each) for each in provides.split(",") if each.strip()]


def name_of(text: str) -> str:
    """Of "libc6:any (>= 2.36)"."""
    return re.split(r"[\s(:\[]", text.strip(), maxsplit=1)[0]


def installed() -> dict[str, list[Package]]:
    """By name, and by what they provide."""
    form = r"${db:Status-Abbrev}|${Package}\t${Priority}\t${Essential}\t${Pre-Depends},${Depends}\t${Provides}\n"
    said = subprocess.run(["dpkg-query", "--show", f"--showformat={form}"], check=True, capture_output=True, text=True).stdout
    found: dict[str, list[Package]] = {}
    for line in said.splitlines():
        state, _, rest = line.partition("|")
        if not state.startswith("ii"):
            continue
        package = Package(rest)
        for name in (package.name, *package.provides):
            found.setdefault(name, []).append(package)
    return found


def closure(all_of_them: dict[str, list[Package]], wanted: list[str]) -> set[str]:
    """The names of the wanted ones, of a minimal system, and of all that these depend on."""
    open_names = [*wanted, *(each.name for of_name in all_of_them.values() for each in of_name if each.is_minimal)]
    chosen = set[str]()
    while open_names:
        for package in all_of_them.get(open_names.pop(), []):
            if package.name in chosen:
                continue
            chosen.add(package.name)
            for alternatives in package.depends:
                # All that are installed: which of them set-up would take, depends on the rest of the machine.
                open_names += [each for each in alternatives if each in all_of_them]
    return chosen


def files_of(packages: set[str]) -> set[str]:
    said = subprocess.run(["dpkg", "--listfiles", *sorted(packages)], check=True, capture_output=True, text=True).stdout
    return {os.path.realpath(os.path.dirname(line)) + "/" + os.path.basename(line)
            for line in said.splitlines() if "/bin/" in line or "/sbin/" in line}


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    folder, wanted = Path(sys.argv[1]), sys.argv[2:]
    files = files_of(closure(installed(), wanted))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    seen = set[str]()
    for where in FOLDERS:
        if not os.path.isdir(where):
            continue
        for entry in os.scandir(where):
            own = os.path.realpath(where) + "/" + entry.name
            # A link of update-alternatives belongs to no package: it is there if what it leads to is.
            is_alternative = entry.is_symlink() and os.readlink(entry.path).startswith("/etc/alternatives/")
            if entry.name in seen or not (own in files or (is_alternative and os.path.realpath(own) in files)):
                continue
            seen.add(entry.name)
            (folder / entry.name).symlink_to(entry.path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
