#!/usr/bin/env bash
# Processes that purerun starts itself, again and again (PURETEST_STARTS: how often): no process, descriptor, socket or memory
# is left, of jobs that end well and of those that fail, nor in processes that start their rank again and again.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
times=${PURETEST_STARTS:-50}

# In a network namespace there are no other jobs' sockets.
apart=()
if unshare -n true 2> /dev/null; then apart=(unshare -n); fi
if command -v python3 > /dev/null; then
  "${apart[@]}" python3 "$support/../net/many_starts.py" "$times" purerun -n 2 -N 2 --mpi none "$build/tests/net/jobs" hello ||
    fail 'jobs that end well leave something'
  # One process is killed, and its purerun says so, with 137.
  "${apart[@]}" python3 "$support/../net/many_starts.py" "$((times / 5))" bash -c '
    "$@" 2> /dev/null; (($? == 137))' job purerun -n 2 -N 2 --mpi none "$build/tests/net/jobs" killed 1 ||
    fail 'jobs that fail leave something'
else
  not_tested 'starts of purerun' 'there is no Python here'
fi
timeout $((60 + times)) purerun --ranks-as processes -n 2 "$build/tests/net/adopted" again "$times" > out 2> err < /dev/null ||
  fail "starts of a rank: status $?: $(cat out err)"
cat out
finish
