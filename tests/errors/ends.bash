# For the scripts of this folder that run tests/programs: how a program that does something wrong must end.
# The programs are found in PATH.

source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
ulimit -c 0

# fails STATUS RANKS COMMAND... -- TEXT...: the command ends soon, with that status, and one message on stderr: it begins
# with 'pure: ' and has all the texts. Without a text, it says nothing.
fails() {
  local status=$1 ranks=$2 command=() messages text got
  shift 2
  while [[ $1 != -- ]]; do
    command+=("$1")
    shift
  done
  shift
  # 60 s are for a machine that is busy; a program that hangs would need for ever.
  # The braces swallow what bash itself says about a crash.
  { PURE_RANKS=$ranks timeout -k 1 60 "${command[@]}" > "$work/out" 2> "$work/err" < /dev/null; } 2> /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "${command[*]} ($ranks ranks): status $got, not $status"
  if [[ $got == 127 ]]; then
    echo "FAILED: ${command[*]}: there is no such program in PATH"
    exit 1
  fi
  messages=$(grep -c '^pure: ' "$work/err")
  [[ $messages == $(($# > 0)) ]] || fail "${command[*]} ($ranks ranks): $messages messages: $(cat "$work/err")"
  for text in "$@"; do
    grep -qF -- "$text" "$work/err" || fail "${command[*]} ($ranks ranks): no '$text' in: $(cat "$work/err")"
  done
}
