#!/usr/bin/env bash
# Installs the build, moves the installed tree, and builds and runs two users' programs against it in each of the
# three ways: CMake, pkg-config and make. run.sh COMPILER; the build is in PURETEST_BUILD_DIR.
set -euo pipefail
compiler=$1
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS # the test may run below another make

cmake --install "$PURETEST_BUILD_DIR" --prefix "$work/first" >"$work/install.log"
mv "$work/first" "$work/moved"
prefix=$work/moved

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

echo "find_package(Pure CONFIG)"
fresh cmake
cmake -S . -B . -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" >cmake.log
cmake --build . >>cmake.log
check "$PWD"

echo "pkg-config"
fresh pkg-config
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name pure.pc)")
read -ra flags < <(pkg-config --cflags pure)
read -ra libraries < <(pkg-config --libs pure)
"$compiler" -std=c++17 "${flags[@]}" paper_style.cpp -o paper_style "${libraries[@]}"
"$compiler" -std=c++20 "${flags[@]}" modern.cpp -o modern "${libraries[@]}"
check "$PWD"

echo "pure.mk"
fresh make
make CXX="$compiler" PREFIX="$prefix" >make.log
check "$PWD"

echo "find_package(Pure CONFIG) with -fsanitize=thread: the copy of the library that make install-tsan puts there"
library=$(find "$prefix" -name "libpure.so.[0-9]")
if [[ -n $library ]]; then # else the library is a static one
  fresh threads
  configured() { # configured TEXT: what cmake says of it
    cmake -S . -B . -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" \
      -DCMAKE_CXX_FLAGS=-fsanitize=undefined,thread >cmake.log 2>&1
    tr -s '\n ' ' ' <cmake.log | grep -qF "$1" || { cat cmake.log >&2; exit 1; }
  }
  configured "which is not there: run, in the sources of Pure, make install-tsan PREFIX=$prefix"
  mkdir -p "${library%/*}/pure/tsan"
  cp "$library" "${library%/*}/pure/tsan"
  configured "Generating done"
  grep -rqF "${library%/*}/pure/tsan/${library##*/}" CMakeFiles/modern.dir
  rm -r "${library%/*}/pure/tsan"
fi

echo "No trace of the build tree in the installed text files"
! grep -rIl "$PURETEST_BUILD_DIR" "$prefix"
