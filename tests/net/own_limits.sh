#!/usr/bin/env bash
# Processes that purerun starts itself, where the machine allows less than usual: what a kernel or a container may forbid
# (tests/net/without.cpp), few descriptors, little memory. The job works, or says what it lacks; it is never ended by a
# signal, and never hangs.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
ulimit -c 0
jobs=$build/tests/net/jobs
without=$build/tests/net/without
most_beside=6

"$without" pidfd_open -- true
[[ $? != 77 ]] || skip 'the kernel takes no seccomp filter'

# In process 1 alone: one COMMAND ... -- PROGRAM ...: COMMAND before the program.
cat > one << 'END'
#!/bin/bash
before=()
while [[ $1 != -- ]]; do before+=("$1"); shift; done
shift
if [[ $PURE_PROCESS_NUMBER == 1 ]]; then exec "${before[@]}" -- "$@"; fi
exec "$@"
END
chmod +x one
one=$work/one

# limited STATUS TEXT COMMAND...: it ends so, with the text in what it says.
limited() {
  local status=$1 text=$2 got
  shift 2
  timeout 60 "$@" > out 2> err < /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "$*: status $got, not $status: $(cat out err)"
  [[ -z $text ]] || grep -qF -- "$text" out err || fail "$*: no '$text' in: $(cat out err)"
}

# forbidden CALL...: messages of all sizes are right where all processes, or one, lack the calls.
forbidden() {
  limited 0 'messages: right' "$without" "$@" -- purerun -N 3 --mpi none "$traffic" messages
  limited 0 'messages: right' purerun -N 3 --mpi none "$one" "$without" "$@" -- "$traffic" messages
}
# The same, and ranks that sleep are woken, or look by themselves.
asleep() {
  forbidden "$@"
  limited 0 '' env PURE_SPIN_US=0 "$without" "$@" -- purerun -n 4 -N 2 --mpi none "$jobs" many 1000
  limited 0 '' env PURE_SPIN_US=0 purerun -n 4 -N 2 --mpi none "$one" "$without" "$@" -- "$jobs" many 1000
}

# ---- what a kernel may forbid; 38: it does not know the call ----
beside forbidden process_vm_readv
beside forbidden process_vm_readv=38
beside asleep membarrier
beside asleep membarrier=38
beside asleep unix_socket
beside asleep bind
beside asleep sendto
beside limited 0 '' "$without" pidfd_open=38 -- purerun -n 4 -N 2 --mpi none "$jobs" many 500
beside limited 0 'ranks are bound to no cores' "$without" sched_setaffinity -- purerun -n 2 "$jobs" many 500
beside limited 0 '' "$without" sched_setaffinity -- purerun -n 4 -N 2 --mpi none "$jobs" many 500
beside limited 1 'a memory file (memfd) cannot be made: Operation not permitted' \
  "$without" memfd_create -- purerun -N 2 --mpi none "$jobs" hello
# A program whose script goes on after it has been killed is missed all the same.
lost() {
  printf '%s\n' '#!/bin/bash' 'if [[ $PURE_PROCESS_NUMBER == 1 ]]; then "$@"; exec sleep 1000; fi' 'exec "$@"' > goes_on
  chmod +x goes_on
  limited 1 'has lost its program' "$without" pidfd_open -- purerun -n 2 -N 2 --mpi none ./goes_on "$jobs" killed 1
}
beside lost

# ---- memory that is full: for the first pages, and for the rings of a process ----
beside limited 1 'its pages cannot be had' "$without" fallocate=28 -- purerun -n 2 -N 2 --mpi none "$jobs" many 500
beside limited 1 'gets no memory' purerun -n 2 -N 2 --mpi none "$one" "$without" fallocate=28 -- "$jobs" many 500

# ---- limits of descriptors, address space and files: of purerun and all, and of one process ----
under() {
  local limit=$1
  shift
  limited "$1" "$2" bash -c "ulimit $limit; exec \"\$@\"" under "${@:3}"
}
beside under '-n 6' 1 'ulimit -n' purerun -n 2 -N 2 --mpi none "$jobs" many 500
beside under '-n 9' 1 'ulimit -n' purerun -n 2 -N 2 --mpi none "$jobs" many 500
beside under '-n 24' 0 '' purerun -n 2 -N 2 --mpi none "$jobs" many 500
beside limited 1 'too few descriptors' purerun -n 2 -N 2 --mpi none "$one" prlimit --nofile=5 -- "$jobs" many 500
beside under '-f 1' 1 'ulimit -f' purerun -n 2 -N 2 --mpi none "$jobs" many 500
beside limited 0 '' purerun -n 2 -N 2 --mpi none "$one" prlimit --fsize=4096 -- "$jobs" many 500
beside limited 1 'ulimit -v' purerun -n 4 -N 2 --mpi none "$one" prlimit --as=20000000 -- "$jobs" many 500

# ---- /dev/shm is not needed ----
without_shm() {
  unshare -m true 2> /dev/null || { not_tested 'no /dev/shm' "a namespace for mounts is root's"; return; }
  limited 0 'messages: right' unshare -m bash -c 'mount -t tmpfs -o size=4k none /dev/shm && exec "$@"' in \
    purerun -N 3 --mpi none "$traffic" messages
  limited 0 '' unshare -m bash -c 'mount -t tmpfs -o size=4k none /dev && mknod -m 666 /dev/null c 1 3 && exec "$@"' in \
    purerun -n 4 -N 2 --mpi none "$jobs" many 500
}
beside without_shm

# ---- a process that numbers processes otherwise: its pid is another one's, or nobody's ----
other_numbers() {
  unshare -p -f true 2> /dev/null || { not_tested 'another pid namespace' "it is root's"; return; }
  limited 0 'messages: right' purerun -N 3 --mpi none "$one" unshare -p -f -- "$traffic" messages
  limited 0 '' purerun -n 4 -N 2 --mpi none "$one" unshare -p -f -- "$jobs" many 500
}
beside other_numbers
together
finish
