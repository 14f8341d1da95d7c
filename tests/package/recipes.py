#!/usr/bin/env python3
"""Compares what packaging/ says with the build: the Spack recipe, the container file, CITATION.cff, README.md and CHANGELOG.md.

usage: recipes.py ROOT

The recipe is executed with a Spack of a few lines, which notes what it is told; a real one is not needed.
"""
import ast
import re
import sys
import types
from pathlib import Path

failures = 0


def check(holds: bool, text: str) -> None:
    global failures
    if not holds:
        print(f"FAILED: {text}")
        failures += 1


class Recipe:
    """What the class body of a recipe has said, and what its cmake_args gives for a choice of variants."""

    DIRECTIVES = ("version", "variant", "depends_on", "conflicts", "requires", "license", "maintainers")

    def __init__(self, path: Path):
        self.said: dict[str, list[tuple[tuple, dict]]] = {name: [] for name in self.DIRECTIVES}
        package = types.ModuleType("spack.package")
        for name in self.DIRECTIVES:
            setattr(package, name, lambda *words, _name=name, **more: self.said[_name].append((words, more)))
        cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
        cmake.CMakePackage = type("CMakePackage", (), {
            "define": staticmethod(lambda name, value: (name, value)),
            "define_from_variant": lambda self, name, variant: (name, self.chosen[variant]),
        })
        modules = {"spack": types.ModuleType("spack"), "spack.package": package, cmake.__name__: cmake}
        parts = cmake.__name__.split(".")[:-1]
        modules |= {".".join(parts[:n]): types.ModuleType(parts[n - 1]) for n in range(1, len(parts) + 1)}
        text = path.read_text()
        ast.parse(text)
        sys.modules.update(modules)
        names: dict = {}
        exec(compile(text, str(path), "exec"), names)
        self.package = names["Pure"]
        self.variants = {words[0]: more["default"] for words, more in self.said["variant"]}

    def arguments(self, **chosen: bool) -> dict:
        package = self.package()
        package.chosen = self.variants | chosen

        class Spec:
            def satisfies(self, condition: str) -> bool:
                return package.chosen[condition.lstrip("+~")] == condition.startswith("+")

            def __getitem__(self, name: str):
                return types.SimpleNamespace(mpicxx=f"/{name}/mpicxx")

        package.spec = Spec()
        return dict(package.cmake_args())


def spack(root: Path, version: str) -> None:
    recipe = Recipe(root / "packaging/spack/package.py")
    check([words[0] for words, _ in recipe.said["version"]] == [version], f"the recipe's version is not {version}")

    options = "\n".join(path.read_text() for path in [root / "CMakeLists.txt", *(root / "cmake").glob("*.cmake")])
    options = options.replace("PURE_MPICXX_${family}", "PURE_MPICXX_mpich find_program(PURE_MPICXX_openmpi")
    for mpi in (False, True):
        for name, value in recipe.arguments(mpi=mpi).items():
            check(re.search(rf"\b(option|find_program)\({name}\b", options) is not None,
                  f"CMake has no option {name}")
            if name == "PURE_MPICXX":
                check(value == ("/mpi/mpicxx" if mpi else "OFF"), f"{name} is {value}")
    for name in ("BUILD_SHARED_LIBS", "PURE_BUILD_TOOLS"):
        variant = {"BUILD_SHARED_LIBS": "shared", "PURE_BUILD_TOOLS": "tools"}[name]
        check(recipe.arguments(**{variant: False})[name] is False, f"~{variant} leaves {name} on")

    # Each library that CMake looks for is a dependency, under Spack's name, and each that is asked for is looked for.
    spack_names = {"fmt": "fmt", "nlohmann_json": "nlohmann-json", "hwloc": "hwloc", "cairo": "cairo",
                   "libdw": "elfutils", "CLI11": "cli11", "PkgConfig": "pkgconfig", "Python3": "python",
                   "Threads": None}
    top = (root / "CMakeLists.txt").read_text() + (root / "cmake/mpi_door.cmake").read_text()
    wanted = {spack_names[name] for name in re.findall(r"(?:find_package|pkg_check_modules)\((\w+)", top)} - {None}
    given = {re.split(r"[@+ ]", words[0])[0] for words, _ in recipe.said["depends_on"]}
    check(wanted == given - {"cxx", "cmake", "mpi"}, f"CMake wants {sorted(wanted)}, the recipe has {sorted(given)}")
    least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)", top).group(1)
    check(any(words[0] == f"cmake@{least}:" for words, _ in recipe.said["depends_on"]), f"CMake {least} is needed")
    for kind in ("depends_on", "variant", "requires", "conflicts"):
        for _, more in recipe.said[kind]:
            check(more.get("when", "+mpi").lstrip("+~") in recipe.variants, f"when={more.get('when')} is no variant")


def container(root: Path) -> None:
    lines = (root / "packaging/Containerfile").read_text().replace("\\\n", "").splitlines()
    stages = [line.split()[1:] for line in lines if line.startswith("FROM ")]
    check([stage[0] for stage in stages] == ["debian:bookworm-slim"] * 2, f"the stages begin with {stages}")
    goals = {match for line in lines for match in re.findall(r"cmake/setup\.sh (\w+)|make (\w+)$", line)}
    makefile = (root / "Makefile").read_text()
    setup = re.search(r'^goals="(.*)"', (root / "cmake/setup.sh").read_text(), re.M).group(1).split()
    for prepared, made in goals:
        check(prepared in ("", *setup), f"setup.sh has no goal {prepared}")
        check(made == "" or re.search(rf"^{made}:", makefile, re.M) is not None, f"the Makefile has no goal {made}")
    packages = (root / "cmake/packages.cmake").read_text()
    for name in re.findall(r"/tmp/packages/([a-z-]+)", (root / "packaging/Containerfile").read_text()):
        name = name.removesuffix("mpich_").rstrip("_")  # ... libpure${PURE_SOVERSION}, libpure-net-${family}
        check(re.search(rf"\b{name}[ $]", packages) is not None, f"there is no package {name}")


def texts(root: Path, version: str) -> None:
    citation = (root / "CITATION.cff").read_text()
    for key, value in {"cff-version": "1.2.0", "version": version, "license": "BSD-3-Clause", "title": "Pure",
                       "type": "software"}.items():
        check(f"\n{key}: {value}\n" in "\n" + citation, f"CITATION.cff has no {key}: {value}")
    for key in ("message", "authors", "references"):
        check(re.search(rf"^{key}:", citation, re.M) is not None, f"CITATION.cff has no {key}")
    check(f"version {version}" in (root / "README.md").read_text(), f"README.md does not say: version {version}")
    newest = re.search(r"^## ([\d.]+)", (root / "CHANGELOG.md").read_text(), re.M)
    check(newest is not None and newest.group(1) == version, f"CHANGELOG.md does not begin with {version}")


def main() -> int:
    root = Path(sys.argv[1])
    header = (root / "include/pure/version.hpp").read_text()
    version = re.search(r'#define PURE_VERSION "(.*)"', header).group(1)
    numbers = re.findall(r"#define PURE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    check(version == ".".join(numbers), f"version.hpp says {version} and {numbers}")
    spack(root, version)
    container(root)
    texts(root, version)
    print(f"{failures} checks failed" if failures else "all checks passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
