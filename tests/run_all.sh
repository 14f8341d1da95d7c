#!/usr/bin/env bash
# `make test` and `make test-deep`: the parts of tests/suite.txt.
#
#   run_all.sh quick   what finds most for the time it takes, in the release build
#   run_all.sh deep    the rest of the release build's tests, then the unit and stress tests under the sanitizers
#
# Goes on after a failed test, so that one run shows all failures; the last lines are the counts, what was skipped, and
# what was not in it. A skipped test is a failure unless tests/may_skip.txt allows it, with CI=1 and wherever the set-up
# has done its work. A test that takes far longer than its row says is one, too.
#
# Many tests mostly wait. The next builds go on meanwhile, with what the tests leave of the cores: those of the deep
# part, and with PURETEST_DEEP_FOLLOWS=1 also while the quick ones run.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

part=${1:-}
case $part in
  quick) goal='make test' presets=(release) after=(asan) ;;
  deep) goal='make test-deep' presets=(release asan tsan) after=() ;;
  *)
    echo "usage: run_all.sh quick|deep" >&2
    exit 2
    ;;
esac
[[ ${PURETEST_DEEP_FOLLOWS:-} == 1 ]] || after=()
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
  run=(ctest --preset "$preset")
  if [[ $preset == release ]]; then
    run=(python3 tests/support/suite.py --run "$part" "build/$preset" "${run[@]}" -L "^$part\$")
  fi
  echo "=== $preset: build"
  if ! build "$preset"; then
    failed=1
    summary+=("$preset: the build failed")
    continue
  fi
  echo "=== $preset: tests"
  log=build/$preset/ctest.log
  build_ahead "${presets[@]:i+1}" "${after[@]}"
  PATH=$path "${run[@]}" 2>&1 | tee "$log"
  [[ ${PIPESTATUS[0]} == 0 ]] || failed=1
  stop_building
  counts=$(grep -aE '^[0-9]+% tests passed' "$log" || echo "no tests were run")
  summary+=("$preset: $counts ($((SECONDS - began)) s with the build)")
  summary+=("$(python3 tests/support/skipped.py "${strict[@]}" "$preset" "build/$preset")") || failed=1
  [[ $preset == release ]] || continue
  times=$(python3 tests/support/suite.py --times "$part" "build/$preset") || failed=1
  [[ -z $times ]] || summary+=("$times")
done

echo
echo "=== $goal: $SECONDS s"
printf '%s\n' "${summary[@]}"
if [[ $part == quick ]]; then
  others=$(python3 tests/support/suite.py --left-out quick build/release)
  echo "not in it: $others, AddressSanitizer and ThreadSanitizer: make test-deep"
else
  echo "not in it: what \`make test\` has, new seeds, all models, the other MPIs, Clang over all files (make soak),"
  echo "           planted mistakes (make mutations)"
fi
((failed)) && echo "$goal: FAILED" || echo "$goal: passed"
exit $failed
