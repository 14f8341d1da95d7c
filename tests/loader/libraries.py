#!/usr/bin/env python3
"""Libraries of programs: how these name them, where they are, whose definition counts."""
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, hold, right_cases  # noqa: E402

folder = Folder()


def library(place, *options, calls=None, step=0, soname=True):
    """place: the folder below `lib`, and the name."""
    name = place.rpartition("/")[2]
    return folder.compile(f"lib/{place.rpartition('/')[0]}/lib{name}.so", ["library.c"], f"-DNAME={name}",
                          f'-DRESOLVER="{name}_choose"', *([f"-DCALLS={calls}", f"-DSTEP={step}"] if calls else []),
                          *([f"-Wl,-soname,lib{name}.so"] if soname else []), *options)


def c_libraries():
    # Each finds the next one its own way: in a folder beside it, by RPATH, by a path that is written down.
    third = library("deep/third")
    second = library("deep/second", third, "-Wl,--disable-new-dtags,-rpath,$ORIGIN", calls="third")
    first = library("first", second, "-Wl,--enable-new-dtags,-rpath,$ORIGIN/deep", calls="second")
    base = library("base", soname=False)
    left = library("left", base, calls="base")
    right = library("right", base, calls="base")
    one = library("one", calls="other", step=1)
    other = library("other", one, "-Wl,-rpath,$ORIGIN", calls="one", step=1)
    library("one", other, "-Wl,-rpath,$ORIGIN", calls="other", step=1)
    bound = library("bound", "-Wl,-Bsymbolic", "-Wl,-z,now")
    libraries = [first, left, right, one, other, bound, second, third, base]
    program = folder.compile("libraries", ["libraries.c"], *libraries, "-Wl,-rpath,$ORIGIN/lib:$ORIGIN/lib/deep")
    right_cases(folder, program)
    # Nothing says where they are, but for the environment.
    without = folder.compile("without", ["libraries.c"], *libraries, "-Wl,-z,lazy", "-Wl,--allow-shlib-undefined")
    path = f"{folder.path}/lib:{folder.path}/lib/deep"
    for way in ("processes", "private"):
        folder.beside(lambda way: hold(way, 2, without, environment={"LD_LIBRARY_PATH": path}), way)


def cxx_libraries():
    library = folder.compile("lib/libacross.so", ["across_library.cpp"])
    right_cases(folder, folder.compile("across", ["across.cpp"], library))


folder.beside(c_libraries)
folder.beside(cxx_libraries)
folder.finish()
