#!/usr/bin/env bash
# Ctrl-C, and signals to purerun alone: they reach the program wherever it is, once where the terminal has sent them to it, and
# a second one ends all that is left.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"
ulimit -c 0

# nothing_left WHO: the program that has said "ready PID" in `out` is gone.
nothing_left() {
  local program try
  program=$(sed -n 's/^ready //p' out)
  [[ -n $program ]] || fail "$1: it did not start: $(cat out)"
  for try in {1..200}; do
    grep -q '^State:.*[RSD]' "/proc/$program/status" 2> /dev/null || return 0
    sleep 0.05
  done
  fail "$1: the program goes on"
  kill -KILL "$program"
}

# typed TIMES STATUS TEXT COMMAND...: purerun -n 2 COMMAND, on a terminal where Ctrl-C is typed so often.
typed() {
  local times=$1 status=$2 text=$3 got
  shift 3
  python3 "$support/interrupt.py" "$times" purerun -n 2 "$@" > out
  got=$?
  [[ $got == "$status" ]] || fail "$times times Ctrl-C, $*: status $got, not $status: $(cat out)"
  grep -qF -- "$text" out || fail "$times times Ctrl-C, $*: no '$text' in: $(cat out)"
  nothing_left "$times times Ctrl-C, $*"
}

# sent SIGNAL... -- STATUS TEXT COMMAND...: the same, with signals to purerun alone.
sent() {
  local signals=() status text got signal try
  while [[ $1 != -- ]]; do
    signals+=("$1")
    shift
  done
  status=$2 text=$3
  shift 3
  # `env` lifts the ban on INT and QUIT that bash puts on what it starts in the background.
  env --default-signal=INT,QUIT timeout --foreground -k 1 60 purerun -n 2 "$@" > out 2>&1 < /dev/null &
  local guard=$! purerun
  for try in {1..1000}; do
    grep -qs ready out && break
    sleep 0.05
  done
  sleep 0.2
  purerun=$(pgrep -P "$guard")
  for signal in "${signals[@]}"; do
    kill -"$signal" "$purerun"
    sleep 0.3
  done
  wait "$guard"
  got=$?
  [[ $got == "$status" ]] || fail "${signals[*]} to purerun, $*: status $got, not $status: $(cat out)"
  grep -qF -- "$text" out || fail "${signals[*]} to purerun, $*: no '$text' in: $(cat out)"
  nothing_left "${signals[*]} to purerun, $*"
}

killed='2 s after a second signal; purerun has killed it'
beside typed 1 130 '' interrupted default
beside typed 1 0 'signals: 1' interrupted finishes
beside typed 1 130 '' timeout 60 interrupted default
beside typed 1 0 'signals: ' timeout 60 interrupted finishes
beside typed 1 0 'signals: 1' setsid interrupted finishes
beside typed 1 130 'signals: 1' --ranks-as threads setsid sh -c 'interrupted finishes; true' # which is waited for
beside typed 1 130 'signals: 1' --ranks-as threads sh -c 'interrupted finishes; true'
beside typed 2 130 "$killed" interrupted ignores
beside typed 2 130 "$killed" timeout 60 interrupted ignores
beside typed 2 130 "$killed" --ranks-as threads sh -c 'timeout 60 interrupted ignores; true'
for signal in TERM HUP QUIT; do
  number=$((128 + $(kill -l $signal)))
  beside sent $signal -- $number '' interrupted default
  beside sent $signal -- $number '' timeout 60 interrupted default
  beside sent $signal -- $number '' sh -c 'interrupted default; true'
done
beside sent INT -- 0 'signals: 1' interrupted finishes
beside sent INT -- 130 '' sh -c 'interrupted default; true'
beside sent TERM TERM -- 143 "$killed" interrupted ignores
beside sent INT TERM -- 130 "$killed" timeout 60 interrupted ignores
together
finish
