#!/usr/bin/env bash
# Windows whose ranks are in several processes, over every MPI: random epochs against a model, where processes map the
# memory and where they reach it by messages; and how they end where something is missing or wrong.
#
# PURETEST_SEED and PURETEST_SCALE as in the stress tests.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

seed=${PURETEST_SEED:-1}
rounds=$(awk "BEGIN { print 1 + int(3 * ${PURETEST_SCALE:-1}) }")
ends_of=$build/tests/net/window_ends

# right WHAT NETWORK RANKS PROCESSES
right() {
  timeout 100 purerun -n "$3" -N "$4" --mpi "$2" "$build/tests/net/windows" "$seed" "$rounds" > out 2>&1 < /dev/null ||
    fail "windows, $1, $2, $3 ranks in $4 processes, rounds from $seed: status $?: $(cat out)"
  seed=$((seed + rounds))
}

# started FILE WHAT...: window_ends by purerun in the background, until it has written FILE. Then its number is in
# `launcher`, those of its processes in `pids`. `env` lifts the ban on INT that bash puts on what it starts there.
started() {
  rm -f "$1"
  env --default-signal=INT purerun -n 4 -N 2 --mpi "$network" "$ends_of" "${@:2}" > out 2>&1 < /dev/null &
  launcher=$!
  for _ in {1..1000}; do
    [[ -s $1 ]] && break
    sleep 0.05
  done
  mapfile -t pids < <(pgrep -f "^$ends_of ${*:2}")
}

# interrupted SECONDS: Ctrl-C while windows come and go.
interrupted() {
  local launcher pids
  mkdir -p tmp
  TMPDIR=$work/tmp started pid churn "$work/pid"
  sleep "$1"
  kill -INT "$launcher"
  gone_soon "${pids[@]}" "$launcher" || fail "$network, Ctrl-C after $1 s: processes are left 5 s later"
  wait "$launcher" && fail "$network, Ctrl-C after $1 s: an interrupted job is no success"
  # pure-cpus is for all jobs, and stays (src/machine/cpu_claims.hpp).
  ! compgen -G '/dev/shm/*pure*' | grep -vx /dev/shm/pure-cpus > left && ! compgen -G 'tmp/*pure*' > left ||
    fail "$network, Ctrl-C after $1 s: files are left: $(cat left)"
}

# killed WHERE: one process is killed while the others wait in a window.
killed() {
  local where=$1 launcher pids
  started pid waits "$work/pid" "$where"
  kill -KILL "$(< pid)"
  gone_soon "${pids[@]}" "$launcher" || fail "$network, $where: processes are left 5 s after one was killed"
  wait "$launcher" && fail "$network, $where: a killed process is no failure"
}

# line PATTERN NUMBER: where tests/programs/window_ends.cpp has it for the NUMBERth time.
line() {
  local found
  found=$(grep -n "$1" "$support/../programs/window_ends.cpp" | sed -n "$2s/:.*//p")
  echo "window_ends.cpp:${found:-no such line}"
}

# races NETWORK RANKS WHAT TEXT...: PURE_CHECK finds it between two processes, and says all of this.
races() {
  local text
  ends 1 '' -n "$2" -N 2 --mpi "$1" --check window_ends "$3"
  for text in "${@:4}"; do
    grep -qF -- "$text" <<< "$(sed "s|[^ ]*/window_ends.cpp|window_ends.cpp|g" err)" || fail "$1, $3: no '$text' in: $(cat err)"
  done
}

