"""Files of unit tests that never have a second thread: usage one_thread.py ROOT BUILD_DIR COMPILER

ThreadSanitizer finds nothing in tests/one_thread.txt, and its build leaves these files out (tests/CMakeLists.txt). Here
each runs in the usual build, where nothing may start a thread: pthread_create says so, from a library that is loaded first.
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COUNTED = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include <dlfcn.h>
typedef void* (*work)(void*);
int pthread_create(pthread_t* thread, const pthread_attr_t* with, work run, void* argument) {
  int (*real)(pthread_t*, const pthread_attr_t*, work, void*) = dlsym(RTLD_NEXT, "pthread_create");
  int file = open(getenv("PURETEST_THREADS"), O_WRONLY | O_APPEND | O_CREAT, 0600);
  if (write(file, ".", 1) != 1) abort();
  close(file);
  return real(thread, with, run, argument);
}
"""


def listed(root: Path) -> list[str]:
    text = (root / "tests/one_thread.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def program_of(name: str, build: Path) -> Path:
    """Many files of a folder are one program, or a file is one."""
    alone = build / "tests" / ("unit." + name.removesuffix("_test.cpp").replace("/", "."))
    return alone if alone.exists() else build / "tests" / ("unit." + name.split("/")[0])


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__, file=sys.stderr)
        return 2
    root, build, compiler = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "counted.c"), Path(folder, "counted.so")
        source.write_text(COUNTED, encoding="utf-8")
        subprocess.run([compiler, "-x", "c", "-D_GNU_SOURCE", "-shared", "-fPIC", source, "-o", library], check=True)

        def problem_of(number_and_name: tuple[int, str]) -> str | None:
            number, name = number_and_name
            program, count = program_of(name, build), Path(folder, str(number))
            if not (root / "tests/unit" / name).exists() or not program.exists():
                return f"tests/one_thread.txt has {name}, which is no unit test"
            done = subprocess.run([program, Path(name).name], capture_output=True, text=True, check=False,
                                  env=os.environ | {"LD_PRELOAD": str(library), "PURETEST_THREADS": str(count)})
            if done.returncode not in (0, 77):
                return f"{name} fails: {done.stdout[-2000:]}{done.stderr[-2000:]}"
            return f"{name} starts {count.stat().st_size} threads: not for tests/one_thread.txt" if count.exists() else None

        names = listed(root)
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as several:
            problems = [problem for problem in several.map(problem_of, enumerate(names)) if problem]
        if not problem_of((len(names), "runtime/park_test.cpp")):
            problems.append("runtime/park_test.cpp starts threads, and they were not counted")
    for problem in problems:
        print(problem)
    print(f"{len(names)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
