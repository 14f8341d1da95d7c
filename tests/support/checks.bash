# For scripts that check several things: a folder to work in, and what happens when a check fails.

set -uo pipefail

unset "${!PURE_@}" # the settings of whoever runs the tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
