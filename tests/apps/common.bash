# For the scripts of this folder: the programs of bench/apps, compiled as users do it, on Pure and on the MPIs that are found.
# The build is $PURETEST_BUILD_DIR; purerun, purecc and purecxx are found in PATH.

source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"

build=${PURETEST_BUILD_DIR:?the build directory}
top=$(cd "$support/../.." && pwd)
apps=$top/bench/apps
cd "$work" || exit 1
# -O1: the runs are short. -ffp-contract=off: all compute the same bits.
c_flags=(-std=c11 -O1 -ffp-contract=off -Wall -Wextra -Wno-stringop-overflow)
cxx_flags=(-std=c++20 -O1 -ffp-contract=off -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)

# The MPIs that can compile and start programs here; says which cannot.
found_mpis() {
  local family
  for family in mpich openmpi; do
    if command -v "mpicc.$family" > /dev/null && command -v "mpiexec.$family" > /dev/null; then
      echo "$family"
    else
      not_tested "programs on $family" "there is no mpicc.$family, or no mpiexec.$family" >&2
    fi
  done
}

# compile COMMAND...: which says nothing if it succeeds.
compile() {
  "$@" > compiled 2>&1 || fail "$*: $(head -40 compiled)"
  [[ $1 != pure* || ! -s compiled ]] || fail "$*: warnings: $(cat compiled)"
}

# on SYSTEM RANKS PROGRAM ARGUMENT...: SYSTEM is threads, processes, mpich or openmpi.
on() {
  local system=$1 ranks=$2
  shift 2
  case $system in
    threads | processes) timeout 120 purerun --ranks-as "$system" -n "$ranks" "$@" ;;
    mpich) timeout 120 mpiexec.mpich -n "$ranks" "$@" ;;
    openmpi)
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 \
        mpiexec.openmpi --oversubscribe --mca mpi_yield_when_idle 1 --bind-to none -n "$ranks" "$@"
      ;;
  esac
}
