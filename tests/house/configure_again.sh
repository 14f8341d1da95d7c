#!/usr/bin/env bash
# What is installed or removed after a build was configured is noticed: by make (Makefile, cmake/setup.sh --note), and by
# CMake (cmake/look_again.cmake). And the demo needs nothing of what only the tests do. configure_again.sh ROOT COMPILER
root=$1 compiler=$2
source "$root/tests/support/checks.bash"
cd "$work" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS

# ---- make: with a cmake that only says that it was called ----------------------------------------------------------
mkdir -p make/cmake tools
cp "$root"/{Makefile,CMakePresets.json} make
cp "$root/cmake/setup.sh" make/cmake
cat > tools/cmake << 'END'
#!/bin/sh
echo "$*" >> ../calls
mkdir -p build/release && : >> build/release/build.ninja
END
tool() { printf '#!/bin/sh\n' > "tools/$1" && chmod +x "tools/$1"; }
chmod +x tools/cmake

# configures TIMES WHEN: so often CMake is called when make wants to build.
configures() {
  : > calls
  (cd make && PATH=$work/tools:$PATH make --no-print-directory build/release/build.ninja) > out 2>&1 ||
    fail "make, $2: $(cat out)"
  [[ $(wc -l < calls) == "$1" ]] || fail "CMake is called $(wc -l < calls) times, not $1, $2: $(cat out)"
}
configures 1 'in a new clone'
configures 0 'when nothing has changed'
tool mpicxx.mpich
configures 1 'when an MPI has come'
configures 0 'when nothing has changed since'
rm tools/mpicxx.mpich
configures 1 'when an MPI has gone'
tool spin
echo "CMAKE_CACHEFILE_DIR:INTERNAL=$work/make/build/release" > make/build/release/CMakeCache.txt
configures 1 'when a tool of the tests has come'
touch -d '+2 seconds' make/CMakePresets.json
configures 1 'when the presets have changed'

# A build that was copied, with its sources, says so in one line, and CMake is not called.
cp -r make copied
: > calls
(cd copied && PATH=$work/tools:$PATH make --no-print-directory build/release/build.ninja) > out 2>&1 &&
  fail "make in a copied build: $(cat out)"
grep -qF "build/release was made as $work/make/build/release, and copied or moved: remove it (rm -r build/release)" out ||
  fail "make in a copied build says: $(cat out)"
[[ ! -s calls && $(wc -l < out) -le 2 ]] || fail "make in a copied build: $(cat calls out)"

# ---- CMake: a program that comes and goes, one that the user has named, and a folder that need not be there -----------
mkdir -p cmake
cat > cmake/CMakeLists.txt << END
cmake_minimum_required(VERSION 3.25)
project(finds LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH $root/cmake)
include(look_again)
find_program(FOUND pure_test_tool PATHS $work/there NO_DEFAULT_PATH)
find_program(NAMED pure_test_nothing)
file(WRITE $work/found "\${FOUND} \${NAMED} \${CMAKE_INSTALL_PREFIX}")
END
# finds WHAT WHEN
finds() {
  command cmake -S cmake -B cmake/build "${@:3}" > out 2>&1 || fail "cmake, $2: $(cat out)"
  [[ $(< found) == "$1 /bin/true /no/prefix" ]] || fail "CMake finds $(cat found), not $1, $2"
}
finds FOUND-NOTFOUND 'at first' -DNAMED=/bin/true -DCMAKE_INSTALL_PREFIX=/no/prefix
mkdir there && printf '#!/bin/sh\n' > there/pure_test_tool && chmod +x there/pure_test_tool
finds "$work/there/pure_test_tool" 'when it has come'
finds "$work/there/pure_test_tool" 'when it is still there'
rm there/pure_test_tool
finds FOUND-NOTFOUND 'when it has gone'

# ---- Pure itself, without the packages of its tests ------------------------------------------------------------------
cmake -S "$root" -B without -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON > out 2>&1 || fail "it is not configured without GoogleTest: $(cat out)"
ninja -C without -n demo > out 2>&1 || fail "the demo cannot be built without GoogleTest: $(cat out)"
! grep -q '_test\.cpp' out || fail "the demo builds tests: $(cat out)"
ninja -C without tests_cannot_be_built > out 2>&1 && fail 'the tests are built without GoogleTest'
grep -q 'CMake does not find GTest (Debian: libgtest-dev' out || fail "it does not say what is missing: $(cat out)"
(cd without && ctest) > out 2>&1 && fail 'the tests pass without GoogleTest'
grep -q 'tests_cannot_be_built' out || fail "ctest does not say what is missing: $(cat out)"
finish
