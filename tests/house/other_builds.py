"""What the release build compiles, the Clang and the debug build compile as well: usage other_builds.py ROOT

Configures Clang's build without NDEBUG, so that assertions are compiled, and has Clang look at all files (-fsyntax-only),
with the warnings that are errors. Files of one target are compiled together, and with its precompiled headers, which
takes a quarter of the time: that each includes what it needs, `make clang` and `make debug` show. Each text is looked at
once: not again for a second MPI, nor over the loopback network; and what only tests start, and has no assertions (whole
programs in tests/programs, tests/net and tests/mpi; unit tests that call the library's inside, and stress tests), is left to
`make clang`: half of the time. What Clang's users compile is looked at: the library, the tools, the examples, and, in
unit.api, every public template. First, two planted errors have to be found.
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


# Programs that only tests start.
ONLY_TESTS = re.compile(r"/(?:mpi_oracle\w*|mpi_types\w*|(?:loopback|program|net|stress)\.[\w.]+"
                        r"|unit\.(?!api)[\w.]+)\.dir/")


def without_repetitions(commands: list[dict[str, str]]) -> list[dict[str, str]]:
    """Without those that have the text of another one, which is for another MPI, and without ONLY_TESTS."""
    all_of_them = "\n".join(entry["command"] for entry in commands)

    def is_second(target: str) -> bool:
        return target.endswith("openmpi") and f"/{target.removesuffix('openmpi')}mpich.dir/" in all_of_them
    return [entry for entry in commands if not ONLY_TESTS.search(entry["command"]) and
            not any(is_second(target) for target in re.findall(r"/(\w+)\.dir/", entry["command"]))]


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
        configure = ["cmake", "--preset", "clang", "-B", str(folder / "build"), "-DCMAKE_BUILD_TYPE=Debug",
                     "-DPURE_UNITY_BUILD=ON", "-DCMAKE_DISABLE_PRECOMPILE_HEADERS=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"]
        done = subprocess.run(configure, cwd=sys.argv[1], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 1
        made = ["cmake", "--build", str(folder / "build"), "--target", "pure_mpi_made"]  # texts that the build writes
        subprocess.run(made, cwd=sys.argv[1], capture_output=True, check=True)
        commands = json.loads((folder / "build/compile_commands.json").read_text(encoding="utf-8"))
        headers = [entry for entry in commands if entry["file"].endswith("cmake_pch.hxx.cxx")]
        commands = without_repetitions([entry for entry in commands if entry not in headers])
        of_library = next(entry for entry in commands if entry["file"].endswith("src/coll/operators_integer.cpp"))
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
