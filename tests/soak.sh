#!/usr/bin/env bash
# The models, with those that take long, and the parts of other tests that the suite has no time for (PURETEST_SOAK); then
# the stress tests again and again, in the three builds in turn, until MINUTES are over or one fails: soak.sh MINUTES
# Every other round runs beside a busy loop on each core; rounds of the release build also run the tests of networks, and of
# programs that are loaded, in turn.
# Each round sets PURETEST_SEED to a new number, prints it, and is repeated by setting it again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
minutes=${1:-60}
[[ $minutes =~ ^[1-9][0-9]*$ ]] || { echo "soak: '$minutes' is not a number of minutes" >&2; exit 2; }

presets=(release tsan asan)
for preset in "${presets[@]}"; do
  make --no-print-directory "build/$preset/build.ninja"
  cmake --build "build/$preset"
done

echo "=== models, the large ones, too"
PURETEST_MODELS=all ctest --test-dir build/release -L model --output-on-failure --no-tests=error

echo "=== 10^9 items of an aggregation: memory stays flat"
PURETEST_ITEMS=${SOAK_ITEMS:-1000000000} build/release/tests/stress --gtest_filter='aggregation_stress.memory_is_flat*'

echo "=== 10,000 starts and ends of processes that share memory: nothing is left"
PURETEST_STARTS=${SOAK_STARTS:-10000} PURETEST_BUILD_DIR=$PWD/build/release PATH=$PWD/build/release/bin:$PATH \
  bash tests/net/own_many.sh

echo "=== Clang over all files, and planted mistakes of benchmarks"
PURETEST_SOAK=1 ctest --test-dir build/release --output-on-failure --no-tests=error \
  -R '^(house\.other_builds|bench\.aggregation)$'

# Takes the cores that a test believes to have.
loops=()
load() {
  local i
  for ((i = $(nproc); i > 0; --i)); do
    (while :; do :; done) &
    loops+=($!)
  done
}
unload() {
  ((${#loops[@]} == 0)) || kill "${loops[@]}" 2> /dev/null || true
  wait "${loops[@]}" 2> /dev/null || true
  loops=()
}
trap unload EXIT

end=$((SECONDS + minutes * 60)) # what was before does not count
rounds=0
while ((SECONDS < end)); do
  export PURETEST_SEED=$((SRANDOM & 0x7fffffff))
  preset=${presets[rounds % ${#presets[@]}]}
  beside=
  if ((rounds / ${#presets[@]} % 2 == 1)); then
    load
    beside=', beside busy loops'
  fi
  echo "=== round $((++rounds)): $preset$beside, PURETEST_SEED=$PURETEST_SEED, $(((end - SECONDS) / 60)) minutes left"
  ctest --test-dir "build/$preset" -L stress --output-on-failure --no-tests=error
  if [[ $preset == release ]]; then # 100 000 windows: what each of them left behind would be seen
    PURETEST_SCALE=34 PURETEST_DEADLINE_S=900 "build/$preset/tests/stress" windows_many_test.cpp
    # The random programs between processes that share memory: a start costs little there.
    PURETEST_NETWORKS=none PURETEST_SCALE=3 ctest --test-dir "build/$preset" --output-on-failure --no-tests=error \
      -R '^net\.(oracle|streams|windows|aggregations)$'
    PURETEST_MPIS=all ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -R '^(net|loader|mpi_abi)\.'
  fi
  unload
done
echo "soak: $rounds rounds passed"
