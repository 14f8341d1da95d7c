#!/usr/bin/env bash
# std::uncaught_exceptions() counts what the library throws, and what comes through it, as what the program throws itself.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"
cd "$work" || exit 1

timeout 60 uncaught > out || fail "uncaught: status $?, $(< out)"
[[ $(tail -n 1 out) == right ]] || fail "uncaught says $(< out)"
finish
