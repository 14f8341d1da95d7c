# For the scripts of this folder: which networks there are, and how programs are started over them.
# The programs of tests/net are found in the build; purerun in PATH.

source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
cd "$work" || exit 1

build=${PURETEST_BUILD_DIR:?the build directory}
traffic=$build/tests/net/traffic

# A machine that cannot look up its own name makes MPIs wait for servers that do not answer, at each start.
own_name=$(uname -n)
timeout 2 getent ahosts "$own_name" > /dev/null
own_name_status=$?
if ((own_name_status != 0)); then
  text="this machine's own name, $own_name, does not resolve: add the line '127.0.1.1 $own_name' to /etc/hosts"
  if ((own_name_status == 124)); then
    fail "$text (nobody has answered for 2 s, and each start of an MPI would take longer)"
    finish
  fi
  echo "note: $text"
fi

PATH=$(cd "$support/../net/current" && pwd):$PATH # a purerun that knows the current MPIs

# has_network NETWORK: whether it has a plug-in in this build, and a launcher.
has_network() {
  local folder=$build/lib
  [[ $1 != none ]] || return 0
  [[ $1 != *-current ]] || folder=$build/tests/current
  [[ -e $folder/libpure_net_${1%-current}.so ]] && purerun -N 2 --mpi "$1" --dry-run true > /dev/null 2>&1
}

# The networks that a script should run over, as its purerun calls them: shared memory, for which no MPI is needed
# (none; not after mpis_alone=1), and first of all, for it takes the least time; then MPICH and Open MPI, of which the
# system has one and bench/rivals has installed the current one (mpich-current, openmpi-current). Over one of each, and the
# script's name decides which, or mpis=0 or 1; over the system's after mpis=system. PURETEST_NETWORKS, for people: these.
# PURETEST_MPIS=all, in make soak: all four for every script. PURETEST_OVER: only `own`, which is none, or only the `mpis`
# (tests/suite.txt).
wanted_networks() {
  # shellcheck disable=SC2086
  [[ -z ${PURETEST_NETWORKS:-} ]] || { printf '%s\n' $PURETEST_NETWORKS; return; }
  local number
  [[ -n ${mpis_alone:-} || ${PURETEST_OVER:-} == mpis ]] || echo none
  [[ ${PURETEST_OVER:-} != own ]] || return 0
  read -r number _ < <(cksum <<< "${0##*/}")
  case ${PURETEST_MPIS:-${mpis:-$((number % 2))}} in
    all) printf '%s\n' mpich openmpi mpich-current openmpi-current ;;
    system) printf '%s\n' mpich openmpi ;;
    0) printf '%s\n' mpich-current openmpi ;;
    1) printf '%s\n' mpich openmpi-current ;;
  esac
}

# The wanted networks that there are; for a current one that is missing the system's.
networks() {
  local network
  for network in $(wanted_networks); do
    if has_network "$network"; then
      echo "$network"
    elif [[ ${PURETEST_MPIS:-} != all ]] && has_network "${network%-current}"; then
      echo "${network%-current}"
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
  local found network why='it was not there when Pure was built, or its mpiexec is gone'
  found=$(networks)
  [[ -n $found ]] || skip "every MPI: $why"
  for network in $(wanted_networks); do
    [[ $network != *-current ]] || why='bench/rivals could not install it, or not before Pure was built'
    [[ " ${found//$'\n'/ } " == *" $network "* ]] || not_tested "$network" "$why"
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

# into_out COMMAND...: runs it, and what it says is in `out`. MPICH's mpiexec (4.0.2) may itself be killed by SIGPIPE, and then
# passes on nothing, where processes end while it gives them their input, be it only that there is none: 4 of 120 times on
# busy cores. Then once more.
into_out() {
  local status=141 tries
  for ((tries = 0; tries < 5 && status == 141; ++tries)); do
    "$@" > out 2>&1 < /dev/null
    status=$?
  done
  return "$status"
}
