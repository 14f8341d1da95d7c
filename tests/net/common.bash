# For the scripts of this folder: which MPIs there are, and how programs are started by them.
# The programs of tests/net are found in the build; purerun in PATH.

source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1

build=${PURETEST_BUILD_DIR:?the build directory}
traffic=$build/tests/net/traffic

# The MPIs that have a plug-in in this build, and a launcher.
networks() {
  local network
  for network in mpich openmpi; do
    if [[ -e $build/lib/libpure_net_$network.so ]] && purerun -N 2 --mpi "$network" --dry-run true > /dev/null 2>&1; then
      echo "$network"
    fi
  done
}

# The jobs that everything is tested as, as arguments of purerun: 2, 3 and 4 processes of 1 to 4 ranks each.
shapes() {
  local processes each
  for processes in 2 3 4; do
    for each in 1 2 3 4; do echo "-n $((processes * each)) -N $processes"; done
  done
}

# For tests that need an MPI: ends the script where there is none, and says which one it is not tested over.
needs_mpi() {
  local found family why='it was not there when Pure was built, or its mpiexec is gone'
  found=$(networks)
  [[ -n $found ]] || skip "every MPI: $why"
  for family in mpich openmpi; do
    [[ " ${found//$'\n'/ } " == *" $family "* ]] || not_tested "$family" "$why"
  done
}

# ends STATUS TEXT ARGUMENT...: purerun with these arguments ends so, with the text somewhere in what it says.
ends() {
  local status=$1 text=$2
  shift 2
  purerun_ends "$status" "$@"
  [[ -z $text ]] || grep -qF -- "$text" out err || fail "purerun $*: no '$text' in: $(cat out err)"
}

# gone PID...: whether none of these processes is there any more.
gone() {
  local pid
  for pid; do
    if [[ -d /proc/$pid ]] && ! grep -q '^State:.*[ZX]' "/proc/$pid/status" 2> /dev/null; then return 1; fi
  done
}

# gone_soon PID...: the same, within 5 s; says how long it took.
gone_soon() {
  local tenths
  for tenths in {0..50}; do
    if gone "$@"; then
      took="$((tenths / 10)).$((tenths % 10)) s"
      return 0
    fi
    sleep 0.1
  done
  return 1
}
