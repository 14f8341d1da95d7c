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


def opening():
    """Each run has a folder of its own, in which libraries change."""
    def library(way, name, *options):
        folder.compile(f"opening/{way}/lib{name}.so", ["opening_library.c"], *options)

    of_program = folder.compile("opening/libof_program.so", ["opening_library.c"], "-DCALLS_LATER", "-Wl,-z,lazy")
    program = folder.compile("opening/opening", ["opening.c"], "-rdynamic", "-ldl", "-pthread", of_program,
                             "-Wl,-rpath,$ORIGIN,-z,lazy,--unresolved-symbols=ignore-in-shared-libs")
    runs = []
    for way in ("processes", "private"):
        for name, letter in (("first_a", 65), ("first_b", 66), ("only_a", 67), ("only_b", 68)):
            library(way, name, f"-DCOMPUTES={name[:-2]}", f"-DLETTER={letter}")
        for name in ("first", "only"):
            library(way, f"{name}_user", f"-DCALLS={name}", f"-DJOIN=call_{name}")
        library(way, "deep", "-DCOMPUTES=named", "-DLETTER=69", "-DCALLS=named", "-DJOIN=call_named")
        for name, letter in (("x", 70), ("y", 71)):
            folder.compile(f"opening/{way}/{name}/libsame.so", ["opening_library.c"], "-DCOMPUTES=same",
                           f"-DLETTER={letter}", "-Wl,-soname,libsame.so")
        library(way, "same_user", "-DCALLS=same", "-DJOIN=call_same", folder.path / f"opening/{way}/x/libsame.so",
                "-Wl,-rpath,$ORIGIN/x")
        for name, value in (("a", 100), ("b", 200)):
            library(way, f"unique_{name}", f'-DUNIQUE="{value}"')
        library(way, "keeps", "-DKEEPS")
        for name in ("calls_later", "calls_later_now"):
            library(way, name, "-DCALLS_LATER", "-Wl,-z,lazy")
        library(way, "later", "-DLATER")
        for number in (1, 2):
            library(way, f"made_{number}", "-DCOMPUTES=made", f"-DLETTER={number}")
        library(way, "opens", '-DOPENS="./libkeeps.so"')
        runs.append(purerun(way, 4, program, folder=folder.path / "opening" / way))
    expected, got = runs
    require(expected.status == 0 and got.status == 0 and got.lines() == expected.lines(),
            f"{got}\nexpected:\n{chr(10).join(expected.lines())}")


folder.beside(opening)
folder.beside(closing)
folder.beside(names)
folder.finish()
