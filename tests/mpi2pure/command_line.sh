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
mkdir folder && echo 'not JSON' > folder/compile_commands.json && mkdir empty && cp loop.c loop.f90
wrong 'say what to do: mpi2pure tasks FILE... or mpi2pure port FILE...'
wrong "there is no command 'loop.c'; there are: tasks, port" loop.c
wrong "there is no command 'translate'" translate loop.c
wrong '--suggest is one of tasks' port --suggest loop.c --
wrong 'no file is given: mpi2pure tasks FILE... -- mpicc' tasks
wrong 'no file is given' port -i -- mpicc.mpich
wrong 'there is no option --quick' tasks --quick loop.c --
wrong 'there is no option -i=yes' tasks -i=yes loop.c --
for option in '--output' '--output=' '--output --'; do wrong '--output needs a value' tasks loop.c $option; done
wrong '--output needs a value' tasks --output '' loop.c --
wrong '-i, --output and --diff exclude each other' tasks -i --output made loop.c --
wrong '-i, --output and --diff exclude each other' tasks --output made -i loop.c --
wrong '-i, --output and --diff exclude each other' tasks --diff -i loop.c --
wrong 'exclude each other' tasks -p . loop.c --
wrong '--output kept.c: this is a file' tasks --output kept.c loop.c --
wrong 'there is no file none.c' tasks none.c --
wrong 'folder is a folder: give the files in it' tasks folder --
wrong 'loop.f90 is no C or C++' tasks loop.c loop.f90 --
wrong 'how is loop.c compiled? Give the compiler and its flags behind --' tasks loop.c
wrong 'there is no compile_commands.json in none' tasks -p none loop.c
wrong 'there is no compile_commands.json in empty: CMake writes one with' tasks -p empty loop.c
wrong 'compile_commands.json in folder is none' tasks -p folder loop.c
wrong "there is no compiler 'mpicc.none'; behind -- stand the compiler" tasks loop.c -- mpicc.none
wrong "there is no compiler './loop.c'" tasks loop.c -- ./loop.c
if [[ $(id -u) != 0 ]]; then
  cp loop.c secret.c && chmod 000 secret.c
  wrong 'secret.c cannot be read: Permission denied' tasks secret.c --
  cp loop.c fixed.c && chmod a-w fixed.c
  ends 1 tasks -i loop.c fixed.c --
  grep -q 'nothing was written: .*/fixed.c may not be written' err || fail "fixed.c: $(< err)"
else
  not_tested 'files that may not be read or written' 'root may'
fi
cmp loop.c kept.c || fail 'a wrong command changes a file'
for help in --help -h 'tasks --help' 'port -i --help'; do
  ends 0 $help
  grep -q '^Usage: mpi2pure SUBCOMMAND' out || fail "$help prints no usage"
done
ends 0 --version
ends 0 tasks loop.f90 -- -x c

echo 'where it writes'
ends 0 tasks loop.c --
cmp loop.c kept.c || fail 'the file is changed where only a diff is asked for'
cp out a.diff
ends 0 tasks --output=made/here loop.c --
cmp loop.c kept.c || fail 'the file is changed where a folder is given'
patch -s -o patched.c loop.c < a.diff || fail 'the diff is none'
cmp patched.c made/here/loop.c || fail 'the diff and the folder differ'
ends 0 tasks -i loop.c --
cmp patched.c loop.c || fail 'the diff and the file differ'
ends 0 tasks loop.c --
[[ ! -s out ]] || fail "a second run changes $(< out)"
echo 'void f(' > broken.c # each file stands by itself
cp kept.c loop.c
ends 1 tasks -i broken.c loop.c --
grep -qF 'a file was not understood' err || fail "broken.c: $(< err)"
cmp patched.c loop.c || fail 'with a file that is not understood, another one is not changed'
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
