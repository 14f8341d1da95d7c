#!/usr/bin/env bash
# How MPI programs begin and end, well or not: alone, with ranks as processes, and as threads. $1: the C++ compiler of the
# build, which compiles them as C.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${PURETEST_BUILD_DIR:?the build directory} compiler=${1:?a compiler}
cd "$work" || exit 1
ulimit -c 0

compile() { # compile NAME
  "$compiler" -x c -std=c11 -Wall -Wextra -Werror -I "$build/mpi/include" \
    "$here/$1.c" -x none -o "$1" -L "$build/lib" -lmpi_abi -pthread -Wl,-rpath,"$build/lib" || fail "$1.c does not compile"
}
compile ends && compile threads

# way MODE STATUS TEXT ARGUMENT...: the program ends so, and says TEXT; nothing, where that is empty.
check=0
way() {
  local mode=$1 status=$2 text=$3 got start=()
  shift 3
  case $mode in
    processes | threads) start=(purerun --ranks-as "$mode" -n 2) ;;
    shared) start=(purerun --globals shared -n 2) ;;
  esac
  # The braces swallow what bash itself says about a crash.
  { PURE_CHECK=$check PURE_HANG_TIMEOUT=20 timeout -k 1 60 "${start[@]}" "$work/../ends" "$@" > out 2> err < /dev/null; } 2> /dev/null
  got=$?
  ((got == status)) || fail "$mode, $*: status $got, not $status: $(cat out err)"
  grep -vE '^purerun: warning: (.*: )?as threads the ranks share' err > said
  if [[ -z $text ]]; then
    [[ ! -s said ]] || fail "$mode, $*: it says: $(cat said)"
  else
    grep -qF -- "$text" said || fail "$mode, $*: no '$text' in: $(cat said)"
  fi
}
also() { # also TEXT: printed by the way before
  grep -qF -- "$1" out || fail "'$1' is not in what is printed: $(cat out)"
}
ways() { # ways STATUS TEXT ARGUMENT...: in all modes
  for mode in alone processes threads shared; do way "$mode" "$@"; done
}

