#!/usr/bin/env python3
"""Variables of C programs, and what libc hides behind its functions: each rank has its own."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, right_cases  # noqa: E402

folder = Folder()
right_cases(folder, folder.compile("globals", ["globals.c", "globals_other.c"], "-fcommon"))
right_cases(folder, folder.compile("hidden", ["hidden.c"], "-lm"))
folder.finish()
