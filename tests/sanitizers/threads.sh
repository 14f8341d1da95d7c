#!/usr/bin/env bash
# ThreadSanitizer, for users: a program and a libpure that are both built with it. A correct program has no report; one
# with a race has reports of that race only, with its lines.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
export PURE_CHECK=0 # the library of this build is a debug build, which checks

build right c++20 -fsanitize=thread &
build right_c c++17 -fsanitize=thread
build hybrid c++17 -fsanitize=thread &
build racy c++20 -fsanitize=thread
wait
[[ -x right && -x right_c && -x racy && -x hybrid ]] || finish

# runs STATUS COMMAND...: ends so; what it says is in `err`.
runs() {
  local got
  alone timeout 100 env "${@:2}" > out 2> err < /dev/null
  got=$?
  [[ $got == "$1" ]] || fail "$*: status $got; it says: $(cat out err)"
}

# silent COMMAND...: a correct program.
silent() {
  runs 0 "$@"
  if grep -q 'ThreadSanitizer' err; then fail "$*: $(cat err)"; fi
}

# Several times, for other orders of the same things; with what else looks at messages and memory, too.
silent ./right
silent PURE_STATS=1 PURE_TRACE="$work/trace.json" ./right
grep -q 'pure: what 4 ranks did' err || fail "no statistics: $(cat err)"
[[ -s trace.json ]] || fail 'no timeline'
silent PURE_CHECK=1 ./right
silent PURE_RANKS=1 ./right_c
silent PURE_RANKS=4 ./right_c
silent PURE_RANKS=4 PURE_SPIN_US=0 ./right_c

# Ranks with threads of their own: what these share with their rank is the program's to order.
silent PURE_RANKS=1 ./hybrid
silent PURE_RANKS=3 ./hybrid
silent PURE_RANKS=4 PURE_SPIN_US=0 ./hybrid
runs 66 PURE_RANKS=3 ./hybrid early
grep -qE "hybrid\.cpp:($(lines hybrid early | xargs | tr ' ' '|'))\b" err || fail "hybrid early: $(cat err)"

# reported KIND: each report names two accesses, and each of these one of the lines with that mark.
reported() {
  runs 66 PURE_RANKS=3 ./racy "$1" # ThreadSanitizer's own status
  awk -v marked="$(lines racy "$1")" '
    /^WARNING: ThreadSanitizer: / { ++reports; if (!/: data race /) exit bad = 1 }
    /^  (Previous )?([Aa]tomic )?([Rr]ead|[Ww]rite) of size / { ++accesses; looks = 1 }
    /^$/ { looks = 0 }
    looks && match($0, /racy\.cpp:[0-9]+/) && index(marked, " " substr($0, RSTART + 9, RLENGTH - 9) " ") { ++at; looks = 0 }
    END { exit bad || !(reports > 0 && accesses == 2 * reports && at == accesses) }' err ||
    fail "racy $1: not the lines$(lines racy "$1")in every report: $(cat err)"
}
for kind in rows capture global window put isend chunks; do reported "$kind"; done
# Who polls for long has forgotten, by the time that another one writes, with which stack it has read.
runs 66 PURE_RANKS=3 ./racy polling
grep -qE "racy\.cpp:($(lines racy polling | xargs | tr ' ' '|'))\b" err || fail "racy polling: $(cat err)"

# A hang explains itself as ever: each rank with its stack.
runs 1 PURE_RANKS=3 ./racy hang
grep -q 'cycle: rank 0 waits for 1 waits for 2 waits for 0' err || fail "racy hang: $(cat err)"
grep -q 'racy\.cpp:'"$(lines racy hang | tr -d ' ')" err || fail "racy hang: no line in: $(cat err)"
if grep -q 'did not answer' err; then fail "racy hang: a rank without a stack: $(cat err)"; fi

# In several processes: of an MPI, which is not built with it, ThreadSanitizer sees the locks only. Open MPI takes some in
# two orders as it starts (docs/debugging.md).
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for family in mpich openmpi; do
  if [[ ! -e $PURETEST_BUILD_DIR/lib/libpure_net_$family.so ]]; then
    not_tested "processes over $family" 'it is not installed'
    continue
  fi
  options=() two_orders=1
  [[ $family != openmpi ]] || options=(--oversubscribe) two_orders=0
  silent PURE_RANKS=4 TSAN_OPTIONS=detect_deadlocks=$two_orders mpiexec.$family "${options[@]}" -n 2 ./right_c
done

# What `make install-tsan` installs of such a build: the library and its plug-ins, in a folder of their own.
cmake --install "$PURETEST_BUILD_DIR" --prefix "$work/prefix" > out || fail "cmake --install: $(cat out)"
libraries=$(dirname "$(find prefix -name libpure.so)")
[[ $libraries == prefix/lib*/pure/tsan ]] || fail "the library is in '$libraries'"
for file in "$PURETEST_BUILD_DIR"/lib/*.so; do
  [[ -e $libraries/${file##*/} ]] || fail "${file##*/} is not installed"
done
[[ -z $(find prefix ! -type d ! -path "$libraries/*") ]] || fail "installed besides: $(find prefix ! -type d)"
silent LD_LIBRARY_PATH="$work/$libraries" PURE_RANKS=2 ./right_c
finish
