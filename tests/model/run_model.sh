#!/usr/bin/env bash
# Checks one SPIN model exhaustively: run_model.sh FILE.pml
#
# The model's header says what to run:
#   must hold: -DNAME=2 ...      the whole state space, no error; a line without options is the plain model
#   must fail: -DMUTATE_NAME     the same with the model broken on purpose: SPIN has to find an error
#   in soak, must hold: ...      a state space that takes long: only with PURETEST_MODELS=all (make soak)
# An answer follows from the text: tests/model/answers.txt has, for each model, a hash of its text, of this script and of
# SPIN's version, with which all of that was found to be so. A model that has not changed is not checked again, but with
# PURETEST_MODELS=all; `run_model.sh --record FILE.pml` checks it, and writes its line.
#
# The second kind is the proof that the check can fail. With TRAIL=1 in the environment, the steps to the first
# unexpected error are printed. The header's lines `models: FILE: FUNCTION, ...` are for tests/house/models.py.
set -euo pipefail

record=
[[ ${1:-} != --record ]] || { record=1 && shift; }
model=$(realpath "$1")
command -v spin >/dev/null || { echo "spin is not installed (Debian: apt-get install spin)" >&2; exit 1; }
grep -q 'must hold:' "$model" && grep -q 'must fail:' "$model" || {
  echo "$model: the header names no 'must hold:' or no 'must fail:' line" >&2
  exit 1
}
unlisted=$(grep -o 'MUTATE_[A-Z_]*' "$model" | sort -u | while read -r name; do
  grep -q "must fail:.*-D$name\b" "$model" || echo "$name"
done)
[[ -z $unlisted ]] || { echo "$model: no 'must fail:' line for" $unlisted >&2; exit 1; }

name=$(basename "$model" .pml)
script=$(realpath "${BASH_SOURCE[0]}")
answers=$(dirname "$model")/answers.txt
includes=$(sed -nE 's/^#include "(.*)"$/\1/p' "$model")
# shellcheck disable=SC2086
hash=$({ spin -V && cd "$(dirname "$model")" && cat "$model" $includes "$script"; } | sha256sum | cut -c1-16)
if [[ -z $record && ${PURETEST_MODELS:-} != all ]] && grep -qxF "$name $hash" "$answers"; then
  echo "$name: its text has not changed since all of it was found to be as it must (answers.txt)"
  exit 0
fi

# Most of the time goes into the compiler, and tcc takes 0.04 s where gcc takes a second.
compiler=$(command -v tcc || echo gcc)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# check OPTIONS: leaves the report in the file `report`; sets `found` to hold or fail.
check() {
  # Only safety is checked (assertions, deadlocks), so progress and acceptance code is left out. 22 bits of hash table
  # to begin with; memory is limited so that a model that has grown too large fails and does not swap. States are not
  # compressed: SPIN's default (without -DNOCOMP) takes a fifth longer, -DCOLLAPSE two to six times as long.
  spin -a $1 "$model" >spin.log 2>&1 && [[ ! -s spin.log ]] || { cat spin.log >&2; exit 1; }
  "$compiler" $optimize -w -DSAFETY -DNOFAIR -DNOCOMP -DVECTORSZ=4096 -DMEMLIM=3000 -o pan pan.c || exit 1
  ./pan -m3000000 -w22 -n >report 2>&1 || true
  if grep -qE 'out of memory|MEMLIM bound|max search depth too small|VECTORSZ|hash-table overflow' report; then
    found=
  elif grep -q 'errors: 0$' report; then
    found=hold
  elif grep -qE '^pan:[0-9]+: (assertion violated|invalid end state)' report; then
    found=fail
  else
    found=
  fi
  [[ $found ]] || { cat report >&2; echo "$model ($1): the search was not complete" >&2; exit 1; }
}

failed=0
while IFS= read -r line; do
  [[ $line != *'in soak,'* || ${PURETEST_MODELS:-} == all ]] || continue
  expected=$(grep -oE 'hold|fail' <<<"$line" | sed -n 1p)
  options=$(grep -oE -- '-D[A-Z_a-z0-9]+(=[0-9]+)?' <<<"$line" | tr '\n' ' ' || true)
  [[ $expected == hold ]] && optimize=-Og || optimize=-O0
  began=$SECONDS
  check "$options"
  states=$(grep -oE '[0-9.e+]+ states, stored' report | cut -d' ' -f1)
  error=$(grep -oE 'pan:[0-9]+: .*' report | sed -n 1p | cut -d' ' -f2- || true)
  printf '%-5s %-48s %9s states %3d s  %.100s\n' "${found}s" "${options:-(plain)}" "$states" $((SECONDS - began)) "$error"
  if [[ $found != "$expected" ]]; then
    failed=1
    echo "$model (${options:-plain}): must $expected, but ${found}s" >&2
    if [[ $found == fail && ${TRAIL:-0} == 1 ]]; then spin -t -p -g $options "$model" >&2 || true; fi
  fi
done < <(grep -E 'must (hold|fail):' "$model")
if [[ $record && $failed == 0 ]]; then
  { grep -v "^$name " "$answers" || true; echo "$name $hash"; } 2> /dev/null | LC_ALL=C sort > answers
  cp answers "$answers"
fi
exit $failed
