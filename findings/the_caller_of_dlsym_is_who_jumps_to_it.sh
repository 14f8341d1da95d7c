#!/usr/bin/env bash
# A library stands in front of a function, and finds the one behind it by dlsym(RTLD_NEXT): behind the library in which the
# call is written. A helper of two lines does it for several callers, one of them in another library:
#     void* behind_me(const char* name) { return dlsym(RTLD_NEXT, name); }
# One would guess that it always searches behind its own library. Compiled with -O0 it does. With -O2, by gcc and by clang, the
# last call is a jump, dlsym takes the return address that it finds, that of the helper's caller, and searches behind the
# library of that one: it finds another function, or none, and nobody warns. A pointer to dlsym is no remedy; a statement behind
# the call is, as -fno-optimize-sibling-calls. Seen 2026-11-29 with gcc 12.2 and glibc 2.36, and clang of ziglang 0.13.0.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
install ziglang 0.13.0
cat > front.c << 'END'
#define _GNU_SOURCE
#include <dlfcn.h>
const char* who(void) { return "front"; }
void* behind_front(const char* name) {
  void* (*volatile const find)(void*, const char*) = dlsym;
#ifdef REMEDY
  void* const found = find(RTLD_NEXT, name);
  __asm__ volatile("" : : "r"(found));
  return found;
#else
  return find(RTLD_NEXT, name);
#endif
}
END
echo 'const char* who(void) { return "middle"; }' > middle.c
cat > caller.c << 'END'
void* behind_front(const char* name);
const char* who(void) { return "caller"; }
const char* ask(void) {
  const char* (*next)(void) = (const char* (*)(void))behind_front("who");
  return next ? next() : "nobody";
}
END
echo 'const char* who(void) { return "last"; }' > last.c
cat > program.c << 'END'
#include <stdio.h>
const char* ask(void);
int main(void) { return puts(ask()) < 0; }
END
zig() { ziglang/bin/python -m ziglang cc "$@"; }
for compiler in gcc zig; do
  for flags in -O0 -O2 '-O2 -fno-optimize-sibling-calls' '-O2 -DREMEDY'; do
    # shellcheck disable=SC2086
    $compiler -fPIC -shared $flags front.c -o libfront.so -ldl
    for library in middle last; do $compiler -fPIC -shared $library.c -o lib$library.so; done
    $compiler -fPIC -shared -O0 caller.c -o libcaller.so -L. -lfront
    $compiler program.c -o program -L. -Wl,--no-as-needed -lfront -lmiddle -lcaller -llast -Wl,-rpath,"$work"
    expected=middle
    [[ $flags != -O2 ]] || expected=last
    see "$compiler $flags finds" "$(./program)" "$expected"
  done
done
