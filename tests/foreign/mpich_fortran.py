"""Fortran in MPICH's suite: folders f77, f90 and f08, where some programs have a part in C.

Debian's source package has what MPICH's maint/f77tof90 makes of f77 for f90. configure and make make headers of one
declaration each there, and the programs of files, from a template by a script in Perl: all that is made here, too. The
programs are compiled with purefc, their parts in C with purecc.
"""
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

LANGUAGES = ("f77", "f90", "f08")
# Lines that configure puts into a testlist.
LINES_OF_CONFIGURE = {"@ALLOCMEMF@": "allocmemf 1", "@ALLOCMEMFC@": "allocmemf90 1"}
TYPES_OF_CONFIGURE = {"@F77_MPI_ADDRESS@": "integer*8", "@F77_MPI_OFFSET@": "integer*8"}
# How f90/io/Makefile.ap turns the templates of f77/io into those of f90/io.
TEMPLATES_OF_F90 = {
    "ioharness.defn": ((r'filename="(.*)f\.f"', r'filename="\1f90.f90"'),
                       (r"include.*iooffset.*", "integer (kind=MPI_OFFSET_KIND)offset")),
    "ioharness.tlt": ((r"include.*mpif.*", "use mpi"), (r"fheader", "f90header"), (r"(?m)^C", "!"),
                      (r"(?m)^.*implicit *none.*\n", "")),
}
OPTIONS = {"allocmemf": ("-fcray-pointer",), "allocmemf90": ("-fcray-pointer",)}  # pointers as Cray had them

Compile = Callable[..., str]  # of arguments for purecc: what is wrong; empty: nothing


def fortran_folders(sources: Path) -> tuple[str, ...]:
    folders = [folder for above in ("", "errors/") for language in LANGUAGES
               for folder in sorted((sources / f"{above}{language}").glob("*/"))
               if any((folder / name).is_file() for name in ("testlist", "testlist.in"))]
    return tuple(str(folder.relative_to(sources)) for folder in folders)


def language_of(folder: str) -> str | None:
    return next((language for language in LANGUAGES if language in folder.split("/")), None)


class Fortran:
    """WORK/fortran looks like the folders of the suite, and has what configure and make would make there."""

    def __init__(self, sources: Path, build: Path, work: Path, compile_c: Compile) -> None:
        self.sources, self.build, self.made, self.compile_c = sources, build, work / "fortran", compile_c
        (self.made / "include").mkdir(parents=True)
        (self.made / "include/mpitestconf.h").write_text(
            (work / "mpitestconf.h").read_text() + "#define F77_NAME_LOWER_USCORE 1\n")
        for folder in fortran_folders(sources):
            (self.made / folder).mkdir(parents=True)
            for header in (sources / folder).glob("*.h.in"):
                text = header.read_text()
                for mark, kind in TYPES_OF_CONFIGURE.items():
                    text = text.replace(mark, kind)
                (self.made / folder / header.stem).write_text(text)
        for language in LANGUAGES:
            self.make_files(language)

    def make_files(self, language: str) -> None:
        """Writes the programs about files, by the suite's own script."""
        own = self.made / language / "io"
        for name, changes in TEMPLATES_OF_F90.items():
            text = (self.sources / ("f77" if language == "f90" else language) / "io" / name).read_text()
            for pattern, by in changes if language == "f90" else ():
                text = re.sub(pattern, by, text)
            (own / name).write_text(text)
        script = (self.sources / "maint/testmerge.in").read_text().partition("\n")[2]  # its first line asks configure
        subprocess.run(["perl", "-", f"-defn={self.sources}/maint/common.defn", *TEMPLATES_OF_F90], cwd=own, check=True,
                       input=script, text=True, stdout=subprocess.DEVNULL)

    def file(self, folder: str, name: str) -> str:
        """Where it is: f90 and f08 have some parts in C from the folder of another language."""
        language = language_of(folder) or ""
        folders = [self.sources / folder, self.made / folder]
        folders += [self.sources / folder.replace(language, other) for other in ("f77", "f90")]
        return str(next((each / name for each in folders if (each / name).is_file()), folders[0] / name))

    def program(self, folder: str, made: Path, names: list[str], library: Path) -> str:
        """What is wrong; empty: nothing. The program has a folder of its own, in which its modules stand."""
        language = language_of(folder)
        files = [self.file(folder, name) for name in names if not name.endswith(".h")]
        objects = []
        for file in (file for file in files if file.endswith(".c")):
            objects.append(f"{made}.{Path(file).stem}.o")
            wrong = self.compile_c(f"-I{self.made}/{folder}", "-c", file, "-o", objects[-1])
            if wrong:
                return wrong
        utility = self.sources / f"util/mtest_{language}.{'f' if language == 'f77' else 'f90'}"
        modules = made.with_name(f"{made.name}.modules")
        modules.mkdir(exist_ok=True)
        includes = (self.made / folder, (self.made / folder).with_name("attr"))
        command = [str(self.build / "bin/purefc"), "-w", "-O0", *OPTIONS.get(made.name, ()),
                   *(f"-I{each}" for each in includes if each.is_dir()),
                   *(file for file in files if not file.endswith(".c")), str(utility), *objects, "-o", str(made),
                   str(library)]
        done = subprocess.run(command, cwd=modules, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else f"not compiled:\n{done.stderr}"
