# The Spack recipe of Pure (Spack 1.0 and newer). It is published nowhere, and names no address: it builds a checkout,
# by `spack dev-build`. packaging/README.md says how; tests/package/recipes.py compares it with the build.
from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Pure(CMakePackage):
    """Message passing with threads as ranks, for C++ programs on multicore machines."""

    license("BSD-3-Clause")

    version("0.1.0")

    variant("shared", default=True, description="libpure.so rather than libpure.a")
    variant("tools", default=True, description="purerun and pure, with their man pages")
    variant("mpi", default=False, description="Jobs of several processes, over MPICH or Open MPI")
    variant("pictures", default=True, when="+tools", description="pure trace draws timelines")
    variant("lines", default=True, when="+tools", description="pure globals knows files and lines")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2:")
    depends_on("fmt@9:")
    depends_on("nlohmann-json@3:", type="build")
    depends_on("python@3:", type="build")  # it writes mpi.h
    depends_on("cli11@2:", type="build", when="+tools")
    depends_on("cairo+png", when="+pictures")
    depends_on("elfutils", when="+lines")
    depends_on("mpi", when="+mpi")

    requires("^[virtuals=mpi] mpich", "^[virtuals=mpi] openmpi", policy="one_of", when="+mpi")
    conflicts("%gcc@:11", msg="Pure needs C++20: GCC 12 or newer")
    conflicts("%clang@:13", msg="Pure needs C++20: Clang 14 or newer")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("PURE_BUILD_TOOLS", "tools"),
            self.define("PURE_BUILD_TESTS", False),
            self.define("PURE_BUILD_EXAMPLES", False),
            # The MPI of this spec, or none: not what happens to be in PATH.
            self.define("PURE_MPICXX", self.spec["mpi"].mpicxx if self.spec.satisfies("+mpi") else "OFF"),
            self.define("PURE_MPICXX_mpich", "OFF"),
            self.define("PURE_MPICXX_openmpi", "OFF"),
        ]
