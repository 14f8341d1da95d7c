# For the purerun_*.sh scripts: run it, look at its status and at what it says.
# purerun and the programs of tests/programs are found in PATH.

source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1

# ends STATUS TEXT ARGUMENT...: purerun with these arguments ends so, with the text somewhere on stderr ('' for silence).
ends() {
  local status=$1 text=$2
  shift 2
  purerun_ends "$status" "$@"
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
