#!/usr/bin/env bash
# A million short messages of every kind allocate nothing and make no system call.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

timeout 120 short_path || fail "short_path: status $?"
finish
