#!/usr/bin/env bash
# purecxx and purecc: what they add, what they leave alone, what they say. wrappers.sh FOLDER: where they lie, the bin of
# a build or of an installed copy. Most of it asks a compiler that prints what it is given.
source "$(dirname "$0")/../support/checks.bash"
bin=$1
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$work" || exit 1

cat > compiler << 'END'
#!/bin/sh
for word; do printf '[%s]' "$word"; done
echo
END
chmod +x compiler

# given WRAPPER WORD...: what the compiler is given, a word in brackets each.
given() {
  PURE_CXX=$work/compiler PURE_CC=$work/compiler "$bin/$1" "${@:2}"
}
gives() { # gives PATTERN WRAPPER WORD...
  local got
  got=$(given "${@:2}" 2>&1) || fail "${*:2} ends with status $?"
  # shellcheck disable=SC2053 # a pattern
  [[ $got == $1 ]] || fail "${*:2} runs the compiler with $got, not $1"
}
prefix=$(cd "$bin/.." && pwd)
compiling='?-I*include??-pthread]'
linking='?-L*/lib??-Wl,-rpath,*/lib??-lpure??-pthread]'

echo 'what is added'
gives "?-std=c++20??a.cpp??-o??a]$compiling$linking" purecxx a.cpp -o a
gives "?-std=c++20??-c??a.cpp]$compiling" purecxx -c a.cpp
gives "?-std=c++17??a.cpp]$compiling$linking" purecxx -std=c++17 a.cpp
gives "?-ansi??a.cpp]$compiling$linking" purecxx -ansi a.cpp
gives "?-x??c??a.c]$compiling$linking" purecxx -x c a.c
gives "?-std=c++20??-xc++??-]$compiling$linking" purecxx -xc++ -
if [[ $("$bin/purecc" -showme:libs) == mpi_abi ]]; then # C programs are MPI programs: tests/mpi_abi/wrappers.sh
  gives "?a.c]$compiling${linking/-lpure/-lmpi_abi}" purecc a.c
else
  gives "?a.c]$compiling$linking" purecc a.c
fi
gives "?-c??a.c]$compiling" purecc -c a.c
for option in -S -E -M -MM -fsyntax-only; do gives "?-std=c++20??$option??a.cpp]$compiling" purecxx $option a.cpp; done
for option in -v -dumpversion -print-search-dirs; do gives "?-std=c++20??$option]$compiling" purecxx $option; done
gives "?-std=c++20??-v??-o??x]$compiling" purecxx -v -o x # x is no file to compile

echo 'the words of the command stay as they are'
odd=("-DNAME=\"a b\"" "-I" "my headers" "it's.cpp" '$HOME' '*' '' '-Wl,--as-needed' 'back\slash.o')
printf -v expected '[%s]' "${odd[@]}"
[[ $(given purecxx "${odd[@]}") == "[-std=c++20]$expected"* ]] || fail "purecxx gives $(given purecxx "${odd[@]}")"
echo '-c "a b.cpp" -DX=*' > response
gives "?-std=c++20??@response]$compiling" purecxx @response
echo 'a.cpp -std=c++17' > response
gives "?@response]$compiling$linking" purecxx @response
gives "?-std=c++20??@missing]$compiling$linking" purecxx @missing

echo 'what is shown'
shown=$(given purecxx -show "a b.cpp" -o 'x;y')
eval "words=($shown)"
[[ ${words[0]} == "$work/compiler" && $("${words[@]}") == "$(given purecxx "a b.cpp" -o 'x;y')" ]] || fail "-show: $shown"
for option in --show -showme --showme; do [[ $(given purecxx $option a.cpp) == "$work/compiler -std=c++20 a.cpp "* ]] ||
  fail "$option: $(given purecxx $option a.cpp)"; done
[[ $(given purecxx -show a.cpp) == *-lpure* && $(given purecxx -show -c a.cpp) != *-lpure* ]] || fail '-show: -lpure'
[[ $("$bin/purecxx" --pure:compile) == "-std=c++20 -I"*' -pthread' ]] || fail "--pure:compile: $("$bin/purecxx" --pure:compile)"
[[ $("$bin/purecxx" --pure:link) == "-L"*' -lpure'* ]] || fail "--pure:link: $("$bin/purecxx" --pure:link)"
[[ $("$bin/purecxx" -pure:compile) == "$("$bin/purecxx" --pure:compile)" ]] || fail '-pure:compile'
[[ $(given purecxx --version) == 'purecxx of Pure '*" in $prefix, which runs"$'\n[--version]' ]] ||
  fail "--version: $(given purecxx --version)"
