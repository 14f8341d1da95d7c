#!/usr/bin/env bash
# Processes that were started by the wrong launcher, or in the wrong number, say so; and without an MPI, what to install.
mpis_alone=1
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
mpis=system

mkdir none mpich openmpi
ends 2 'Install MPICH' -N 2 --mpiexec mpiexec --set "plugin_dir=$PWD/none" "$traffic" peers
ends 0 'peers: right' -N 2 --set "plugin_dir=$PWD/none" "$traffic" peers
needs_mpi
for network in $(networks); do ln -s "$build/lib/libpure_net_$network.so" "$network"; done

# says TEXT COMMAND...: fails, with the text.
says() {
  local text=$1
  shift
  into_out timeout 60 "$@" && fail "$*: it did not fail"
  grep -qF -- "$text" out || fail "$*: no '$text' in: $(cat out)"
}

for network in $(networks); do
  ends 0 'peers: right' -N 2 --mpi "$network" --set "plugin_dir=$PWD/$network" "$traffic" peers
  read -ra command < <(purerun -N 2 --mpi "$network" --dry-run true | sed 's/^env [^/]*//; s/ [^ ]*true$//')
  export PURE_PLUGIN_DIR=$build/lib
  says '3 processes are asked for' env PURE_PROCESSES=3 "${command[@]}" "$traffic" peers
  says '1 process is asked for' env PURE_PROCESSES=1 "${command[@]}" "$traffic" peers
  "${command[@]}" "$traffic" peers > out 2>&1 || fail "$network: it did not find its network by itself: $(cat out)"
  PURE_PLUGIN_DIR=$PWD/none says 'Pure has been built for no MPI' "${command[@]}" "$traffic" peers
  for other in $(networks); do
    [[ $other != "$network" ]] || continue
    PURE_PLUGIN_DIR=$PWD/$other says "but Pure has been built for" "${command[@]}" "$traffic" peers
    says "PURE_NETWORK=$other asks for" env PURE_NETWORK="$other" "${command[@]}" "$traffic" peers
    says "belongs to" purerun -N 2 --mpi "$other" --mpiexec "${command[0]}" "$traffic" peers
  done
  says 'is itself one of 2 processes' "${command[@]}" purerun -N 2 "$traffic" peers
  unset PURE_PLUGIN_DIR
done

# Each job of Open MPI has a folder of its own while it runs (tools/purerun/session_folder.hpp), or the user's.
# shellcheck disable=SC2016
shown='[ -d "$PRTE_MCA_prte_tmpdir_base" ] && echo "in $PRTE_MCA_prte_tmpdir_base"'
if grep -qx openmpi <<< "$(networks)"; then
  TMPDIR=$PWD purerun -N 2 --mpi openmpi sh -c "$shown" > out 2>&1
  [[ $(grep -cF "in $PWD/purerun." out) == 2 ]] || fail "no folder of the job's own: $(cat out)"
  compgen -G "$PWD/purerun.*" > left && fail "after the job there are still: $(cat left)"
  PRTE_MCA_prte_tmpdir_base=$PWD/mpich purerun -N 2 --mpi openmpi sh -c "$shown" > out 2>&1
  [[ $(grep -cF "in $PWD/mpich" out) == 2 ]] || fail "not the user's folder: $(cat out)"
fi

says '2 processes are asked for (PURE_PROCESSES), but this one was started by itself' env PURE_PROCESSES=2 "$traffic" peers
finish
