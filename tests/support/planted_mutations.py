"""Plants the mutations of a room's models in its code, and checks that the unit test named for each fails then.

usage of each table, tests/ROOM/mutations.py:

    mutations.py SOURCES BUILD [NAME...]   builds and runs them; NAME: only those whose mutation has such a name
    mutations.py --check-texts SOURCES     only checks that the table is not stale

BUILD is a build folder that has the unit.ROOM of the table; whatever is made here is in BUILD/mutations.

A mutation that a model must catch (tests/model/*.pml: `must fail`) has a twin: a row of the room's table says which text
of which file is replaced by what, and which test of tests/unit/ROOM must fail. What has no twin stands in the table of
those without, with the reason. A row without a model is a mistake that the code invites, and no model has.

How it is built: the room's sources and its tests once, each by itself and without optimization; for each row the
mutated file alone. The linker takes the first definition that it finds, so the mutated one goes first. That also
holds for functions in headers: without inlining, every object has them, and one that is mutated is enough.
"""
import argparse
import concurrent.futures
import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

# Compiled once for all.
USUAL = ("gtest/gtest.h", "fmt/core.h", "algorithm", "functional", "memory", "string", "vector", "map", "unordered_map")


@dataclasses.dataclass
class Twin:
    model: str  # "" for a mistake that no model has
    mutation: str  # of the model, without MUTATE_
    file: str  # in src/
    text: str  # there, once
    planted: str
    test: str
    # What is compiled instead of a header, and uses what is mutated there: in src/, or a test, "tests/...", which gives
    # the header its own atomics (tests/support/interleavings.hpp).
    compiled: str = ""
    also: tuple = ()  # (file, text, planted) that belong to it: sources that are compiled, or headers that these include


@dataclasses.dataclass
class Room:
    name: str  # of the folder in src/ and tests/unit/
    models: tuple
    twins: list
    without: dict  # (model, mutation): why it has no twin
    support: tuple = ()  # sources in tests/support/ that the tests need beside main.cpp
    program: str = ""  # unit.PROGRAM has the tests, if that is not the room's name
    generated: str = ""  # the folder in BUILD with sources of the room that the build writes
    options: tuple = ()  # that the room's sources need, and its tests do not
    linked: str = ""  # objects of BUILD that the tests need, as a pattern
    # The sources that are compiled, and the tests. None of the sources where one that is there twice would attach its
    # service twice; the mutated ones stand before the library's then.
    sources: str = "*.cpp"
    tests: str = "*_test.cpp"

    def __post_init__(self):
        self.program = self.program or self.name


def names_of(model):
    return sorted(set(re.findall(r"must fail:.*-DMUTATE_([A-Z_]+)", model.read_text())))


def replaced(twin):
    return [(twin.file, twin.text, twin.planted), *twin.also]


def stale(room, sources):
    """What is wrong with the table, as lines for people."""
    wrong = []
    tests = set()
    for file in (sources / "tests/unit" / room.name).glob("*_test.cpp"):
        tests |= {".".join(name) for name in re.findall(r"^TEST(?:_F|_P)?\((\w+), (\w+)\)", file.read_text(), re.M)}
    for twin in room.twins:
        name = f"{twin.model} {twin.mutation}".strip()
        for file, text, _ in replaced(twin):
            found = (sources / "src" / file).read_text().count(text)
            if found != 1:
                wrong.append(f"{name}: src/{file} has the text {found} times: {text.strip()}")
        if twin.test not in tests:
            wrong.append(f"{name}: tests/unit/{room.name} has no test {twin.test}")
        if twin.file.endswith(".hpp") != bool(twin.compiled):
            wrong.append(f"{name}: a header, and only that, needs a file that is compiled")
    for model in room.models:
        named = names_of(sources / f"tests/model/{model}.pml")
        for mutation in named:
            if any((twin.model, twin.mutation) == (model, mutation)
                   for twin in room.twins) == ((model, mutation) in room.without):
                wrong.append(f"{model} {mutation}: either it has a twin, or WITHOUT says why it has none")
        known = {twin.mutation for twin in room.twins if twin.model == model} | {m for of, m in room.without if of == model}
        wrong += [f"{model}.pml has no mutation {mutation}" for mutation in sorted(known - set(named))]
    return wrong


