#!/usr/bin/env bash
# A program with more rights than whoever starts it (set-user-ID, set-group-ID, file capabilities) is not led by that
# person's environment: no setting counts, no file is written, no library is loaded. purerun refuses it.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"
unset PURE_OTHER_JOBS # no setting, but those that are given

[[ $(id -u) == 0 ]] || skip 'only root makes set-user-ID programs'
id nobody > /dev/null 2>&1 && command -v setpriv > /dev/null || skip 'it needs the user nobody and setpriv'
[[ -e $PURETEST_BUILD_DIR/lib/libpure.so ]] || skip 'it needs the shared library'

cxx=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$PURETEST_BUILD_DIR/CMakeCache.txt")
chmod 755 .
mkdir -m 755 lib bin
mkdir -m 777 anybody
cp -P "$PURETEST_BUILD_DIR"/lib/libpure.so* lib/
cp "$(command -v purerun)" bin/
cat > app.cpp << 'END'
#include <pure.h>
#include <sys/auxv.h>
#include <cstdio>
int main() {
  int rank = -1, ranks = 0;
  pure_comm_rank(PURE_COMM_WORLD, &rank);
  pure_comm_size(PURE_COMM_WORLD, &ranks);
  if (rank == 0) std::printf("secure=%d ranks=%d\n", getauxval(AT_SECURE) != 0, ranks);
}
END
# LD_LIBRARY_PATH does not count either.
"$cxx" -std=c++17 -I "$support/../../include" app.cpp -o app -L lib -lpure -pthread -Wl,-rpath,"$work/lib" || fail "$cxx"
for kind in user group capable; do cp app $kind; done
chmod 4755 user
chmod 2755 group
chmod 755 app
kinds=(user group)
if setcap cap_net_raw+ep capable 2> err; then
  kinds+=(capable)
else
  not_tested "file capabilities" "setcap: $(cat err)"
fi

as_nobody() { timeout 60 setpriv --reuid nobody --regid nogroup --clear-groups "$@" > out 2> err < /dev/null; }

as_nobody ./app
usual=$(sed -n 's/^secure=0 ranks=//p' out)
[[ -n $usual ]] || fail "an ordinary program does not run: $(cat out err)"
more=$((usual + 3))
as_nobody env PURE_RANKS=$more ./app
[[ $(cat out) == "secure=0 ranks=$more" ]] || fail "an ordinary program is led by its environment: $(cat out err)"
as_nobody ./user
grep -q secure=1 out || skip "this file system gives set-user-ID programs no rights ($(cat out))"

echo secret > victim # nobody may read it, but not write to it
chmod 644 victim
device=$(stat -c %d victim)
for kind in "${kinds[@]}"; do
  as_nobody env ./$kind
  [[ $(cat out) == "secure=1 ranks=$usual" && ! -s err ]] || fail "$kind, with no variables: $(cat out err)"
  as_nobody bash -c 'exec 9< victim
    export PURE_LAUNCH_FD=$$:9:$0:$1 PURE_RANKS=$2 PURE_RANK=7 PURE_HOME=x PURE_STATS=on PURE_SPIN_US=no PURE_REPORT_BINDINGS=on
    export PURE_TRACE=$PWD/anybody/trace.json PURE_TUNING=/etc/shadow PURE_PLUGIN_DIR=$PWD/anybody PURE_NETWORK=x PURE_PROCESSES=2
    export HWLOC_COMPONENTS_VERBOSE=1 HWLOC_PLUGINS_PATH=$PWD/anybody HWLOC_XMLFILE=$PWD/anybody/x.xml HWLOC_SYNTHETIC="pu:64"
    ./'$kind'; :' "$device" "$(stat -c %i victim)" $more
  [[ $(cat out) == "secure=1 ranks=$usual" ]] || fail "$kind, with PURE_RANKS=$more: $(cat out err)"
  [[ $(grep -c 'PURE_\* variables count for nothing' err) == 1 && $(wc -l < err) == 1 ]] || fail "$kind says: $(cat err)"
  [[ $(cat victim) == secret ]] || fail "$kind writes to a file that its caller may only read"
  [[ -z $(ls anybody) ]] || fail "$kind leaves $(ls anybody)"
  # An MPI's variables would load its library.
  as_nobody env PMI_RANK=0 PMI_SIZE=2 PMI_FD=9 ./$kind
  [[ $? != 0 ]] || fail "$kind as one of two processes: it runs: $(cat out)"
  says "$kind as one of two processes" 'has more rights than whoever started it'
  as_nobody bin/purerun -n 2 ./$kind
  [[ $? == 126 && ! -s out ]] || fail "purerun starts $kind: $(cat out err)"
  grep -qE "(is set-user-ID|is set-group-ID|has file capabilities): for safety" err || fail "purerun of $kind says: $(cat err)"
done
as_nobody bin/purerun -n 2 ./app
[[ $(cat out) == 'secure=0 ranks=2' ]] || fail "purerun of an ordinary program: $(cat out err)"
timeout 60 purerun -n 2 ./user > out 2> err # root has all rights of it already
[[ $(cat out) == 'secure=0 ranks=2' ]] || fail "root's purerun of root's program: $(cat out err)"

finish