first_network=$(networks | sed -n 1p)
for network in $(networks); do
  for transport in auto messages; do
    export PURE_WINDOW_TRANSPORT=$transport
    right "$transport" "$network" 4 2
    # Where processes map the memory, the MPI carries what is the same for all: that is tested over the first one.
    [[ $transport == messages || $network == "$first_network" ]] || continue
    right "$transport" "$network" 2 2
    right "$transport" "$network" 6 3
    PURE_NET_MESSAGE_BYTES=1K PURE_RING_BYTES=4K PURE_EAGER_LIMIT=64 PURE_SPIN_US=0 right "tight, $transport" "$network" 4 2
    PURE_ASYNC_PROGRESS=off right "no progress thread, $transport" "$network" 4 4
    PURE_CHECK=1 right "checked, $transport" "$network" 4 2
    ends 1 'waits in pure_win_lock for the lock of ' -n 4 -N 2 --mpi "$network" "$ends_of" forgotten
    held_at=$(grep -n 'me == last) pure_win_lock' "$support/../net/window_ends.cpp" | sed -n '1s/:.*//p')
    grep -q "the lock of window \"halo\" at rank .*; rank 3 holds it by pure_win_lock at .*window_ends.cpp:$held_at" err ||
      fail "$network, $transport, forgotten: no holder in: $(cat err)"
    ends 0 'rank 3: right' -n 4 -N 2 --mpi "$network" "$ends_of" closed 20
    # What is wrong is found and said above the network, whichever it is.
    [[ $network == "$first_network" ]] || continue
    races "$network" 3 two_puts 'pure_put: rank 2 of window "halo": this put uses bytes 24 to 31 of rank 0' \
      "and so does the put by rank 1, pure_put at $(line 'me == 1) pure_put(&x, 1, PURE_INT64_T, 0, 3' 1)" \
      "at $(line 'me == 2) pure_put' 1)"
    races "$network" 2 store_and_put 'pure_win_fence: rank 0 of window "halo": bytes 24 to 31 of its memory were' \
      "in the epoch of the put by rank 1, pure_put at $(line 'me == 1) pure_put(&x, 1, PURE_INT64_T, 0, 3' 2)"
    ends 0 'rank 3: right' -n 4 -N 2 --mpi "$network" "$build/tests/net/window_leaves"
    ends 0 'it was 0' -n 4 -N 2 --mpi "$network" "$ends_of" computing
    ends 0 '' -n 4 -N 2 --mpi "$network" "$ends_of" range
    for text in 'put: pure_put: rank 0 of window "halo": 8 bytes at displacement 10 (of 8 bytes) are not all in the part of rank 3' \
      'get: pure_get: rank 0 of window "halo": 8 bytes at displacement -1' 'put of the last' \
      'dynamic: pure_win_flush: rank 0 of window' 'at address 0x1000 are not all in memory that rank 3 has attached'; do
      grep -qF "$text" out || fail "$network, $transport, range: no '$text' in: $(cat out err)"
    done
    PURE_CHECK=0 ends 0 '' -n 4 -N 2 --mpi "$network" "$ends_of" ended
    for text in 'flush: pure_win_flush: rank 0 of window "halo": an operation, on 8 bytes, was not done: the main of rank 3' \
      'put: pure_put: rank 0 of window "halo": the main of rank 3 has ended'; do
      grep -qF "$text" out || fail "$network, $transport, ended: no '$text' in: $(cat out err)"
    done
    ends 0 'rank 3: right' -n 4 -N 2 --mpi "$network" bash -c "ulimit -n 200; exec $ends_of many 1000"
    [[ $(grep -c ': right' out) == 4 ]] || fail "$network, $transport, many: $(cat out)"
  done
  unset PURE_WINDOW_TRANSPORT
  for where in fence lock notification; do killed "$where"; done
  moments='0 0.01 0.05 0.2 0.5'
  [[ $network == "$first_network" ]] || moments='0.01 0.3' # where a start takes longer, the others hit the MPI's own
  for seconds in $moments; do interrupted "$seconds"; done
  echo "tested over $network"
done

network=$first_network
# There is too little for one rank: all are told the same, and nobody hangs.
for limit in 'ulimit -f 1000000/of ranks 2, 3: a memory file' 'ulimit -v 12000000/of ranks 2, 3: it cannot be mapped' \
  'true/of rank 3: its pages cannot be had'; do
  ends 0 '' -n 4 -N 2 --mpi "$network" bash -c "${limit%/*}; exec $ends_of memory 9000000000000"
  [[ $(grep -c "rank [0-3]: no memory: .*there is no memory, for processes to share, for the .* ${limit#*/}" out) == 4 ]] ||
    fail "$network, $limit: $(cat out err)"
done

# A container's /dev/shm of 64 MB is no limit.
if unshare -m true 2> /dev/null; then
  unshare -m bash -c "mount -t tmpfs -o size=64M none /dev/shm && exec timeout 60 purerun -n 2 -N 2 --mpi $network $ends_of memory 200000000" \
    > out 2>&1 < /dev/null || fail "a small /dev/shm: status $?: $(cat out)"
  [[ $(grep -c 'has it' out) == 2 ]] || fail "a small /dev/shm: $(cat out)"
else
  not_tested 'a small /dev/shm' 'mounts are not allowed here'
fi
finish
