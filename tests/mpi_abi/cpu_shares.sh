#!/usr/bin/env bash
# Each rank has its share of the cpus, and threads that it makes have all of it (cpu_shares.c, cpu_shares.py): as threads,
# as processes, and with shared globals.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$work" || exit 1

purecc -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 -fopenmp "$here/cpu_shares.c" -o cpu_shares || fail 'purecc'
python3 "$here/cpu_shares.py" ./cpu_shares || fail 'cpu_shares.py'
finish
