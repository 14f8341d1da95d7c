#!/usr/bin/env bash
# How a program ends is how purerun ends: statuses, signals, signals that are passed on, and the death of purerun.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

for status in 1 2 3 77 126 127 255; do ends "$status" '' -n 1 sh -c "exit $status"; done

# Signals that end the program are explained.
ends 137 'killed by signal 9 (SIGKILL): often the kernel'\''s out-of-memory killer' -n 1 sh -c 'kill -KILL $$'
ends 139 'killed by signal 11 (SIGSEGV)' -n 1 sh -c 'ulimit -c 0; kill -SEGV $$'
ends 134 'killed by signal 6 (SIGABRT)' -n 1 sh -c 'ulimit -c 0; kill -ABRT $$'
ends 143 'killed by signal 15 (SIGTERM)' -n 1 sh -c 'kill -TERM $$'

wait_for() { # FILE: until it is there
  local i
  for ((i = 0; i < 1000; ++i)); do
    [[ -e $1 ]] && return 0
    sleep 0.01
  done
  fail "$1 did not appear"
  return 1
}

# Signals to purerun reach the program, which may handle them; a handled one is no news.
# Without any it ends after half a minute: purerun itself must be what `kill $!` hits, so no `timeout` is in front of it.
script handler << 'END'
#!/bin/sh
for name in TERM INT HUP QUIT USR1 USR2; do trap "echo $name > got; exit 20" $name; done
touch ready
i=0
while [ $i -lt 3000 ]; do sleep 0.01; i=$((i + 1)); done
END
# `env` lifts the ban on INT and QUIT that bash puts on what it starts in the background.
for name in TERM INT HUP QUIT USR1 USR2; do
  rm -f ready got
  env --default-signal=INT,QUIT purerun -n 1 ./handler > out 2> err &
  wait_for ready || break
  kill -$name $!
  wait $!
  got=$?
  [[ $got == 20 && $(cat got) == "$name" ]] || fail "SIG$name to purerun: status $got, the program got $(cat got)"
  says "SIG$name to purerun" ''
done

# Whoever sends a signal knows why the program ended.
rm -f ready
purerun -n 1 sh -c 'touch ready; exec sleep 50' > out 2> err &
wait_for ready && kill -TERM $!
wait $!
got=$?
[[ $got == 143 ]] || fail "SIGTERM to purerun: status $got"
says 'SIGTERM to purerun' ''

# What ignores a signal goes on (nohup).
rm -f ready
(trap '' HUP && exec purerun -n 1 sh -c 'touch ready; sleep 0.3; exit 9' > out 2> err) &
wait_for ready && kill -HUP $!
wait $!
got=$?
[[ $got == 9 ]] || fail "SIGHUP under nohup: status $got"

# The program does not outlive purerun, however that ends.
rm -f ready
purerun -n 1 sh -c 'echo $$ > pid; touch ready; exec sleep 50' > out 2> err &
wait_for ready
{ kill -KILL $! && wait $!; } 2> /dev/null
program=$(cat pid)
for ((i = 0; i < 500; ++i)); do
  kill -0 "$program" 2> /dev/null || break
  sleep 0.01
done
if kill -0 "$program" 2> /dev/null; then fail 'the program outlives purerun'; fi

finish
