#!/usr/bin/env bash
# The command line of mpi2pure, where it writes, which flags it takes, and that it touches nothing but loops.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$work" || exit 1

cat > loop.c << 'END'
#include <stdio.h>

/* #pragma omp parallel for in a comment */
static const char* text = "#pragma omp parallel for";   // two blanks,	and a tab

void fill(int n, double* x) {
#pragma omp parallel \
    for schedule(static)
  for (int i = 0; i < n; i++) x[i] = i; /* a comment
     of two lines */ puts("here");
  {
	#pragma omp parallel for
	for (int i = 0; i < n; i++) {x[i]++;} puts(text);
  }
}
END
cp loop.c kept.c

echo 'wrong commands'
wrong() { # wrong TEXT ARGUMENT...
  local text=$1
  shift
  ends 2 "$@"
  grep -qF -- "$text" err || fail "mpi2pure $*: says $(< err)"
}
wrong 'say what to do'
wrong "there is no command 'loop.c'; there are: tasks, port" loop.c
wrong "there is no command 'translate'" translate loop.c
wrong '--suggest is one of tasks' port --suggest loop.c --
wrong 'no file is given' tasks
wrong 'there is no option --quick' tasks --quick loop.c --
wrong '--output needs a value' tasks loop.c --output
wrong '-i, --output and --diff exclude each other' tasks -i --output made loop.c --
wrong 'exclude each other' tasks -p . loop.c --
wrong 'there is no file none.c' tasks none.c --
wrong 'how is loop.c compiled?' tasks loop.c
ends 0 --help
grep -q '^Usage: mpi2pure tasks' out || fail '--help prints no usage'
ends 0 --version

echo 'where it writes'
ends 0 tasks loop.c --
cmp loop.c kept.c || fail 'the file is changed where only a diff is asked for'
cp out a.diff
ends 0 tasks --output made/here loop.c --
cmp loop.c kept.c || fail 'the file is changed where a folder is given'
patch -s -o patched.c loop.c < a.diff || fail 'the diff is none'
cmp patched.c made/here/loop.c || fail 'the diff and the folder differ'
ends 0 tasks -i loop.c --
cmp patched.c loop.c || fail 'the diff and the file differ'
ends 0 tasks loop.c --
[[ ! -s out ]] || fail "a second run changes $(< out)"
tokens() { gcc -E -P -w "$1" | tr -s ' \t\n' '\n'; }
cmp <(tokens kept.c) <(tokens loop.c) ||
  fail 'without the macro, the program is another one'
cp kept.c loop.c

echo 'line ends, and a last line without one'
{ printf '#include <stdio.h>\n'; sed -n '/^static/,$p' kept.c; } | sed 's/$/\r/' > dos.c
ends 0 tasks -i dos.c --
[[ $(grep -c . dos.c) == $(grep -c $'\r$' dos.c) ]] || fail 'some lines end in another way'
printf 'void f(int n, double* x) {\n#pragma omp parallel for\n  for (int i = 0; i < n; i++) x[i] = i; }' > last.c
ends 0 tasks -i last.c --
[[ $(tail -c 1 last.c) == '}' ]] || fail 'the last line has an end'
gcc -fsyntax-only -Wno-unknown-pragmas last.c || fail 'last.c'

echo 'flags, and a compilation database'
printf '#ifdef WANTED\n#include "folder.h"\n#pragma omp parallel for\n#endif\nfor (int i = 0; i < N; i++) x[i] = i;\n' > part.txt
{ echo 'void f(double* x) {'; cat part.txt; echo '}'; } > flags.c
mkdir -p some && echo '#define N 7' > some/folder.h
ends 1 tasks flags.c --
ends 0 tasks flags.c -- gcc -O3 -march=native -fno-such-flag -Wextra -DWANTED -I some
printf '[{"directory": "%s", "file": "flags.c", "command": "gcc -DWANTED -Isome -c flags.c -o flags.o"}]' "$work" > compile_commands.json
ends 0 tasks flags.c
grep -qF 'loops changed: 1' err || fail "by compile_commands.json: $(< err)"
mkdir build && mv compile_commands.json build
ends 0 tasks -p build flags.c

echo 'suggestions'
cat > suggest.c << 'END'
#include <math.h>
void print(double);
void f(int n, double* restrict a, const double* b, double c[][9]) {
  for (int i = 0; i < n; i++) a[i] = sqrt(b[i]) + 1;
  for (int i = 1; i < n; i++) a[i] = a[i - 1];
  for (int i = 0; i < n; i++) print(a[i]);
  for (int i = 0; i < n; i++) for (int j = 0; j < 9; j++) c[i][j] = a[i];
}
END
ends 0 tasks suggest.c --
grep -q suggestion err && fail 'it suggests what nobody asked for'
ends 0 tasks --suggest suggest.c --
grep -qF 'suggest.c:4: suggestion: iteration i writes only element i of a' err || fail "line 4: $(< err)"
grep -qF 'suggest.c:7: suggestion: iteration i writes only element i of c' err || fail "line 7: $(< err)"
grep -qE 'suggest.c:(5|6):' err && fail "lines 5 and 6: $(< err)"
finish
