#!/usr/bin/env python3
"""What the dynamic linker promises to a process holds for each rank: the same lines are printed by processes."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, purerun, require  # noqa: E402

folder = Folder()


def as_processes(program, ranks):
    expected, got = (purerun(way, ranks, program, folder=program.parent) for way in ("processes", "private"))
    require(expected.status == 0 and expected.out, str(expected))
    require(got.status == 0 and got.lines() == expected.lines(), f"{got}\nas processes: {expected}")
    require(not got.said(), f"it says: {got}")


def closing():
    def library(name, *options, calls=None, needs=()):
        return folder.compile(f"closing/lib{name}.so", ["closing_library.c"], f"-DNAME={name}", *needs,
                              f"-Wl,-soname,lib{name}.so", "-Wl,-rpath,$ORIGIN", *([f"-DCALLS={calls}"] if calls else []),
                              *options)

    needed = library("needed")
    library("kept", "-Wl,-z,nodelete", calls="needed", needs=[needed])
    for name in ("anew", "flag", "object", "used", "found", "finder", "opener", "opened"):
        library(name)
    library("user", calls="used")
    program = folder.compile("closing/closing", ["closing.c"], "-rdynamic", "-ldl", "-pthread")
    for ranks in (2, 4, 16):
        folder.beside(as_processes, program, ranks)


def names():
    def library(name, kind, *options):
        return folder.compile(f"names/{name}", ["names_library.c"], f"-D{kind}", "-fno-builtin",
                              f"-Wl,-soname,{Path(name).name}", *options)

    def asking(name, *options):
        return folder.compile(f"names/plugs/lib{name}.so", ["closing_library.c"], f"-DNAME={name}",
                              f"-Wl,-soname,lib{name}.so", "-Wl,--no-as-needed,-rpath,$ORIGIN", *options)

    # Who was linked with a library before that had versions gets the oldest.
    old = library("libversions.so", "VERSIONS_OLD")
    before = library("plugs/libuser.so", "USER", old, "-Wl,-rpath,$ORIGIN/..")
    linked_before = library("libuser.so", "USER", old, "-Wl,-rpath,$ORIGIN")
    require(before.exists(), "no plug-in")
    script = folder.path / "names/versions"
    script.write_text("V1 { global: versioned; versioned_variable; only_old; local: *; }; V2 {} V1; V3 {} V2;\n")
    versions = library("libversions.so", "VERSIONS", f"-Wl,--version-script={script}")
    asking("asks", asking("asked"))
    asking("late")
    asking("not_opened", "-Wl,-z,nodlopen")
    library("plugs/libcalls.so", "CALLER")
    program = folder.compile(
        "names/names", ["names.c"], "-fno-builtin", "-rdynamic", library("libchosen.so", "CHOSEN"), linked_before, versions,
        library("libfar.so", "FAR", "-Wl,-Ttext-segment=0x400000"), library("libutil.so", "UTIL"), "-Wl,-rpath,$ORIGIN",
        "-lm", "-ldl")
    for ranks in (2, 16):
        folder.beside(as_processes, program, ranks)


folder.beside(closing)
folder.beside(names)
folder.finish()
