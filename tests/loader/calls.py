#!/usr/bin/env python3
"""MPI called with variables and functions of a rank, and calls that the program or a tool takes for itself."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import SEVERAL, Folder, fail_in_control, hold  # noqa: E402

folder = Folder()
tool = folder.compile("libtool.so", ["calls_tool.c"])
program = folder.compile("calls", ["calls.c"], tool)
folder.beside(hold, "processes", 2, program)
folder.beside(fail_in_control, program)
for ranks in SEVERAL:
    folder.beside(hold, "private", ranks, program)
folder.finish()
