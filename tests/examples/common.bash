# For the scripts of this folder: where the programs are, and how they are launched.
# The build is $PURETEST_BUILD_DIR; purerun is found in PATH.

source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"

build=${PURETEST_BUILD_DIR:?the build directory}
md=$build/examples/md/md
random_stencil=$build/examples/random_stencil/random_stencil
windows=$build/examples/windows

# on_pure RANKS PROGRAM ARGUMENT...
on_pure() {
  timeout 120 purerun -n "$@"
}

# on_mpi FAMILY RANKS PROGRAM ARGUMENT...: PROGRAM without the family's ending.
on_mpi() {
  local family=$1 ranks=$2 program=$3
  shift 3
  case $family in
    mpich) timeout 120 mpiexec.mpich -n "$ranks" "${program}_mpich" "$@" ;;
    openmpi)
      OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 \
        mpiexec.openmpi --oversubscribe -n "$ranks" "${program}_openmpi" "$@"
      ;;
  esac
}

# The MPIs for which PROGRAM has a twin that can be launched.
twins_of() {
  local family
  for family in mpich openmpi; do
    if [[ -x ${1}_$family ]] && command -v "mpiexec.$family" > /dev/null; then echo "$family"; fi
  done
}

# compares_with PROGRAM: says which MPIs there is no twin of it for; false if there is none at all.
compares_with() {
  local family found
  found=" $(twins_of "$1" | tr '\n' ' ')"
  for family in mpich openmpi; do
    [[ $found == *" $family "* ]] ||
      not_tested "${1##*/} on $family" 'it was not there when the examples were built, or its mpiexec is gone'
  done
  [[ $found != ' ' ]]
}

potential=/usr/share/lammps/potentials/Cu_u6.eam
# Whether the potential is there.
has_potential() {
  [[ -r $potential ]] || { not_tested 'embedded atom' "$potential is not there (Debian's package lammps-data)" && false; }
}

# The columns of md's table on which nobody's speed has an influence: step, time, energies, temperature.
table() {
  awk '$1 ~ /^[0-9]+$/ && NF >= 6 { print $1, $2, $3, $4, $5, $6 }'
}

# the_number AFTER: the first number behind these words.
number_after() {
  sed -nE "s/^ *$1 +([-+0-9.e]+).*/\1/p"
}

# holds AWK_CONDITION: whether a condition on numbers is true.
holds() {
  awk "BEGIN { exit !($*) }"
}
