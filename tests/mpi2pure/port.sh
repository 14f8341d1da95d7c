#!/usr/bin/env bash
# mpi2pure port: translated programs print what they printed with MPI, as programs of pure.h on one rank and several, and
# still with MPI; what cannot be translated is reported; a second run changes nothing.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$work" || exit 1
headers=${PURETEST_HEADERS:-$(cd "$here/../../include" && pwd)}
most_beside=2
top=$work

# ported NAME STATUS FILE...: the files of the folder NAME, before and after.
ported() {
  local name=$1 status=$2 file ranks of_mpi=mpicc.mpich
  shift 2
  cd "$top/$name" || exit 1
  [[ $1 == *.c ]] || of_mpi=mpicxx.mpich
  mkdir -p before && cp ./*.* before
  ends "$status" port -i "$@" -- "$of_mpi"
  ((status != 0)) || grep -q ', left: 0$' err || fail "$name: $(< err)"
  (cd before && "$of_mpi" -O1 -w "$@" -o ../with_mpi) || fail "$name: before"
  purecxx -std=c++17 -O1 -w -I"$headers" "$@" -o with_pure || fail "$name: with Pure"
  mpicxx.mpich -std=c++17 -O1 -w -DPURE_OVER_MPI -idirafter "$headers" "$@" -o over_mpi || fail "$name: over MPI"
  for ranks in 1 2 4 8; do
    timeout 60 mpiexec.mpich -n "$ranks" ./with_mpi > expected || fail "$name: before, $ranks ranks, status $?"
    purerun_ends 0 -n "$ranks" ./with_pure
    cmp expected out || fail "$name prints something else with Pure, on $ranks ranks"
    ((ranks > 2)) && continue
    timeout 60 mpiexec.mpich -n "$ranks" ./over_mpi > out || fail "$name: over MPI, $ranks ranks, status $?"
    cmp expected out || fail "$name prints something else over MPI, on $ranks ranks"
  done
  mkdir -p again && cp ./*.* again
  ends "$status" port -i "$@" -- "$of_mpi"
  for file in "$@" *.h; do
    [[ ! -e $file ]] || cmp "$file" "again/$file" || fail "$name: a second run changes $file"
  done
}

echo 'programs'
mkdir ring classes owned
cp "$here/ports/ring.c" ring && echo 'long total = 5;' > ring/other.c
cp "$here/ports/"{classes.cpp,shared.h} classes && cp "$here/ports/shared.c" classes/shared.cpp
cp "$here/ports/"{owned.c,owned.h,owner.c} owned
beside ported ring 0 ring.c other.c
mkdir constants && cp "$here/ports/constants.c" constants
beside ported classes 0 classes.cpp shared.cpp
beside ported constants 0 constants.c
beside ported owned 0 owned.c owner.c
together

echo 'nothing changes but names, words before variables, and casts'
undone() {
  sed -E 's/PURE_RANK_LOCAL //; s/\((double|int|char) \*\)(malloc|in\b|inout\b)/\2/g; s/\bpure_mpi_|\bpure_/MPI_/g; s/\bPURE_MPI_|\bPURE_/MPI_/g;
    s|<MPI_names.h>|<mpi.h>|; s|<pure/mpi_names.h>|<mpi.h>|; s/_msg\b//g; s/\(MPI_User_function\*\)//' "$1" | tr 'A-Z' 'a-z'
}
grep -qF '"MPI_Send and MPI_COMM_WORLD";   // two blanks,	and a tab' ring/ring.c || fail 'a text or a comment is changed'
grep -qF '/* MPI_Send in a comment */' ring/ring.c || fail 'a comment is changed'
grep -qF 'MPI_MY_TAG 7' ring/ring.c || fail "a name of the program's own is changed"
cmp <(undone ring/before/ring.c) <(undone ring/ring.c) || fail 'more is changed'

echo 'line ends'
mkdir dos && sed 's/$/\r/' "$here/ports/ring.c" > dos/ring.c && printf 'long total = 5;\r\n' > dos/other.c
ends 0 port --output dos/made dos/ring.c dos/other.c -- mpicc.mpich
for file in ring.c other.c; do
  [[ $(grep -c . "dos/made/dos/$file") == $(grep -c $'\r$' "dos/made/dos/$file") ]] || fail "$file: some lines end in another way"
done

echo 'what is left'
cp "$here/ports/refused.cpp" .
ends 1 port -i refused.cpp -- mpicxx.mpich -std=c++17 -fopenmp
while IFS=: read -r line text; do
  wanted=${text##*// @ }
  grep -qF -- "$wanted" <<< "$(grep -F "refused.cpp:$line: " err)" || fail "refused.cpp:$line is not left because '$wanted', but: $(< err)"
done < <(grep -nF '// @ ' "$here/ports/refused.cpp")
grep -qF 'in_thread is used by a thread that the program starts' err || fail "in_thread: $(< err)"
[[ $(grep -c '^PURE_RANK_LOCAL' refused.cpp) == 1 ]] || fail "a variable is changed that stays: $(grep PURE_RANK_LOCAL refused.cpp)"

echo 'a file that is not understood: no file is changed'
mkdir half && cd half || exit 1
printf '#include <mpi.h>\nextern int shared;\nstatic int rank;\n' > all.h
printf '#include "all.h"\nint shared;\nint main(void) { return shared + rank + MPI_SUCCESS; }\n' > main.c
printf '#include "all.h"\nint next(void) { return ++shared\n' > broken.c
printf '#include "all.h"\n#ifdef BROKEN\nint next(\n#endif\n' > twice.c
mkdir ../half.kept && cp ./* ../half.kept
stays_whole() { # stays_whole FILE ARGUMENT...
  local file=$1
  shift
  ends 1 port "$@"
  grep -qF "mpi2pure: nothing was written: $file was not understood" err || fail "mpi2pure port $*: $(< err)"
  [[ ! -s out ]] || fail "mpi2pure port $*: $(< out)"
  rm -f out err
  diff -r ../half.kept . || fail "mpi2pure port $* changes something"
}
stays_whole broken.c -i main.c broken.c -- mpicc.mpich
stays_whole broken.c --output made broken.c main.c -- mpicc.mpich
stays_whole broken.c main.c broken.c -- mpicc.mpich
ends 0 port -i main.c twice.c -- mpicc.mpich
cp ../half.kept/* .
mkdir build # in which one file is compiled twice, and understood once
compiled() { printf '{"directory": "%s", "file": "%s", "command": "mpicc.mpich %s -c %s"}' "$PWD" "$1" "${2-}" "$1"; }
echo "[$(compiled main.c), $(compiled twice.c), $(compiled twice.c -DBROKEN)]" > build/compile_commands.json
cp -r build ../half.kept
stays_whole twice.c -i -p build main.c twice.c
cd ..

echo 'the mpi.h of each MPI: the same comes out'
cp constants/before/constants.c .
translated() { # translated COMPILER: as C and as C++, with what is said
  "$mpi2pure" port constants.c -- "$1" 2>&1
  "$mpi2pure" port constants.c -- "$1" -x c++ 2>&1
}
translated purecc > with_pure
grep -q '^+.*= PURE_COMM_WORLD' with_pure || fail "with Pure's mpi.h: $(< with_pure)"
same_with() { # same_with NAME COMPILER
  diff with_pure <(translated "$2") || fail "with the mpi.h of $1, another translation"
}
for family in mpich openmpi; do
  rival=$here/../../build/rivals/$family/bin/mpicc
  if command -v "mpicc.$family" > /dev/null; then same_with "$family" "mpicc.$family"; else not_tested "$family" 'not installed'; fi
  if [[ -x $rival ]]; then same_with "$family-current" "$rival"; else not_tested "$family-current" 'bench/rivals has not installed it'; fi
done
# A wrapper may put what it prints between quotes.
mkdir quoted && cp constants.c quoted && ln -s "$(mpicc.mpich -show | tr ' ' '\n' | sed -n 's/^-I//p')" 'of an MPI'
printf '#!/bin/sh\necho "gcc -I\\"%s/of an MPI\\" -lmpi"\n' "$PWD" > mpicc_quoting && chmod +x mpicc_quoting
cd quoted && ends 0 port constants.c -- ../mpicc_quoting && cd ..

echo 'with tasks: no chunk names what each rank has of its own'
cat > hybrid.cpp << 'END'
#include <mpi.h>
static double factor, other;
void scale(int n, double* x) {
  other = factor;
#pragma omp parallel for
  for (int i = 0; i < n; i++) x[i] *= factor;
}
END
cp hybrid.cpp both_ways.cpp
ends 0 tasks -i hybrid.cpp -- mpicxx.mpich
ends 1 port -i hybrid.cpp -- mpicxx.mpich
grep -qE 'hybrid.cpp:[0-9]+: factor is used by threads of OpenMP, or by chunks' err || fail "tasks, then port: $(< err)"
! grep -q PURE_RANK_LOCAL hybrid.cpp || fail 'tasks, then port: a chunk names a variable of each rank'
ends 0 port -i both_ways.cpp -- mpicxx.mpich
for of_mpi in "purecxx -std=c++17" "mpicxx.mpich -DPURE_OVER_MPI"; do
  # shellcheck disable=SC2086 # words of a command
  ends 1 tasks both_ways.cpp -- $of_mpi -idirafter "$headers"
  grep -qF "'factor' is thread-local: a chunk" err || fail "port, then tasks with $of_mpi: $(< err)"
done

echo 'fuzzed declarations'
for seed in 1 2 3; do
  end=cpp
  ((seed % 2 == 0)) && end=c
  python3 "$here/fuzzed_globals.py" "$seed" "fuzzed$seed" "$end" || fail "seed $seed"
  beside ported "fuzzed$seed" 0 "main.$end" "other.$end"
done
together
finish
