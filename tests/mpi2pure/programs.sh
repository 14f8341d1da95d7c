#!/usr/bin/env bash
# Programs whose loops all become tasks: every header, clause and kind of variable, in C and in C++. The original, what is
# translated, and the tasks print the same, on one rank and on several.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
cd "$work" || exit 1
most_beside=2
beside same_three_ways loops.c 36
beside same_three_ways loops.cpp 39
together
finish
