# For the tests of mpi2pure: where it is, and how a translated program is compared with what it was.
source "$(dirname "${BASH_SOURCE[0]}")/../support/checks.bash"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # the tests read it
mpi2pure=${PURETEST_MPI2PURE:-mpi2pure}
command -v "$mpi2pure" > /dev/null || skip 'mpi2pure is not built: libclang-dev is not installed'
command -v mpicc.mpich > /dev/null || skip 'MPICH is not installed'
ulimit -v 6000000

# ends STATUS ARGUMENT...: mpi2pure with these arguments ends so. What it says is in the files out and err.
ends() {
  local status=$1 got
  shift
  timeout 100 "$mpi2pure" "$@" > out 2> err < /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "mpi2pure $*: status $got, not $status; it says: $(cat out err)"
}

# same_three_ways FILE LOOPS: all its loops become tasks, and the program prints the same: before, translated but without
# the macro, and with tasks.
same_three_ways() {
  local file=$1 loops=$2 of_mpi=mpicc.mpich of_pure=purecc ranks taken=
  export OMP_WAIT_POLICY=passive
  [[ $file == *.c ]] || { of_mpi=mpicxx.mpich of_pure=purecxx; }
  cp "$here/programs/"* .
  ends 0 tasks --output made "$file" -- "$of_mpi"
  grep -qxF "mpi2pure: loops changed: $loops, left: 0" err || fail "$file: $(< err)"
  "$of_mpi" -O1 -w -fopenmp "$file" -o before -lm || fail "$file: before"
  "$of_mpi" -O1 -w -fopenmp -I. "made/$file" -o beside -lm || fail "$file: translated, without tasks"
  "$of_pure" -O1 -Wall -Wextra -Wno-unknown-pragmas -Werror -DPURE_TASKS -I. "made/$file" -o tasks -lm ||
    fail "$file: with tasks"
  "$of_pure" -O1 -w -include chunked.h -DPURE_TASKS -I. "made/$file" -o chunked -lm || fail "$file: with short chunks"
  OMP_NUM_THREADS=2 timeout 60 ./before > expected || fail "$file: before, status $?"
  [[ -s expected ]] || fail "$file prints nothing"
  OMP_NUM_THREADS=2 timeout 60 ./beside > printed || fail "$file: translated, status $?"
  cmp expected printed || fail "$file prints something else where it is translated, without tasks"
  for ranks in 1 2 4 8; do
    purerun_ends 0 -n "$ranks" ./tasks
    cmp expected out || fail "$file prints something else with tasks, on $ranks ranks"
    purerun_ends 0 -n "$ranks" --stats ./chunked
    cmp expected out || fail "$file prints something else with short chunks, on $ranks ranks"
    ! grep -q ' given ' err || taken=1
  done
  [[ -n $taken || $(nproc) == 1 || $(uname -m) != x86_64 ]] || fail "$file: no rank has taken a chunk of another one"
  cp "made/$file" again.source
  ends 0 tasks -i "made/$file" -- "$of_mpi" -I.
  cmp "made/$file" again.source || fail "$file: a second run changes something"
}

# left FILE LINE REASON [FLAG]...: its loops stay as they are, that of this line for this reason.
left() {
  local file=$1 line=$2 reason=$3
  shift 3
  ends 1 tasks "$file" -- "$@"
  grep -qF -- "$file:$line: $reason" err || fail "$file:$line is not left because $reason, but: $(< err)"
}
