#!/usr/bin/env bash
# purerun leaves out the boxes in which a launcher says that a job has failed, where that is known, and nothing else.
# A launcher is imagined here, which prints what real ones do; these are in tests/net/boxes.sh.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

script prte << 'END'
#!/bin/bash
[[ $1 != --version ]] || { echo 'mpiexec (Open MPI) 5.0.11' && exit; }
program=${@: -1}
rule=--------------------------------------------------------------------------
box() { printf '%s\n' $rule "$@" $rule >&2; }
source "$program"
exit 1 # a launcher of a job that has failed
END
mkdir plugins
touch plugins/libpure_net_openmpi.so
export PURE_PLUGIN_DIR=$PWD/plugins

# says_of TEXT < COMMANDS: what is on stderr of a launcher that does that.
says_of() {
  script does
  timeout 60 purerun -N 2 --mpiexec ./prte ./does > out 2> err < /dev/null
  [[ $(cat err) == "$1" ]] || fail "it says: $(cat err); not: $1; of: $(cat does)"
}
rule=--------------------------------------------------------------------------

# A job whose ranks have started, and of which one has returned a status, or has crashed.
says_of $'before\nafter' << 'END'
env -u PURE_PROCESSES -u PURE_NETWORK PURE_RANKS=1 every_rank > /dev/null
echo before >&2
box 'Primary job  terminated normally, but 1 process returned' 'a non-zero exit code. Per user-direction, the job has been aborted.'
box 'prterun detected that one or more processes exited with non-zero status,' 'thus causing the job to be terminated.'
box 'mpiexec.openmpi noticed that process rank 0 with PID 0 on node vm exited on signal 6 (Aborted).'
box 'prterun noticed that process rank 0 with PID 13880 on node vm exited on' 'signal 11 (Segmentation fault).'
printf '\0' >&2
echo after >&2
exit 3
END
# Nobody but the launcher knows that the kernel has killed a process, or who has called MPI_Abort.
killed="$rule
prterun noticed that process rank 1 with PID 99 on node vm exited on
signal 9 (Killed).
$rule"
aborted="$rule
MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD
  Proc: [[5164,1],0]
$rule
Abort(1) on node 0 (rank 0 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 1) - process 0"
says_of "$killed"$'\n'"$aborted" << 'END'
env -u PURE_PROCESSES -u PURE_NETWORK PURE_RANKS=1 every_rank > /dev/null
box 'prterun noticed that process rank 1 with PID 99 on node vm exited on' 'signal 9 (Killed).'
box 'MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD' '  Proc: [[5164,1],0]'
echo 'Abort(1) on node 0 (rank 0 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, 1) - process 0' >&2
END
# What has kept the job from starting; boxes one behind the other, and one that has no end; a line without an end.
says_of "$rule
There are not enough slots available in the system
$rule
$rule
prterun noticed that process rank 0 with PID 13880 on node vm exited on
signal 6 (Aborted).
$rule
$rule
$rule
a table
$rule
 prterun noticed nothing
[y/n]? " << 'END'
box 'There are not enough slots available in the system'
box 'prterun noticed that process rank 0 with PID 13880 on node vm exited on' 'signal 6 (Aborted).'
printf '%s\n' $rule >&2
box 'a table'
echo ' prterun noticed nothing' >&2
printf '[y/n]? ' >&2
exit 1
END
says_of "$rule
prterun noticed that process rank 0 was alone" << 'END'
env -u PURE_PROCESSES -u PURE_NETWORK PURE_RANKS=1 every_rank > /dev/null
printf '%s\n' $rule 'prterun noticed that process rank 0 was alone' >&2
END

# As long as a box may be, and one byte more: then it is none. (Without its last rule: with title and text, 8192 bytes.)
title='prterun noticed that process rank 0 with PID 13880 on node vm exited on'
printf -v text '%*s' $((8192 - ${#rule} - ${#title} - 3)) 'signal 6 (Aborted).'
printf '%s\n' "$rule" "$title" "$text" "$rule" > longest
printf '%s\n' "$rule" "$title" "$text " "$rule" > too_long
says_of '' << END
env -u PURE_PROCESSES -u PURE_NETWORK PURE_RANKS=1 every_rank > /dev/null
cat '$PWD/longest' >&2
END
says_of "$(cat too_long)" << END
env -u PURE_PROCESSES -u PURE_NETWORK PURE_RANKS=1 every_rank > /dev/null
cat '$PWD/too_long' >&2
END

# In pieces, at any place; and a question is shown while somebody waits for the answer.
says_of $'one\ntwo' << 'END'
env -u PURE_PROCESSES -u PURE_NETWORK PURE_RANKS=1 every_rank > /dev/null
text=$(box 'prterun noticed that process rank 0 with PID 13880 on node vm exited on' 'signal 6 (Aborted).' 2>&1; echo .)
text=$'one\n'${text%.}$'two\n'
for ((i = 0; i < ${#text}; ++i)); do printf '%s' "${text:i:1}" >&2; done
END
script does << 'END'
printf 'Abort? [y/n] ' >&2
for _ in {1..600}; do [[ -e answered ]] || sleep 0.1; done
[[ -e answered ]] && echo answered >&2
exit 1
END
timeout 60 purerun -N 2 --mpiexec ./prte ./does > out 2> err < /dev/null &
for _ in {1..600}; do grep -q 'y/n' err 2> /dev/null || sleep 0.1; done
touch answered
wait $!
[[ $(cat err) == 'Abort? [y/n] answered' ]] || fail "a question: $(cat err)"

# Much of it, and binary: nothing is lost, and nothing waits for what the launcher has left running.
script does << 'END'
head -c 3000000 /dev/urandom > random
cat random >&2
sleep 5 &
exit 1
END
began=$EPOCHREALTIME
timeout 60 purerun -N 2 --mpiexec ./prte ./does > out 2> err < /dev/null
cmp -s random err || fail "3 MB of stderr became $(stat -c %s err) bytes"
(((${EPOCHREALTIME/[.,]/} - ${began/[.,]/}) < 4000000)) || fail "it waits for who has stderr: from $began to $EPOCHREALTIME"

finish
