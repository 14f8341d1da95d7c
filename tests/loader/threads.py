#!/usr/bin/env python3
"""Thread-local variables of programs and libraries, threads that ranks make, OpenMP in ranks."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, fail_where_shared, hold, output_of_ranks, purerun, require, right_cases  # noqa: E402

MODELS = {
    "general": ["-ftls-model=global-dynamic"],
    "local": ["-ftls-model=local-dynamic", '-DEXTERN_MODEL=__attribute__((tls_model("global-dynamic")))'],
    "initial": ["-ftls-model=initial-exec"],
    "descriptors": ["-mtls-dialect=gnu2"],
}
COMMON_C, COMMON_CXX = ["-D__thread=", "-Wno-attributes"], ["-Dthread_local="]
folder = Folder()


def thread_locals(name, *options):
    libraries = [folder.compile(f"{name}.of/lib{model}.so", ["thread_library.c"], f"-DMODEL={model}", *how, *options)
                 for model, how in MODELS.items()]
    return folder.compile(name, ["thread_locals.c"], *options, *libraries, f"-Wl,-rpath,$ORIGIN/{name}.of")


def c_programs():
    right_cases(folder, thread_locals("small"))
    for name, option in (("large", "-DLARGE=3000"), ("aligned", "-DALIGNED=4096"), ("large_aligned", "-DLARGE=40000")):
        program = thread_locals(name, option, *(["-DALIGNED=4096"] if name == "large_aligned" else []))
        folder.beside(hold, "processes", 2, program)
        folder.beside(hold, "private", 3, program)
    folder.beside(fail_where_shared, thread_locals("common", *COMMON_C), ("PRIVATE", "THREAD"))
    right_cases(folder, folder.compile("threads", ["threads.c"]))


def initial_exec(words):
    """A library whose variables have a place in every thread, and need much of it."""
    library = folder.compile(f"initial_{words}/libinitial.so", ["thread_library.c"], "-DMODEL=initial", f"-DLARGE={words}",
                             *MODELS["initial"])
    program = folder.compile(f"initial_{words}/program", ["thread_initial.c"], library)
    for way in ("processes", "private"):
        folder.beside(hold, way, 3, program)


def older_than_a_library():
    """A library is opened when another thread is there: of its variables, that one begins with an address."""
    library = folder.compile("older/liblate.so", ["older_thread.c"], "-DFIRST=&target")
    without = folder.compile("older/libwithout.so", ["older_thread.c"], "-DFIRST=0")
    program = folder.compile("older/program", ["older_thread.c"])
    for opened, threads, says in ((library, "2", "rank 0 has threads that are older"), (library, "1", ""), (without, "2", "")):
        run = purerun("private", 1, program, opened, threads)
        require(run.status == 0 and says in run.said() and bool(run.said()) == bool(says), str(run))


def cxx_programs():
    for name, options in (("thread_objects", []), ("common_objects", COMMON_CXX)):
        library = folder.compile(f"{name}.of/libthread_objects.so", ["thread_objects_library.cpp"], *options)
        program = folder.compile(name, ["thread_objects.cpp"], *options, library,
                                 f"-Wl,-rpath,$ORIGIN/{name}.of")
        if options:
            folder.beside(fail_where_shared, program, ("PRIVATE", "THREAD"))
        else:
            right_cases(folder, program)


def openmp():
    program = folder.compile("openmp", ["openmp.c"], "-fopenmp")
    right_cases(folder, program, (2, 16))
    folder.beside(output_of_ranks, "private", program, 4, ["team"], "rank {}: right")


folder.beside(c_programs)
folder.beside(cxx_programs)
folder.beside(older_than_a_library)
folder.beside(openmp)
for number in (1000, 50000, 1500000): # the last one is larger than a stack
    folder.beside(initial_exec, number)
folder.finish()
