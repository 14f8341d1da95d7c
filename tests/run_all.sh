#!/usr/bin/env bash
# `make test`: every test of the release build, then the unit and stress tests under the sanitizers.
# Goes on after a failed test, so that one run shows all failures; the last lines are the counts, and what was skipped. A
# skipped test is a failure unless tests/may_skip.txt allows it, with CI=1 and wherever the set-up has done its work.
#
# Many tests mostly wait. The next builds go on meanwhile, with what the tests leave of the cores.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

presets=(release asan tsan)
failed=0
strict=()
case ${CI:-} in 1 | true) strict=(--strict) ;; esac
# Where set-up has done its work, tests find the programs that it brings, and no others: one that a test has by chance is not
# there on the next machine.
path=$PATH
if bash cmake/setup.sh --check test; then
  strict=(--strict)
  if command -v dpkg-query > /dev/null; then
    # shellcheck disable=SC2046
    python3 tests/support/path_of_packages.py build/path_of_packages $(bash cmake/setup.sh --packages test) &&
      path=$PWD/build/path_of_packages
  fi
fi
summary=()

build() { # build PRESET
  make --no-print-directory "build/$1/build.ninja" && cmake --build "build/$1"
}

# build_ahead PRESET...: in the background, as far as it gets. What fails, fails again where it is shown.
#
# In a session of its own, so that all of it can be ended. Linux shares the cores among sessions first, where it groups
# them (sched_autogroup), and then inside each: the session has to give way, and so has each of its processes.
ahead=
build_ahead() {
  (($# == 0)) && return
  mkdir -p build
  export -f build
  # shellcheck disable=SC2016
  setsid nice -n 19 bash -c '
    [[ ! -w /proc/self/autogroup ]] || echo 19 > /proc/self/autogroup
    chrt --idle --pid 0 $$ || true
    for preset in "$@"; do build "$preset" || exit; done' ahead "$@" > build/ahead.log 2>&1 < /dev/null &
  ahead=$!
}
stop_building() {
  [[ -z $ahead ]] && return
  kill -TERM -- "-$ahead" 2> /dev/null
  wait "$ahead" 2> /dev/null
  # ninja removes what it has not finished, as late as it gets a core for that: not beside the next build.
  for ((tenths = 0; tenths < 100; ++tenths)); do
    kill -0 -- "-$ahead" 2> /dev/null || break
    ((tenths != 50)) || kill -KILL -- "-$ahead" 2> /dev/null
    sleep 0.1
  done
  ahead=
}
trap stop_building EXIT
trap 'exit 130' INT TERM

for i in "${!presets[@]}"; do
  preset=${presets[i]}
  began=$SECONDS
  echo "=== $preset: build"
  if ! build "$preset"; then
    failed=1
    summary+=("$preset: the build failed")
    continue
  fi
  echo "=== $preset: tests"
  log=build/$preset/ctest.log
  build_ahead "${presets[@]:i+1}"
  PATH=$path ctest --preset "$preset" 2>&1 | tee "$log"
  [[ ${PIPESTATUS[0]} == 0 ]] || failed=1
  stop_building
  counts=$(grep -aE '^[0-9]+% tests passed' "$log" || echo "no tests were run")
  summary+=("$preset: $counts ($((SECONDS - began)) s with the build)")
  summary+=("$(python3 tests/support/skipped.py "${strict[@]}" "$preset" "build/$preset")") || failed=1
done

echo
echo "=== make test: $SECONDS s"
printf '%s\n' "${summary[@]}"
((failed)) && echo "make test: FAILED" || echo "make test: passed"
exit $failed