class Workshop:
    def __init__(self, room, sources, build, jobs):
        self.room = room
        self.sources = sources
        self.build = build
        self.out = build / "mutations" / room.name
        self.out.mkdir(parents=True, exist_ok=True)
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        commands = json.loads((build / "compile_commands.json").read_text())
        its = next(shlex.split(each["command"]) for each in commands if f"/unit.{room.program}" in each["command"])
        self.compiler = [its[0], "-std=c++20", "-O0", "-w", "-DNDEBUG"]
        self.options = [*(each for each in its if each.startswith(("-D", "-I"))), *room.options]
        ninja = subprocess.run(["ninja", "-C", build, "-t", "commands", f"unit.{room.program}"], check=True, text=True,
                               stdout=subprocess.PIPE).stdout
        link = shlex.split(ninja.strip().splitlines()[-1])
        self.libraries = [str(build / each) if each.endswith(".a") and not each.startswith("/") else each
                          for each in link if re.search(r"\.(a|so)(\.[0-9.]+)?$", each) or each.startswith("-l")]
        self.header = self.out / "usual.hpp"

    def run(self, command):
        done = subprocess.run([str(each) for each in command], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise SystemExit(f"{shlex.join(str(each) for each in command)}\n{done.stdout}")

    def compile(self, source, into, before=()):
        newest = max(each.stat().st_mtime for each in (self.sources / "src").rglob("*.hpp"))
        newest = max(newest, source.stat().st_mtime, self.header.stat().st_mtime,
                     *(each.stat().st_mtime for each in (self.sources / "tests/support").glob("*.hpp")))
        if not before and into.exists() and into.stat().st_mtime > newest:
            return into
        self.run([*self.compiler, "-include", self.header, *before, *self.options, "-c", source, "-o", into])
        return into

    def base(self):
        """The objects of the room and of its tests, as they are."""
        text = "".join(f"#include <{each}>\n" for each in USUAL)
        if not self.header.exists() or self.header.read_text() != text:
            self.header.write_text(text)
            self.run([*self.compiler, *self.options, "-x", "c++-header", self.header, "-o", f"{self.header}.gch"])
        wanted = [*((self.sources / "src" / self.room.name).rglob(self.room.sources) if self.room.sources else ()),
                  *(self.sources / "tests/unit" / self.room.name).glob(self.room.tests),
                  *(self.sources / "tests/support" / each for each in ("main.cpp", *self.room.support)),
                  *((self.build / self.room.generated).glob("*.cpp") if self.room.generated else ())]
        made = [self.pool.submit(self.compile, each, self.out / f"{each.stem}.o") for each in sorted(wanted)]
        linked = sorted(self.build.glob(self.room.linked)) if self.room.linked else []
        return [*(each.result() for each in made), *linked]

    def link(self, into, objects):
        self.run([self.compiler[0], "-Wl,-z,muldefs", *objects, "-o", into, *self.libraries, "-lpthread", "-ldl"])
        return into

    def passes(self, program, test):
        child = subprocess.Popen([program, f"--gtest_filter={test}:*/{test}/*"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, start_new_session=True)
        try:
            said = child.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return False
        return child.returncode == 0 and re.search(r"\[  PASSED  \] [1-9]\d* tests?\.", said) is not None

    def catches(self, number, twin, base):
        folder = self.out / f"{number}_{twin.model}_{twin.mutation}"
        texts = {file: (self.sources / "src" / file).read_text() for file, _, _ in replaced(twin)}
        for file, text, planted in replaced(twin):
            texts[file] = texts[file].replace(text, planted)
        for file, text in texts.items():
            into = folder / "src" / file
            into.parent.mkdir(parents=True, exist_ok=True)
            into.write_text(text)
        compiled = [folder / "src" / file for file in texts if file.endswith(".cpp")]
        if twin.compiled and twin.compiled not in texts:
            compiled.append(self.sources / ("" if twin.compiled.startswith("tests/") else "src") / twin.compiled)
        mutants = [self.compile(each, folder / f"{each.stem}.o", ["-I", folder / "src"]) for each in compiled]
        others = [each for each in base if f"{self.room.name}/{each.stem}.cpp" not in texts and
                  twin.compiled != f"tests/unit/{self.room.name}/{each.stem}.cpp"]  # which would be a test twice
        return not self.passes(self.link(folder / "tests", [*mutants, *others]), twin.test)


def run(room):
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--check-texts", action="store_true")
    arguments.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("sources", type=Path)
    arguments.add_argument("build", type=Path, nargs="?")
    arguments.add_argument("only", nargs="*")
    given = arguments.parse_args()
    wrong = stale(room, given.sources)
    for each in wrong:
        print(each, file=sys.stderr)
    if given.check_texts or (wrong and not given.only):
        return 1 if wrong else 0
    shop = Workshop(room, given.sources.resolve(), given.build.resolve(), given.jobs)
    base = shop.base()
    twins = [each for each in room.twins if not given.only or each.mutation in given.only]
    sound = shop.link(shop.out / "tests", base)
    failed = 0
    for test in sorted({each.test for each in twins}):
        if not shop.passes(sound, test):
            failed += 1
            print(f"FAILS WITHOUT ANY MUTATION: {test}")
    found = shop.pool.map(lambda each: shop.catches(*each, base), enumerate(twins))
    for twin, is_caught in zip(twins, found):
        failed += not is_caught
        print(f"{'caught' if is_caught else 'NOT CAUGHT':10} {twin.model:17} {twin.mutation:22} {twin.file}: {twin.test}",
              flush=True)
    print(f"{len(twins)} mutations, {failed} failures")
    return 1 if failed else 0
