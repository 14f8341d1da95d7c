#!/usr/bin/env bash
# AddressSanitizer, its search for leaks, and UndefinedBehaviorSanitizer in a user's program, over the usual libpure.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
export ASAN_OPTIONS=detect_stack_use_after_return=1:intercept_tls_get_addr=0 # the second: tests/support/main.cpp

build memory c++20 -fsanitize=address,undefined
[[ -x memory ]] || finish

# ends STATUS COMMAND...: what it says is in `err`.
ends() {
  timeout 100 env "${@:2}" > out 2> err < /dev/null
  local got=$?
  [[ $got == "$1" ]] || fail "$*: status $got; it says: $(cat out err)"
}

# found STATUS KIND TEXT: the text is in a report, and the marked line.
found() {
  ends "$1" purerun -n 3 ./memory "$2"
  grep -qF -- "$3" err || fail "memory $2: no '$3' in: $(cat err)"
  read -ra marked <<< "$(lines memory "$2")"
  grep -qE "memory\.cpp:($(IFS='|' && echo "${marked[*]}"))\b" err || fail "memory $2: not its line in: $(cat err)"
}
finds_leaks=1
timeout 100 purerun -n 3 ./memory right > out 2> err < /dev/null
if grep -q 'LeakSanitizer has encountered a fatal error' err; then
  not_tested leaks 'the search for leaks may not trace the process'
  finds_leaks=0
  ASAN_OPTIONS+=:detect_leaks=0
fi
ends 0 purerun -n 3 ./memory right
[[ ! -s err ]] || fail "memory right: $(cat err)"
found 1 heap 'heap-buffer-overflow'
found 1 sent 'heap-buffer-overflow'
found 1 return 'stack-use-after-return'
((!finds_leaks)) || found 1 leak 'detected memory leaks'
found 0 overflow 'signed integer overflow'
finish
