"""Whether Pure's doors have what another MPI's libraries export, and variables of the same sizes.

    exports.py IGNORED THEIRS OWN...      libraries, and a regular expression of names that programs do not import
"""
import re
import subprocess
import sys


def exports(library: str) -> dict[str, tuple[str, int]]:
    found = {}
    for line in subprocess.run(["nm", "-D", "-S", "--defined-only", library], check=True, capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        size = int(words[1], 16) if len(words) == 4 else 0
        found[words[-1].partition("@")[0]] = ("variable" if words[-2] in "BDRV" else "function", size)
    return found


SIZES_OF_HANDLES = {256, 512, 1024, 1536, 2048}  # the objects of Open MPI

ignored, theirs = re.compile(sys.argv[1]), exports(sys.argv[2])
own = {name: of for library in sys.argv[3:] for name, of in exports(library).items()}
wrong = 0
for name, (kind, size) in sorted(theirs.items()):
    is_handle = name.startswith("ompi_") and kind == "variable" and size in SIZES_OF_HANDLES
    if not is_handle and not re.match(r"_*(P?MPI|p?mpi|OMPI_C)", name) or ignored.search(name):
        continue
    if name not in own or own[name][0] != kind or kind == "variable" and own[name][1] < size:
        print(f"{name}: {kind} of {size} bytes there; here {own.get(name, 'nothing')}")
        wrong += 1
sys.exit(1 if wrong else 0)