[[ $("$bin/purecc" --help) == *'pure.h is C++17'* && $("$bin/purecxx" --help) == *'Usage: purecxx'* ]] || fail "--help"

echo 'compilers'
echo 'int i;' > i.c
"$bin/purecc" -c i.c || fail 'the default compiler of purecc'
[[ $(PURE_CXX="env $work/compiler" "$bin/purecxx" -c a.cpp) == '[-std=c++20][-c]'* ]] || fail 'a launcher and a compiler'
mkdir 'a folder' && cp compiler 'a folder/my cxx'
[[ $(PURE_CXX="$work/a folder/my cxx" "$bin/purecxx" -c a.cpp) == '[-std=c++20][-c]'* ]] || fail 'a compiler with blanks'
PURE_CXX=no_such_compiler "$bin/purecxx" a.cpp 2> err && fail 'no compiler: status 0'
grep -q "no compiler 'no_such_compiler'" err || fail "no compiler: $(cat err)"
ln -s "$bin/purecxx" linked
[[ $(./linked -show -c a.cpp) == "$("$bin/purecxx" -show -c a.cpp)" ]] || fail 'by a symbolic link'

echo 'ThreadSanitizer'
copy=$work/tree
mkdir -p "$copy"/{bin,lib}
cp "$bin/purecxx" "$copy/bin"
tsan() { PURE_CXX=$work/compiler "$copy/bin/purecxx" "$@"; }
for options in -fsanitize=thread '-fsanitize=undefined,thread'; do
  tsan $options a.cpp > /dev/null 2> err && fail "$options without its copy: status 0"
  grep -q "make install-tsan PREFIX=$copy" err || fail "$options without its copy says: $(cat err)"
done
tsan -fsanitize=thread -c a.cpp > /dev/null || fail "-fsanitize=thread -c without its copy"
tsan -fsanitize=thread -fno-sanitize=thread a.cpp > /dev/null || fail "-fno-sanitize=thread"
tsan -fsanitize=address a.cpp > /dev/null || fail "-fsanitize=address"
mkdir -p "$copy/lib/pure/tsan"
touch "$copy/lib/pure/tsan/$(readlink "$bin/../lib/libpure.so")"
[[ $(tsan -fsanitize=thread a.cpp) == *"[-L$copy/lib/pure/tsan][-Wl,-rpath,$copy/lib/pure/tsan][-L$copy/lib]"* ]] ||
  fail "-fsanitize=thread: $(tsan -fsanitize=thread a.cpp)"
[[ $(tsan a.cpp) != *tsan]* ]] || fail "without -fsanitize=thread: $(tsan a.cpp)"

echo 'programs'
compiled() { # compiled COMMAND...: makes ./program, which starts as it is
  rm -f program
  if "$@" && [[ $(env -u LD_LIBRARY_PATH PURE_RANKS=3 ./program) == '3 ranks, sum 3' ]]; then return; fi
  fail "$*"
}
cp "$sources"/*.cpp .
compiled "$bin/purecxx" modern.cpp -o program
compiled "$bin/purecxx" -std=c++17 paper_style.cpp -o program
echo 'int of_c(void) { return 3; }' > of_c.c
"$bin/purecc" -std=c11 -c of_c.c || fail 'purecc -c'
"$bin/purecxx" -c -Wall -Werror modern.cpp || fail 'purecxx -c'
compiled "$bin/purecxx" modern.o of_c.o -o program
compiled eval "\"${PURETEST_COMPILER:-c++}\" $("$bin/purecxx" --pure:compile) modern.cpp -o program $("$bin/purecxx" --pure:link)"
echo '#include <pure.h>' > with_pure.c
"$bin/purecc" -c with_pure.c 2> err && fail 'purecc compiles pure.h'
[[ $(grep -c 'error: ' err) == 1 ]] && grep -q 'pure.h is a C++17 header.*purecxx' err || fail "pure.h in C: $(cat err)"

finish
