#!/usr/bin/env bash
# A library is linked with -static-libstdc++ and hides it, so that it does not meet the program's, and throws an exception that
# the program, with the shared libstdc++, catches. One would guess that this works or does not. It works, by the right type; but
# each exception is counted when it is thrown in one runtime, and taken off when it is caught in the other. From then on, in that
# thread, std::uncaught_exceptions() is -1, -2, ... in the program, and one more in the library each time: a scope guard that
# asks "am I unwound?" by that number is wrong for ever, and nobody says anything. Seen 2026-11-29 with gcc 12.2 (libstdc++
# 6.0.30).
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cat > library.cpp << 'END'
#include <exception>
#include <stdexcept>
extern "C" __attribute__((visibility("default"))) void fail() { throw std::runtime_error("from the library"); }
extern "C" __attribute__((visibility("default"))) int counted() { return std::uncaught_exceptions(); }
END
cat > program.cpp << 'END'
#include <cstdio>
#include <exception>
#include <stdexcept>
extern "C" void fail();
extern "C" int counted();
int main() {
  for (int turn = 0; turn < 3; ++turn) {
    const char* how = "nobody";
    try {
      fail();
    } catch (const std::runtime_error&) {
      how = "by its type";
    } catch (...) {
      how = "by ...";
    }
    std::printf("%s %d %d\n", how, std::uncaught_exceptions(), counted());
  }
}
END
for kind in shared static; do
  flags=()
  [[ $kind == shared ]] || flags=(-static-libstdc++ -Wl,--exclude-libs,ALL)
  g++ -fPIC -shared -fvisibility=hidden library.cpp -o libsome.so "${flags[@]}"
  g++ program.cpp -o program -L. -lsome -Wl,-rpath,"$work"
  expected='by its type 0 0, by its type 0 0, by its type 0 0'
  [[ $kind == shared ]] || expected='by its type -1 1, by its type -2 2, by its type -3 3'
  see "libstdc++ $kind in the library: caught, counted by the program and by the library" \
    "$(./program | paste -sd, | sed 's/,/, /g')" "$expected"
done
