#!/usr/bin/env bash
# Installs the build, moves the installed tree to a folder with a blank in its name, and builds and runs two users'
# programs against it in each way: purecxx, CMake, pkg-config and make; and configures a project that has the sources in
# it. run.sh COMPILER; the build is in PURETEST_BUILD_DIR.
set -euo pipefail
compiler=$1
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS # the test may run below another make

[[ $(make -s -C "$sources/../.." -n install PREFIX='/a b') == *' --prefix "/a b"'* ]] ||
  { echo 'make install PREFIX="/a b" does not keep the blank' >&2 && exit 1; }
cmake --install "$PURETEST_BUILD_DIR" --prefix "$work/first" >"$work/install.log"
prefix="$work/a b"
mv "$work/first" "$prefix"

check() { # check DIRECTORY: both programs, run by the installed purerun
  for program in paper_style modern; do
    local said
    said=$("$prefix/bin/purerun" -n 3 "$1/$program")
    if [[ $said != "3 ranks, sum 3" ]]; then
      echo "$1/$program says '$said', not '3 ranks, sum 3'" >&2
      exit 1
    fi
  done
}

fresh() { # fresh NAME: a copy of the users' sources
  mkdir "$work/$1"
  cp "$sources"/*.cpp "$sources"/CMakeLists.txt "$sources"/Makefile "$work/$1"
  cd "$work/$1"
}

echo "purecxx"
fresh purecxx
PURE_CXX=$compiler "$prefix/bin/purecxx" -std=c++17 paper_style.cpp -o paper_style
PURE_CXX=$compiler "$prefix/bin/purecxx" modern.cpp -o modern
check "$PWD"

# What a careful project compiles with is not for Pure's headers.
strict='-Wall -Wextra -Wshadow -Wconversion -Wold-style-cast -Wuseless-cast -Werror'
[[ $("$compiler" --version) != *clang* ]] || strict=${strict/-Wuseless-cast /}

echo "find_package(Pure CONFIG)"
fresh cmake
cmake -S . -B . -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_FLAGS="$strict" >cmake.log
cmake --build . >>cmake.log
check "$PWD"
if [[ -x $prefix/bin/purerun ]]; then # Pure::purerun starts a test
  ctest --output-on-failure >ctest.log || { cat ctest.log >&2; exit 1; }
  grep -q '100% tests passed.* out of 1' ctest.log || { cat ctest.log >&2; exit 1; }
fi

echo "pkg-config"
fresh pkg-config
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name pure.pc)")
eval "flags=($(pkg-config --cflags pure)) libraries=($(pkg-config --libs pure))"
"$compiler" -std=c++17 "${flags[@]}" paper_style.cpp -o paper_style "${libraries[@]}"
"$compiler" -std=c++20 "${flags[@]}" modern.cpp -o modern "${libraries[@]}"
check "$PWD"

echo "pure.mk"
fresh make
make CXX="$compiler" PREFIX="${prefix// /\\ }" >make.log
check "$PWD"

echo "find_package(Pure CONFIG) with -fsanitize=thread: the copy of the library that make install-tsan puts there"
library=$(find "$prefix" -name "libpure.so.*" -type l) # by the name that programs have of it
if [[ -n $library ]]; then # else the library is a static one
  fresh threads
  configured() { # configured TEXT: what cmake says of it
    cmake -S . -B . -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" \
      -DCMAKE_CXX_FLAGS=-fsanitize=undefined,thread >cmake.log 2>&1
    grep -qF "$1" <<<"$(tr -s '\n ' ' ' <cmake.log)" || { cat cmake.log >&2; exit 1; }
  }
  configured "which is not there: run, in the sources of Pure, make install-tsan PREFIX=$prefix"
  mkdir -p "${library%/*}/pure/tsan"
  cp "$library" "${library%/*}/pure/tsan"
  configured "Generating done"
  grep -rqF "${library%/*}/pure/tsan/${library##*/}" CMakeFiles/modern.dir
  rm -r "${library%/*}/pure/tsan"
fi

# The library itself is not built again: a user's file, and one of the library's, with the flags of the project.
for way in add_subdirectory FetchContent; do
  echo "$way"
  fresh $way
  cmake -S . -B build -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DPURE_SOURCES="$sources/../.." -DCMAKE_CXX_FLAGS="$strict" \
    -DFETCH=$([[ $way == FetchContent ]] && echo ON || echo OFF) -DPURE_BUILD_TOOLS=OFF >cmake.log
  ninja -C build CMakeFiles/paper_style.dir/paper_style.cpp.o CMakeFiles/modern.dir/modern.cpp.o >ninja.log ||
    { cat ninja.log && exit 1; }
  # Nothing of the project has changed: not what it builds, not how, and nothing is installed.
  if grep -E '^(BUILD_SHARED_LIBS|CMAKE_BUILD_TYPE|BUILD_TESTING)[:=].*=.+' build/CMakeCache.txt; then exit 1; fi
  if ninja -C build -t targets all | grep -E '^(demo|plugins|test|unit\.|example|what_is_installed)'; then exit 1; fi
  cmake --install build --prefix "$PWD/installed" >>cmake.log
  [[ ! -e installed ]] || { echo "$way installs: $(find installed)" >&2 && exit 1; }
done
grep -q -- '-O3' <(ninja -C build -t commands pure | grep pure_objects.dir) ||
  { echo 'without a build type the library is not optimized' >&2 && exit 1; }

echo "No trace of the build tree in the installed text files"
! grep -rIl "$PURETEST_BUILD_DIR" "$prefix"
