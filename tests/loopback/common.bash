# For the scripts of this folder: how the random programs of tests/net are run where their processes are threads of one
# process. SCRIPT FOLDER 'PREFIX': FOLDER is where loopback.oracle and the others are; PREFIX, what they are started with.
# PURETEST_SEED and PURETEST_SCALE as in the other stress tests.

source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1
folder=$1
read -ra prefix <<< "${2:-}"

seed=${PURETEST_SEED:-1}

# runs RANKS PROCESSES PROGRAM ROUNDS [ARGUMENT...]: over $network (support/loopback_main.cpp)
runs() {
  local ranks=$1 processes=$2 program=$3 count=$4
  PURE_RANKS=$ranks timeout 250 "${prefix[@]}" "$folder/loopback.$program" "$network" "$processes" "$seed" "$seed" "$count" "${@:5}" \
    > out 2>&1 < /dev/null || fail "$ranks ranks in $processes processes: loopback.$program $network $processes $seed $seed $count: $(cat out)"
  seed=$((seed + count))
}

all_programs() { # all_programs RANKS PROCESSES
  local program
  for program in streams turns fields; do runs "$1" "$2" "$program" "$rounds"; done
  # A program, or a plan, may need more ranks than there are: of several some do not.
  runs "$1" "$2" oracle "$((rounds < 6 ? 6 : rounds))"
  runs "$1" "$2" collectives "$((rounds < 6 ? 6 : rounds))" "$work/entered"
  rm -f entered
  PURE_CHECK=0 runs "$1" "$2" freed 1 # a request is left behind, as it should be
  # Not built for ThreadSanitizer.
  [[ ! -e $folder/loopback.checked ]] || PURE_CHECK=1 runs "$1" "$2" checked 1
  runs "$1" "$2" windows "$(((rounds + 1) / 2))"
  runs "$1" "$2" aggregations "$(((rounds + 1) / 2))"
  PURE_WINDOW_TRANSPORT=messages runs "$1" "$2" windows "$(((rounds + 1) / 2))"
}
