# For scripts that check several things: a folder to work in, and what happens when a check fails.

set -uo pipefail

support=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

unset "${!PURE_@}" # the settings of whoever runs the tests
export PURE_OTHER_JOBS=ignore # where ranks run is not to depend on tests that run at the same time
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# not_tested WHAT WHY: this part of the script tests nothing here. tests/run_all.sh names it in its summary, and takes it
# for a failure where tests/may_skip.txt does not allow it.
not_tested() {
  echo "SKIPPED: $1: $2"
}

# skip WHY: ends the script, of which nothing, or nothing more, can be tested here.
skip() {
  not_tested 'all of it' "$*"
  ((failures == 0)) || finish
  exit 77
}

# site CASE.WORD: where a program of tests/programs has the line with that mark, //@ CASE.WORD: "check_calls.cpp:27".
site() {
  local found
  found=$(cd "$support/../programs" && grep -nE "//@ $1\$" check_*.?pp | cut -d: -f1,2)
  [[ -n $found ]] || fail "no line is marked $1"
  echo "$found"
}

# purerun_ends STATUS ARGUMENT...: purerun with these arguments ends so. What it says is in the files out and err.
purerun_ends() {
  local status=$1 got
  shift
  timeout 100 purerun "$@" > out 2> err < /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "purerun $*: status $got, not $status; it says: $(cat out err)"
}

# beside CHECK...: runs the check in the background, in a folder of its own, with up to three others (or as many as
# most_beside says, with it): for checks that mostly wait. What it says and whether it has failed is known after together.
beside() {
  while (($(jobs -rp | wc -l) >= ${most_beside:-4})); do wait -n; done
  local folder="$work/beside.$((++checks_beside))"
  mkdir "$folder"
  (
    work=$folder
    cd "$work" && "$@"
    echo "$*" > ../"${folder##*/}".ended
  ) > "$folder.said" 2>&1 < /dev/null &
}
checks_beside=0

together() {
  local number folder
  wait
  for ((number = 1; number <= checks_beside; ++number)); do
    folder="$work/beside.$number"
    cat "$folder.said"
    failures=$((failures + $(grep -c '^FAILED: ' "$folder.said")))
    [[ -e $folder.ended ]] || fail "check $number of those beside each other came to no end"
    rm -rf "$folder"{,.said,.ended}
  done
  checks_beside=0
}

# The last command of a script.
finish() {
  if ((failures > 0)); then
    echo "$failures checks failed"
    exit 1
  fi
  echo "all checks passed"
}
