#!/usr/bin/env bash
# What purerun decides that a rank is, and how it says so: nothing of the programs runs here, for a copy of purerun has a
# launcher that only prints what it was told. $1: the C++ compiler of the build, which compiles them as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
build=${PURETEST_BUILD_DIR:?the build directory} compiler=${1:?a compiler}
cd "$work" || exit 1
mkdir -p own/bin own/lib
cp "$build/bin/purerun" own/bin && cp "$build/lib/libmpi_abi.so.1" "$build"/lib/libpure.so.* own/lib || fail "no copy of purerun"
cat > own/lib/pure_ranks_mpi << 'EOF'
#!/bin/sh
echo "loads $PURE_LOAD as $PURE_LOAD_NAME, ranks are $PURE_RANKS_AS, arguments are $*"
EOF
chmod +x own/lib/pure_ranks_mpi
PATH=$work/own/bin:$PATH

# made NAME STATEMENT FLAG...: a program that has that statement, and calls MPI.
made() {
  local name=$1 statement=$2
  shift 2
  printf '%s\n' '#define _GNU_SOURCE' '#include <mpi.h>' '#include <fcntl.h>' '#include <signal.h>' '#include <stdio.h>' \
    '#include <stdlib.h>' '#include <time.h>' '#include <unistd.h>' 'int counter = 3; _Thread_local char own[40];' \
    "int main(int n, char** v) { MPI_Init(&n, &v); $statement; return MPI_Finalize() + own[1]; }" > "$name.c"
  "$compiler" -x c -w -I "$build/mpi/include" "$name.c" -x none -o "$name" -L "$build/lib" -lmpi_abi "$@" || fail "$name.c"
}
# says TEXT: that is the whole of what was said, in one line of purerun's; '' for silence.
says() {
  [[ $(< err) == "${1:+purerun: $1}" ]] || fail "it should say '$1', not: $(< err)"
}
# chooses WHAT ARGUMENT...: the program, of three ranks, is loaded, executed by processes, or executed once.
chooses() {
  local what=$1 command
  shift
  purerun_ends 0 -n 3 --dry-run "$@"
  command=$(< out)
  case $what in
    loads) [[ $command == *"PURE_LOAD=$work/"*" PURE_RANKS_AS=threads "*"$work/own/lib/pure_ranks_mpi"* ]] ;;
    processes) [[ $command == *PURE_PROCESSES=3* && $command != *pure_ranks_mpi* ]] ;;
    shares) [[ $command == *PURE_RANKS_AS=threads* && $command != *pure_ranks_mpi* && $command != *PURE_PROCESSES=* ]] ;;
    once) [[ $command != *pure_ranks_mpi* && $command != *PURE_PROCESSES=* && $command != *PURE_RANKS_AS=* ]] ;;
  esac || fail "$*: not $what: $command"
}

echo 'by what the program is'
made clean ''
chooses loads ./clean && says './clean: ranks are threads with globals of their own.'
chooses loads --ranks-as auto ./clean && says './clean: ranks are threads with globals of their own.'
chooses loads --ranks-as threads ./clean && says ''
chooses loads --globals private ./clean && says ''
chooses processes --ranks-as processes ./clean && says ''
chooses shares --globals shared ./clean
says 'warning: as threads the ranks share 1 writable global variable: counter (`pure globals ./clean`)'
chooses shares --ranks-as threads --globals shared ./clean
chooses loads --ranks-as threads -N 1 ./clean
strip -o bare clean
chooses loads ./bare && says './bare: ranks are threads with globals of their own.'
made fixed '' -no-pie -fno-pie
chooses processes ./fixed && says './fixed: ranks are processes, since it is not position independent.'
purerun_ends 126 -n 3 --ranks-as threads ./fixed
grep -qF 'Compile it with -fPIE' err && grep -qF -- '--ranks-as processes' err || fail "fixed, as threads: $(< err)"
chooses processes --ranks-as auto ./fixed
purerun_ends 3 -n 3 ./clean 'a b' c # the launcher here starts no rank
[[ $(< out) == "loads $work/clean as ./clean, ranks are threads, arguments are a b c" ]] || fail "it prints $(< out)"
PURE_LOAD=/of/another/job purerun_ends 3 -n 3 ./clean
grep -qF "loads $work/clean as" out || fail "what an outer job loads counts: $(< out)"

echo 'by what it does to its process'
kind=loads # where the kernel gives each rank a working directory of its own: CLONE_FS
python3 -c 'import ctypes; exit(ctypes.CDLL(None).unshare(0x200) != 0)' || kind=processes
for call in 'chdir("/")' 'umask(7)'; do
  made moves "$call"
  chooses $kind ./moves
