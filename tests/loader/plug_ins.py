#!/usr/bin/env python3
"""Libraries that ranks open: each has its own, with the program's names and variables."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, purerun, require, right_cases  # noqa: E402

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


def plug_ins_of_another_mpi():
    """Another MPI knows nothing of Pure's ranks: each would do all the work alone. A plug-in that needs one gets Pure's door of its
    name; who asks for the library by its path is told."""
    (folder.path / "foreign.c").write_text("int MPI_Init(int* count, char*** values) { return count == values; }")
    (folder.path / "calls.c").write_text("int MPI_Init(int*, char***); int calls(void) { return MPI_Init(0, 0); }")
    for name, link in (("libmpi.so.40", "libmpi.so"), ("libmpich.so.12", ""), ("libmpi.so.12", "")):
        family = "Open MPI" if link else "MPICH, or its ABI"
        place = folder.path / "foreign" / name.replace(".", "_")
        place.mkdir(parents=True)
        folder.command("gcc", "-shared", "-fPIC", folder.path / "foreign.c", "-o", place / name, f"-Wl,-soname,{name}")
        folder.command("gcc", "-shared", "-fPIC", folder.path / "calls.c", "-o", place / "libcalls.so", place / name,
                       "-Wl,-rpath,$ORIGIN")
        folder.command("gcc", "-shared", "-fPIC", folder.path / "calls.c", "-o", place / "libabove.so",
                       "-Wl,--no-as-needed", place / "libcalls.so", "-Wl,-rpath,$ORIGIN")
        if link:
            (place / link).symlink_to(name)
        expected = f"it brings along {name} ({family})"
        for path in (place / name, *((place / link,) if link else ())):
            for program in opens, opens_alone:
                run = purerun("private", 2, program, path)
                require(run.status == 0 and run.out.count(expected) == 2 and run.out.count(f"{path}: ") == 2 and
                        "build with purecc" in run.out, str(run))
        for path in place / "libcalls.so", place / "libabove.so":
            run = purerun("private", 2, opens, path)
            require(run.status == 0 and run.lines() == ["opened"] * 2, str(run))
    for program in opens, opens_alone:
        run = purerun("private", 2, program, folder.path / "plugs/libno_mpi.so")
        require(run.status == 0 and run.lines() == ["opened"] * 2, str(run))


(folder.path / "opens.c").write_text("""#include <dlfcn.h>
#include <stdio.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
int main(int count, char** values) {
#ifdef WITH_MPI
  MPI_Init(&count, &values);
#endif
  printf("%s\\n", dlopen(values[count - 1], RTLD_NOW) ? "opened" : dlerror());
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
""")
opens = folder.compile("opens", [str(folder.path / "opens.c")], "-DWITH_MPI")
opens_alone = folder.path / "opens_alone"
folder.command("gcc", folder.path / "opens.c", "-o", opens_alone)
(folder.path / "no_mpi.c").write_text("int no_mpi;")
folder.compile("plugs/libno_mpi.so", [str(folder.path / "no_mpi.c")])
folder.beside(plug_ins_of_another_mpi)
folder.beside(c_plug_ins)
folder.beside(cxx_plug_ins)
folder.finish()
