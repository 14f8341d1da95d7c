# For scripts about children of ranks (tests/programs/forks.cpp).

# child MAKE END EXPECTED [SAYS]: the child ends so ("exit 3", "signal 6"), stderr has the text or nothing, and everything
# that the program prints is there once. COMMAND: how the program is started.
child() {
  local make=$1 how=$2 expected=$3 says=${4:-} name="forks $1 $2" got handlers
  timeout -k 1 80 "${command[@]}" "$make" "$how" > "$work/out" 2> "$work/err" < /dev/null
  got=$?
  [[ $got == 0 ]] || fail "$name: status $got: $(cat "$work/out" "$work/err")"
  grep -qx "child: $expected" "$work/out" || fail "$name: not '$expected': $(cat "$work/out")"
  grep -qx 'went well' "$work/out" || fail "$name: the parent did not go on: $(cat "$work/out")"
  [[ $(grep -cx before "$work/out") == 1 ]] || fail "$name: 'before' is there $(grep -cx before "$work/out") times"
  # exit and what ends as it does run the handlers of the program, in the child and in its parent.
  handlers=$(grep -cx 'handlers run' "$work/out")
  case $how in
    exit_* | return_* | pthread_exit | thrd_exit) [[ $make == vfork ]] || ((handlers == 2)) || fail "$name: handlers: $handlers" ;;
    *) ((handlers == 1)) || fail "$name: handlers: $handlers" ;;
  esac
  if [[ -z $says ]]; then
    [[ ! -s $work/err ]] || fail "$name: it says $(< "$work/err")"
  else
    grep -qF -- "$says" "$work/err" || fail "$name: no '$says' in: $(< "$work/err")"
    (($(grep '^pure: ' "$work/err" | grep -vc 'calls that waited longest') <= 1)) || fail "$name: not one message: $(< "$work/err")"
  fi
}

# The rest checks by this: nothing, or beside.
how_to_check=

# ways_of MAKE: every function that ends a child which is a process of its own, by MAKE.
ways_of() {
  local make=$1 how
  for how in 0 3; do $how_to_check child "$make" exit_$how "exit $how"; done
  $how_to_check child "$make" _exit_0 'exit 0'
  $how_to_check child "$make" _exit_4 'exit 4'
  $how_to_check child "$make" _Exit_5 'exit 5'
  $how_to_check child "$make" quick_exit_0 'exit 0'
  $how_to_check child "$make" quick_exit_6 'exit 6'
  $how_to_check child "$make" exec 'exit 8'
  $how_to_check child "$make" no_exec 'exit 127'
}

# without_rank MAKE: errors and crashes of a child of rank 0.
without_rank() {
  local make=$1 how
  $how_to_check child "$make" return_3 'exit 3'
  for how in pthread_exit thrd_exit; do $how_to_check child "$make" $how 'exit 0'; done
  $how_to_check child "$make" abort 'signal 6' ', a forked child of rank 0, crashed: SIGABRT'
  $how_to_check child "$make" segv 'signal 11' ', a forked child of rank 0, crashed: SIGSEGV'
  $how_to_check child "$make" throw 'signal 6' "the child's own cause"
  for how in send barrier rank run task; do
    $how_to_check child "$make" $how 'exit 1' 'is a forked child of rank 0, and itself no rank: it has no part in the job'
  done
  $how_to_check child "$make" pure_abort 'exit 9' 'a forked child of rank 0, and itself no rank'
}

# ways_of_vfork: what such a child may do, and exit, which it may not.
ways_of_vfork() {
  $how_to_check child vfork _exit_0 'exit 0'
  $how_to_check child vfork _exit_4 'exit 4'
  $how_to_check child vfork _Exit_5 'exit 5'
  $how_to_check child vfork quick_exit_0 'exit 0'
  $how_to_check child vfork quick_exit_6 'exit 6'
  $how_to_check child vfork exec 'exit 8'
  $how_to_check child vfork no_exec 'exit 127'
}

# parent_fails MAKE...: after a child that could not exec, its parent fails as ever: with its cause, once.
parent_fails() {
  local make
  for make; do
    $how_to_check fails_then "$make" exit_3 3 'called exit(3)'
    $how_to_check fails_then "$make" throw 1 "the parent's own cause"
    $how_to_check fails_then "$make" deadlock 1 'deadlock'
  done
}
fails_then() {
  local name="forks $1 no_exec $2" got
  timeout -k 1 80 "${command[@]}" "$1" no_exec "$2" > "$work/out" 2> "$work/err" < /dev/null
  got=$?
  [[ $got == "$3" ]] || fail "$name: status $got: $(cat "$work/out" "$work/err")"
  [[ $(grep -c '^pure: ' "$work/err") == 1 ]] || fail "$name: not one message: $(< "$work/err")"
  grep -qF -- "$4" "$work/err" || fail "$name: no '$4' in: $(< "$work/err")"
  grep -qx 'child: exit 127' "$work/out" || fail "$name: the child: $(< "$work/out")"
}