done
for call in 'fork()' 'pause()' 'setsid()' 'dup2(1, 2)' 'fcntl(3, F_SETLK, 0)' 'sbrk(8)' \
  'wait4(-1, 0, 0, 0)' 'close_range(3, 9, 0)' 'ulimit(2, 9)' 'register_printf_function(0, 0, 0)' \
  're_comp("a")' 'argp_parse(0, 0, 0, 0, 0, 0)'; do
  made does "$call"
  chooses processes ./does && says "./does: ranks are processes, since it calls ${call%%(*}."
done
for variable in error_message_count re_syntax_options argp_program_version __fpu_control; do # as copies, and defined
  made names "extern int $variable; printf(\"%d\", $variable)"
  chooses processes ./names && says "./names: ranks are processes, since it uses $variable."
done
made defines '}; char* argp_program_version = "1"; int other() { return 0'
chooses processes ./defines && says './defines: ranks are processes, since it uses argp_program_version.'
made sets 'setenv("PURE_SPIN_US", "5", 1)'
chooses processes ./sets && says './sets: ranks are processes, since it sets variables of Pure (PURE_).'
made does 'sbrk(8)'
chooses loads --ranks-as threads ./does
says 'warning: ./does: as threads the ranks share the end of the heap, and it calls sbrk.'
for call in 'system("true")' 'clock()' 'getchar()' 'getenv("HOME")' 'setenv("A", "b", 1)' 'putenv("A=b")' 'clearenv()' \
  'raise(SIGABRT)' 'abort()' 'signal(SIGTERM, SIG_IGN)' \
  'sigaction(SIGTERM, 0, 0)' 'alarm(3)' 'freopen("x", "w", stdout)' 'getpid()' 'write(1, v[0], 1)'; do
  made harmless "$call"
  chooses loads ./harmless && says './harmless: ranks are threads with globals of their own.'
done
for call in 'system("true")' 'write(1, v[0], 1)'; do # which go where stdout was before
  made reopens "freopen(\"x\", \"w\", stdout); $call"
  chooses processes ./reopens && says "./reopens: ranks are processes, since it calls freopen beside ${call%%(*}."
