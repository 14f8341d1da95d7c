#!/usr/bin/env bash
# `pure globals` lists the writable globals of a program, and a crash of a program whose main every rank runs names them.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

cxx=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")
libdw=$(sed -n 's/^libdw_FOUND:[A-Z]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")

# globals STATUS TEXT ARGUMENT...: `pure globals` ends so, with the text in `err` ('' for silence); what it says is in `out`.
globals() {
  local status=$1 text=$2 got
  shift 2
  timeout 60 pure globals "$@" > out 2> err < /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "pure globals $*: status $got, not $status; it says: $(cat out err)"
  says "pure globals $*" "$text"
}
shows() { grep -qE -- "$1" out || fail "no '$1' in: $(cat out)"; }
hides() { if grep -qE -- "$1" out; then fail "there is '$1' in: $(cat out)"; fi; }

cat > app.cpp << 'END'
#include <iostream>
#include <string>
#include <vector>
int counter = 1;                       // line 4
static double table[512];
const int constant[4] = {1, 2, 3, 4};
static const std::string greeting(std::string("hello") + std::to_string(counter));
thread_local int own = 5;
namespace ns { long long total; }
struct solver { static std::vector<int> history; };
std::vector<int> solver::history;      // line 11
int calls() { static int number = 7; return ++number; }
extern int of_library;
int completed;
int main() {
  static volatile int in_main = 1;
  std::cout << counter + own + ns::total + calls() + in_main + table[own] << greeting << constant[own & 3] << solver::history.size();
#ifdef WITH_LIBRARY
  std::cout << ++of_library;
#endif
  std::cerr << completed << '\n';
}
END
cat > plain.c.cpp << 'END'
extern "C" {
int printf(const char*, ...);
static int step(void) { static int counter = 3; return counter++; }
static int other(void) { static int counter = 4; return counter--; }
int main() { return printf("%d %d\n", step(), other()) < 0; }
}
END
cat > library.cpp << 'END'
int of_library = 3;
static char in_library[100];
char* room() { return in_library; }
END
cat > nothing.cpp << 'END'
const int limit = 5;
int main(int argc, char**) { return argc > limit; }
END
build() { "$cxx" -O0 "$@" || fail "$cxx $*"; }

a_program() {
  build -g ../app.cpp -o app
  globals 0 '' app
  shows '^app: 7 writable globals of [0-9]+ bytes, shared by all ranks of a process$'
  shows '^ +4096  \.bss +table '
  [[ $(sed -n 3p out) =~ table ]] || fail "the largest is not the first: $(cat out)"
  for name in counter ns::total solver::history 'calls\(\)::number' main::in_main completed; do shows "  $name( |\$)"; done
  hides '  constant|  own|ioinit|dso_handle|guard|vtable|completed\.0|edata|personality'
  shows 'left out: .*system.*std::(cerr|cout)'
  if [[ $libdw == 1 ]]; then
    hides greeting
    shows 'counter +app.cpp:4$|counter .*app.cpp:4$'
    shows 'history .*app.cpp:11$'
    shows 'left out: 1 constant'
  else
    shows 'greeting'
  fi
  build ../app.cpp -o bare
  globals 0 '' bare
  shows 'it has no debug information|without libdw'
  shows 'greeting' # nobody can tell that it is const
  build -no-pie -g ../app.cpp -o fixed
  globals 0 '' fixed
  shows '  ns::total'
  globals 0 '' app fixed
  shows '^app: '
  shows '^fixed: '
}

numbered_names() {
  build -x c++ ../plain.c.cpp -o plain
  globals 0 '' plain
  shows '^plain: 2 writable globals of 8 bytes'
  shows '  .*counter'
}

stripped() {
  build -g ../app.cpp -o whole
  strip whole -o app
  globals 0 '' app
  shows 'it is stripped: only what it exports is known'
  build -g -rdynamic ../app.cpp -o whole
  strip whole -o app
  globals 0 '' app
  shows '  counter'
  hides ' table'
  shows 'incomplete'
}

libraries() {
  mkdir own
  build -g -fPIC -shared ../library.cpp -o own/libown.so
  build -g -no-pie -DWITH_LIBRARY ../app.cpp own/libown.so -Wl,-rpath,'$ORIGIN/own' -o app
  globals 0 '' app
  shows 'of_library .*of a library, which uses it, too'
  hides 'in_library'
  globals 0 '' --libraries app
  shows 'libown.so: 2 writable globals'
  shows 'in_library'
  [[ $(grep -c 'writable global' out) == 2 ]] || fail "--libraries: not two files: $(cat out)"
  globals 0 '' app own/libown.so
  shows 'in_library'
  mkdir narrow
  printf '\x7fELF\x01\x01\x01%0100d' 0 > narrow/libown.so
  LD_LIBRARY_PATH=narrow globals 0 '' --libraries app # the dynamic linker passes over it, too
  shows 'own/libown.so: 2 writable globals'
}

# What a program that is linked with Open MPI has of it, with --libraries too; another library may use such names.
of_an_mpi() {
  mkdir mpi
  echo 'int ompi_mpi_comm_world[64] = {1}; int not_of_mpi = 2; int mpi_of_mpi;' > mpi.cpp
  build -fPIC -shared mpi.cpp -o mpi/libmpi.so -Wl,-soname,libmpi.so.40
  ln -s libmpi.so mpi/libmpi.so.40
  cp mpi/libmpi.so mpi/libown.so
  cat > app.cpp << 'END'
extern int ompi_mpi_comm_world[64], not_of_mpi;
int mine;
int main() { return mine + ompi_mpi_comm_world[0] + not_of_mpi == 3 ? 0 : 1; }
END
  build -no-pie -fno-pie app.cpp mpi/libmpi.so -Wl,-rpath,'$ORIGIN/mpi' -o app
  ./app || fail "app: status $?"
  globals 0 '' --libraries app
  shows '^app: 2 writable globals of 8 bytes'
  shows ' mine$'
  shows ' not_of_mpi '
  shows 'left out: a variable of an MPI \(ompi_mpi_comm_world\)'
  hides 'libmpi'
  globals 0 '' --json app
  python3 -c 'import json; assert json.load(open("out"))["files"][0]["mpi_copies"] == ["ompi_mpi_comm_world"]' ||
    fail "--json: $(cat out)"
  build -fPIC -shared mpi.cpp -o mpi/libown.so -Wl,-soname,libown.so
  build -no-pie -fno-pie app.cpp mpi/libown.so -Wl,-rpath,'$ORIGIN/mpi' -o app
  globals 0 '' app
  shows ' ompi_mpi_comm_world .*of a library'
  for mpi in openmpi mpich; do
    if ! command -v mpicxx.$mpi > /dev/null; then continue; fi
    printf '#include <mpi.h>\nint mine;\nint main(int c, char** v) { MPI_Init(&c, &v); mine = MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); }' > real.cpp
    mpicxx.$mpi -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX -no-pie -fno-pie real.cpp -o real || fail "mpicxx.$mpi"
    globals 0 '' --libraries real
    shows '^real: 1 writable global of 4 bytes'
  done
}

# docs/globals.md: an access to an extern thread_local tests whether it has to be initialized (by _ZTH and its name), but
# not where that is constant.
accesses() {
  cat > access.cpp << 'END'
extern thread_local int tests;
extern constinit thread_local int is_constant;
extern __thread int is_older;
int sum() { return tests + is_constant + is_older; }
END
  build -std=c++20 -c access.cpp -o access.o
  [[ $(nm access.o | sed -n 's/^ *[Uw] _ZTH[0-9]*//p') == tests ]] || fail "accesses: $(nm access.o)"
}

as_json() {
  build -g ../app.cpp -o app
  globals 0 '' --json app
  python3 - << 'END' || fail "--json: see above"
import json
app = json.load(open("out"))["files"][0]
names = {each["name"]: each for each in app["globals"]}
assert names["table"]["bytes"] == 4096 and names["table"]["section"] == ".bss", names
assert names["ns::total"]["symbol"] == "_ZN2ns5totalE"
assert app["complete"] and not app["static"] and "std::cout" in app["system_copies"]
sizes = [each["bytes"] for each in app["globals"]]
assert sizes == sorted(sizes, reverse=True)
if app["debug_information"]: assert names["counter"]["file"].endswith("app.cpp") and names["counter"]["line"] == 4
END
  globals 1 'cannot be read' --json /no/such/file
}

nothing_there() {
  build ../nothing.cpp -o nothing
  globals 0 '' nothing
  [[ $(cat out) == 'nothing: no writable globals.' ]] || fail "a program without: $(cat out)"
}

other_files() {
  build -c ../app.cpp -o app.o
  ar rc libapp.a app.o 2> /dev/null
  build ../app.cpp -o app
  head -c 3000 app > cut
  printf '\x7fELF\x01\x01\x01%0100d' 0 > narrow
  printf '#!/bin/sh\n' > script.sh
  printf 'text\n' > text
  : > empty
  mkdir folder
  mkfifo pipe
  globals 1 'no/such cannot be read: No such file' no/such
  globals 1 'folder cannot be read: it is a directory' folder
  globals 1 'pipe cannot be read: it is not a file' pipe
  globals 1 'text: it is not a program or library' text
  globals 1 'empty: it is empty' empty
  globals 1 'script.sh: it is a script' script.sh
  globals 1 'app.o: it is an object file' app.o
  globals 1 'libapp.a: it is a static library' libapp.a
  globals 1 'narrow: it is a program of 32 bits' narrow
  globals 1 'cut: it is damaged, or cut off' cut
  globals 1 'text: it is not a program' text app # the other one is listed all the same
  shows '^app: '
  python3 -c 'from sys import stdin, stdout
data = bytearray(stdin.buffer.read())
data[40:48], data[60:64] = bytes(8), bytes(4) # no section headers
stdout.buffer.write(data)' < app > no_table
  globals 1 'it has no symbol table' no_table
  globals 2 'PROGRAM'
  globals 2 'did you mean' --librarys app
  pure globals --help > out
  for word in PROGRAM --libraries --json thread_local 'Exit status' Examples; do shows "$word"; done
  pure --help > out
  shows 'globals'
}

# Damaged debug information, names and tables: no crash, and nothing for a terminal to obey.
hostile() {
  build -g ../app.cpp -o app
  python3 - << 'END'
import random
whole = open("app", "rb").read()
open("named", "wb").write(whole.replace(b"\0counter\0", b"\0c\x1b[2Jer\0"[:9]))
random.seed(1)
for number in range(60):
    data = bytearray(whole)
    for _ in range(random.choice([1, 10, 300])):
        data[random.randrange(len(data))] = random.choice([0, 1, 0x7f, 0x80, 0xff, random.randrange(256)])
    open("bad.%d" % number, "wb").write(data)
END
  for file in bad.*; do
    timeout 60 pure globals "$file" > out 2> err
    local got=$?
    ((got < 2)) || fail "pure globals $file: status $got"
  done
  timeout 60 pure globals named > out 2> err
  if grep -q $'\x1b' out; then fail "a name is obeyed: $(cat out)"; fi
}

for check in a_program numbered_names stripped libraries of_an_mpi accesses as_json nothing_there other_files hostile; do beside $check; done
together
finish
