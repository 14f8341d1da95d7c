# For the purerun_*.sh scripts: run it, look at its status and at what it says.
# purerun and the programs of tests/programs are found in PATH.

set -uo pipefail

unset "${!PURE_@}" # the settings of whoever runs the tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# The last command of a script.
finish() {
  if ((failures > 0)); then
    echo "$failures checks failed"
    exit 1
  fi
  echo "all checks passed"
}

# ends STATUS TEXT ARGUMENT...: purerun with these arguments ends so, with the text somewhere on stderr ('' for silence).
ends() {
  local status=$1 text=$2
  shift 2
  timeout 60 purerun "$@" > out 2> err < /dev/null
  local got=$?
  [[ $got == "$status" ]] || fail "purerun $*: status $got, not $status; it says: $(cat err)"
  says "purerun $*" "$text"
}

# says WHO TEXT: the text is in `err`, or nothing is.
says() {
  if [[ -z $2 ]]; then
    [[ ! -s err ]] || fail "$1: it should say nothing, but: $(cat err)"
  else
    grep -qF -- "$2" err || fail "$1: no '$2' in: $(cat err)"
  fi
}

# script NAME: an executable file with the text of the standard input.
script() {
  cat > "$1"
  chmod +x "$1"
}
