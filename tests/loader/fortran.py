#!/usr/bin/env python3
"""Fortran in ranks. gfortran compiles it; there is no mpif.h, and C calls MPI."""
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, hold, right_cases  # noqa: E402

folder = Folder()
if shutil.which("gfortran"):
    for source in ("fortran_cases", "fortran_main"):
        folder.command("gfortran", "-g", "-O1", "-fPIE", "-c", folder.source(f"{source}.f90"), "-o",
                       folder.path / f"{source}.o")
    cases = folder.path / "fortran_cases.o"
    right_cases(folder, folder.compile("from_c", ["fortran.c"], cases, "-lgfortran"))
    main = folder.compile("from_fortran", ["fortran.c", folder.path / "fortran_main.o", cases], "-DFORTRAN_MAIN",
                          "-lgfortran")
    for way in ("processes", "private"):
        folder.beside(hold, way, 3, main)
else:
    folder.not_tested("Fortran", "gfortran is not installed")
folder.finish()
