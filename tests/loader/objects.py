#!/usr/bin/env python3
"""Objects of C++ programs, and what the C++ library keeps: each rank has its own."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from loaded_programs import Folder, right_cases  # noqa: E402

folder = Folder()
right_cases(folder, folder.compile("objects", ["objects.cpp", "objects_other.cpp"]))
folder.finish()
