#!/usr/bin/env bash
# Scripts that the processes of a job run: programs of Pure in them are jobs of all processes, one after the other, whoever
# comes first; what ends one of them ends all. No MPI is needed.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
traffic=$build/tests/net/traffic
ulimit -c 0

# runs PROCESSES STATUS TEXT LINE: a shell in each process runs the line, in which $number is its number.
runs() {
  local processes=$1 status=$2 text=$3 line="number=\$PURE_PROCESS_NUMBER; $4" began=$SECONDS
  purerun_ends "$status" --ranks-as processes -n "$processes" sh -c "$line"
  [[ -z $text ]] || grep -qF -- "$text" out err || fail "$processes: $4: no '$text' in: $(cat out err)"
  ((SECONDS - began < 10)) || fail "$processes: $4: it takes $((SECONDS - began)) s"
}
# has COUNT TEXT: so many lines of the output are that.
has() { [[ $(grep -cxF -- "$2" out) == "$1" ]] || fail "not $1 times '$2': $(cat out err)"; }

one_after_the_other() { runs "$1" 0 '' 'for i in 1 2 3; do every_rank || exit; done; true; every_rank' && has 4 "$1 ranks"; }
for processes in 1 2 3 5; do beside one_after_the_other "$processes"; done

# Messages of every size, and a process that is late, or early.
with_traffic() {
  runs 3 0 '' "for i in 0 1 2 3 4 5; do [ \$((i % 3)) != \$number ] || sleep 0.1; $traffic peers || exit; done"
  has 6 'peers: right'
}
beside with_traffic
kinds_of_programs() { runs 2 0 '' "every_rank; $traffic peers; no_rank; [ \$number = 0 ] || true; every_rank" && has 2 '2 ranks'; }
beside kinds_of_programs

# A program without a rank, or of MPI only in some processes.
beside runs 2 0 '' 'every_rank; echo no program of Pure'
beside runs 2 1 'process 1 of 2 (sh), which had rank 1, ended without having started its ranks, for which the others waited' \
  'every_rank; [ $number = 1 ] || every_rank'
beside runs 2 7 'process 1 of 2 (sh), which had rank 1, ended with' \
  'every_rank; [ $number = 1 ] && exit 7; every_rank'
beside runs 3 1 'process 0 of 3 (sh), which had rank 0, ended without having started its ranks' '[ $number = 0 ] || every_rank'

# The second of two fails.
beside runs 2 5 '' 'every_rank && every_rank 5'
beside runs 2 3 'pure: rank 1 called exit(3)' 'every_rank; bad_call exit_3; sleep 20'
beside runs 2 137 'process 1 of 2 (sh), which had rank 1, ended with' \
  "every_rank; if [ \$number = 1 ]; then sh -c 'kill -KILL \$\$'; exit; fi; every_rank"

# Not beside each other, and not behind one that has ended without leaving the job.
holds="$traffic wait & until grep -q \"process \$number is\" out; do sleep 0.05; done"
beside runs 2 1 'of this job already, and has not left it' "$holds; every_rank; kill \$!; exit 4"
beside runs 2 1 'of this job, has ended without leaving it: by a signal, or by _exit()' \
  "$holds; kill -KILL \$!; every_rank; exit 4"
together
finish