done
echo 'int fork(void); int own_move(void) { return fork(); }' > own.c
"$compiler" -x c -shared -fPIC own.c -o libown.so || fail libown.so
made with_library 'extern int own_move(void); own_move()' -L. -lown -Wl,-rpath,"$work"
chooses processes ./with_library && says './with_library: ranks are processes, since its library libown.so calls fork.'
echo 'int nothing_more;' > python.c
"$compiler" -x c -shared -fPIC python.c -Wl,-soname,libpython3.so -o libpython3.so || fail libpython3.so
made scripted '' -Wl,--no-as-needed -L. -lpython3 -Wl,-rpath,"$work"
chooses processes ./scripted && says './scripted: ranks are processes, since it needs libpython3.so.'
printf '%s\n' '#include <stddef.h>' 'void* malloc(size_t n) { return 0; }' 'void free(void* p) {}' 'int kept;' > kept.c
for name in libkept libfastalloc; do # each has more, but the one says that it is an allocator
  "$compiler" -x c -w -shared -fPIC -fno-builtin kept.c -Wl,-soname,$name.so -o $name.so || fail $name
  made with_$name '' -Wl,--no-as-needed -L. -l${name#lib} -Wl,-rpath,"$work"
done
chooses processes ./with_libkept
says './with_libkept: ranks are processes, since its library libkept.so has a malloc of its own.'
chooses loads ./with_libfastalloc && says './with_libfastalloc: ranks are threads with globals of their own.'
LD_PRELOAD=$work/libown.so chooses processes ./clean
says './clean: ranks are processes, since LD_PRELOAD has libown.so.'
rm libown.so
purerun_ends 127 -n 3 ./with_library
says "./with_library cannot be started: libown.so: not found; it is needed by ./with_library."

echo 'of several processes'
chooses loads -N 2 ./clean
grep -qF PURE_NETWORK=shm out || fail "an MPI connects processes of Pure's own: $(< out)"
purerun_ends 0 -n 2 -N 2 --mpi none --dry-run ./clean && says '' # each is one rank, as it stands
[[ $(< out) != *PURE_LOAD* ]] || fail "one rank each: $(< out)"

echo 'of pure.h'
cp own/lib/pure_ranks_mpi own/lib/pure_ranks_h && cp -P "$build"/lib/libpure.so* own/lib || fail libpure.so
export LD_LIBRARY_PATH=$work/own/lib # before what a program says, as where it was installed
for main in 'main() {}' 'main(int n, char** v) { return pure::run(n, v, [] {}); }'; do
  header=pure.h
  [[ $main != *run* ]] || header=pure/pure.hpp
  echo "#include <$header>
int $main" > of_pure.cpp
  "$build/bin/purecxx" of_pure.cpp -o of_pure || fail "of_pure.cpp: $main"
  chooses once ./of_pure && says ''
  if [[ $main == *run* ]]; then
    purerun_ends 126 -n 3 --globals private ./of_pure
    grep -qF 'since it starts its ranks itself (pure::run).' err || fail "pure::run: $(< err)"
  else
    purerun_ends 0 -n 3 --dry-run --globals private ./of_pure && says ''
    grep -qF "PURE_LOAD=$work/of_pure " out && grep -qF " $work/own/lib/pure_ranks_h" out || fail "pure.h: $(< out)"
  fi
  chooses processes --ranks-as processes ./of_pure && says ''
done
unset LD_LIBRARY_PATH

echo 'without an MPI'
echo 'int main(void) { return 0; }' > plain.c
"$compiler" -x c plain.c -o plain && "$compiler" -x c plain.c -o plain_fixed -no-pie -fno-pie || fail plain.c
echo 'int execvp(const char*, char**); int main(int n, char** v) { return execvp(v[1], v + 1); }' > wrapper.c
"$compiler" -x c wrapper.c -o wrapper || fail wrapper.c
chooses loads ./plain && says './plain: each rank runs it by itself, as a thread.'
chooses processes ./plain_fixed
says './plain_fixed: each rank runs it by itself, as a process, since it is not position independent.'
purerun_ends 0 -n 3 ./plain_fixed # and that is as it should be
chooses processes --ranks-as processes ./plain && says ''
chooses processes ./wrapper
says './wrapper: ranks are processes, since it is not built with Pure, and may start a program that is.'
printf '#!/bin/sh\ntrue\n' > script && chmod +x script
chooses processes ./script && says './script: ranks are processes, since it is a script.'
echo true > no_first_line && chmod +x no_first_line
chooses processes ./no_first_line && says './no_first_line: ranks are processes, since it is a script.'
chooses processes --ranks-as processes ./script && says ''
chooses processes ./wrapper ./clean
for kind in '--ranks-as threads' '--globals shared'; do chooses once $kind ./script && says ''; done
purerun_ends 0 -n 1 --dry-run ./script && says '' # a process is what it is anyway
chooses once ./wrapper every_rank && says '' # of pure.h
PMI_RANK=0 PMI_SIZE=2 chooses once ./script && says ''
purerun_ends 0 -n 3 ./wrapper true
purerun_ends 3 -n 3 --ranks-as threads ./wrapper true
echo 'int nothing_more;' > none.c
"$compiler" -x c -shared -fPIC none.c -Wl,-soname,libmpi.so.20 -o libmpi.so.20 &&
  "$compiler" -x c plain.c -x none -o foreign -Wl,--no-as-needed ./libmpi.so.20 -Wl,-rpath,"$work" || fail foreign
purerun_ends 0 -n 3 ./wrapper ./foreign
says 'warning: ./foreign is built for libmpi.so.20 (Open MPI, before its version 4), not for Pure: each of the processes that ./wrapper starts is alone.'

echo 'wrong words'
purerun_ends 2 --globals mine ./clean && grep -qF -- '--globals mine: it is private or shared.' err || fail "$(< err)"
purerun_ends 2 --globals private --ranks-as processes ./clean
purerun_ends 2 --globals '' ./clean

echo 'explained'
explains() { # explains STATUS PROGRAM TEXT...: that is what it says, and it fits a terminal
  local status=$1 program=$2 text
  shift 2
  purerun_ends "$status" --explain -n 4 "$program" an argument
  for text; do grep -qF -- "$text" out err || fail "--explain $program: no '$text' in: $(< out) $(< err)"; done
  [[ -z $(awk 'length > 80' out) ]] || fail "--explain $program: more than 80 columns: $(< out)"
}
made shows 'srand(1); clock(); system("true"); extern int own_move(void); if (n > 9) own_move()' -x c own.c -x none
explains 0 ./shows './shows: ranks are processes, since it calls fork.' './shows ' 'thread_local 40 bytes' 'srand' \
  'All ranks share' libc.so.6 libmpi_abi.so.1 "child processes, which have all ranks' memory (it calls fork)" 'child processes (it calls system)' clock 'for 4 ranks'
explains 0 ./clean './clean: ranks are threads with globals of their own.' 'writable'
explains 0 ./fixed 'ranks are processes' 'Compile it with -fPIE'
explains 0 ./wrapper 'ranks are processes, since it is not built with Pure'
explains 0 ./plain 'each rank runs it by itself'
explains 127 ./nothing 'there is no such file'
explains 127 ./with_library 'libown.so: not found'
finish
