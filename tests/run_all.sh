#!/usr/bin/env bash
# `make test`: every test of the release build, then the unit and stress tests under the sanitizers.
# Goes on after a failed test, so that one run shows all failures; the last lines are the counts.
#
# Many tests mostly wait. The next builds go on meanwhile, with what the tests leave of the cores: a process that the
# kernel runs only where nobody else wants to (SCHED_IDLE) takes nothing from them.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

presets=(release asan tsan)
failed=0
summary=()

build() { # build PRESET
  make --no-print-directory "build/$1/build.ninja" && cmake --build "build/$1"
}

# build_ahead PRESET...: in the background, as far as it gets. What fails, fails again where it is shown.
ahead=
build_ahead() {
  (($# == 0)) && return
  mkdir -p build
  export -f build
  # A session of its own, so that all of it can be ended.
  # shellcheck disable=SC2016
  setsid nice -n 19 bash -c '
    command -v chrt > /dev/null && chrt --idle --pid 0 $$
    for preset in "$@"; do build "$preset" || exit; done' ahead "$@" > build/ahead.log 2>&1 < /dev/null &
  ahead=$!
}
stop_building() {
  [[ -z $ahead ]] && return
  kill -TERM -- "-$ahead" 2> /dev/null
  wait "$ahead" 2> /dev/null
  ahead=
}
trap stop_building EXIT

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
  ctest --preset "$preset" 2>&1 | tee "$log"
  [[ ${PIPESTATUS[0]} == 0 ]] || failed=1
  stop_building
  counts=$(grep -E '^[0-9]+% tests passed' "$log" || echo "no tests were run")
  summary+=("$preset: $counts ($((SECONDS - began)) s with the build)")
done

echo
echo "=== make test: $SECONDS s"
printf '%s\n' "${summary[@]}"
((failed)) && echo "make test: FAILED" || echo "make test: passed"
exit $failed
