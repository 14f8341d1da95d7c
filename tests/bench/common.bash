# For the scripts of this folder that measure: where they work, and what a machine may lack.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# As in tests/support/checks.bash.
not_tested() {
  echo "SKIPPED: $1: $2"
}
skip() {
  not_tested 'all of it' "$*"
  exit 77
}

# needs_cores NUMBER
needs_cores() {
  local cores
  cores=$(nproc)
  ((cores >= $1)) || skip "it takes $1 cores, and there is $cores"
}

# first_system NAME...: the first of these MPIs that bench/run finds; says so where there is none.
first_system() {
  local name listed
  listed=$(bench/run --list | sed -n '/^systems/,/^placements/s/^  \([a-z]*\) .*/\1/p')
  for name; do
    if grep -qx "$name" <<< "$listed"; then
      echo "$name"
      return
    fi
  done
  not_tested "beside ${*// /, }" 'bench/run finds none of them' >&2
}