# Well.
well() {
  ways 0 '' values
  ways 0 '' fork
  ways 0 '' returned
  ways 0 '' exit_after 0
  ways 5 '' return_after 5
  ways 0 '' open_receive
  ways 0 '' open_send
  for mode in processes threads; do way "$mode" 0 '' freed_receive; done
  for mode in alone processes threads; do
    way "$mode" 0 '' end_at_exit && also ended
    rm -f at_end
    way "$mode" 0 '' wait_after 0 at_end
  done
  ways 1 'would be 0: the status is 1' return_after 256
  ways 1 'would be 0: the status is 1' exit_after 512
  check=1
  for mode in processes threads; do way "$mode" 0 '' freed_receive; done
  ways 1 'the request of MPI_Irecv' open_receive
  ways 1 '2097152 bytes was never received' open_send
  way alone 0 '' at_exit && also 'at exit: 1 1'
  way processes 0 '' at_exit && also 'at exit: 1 1'
  way threads 0 '' at_exit && also 'at exit: 1 1'
}
at_the_wrong_time() {
  ways 1 'MPI_Comm_rank: called before MPI_Init' early
  ways 1 'MPI_Comm_rank: called after MPI_Finalize' late
  ways 1 'MPI_Finalize: called after MPI_Finalize' end_twice
  ways 1 'MPI has been initialized already' init_twice
  ways 1 'MPI_Init: MPI has been initialized already' init_again
}
# Outside of MPI a rank ends alone, as a process does: the first status that is not 0 is the job's.
outside_of_mpi() {
  local function code
  for function in exit _exit _Exit quick_exit; do
    for code in 0 5; do
      ways "$code" '' leave_after "$code" "$function"
      way processes "$code" '' leave_after "$code" "$function" && also 'rank 0 went on'
      way threads "$code" '' leave_after "$code" "$function" && also 'rank 0 went on'
    done
    way threads 6 '' leave_before 6 "$function"
    way threads 0 '' leave_before 0 "$function"
  done
  for mode in processes threads; do way "$mode" 0 '' exit_now_after 0; done
  for function in pthread_exit thrd_exit; do
    ways 0 '' leave_after 0 "$function"
    for mode in processes threads; do
      way "$mode" 0 '' leave_after 0 "$function" && also 'rank 0 went on'
      (($(grep -c '^handler$' out) == 2)) || fail "$mode, $function: handlers of both ranks: $(cat out)"
    done
  done
}
# MPI's main thread is the one that has called MPI_Init, and not main's.
begun_by_threads() {
  local how code other='another thread than the one that has called MPI_Init'
  for how in funneled serialized is_first; do
    for mode in alone processes threads; do way "$mode" 0 '' begun_by_thread 0 "$how" && also handler; done
  done
  for how in returns_after exits; do
    for code in 0 5; do
      for mode in alone processes threads; do way "$mode" "$code" '' begun_by_thread "$code" "$how" && also handler; done
    done
  done
  for mode in alone processes threads; do
    way "$mode" 1 "MPI_Comm_size: called by $other" begun_by_thread 0 calls
    way "$mode" 1 "MPI_Finalize: called by $other" begun_by_thread 0 ends
    way "$mode" 1 'MPI_Comm_size: called after MPI_Finalize' begun_by_thread 0 late
    way "$mode" 1 MPI_Finalize begun_by_thread 0 returns
    [[ $mode != threads ]] || way "$mode" 1 "MPI_Finalize: called by $other" begun_by_thread_that_ends 0
    way "$mode" 1 MPI_Finalize begun_by_thread 0 leaves
    way "$mode" 6 'exit(6)' begun_by_thread 6 leaves
  done
}
# A thread of a rank whose main has returned: with an MPI its process would be gone.
left_threads() {
  local function
  for function in exit _exit quick_exit abort crash; do
    for mode in processes threads shared; do
      way "$mode" 0 '' left_thread 0 "$function" && also 'rank 0 went on'
    done
  done
}
with_a_message() { # by functions of libc that call exit: the rank's handlers run
  local function
  for function in err errx error error_at_line; do
    ways 4 'broken 4' leave_after 4 "$function" && also handler
    way threads 4 'broken 4' leave_after 4 "$function" && also 'rank 0 went on'
    (($(grep -c '^handler$' out) == 2)) || fail "threads, $function: handlers of both ranks: $(cat out)"
  done
}
without_finalize() {
  ways 1 'MPI_Finalize' return 0
  way processes 1 'MPI_Finalize has to come first' return 0 # by both ranks: one says so, with its number
  [[ $(grep -cE '^pure: rank [01]: main returned 0 while ranks were running: MPI_Finalize' said) == 1 &&
    $(grep -c 'MPI_Finalize' said) == 1 ]] || fail "who returned before MPI_Finalize: $(cat said)"
  ways 1 'MPI_Finalize has to come first' exit 0
  ways 1 '_exit(0)' exit_now 0
  ways 6 'main' return 6
  ways 6 'exit(6)' exit 6
  ways 6 '_exit(6)' exit_now 6
}
aborted() {
  local code
  for code in 0 1 77 300; do
    ways $((code % 256 == 0 ? 1 : code % 256)) "MPI_Abort(MPI_COMM_WORLD, $code)" abort "$code" && also kept
  done
  way processes 9 'rank 0: MPI_Abort(part, 9)' abort_part 9
  way threads 9 'rank 0: MPI_Abort(part, 9)' abort_part 9
  ways 8 'MPI_Abort(MPI_COMM_WORLD, 8)' abort_early 8
  for mode in processes threads; do way "$mode" 94 'MPI_Abort(MPI_COMM_WORLD, 94)' abort_twice 94; done
}
wrong() {
  ways 1 'MPI_Send: rank' fatal
  ways 1 'ocean' fatal
  ways 139 'SIGSEGV' segv
  ways 0 'a forked child' fork_calls
  ways 1 'another thread is in a call of the same rank' overlap
  ways 1 'MPI_Comm_size: called by another thread than the one that has called MPI_Init' thread
  ways 1 'MPI_Comm_size: called by another thread than the one that has called MPI_Init' funneled_thread
}
threads() { # threads RANKS
  local mode rank
  for mode in processes threads; do
    purerun_ends 0 --ranks-as "$mode" -n "$1" "$work/../threads"
    for ((rank = 0; rank < $1; ++rank)); do
      grep -qxF "rank $rank of $1: right" out || fail "threads of $mode: rank $rank does not say that it is right: $(cat out err)"
    done
    [[ ! -s err ]] || fail "threads of $mode: it says $(cat err)"
  done
}
beside well
beside at_the_wrong_time
beside without_finalize
beside outside_of_mpi
beside begun_by_threads
beside left_threads
beside with_a_message
beside aborted
beside wrong
beside threads 1
beside threads 3
together
finish
