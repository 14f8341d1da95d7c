"""What the release build compiles, Clang compiles as well, without NDEBUG: usage other_builds.py ROOT

Configures Clang's build without NDEBUG, so that assertions are compiled, and has Clang look at files (-fsyntax-only),
with the warnings that are errors. Files of one target are compiled together, and with its precompiled headers, which
takes a quarter of the time: that each includes what it needs, `make clang` and `make debug` show. Each text is looked at
once: not again for a second MPI, nor over the loopback network. Three things are left out, and looked at in `make soak`
(PURETEST_SOAK=1): files that the asan preset has, for Clang builds them there, with assertions and the same
warnings; what only tests start, and has no assertions (whole programs in tests/programs, tests/net and tests/mpi); and
examples that are more than a file, and twins for MPI. First, two planted errors have to be found.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PLANTED = {"an error of assertions": "#include <cassert>\nvoid f(int i) { assert(i == nowhere); }\n",
           "a warning of Clang": "#include <string>\nstd::string f(int i) { return \"text\" + i; }\n"}


# Programs that only tests start, and the examples that have folders.
LEFT_TO_SOAK = re.compile(r"(?:mpi_(?:oracle|types)|(?:program|net)\.|(?:md|random_stencil|windows)(?:_|$)|small_\w+_mpich$)")


def target_of(entry: dict[str, str]) -> str:
    return re.search(r"([\w.-]+)\.dir/", shlex.split(entry["command"])[-3])[1]


def without_repetitions(commands: list[dict[str, str]]) -> list[dict[str, str]]:
    """Without those that have the text of another one, which is for another MPI, or for the loopback network."""
    targets = {target_of(entry) for entry in commands}

    def is_second(target: str) -> bool:
        return target.startswith("loopback.") or any(
            target.endswith(second) and target.removesuffix(second) + first in targets
            for first, second in (("mpich", "openmpi"), ("mpich-current", "openmpi-current"), ("mpich", "mpich-current")))
    return [entry for entry in commands if not is_second(target_of(entry))]


def configured(preset: str, root: str, build: Path, *arguments: str) -> list[dict[str, str]]:
    """The commands of a build."""
    configure = ["cmake", "--preset", preset, "-B", str(build), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *arguments]
    done = subprocess.run(configure, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    return json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))


def files_of(entry: dict[str, str]) -> list[str]:
    """Sources that are compiled together."""
    if "/Unity/unity_" not in entry["file"]:
        return [entry["file"]]
    return re.findall(r'^#include "(.+)"$', Path(entry["file"]).read_text(encoding="utf-8"), re.MULTILINE)


def without(entry: dict[str, str], others: set[str]) -> dict[str, str] | None:
    """The command for the files that are not among these."""
    files = files_of(entry)
    left = [file for file in files if file not in others]
    if left == files or not left:
        return entry if left else None
    Path(entry["file"]).write_text("".join(f'#include "{file}"\n' for file in left), encoding="utf-8")
    return entry


def look_only(command: str) -> list[str]:
    """A compile command that writes nothing."""
    words = shlex.split(command)
    at = words.index("-o")
    del words[at:at + 2]
    return [word for word in words if word != "-c"] + ["-fsyntax-only"]


def precompile(entry: dict[str, str]) -> str:
    done = subprocess.run(shlex.split(entry["command"]), cwd=entry["directory"], capture_output=True, text=True, check=False)
    return f"{entry['file']}:\n{done.stderr}" if done.returncode != 0 else ""


def errors_of(entry: dict[str, str]) -> str:
    done = subprocess.run(look_only(entry["command"]), cwd=entry["directory"], capture_output=True, text=True,
                          check=False)
    return f"{entry['file']}:\n{done.stderr}" if done.returncode != 0 else ""


def planted_in(entry: dict[str, str], text: str, folder: Path) -> dict[str, str]:
    planted = folder / "planted.cpp"
    planted.write_text(text, encoding="utf-8")
    return entry | {"command": entry["command"].replace(entry["file"], str(planted)), "file": str(planted)}


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    if shutil.which("clang++-14") is None:
        print("SKIPPED: all of it: there is no clang++-14 (Debian: clang-14)")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        commands = configured("clang", sys.argv[1], folder / "build", "-DCMAKE_BUILD_TYPE=Debug", "-DPURE_UNITY_BUILD=ON",
                              "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=OFF")
        made = ["cmake", "--build", str(folder / "build"), "--target", "pure_mpi_made",
                "pure_mpi_fortran_made", "pure_doors_made"]  # texts that the build writes
        subprocess.run(made, cwd=sys.argv[1], capture_output=True, check=True)
        headers = [entry for entry in commands if entry["file"].endswith("cmake_pch.hxx.cxx")]
        commands = without_repetitions([entry for entry in commands if entry not in headers])
        of_library = next(entry for entry in commands if entry["file"].endswith("src/coll/operators_integer.cpp"))
        if not os.environ.get("PURETEST_SOAK"):
            sanitized = {file for entry in configured("asan", sys.argv[1], folder / "asan") for file in files_of(entry)}
            commands = [left for entry in commands if not LEFT_TO_SOAK.match(target_of(entry))
                        and (left := without(entry, sanitized))]
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as several:
            found = [errors for errors in several.map(precompile, headers) if errors]
        if found:
            print("\n".join(found), end="")
            return 1
        for what, text in PLANTED.items():
            if not errors_of(planted_in(of_library, text, folder)):
                print(f"{what} was planted, and not found")
                return 1
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as several:
            found = [errors for errors in several.map(errors_of, commands) if errors]
    print("\n".join(found), end="")
    print(f"{len(commands)} files, {len(found)} with errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
