#!/usr/bin/env bash
# Thousands of receives, messages and sends that wait at once are matched rightly, in every order; with rings that hold few
# of them, too, and where all is checked.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"
cd "$work" || exit 1

# right ARGUMENT...: of purerun
right() {
  timeout 100 purerun -n 2 "$@" long_queues 3000 > out 2>&1 < /dev/null || fail "$*: status $?: $(cat out)"
  grep -qx 'long queues: right' out || fail "$*: $(cat out)"
}

right
right --check
PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 right
PURE_SPIN_US=0 PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 right
finish
