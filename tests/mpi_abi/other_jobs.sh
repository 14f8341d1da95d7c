#!/usr/bin/env bash
# Jobs that run at the same time take different cpus (other_jobs.c, other_jobs.py).
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$work" || exit 1
unset PURE_OTHER_JOBS

purecc -std=c11 -Wall -Wextra -Wpedantic -Werror -O1 "$here/other_jobs.c" -o other_jobs || fail 'purecc'
python3 "$here/other_jobs.py" ./other_jobs || fail 'other_jobs.py'
finish
