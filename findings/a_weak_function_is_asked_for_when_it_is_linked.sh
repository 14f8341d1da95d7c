#!/usr/bin/env bash
# A program asks whether its library has a function: a weak declaration, whose address is null where there is none. It is linked
# with a release of the library that has not, and runs with a later one of the same name that has, as programs of a standard ABI
# change their MPI. Does it find the function? One would guess so, or that somebody says something. A position-independent
# executable of binutils 2.40 finds it. One of lld does not, and neither linker's others do: they ask when they are linked, write
# a null into the program without a word, and binutils' -z dynamic-undefined-weak changes nothing. Seen 2026-11-29 with gcc 12.2
# and binutils 2.40, and with clang and lld of ziglang 0.13.0.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
install ziglang 0.13.0
cat > program.c << 'END'
#include <stdio.h>
int always_there(void);
__attribute__((weak)) int only_in_the_later_one(void);
int main(void) {
  puts(only_in_the_later_one != NULL && only_in_the_later_one() == always_there() ? "found" : "null");
  return 0;
}
END
echo 'int always_there(void) { return 1; }' > earlier.c
{ cat earlier.c && echo 'int only_in_the_later_one(void) { return 1; }'; } > later.c
zig() { ziglang/bin/python -m ziglang cc "$@"; }
for compiler in gcc zig; do
  for release in earlier later; do
    mkdir -p "$compiler/$release"
    $compiler -shared -fPIC "$release.c" -o "$compiler/$release/libsome.so"
  done
  for kind in pie no-pie 'no-pie -Wl,-z,dynamic-undefined-weak'; do
    [[ "$compiler $kind" != zig*weak ]] || continue # it has no such option
    # shellcheck disable=SC2086
    $compiler -O1 -f${kind%% *} -$kind program.c -o program "-L$compiler/earlier" -lsome 2> said_of_launcher
    see "$compiler -$kind warns" "$(wc -l < said_of_launcher)" 0
    see "$compiler -$kind, with the earlier one" "$(LD_LIBRARY_PATH=$compiler/earlier ./program)" null
    [[ $kind != pie ]] || see "$compiler -pie, is" "$(readelf -h program | sed -n 's/.*Type: *\([A-Z]*\).*/\1/p')" DYN
    expected=null
    [[ "$compiler $kind" != 'gcc pie' ]] || expected=found
    see "$compiler -$kind, with the later one" "$(LD_LIBRARY_PATH=$compiler/later ./program)" "$expected"
  done
done
