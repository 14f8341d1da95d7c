#!/usr/bin/env python3
"""Libraries that ranks open: each has its own, with the program's names and variables."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, right_cases  # noqa: E402

folder = Folder()


def plug_in(name, *options, needs=None, place="plugs"):
    return folder.compile(f"{place}/lib{name}.so", ["plug_in.c"], f"-DNAME={name}", f"-Wl,-soname,lib{name}.so",
                          *([f"-DNEEDS={needs}"] if needs else []), *options)


def c_plug_ins():
    # A library of the program is compiled as its plug-ins are.
    of_library = plug_in("of_library", "-DDEFINES_SAME_NAME", place="libs")
    behind = plug_in("behind", place="plugs/deep")
    for name in ("relative", "bare", "absolute", "closed", "in_thread", "early", "for_all"):
        plug_in(name)
    plug_in("deep", "-DDEFINES_SAME_NAME")
    plug_in("initial", "-ftls-model=initial-exec")
    for name in ("odd", "even"):  # with the same names in them
        plug_in(name, "-UNAME", "-DNAME=either")
    common = plug_in("common", place="plugs/deep")
    for name in ("needs_odd", "needs_even"):
        plug_in(name, "-UNAME", "-DNAME=one_of_two", common, "-Wl,-rpath,$ORIGIN/deep", needs="common")
    plug_in("needs_program", of_library, needs="of_library")
    plug_in("needs_other", behind, "-Wl,--enable-new-dtags,-rpath,$ORIGIN/deep", needs="behind")
    plug_in("wants", needs="for_all")
    (folder.path / "plugs/no_elf.so").write_text("no program")
    program = folder.compile("plug_ins", ["plug_ins.c"], of_library, "-rdynamic", "-ldl",
                             "-Wl,--enable-new-dtags,-rpath,$ORIGIN/libs:$ORIGIN/plugs")
    right_cases(folder, program, folder=folder.path, environment={"LOADER_TEST_FOLDER": str(folder.path)})


def cxx_plug_ins():
    folder.compile("plugs/libacross.so", ["across_library.cpp"])
    program = folder.compile("plug_in_objects", ["plug_in_objects.cpp"], "-rdynamic", "-ldl", "-Wl,-rpath,$ORIGIN/plugs")
    right_cases(folder, program)


folder.beside(c_plug_ins)
folder.beside(cxx_plug_ins)
folder.finish()
