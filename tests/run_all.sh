#!/usr/bin/env bash
# `make test`: every test of the release build, then the unit and stress tests under the sanitizers.
# Goes on after a failed test, so that one run shows all failures; the last lines are the counts.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

failed=0
summary=()

for preset in release asan tsan; do
  began=$SECONDS
  echo "=== $preset: build"
  if ! make --no-print-directory "build/$preset/build.ninja" || ! cmake --build "build/$preset"; then
    failed=1
    summary+=("$preset: the build failed")
    continue
  fi
  echo "=== $preset: tests"
  log=build/$preset/ctest.log
  ctest --preset "$preset" 2>&1 | tee "$log"
  [[ ${PIPESTATUS[0]} == 0 ]] || failed=1
  counts=$(grep -E '^[0-9]+% tests passed' "$log" || echo "no tests were run")
  summary+=("$preset: $counts ($((SECONDS - began)) s with the build)")
done

echo
echo "=== make test: $SECONDS s"
printf '%s\n' "${summary[@]}"
((failed)) && echo "make test: FAILED" || echo "make test: passed"
exit $failed
