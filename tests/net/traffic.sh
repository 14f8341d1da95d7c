#!/usr/bin/env bash
# Processes exchange messages and meet, over MPIs; failures of the network are reported and end the job.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
mpis=1 # with the MPICH of the system, which has UCX
needs_mpi

# As if there were an InfiniBand adapter, and UCX knew better than Pure; where root allows.
cat > with_adapter << 'END'
#!/bin/sh
exec unshare -m sh -c 'mount -t tmpfs none /sys/class && mkdir -p /sys/class/infiniband/pretended && exec "$@"' sh "$@"
END
chmod +x with_adapter
if ! ./with_adapter true 2> /dev/null; then
  not_tested 'UCX beside an adapter' 'no file system can be mounted here'
elif [[ " $(networks | tr '\n' ' ')" == *' mpich '* ]]; then
  ends 0 'UCX 65537' -N 2 --mpi mpich ./with_adapter "$traffic" peers # on one host it does not matter
  ends 0 'UCX as it is' -N 2 --mpi mpich ./with_adapter env MPI_LOCALNRANKS=1 "$traffic" peers
fi

for network in $(networks); do
  on=(--mpi "$network")
  numbers='2 3 4'
  [[ $network == none ]] || numbers=3 # an MPI knows what to do with others
  for processes in $numbers; do
    PURE_CHECK=$((processes % 2)) ends 0 'messages: right' -N "$processes" "${on[@]}" "$traffic" messages
    ends 0 'cancels: right' -N "$processes" "${on[@]}" "$traffic" cancels
  done
  ends 0 'collectives: right' -N 3 "${on[@]}" "$traffic" collectives
  ends 0 'process 2 of 3, 2 of 3 on its machine, on host 0 of 1' -N 3 "${on[@]}" "$traffic" peers
  ends 7 '' -N 3 "${on[@]}" "$traffic" abort
  if [[ $network == none ]]; then # what follows are MPIs' own words and ways
    ends 9 'a payload of 1000 bytes of process 0 comes to a receive of 10 bytes' -N 2 "${on[@]}" "$traffic" too_long
    echo "tested over shared memory"
    continue
  fi
  # Where the MPI takes each process for a host of its own, the machine knows better.
  MPIR_CVAR_NOLOCAL=1 ends 0 'process 2 of 3, 2 of 3 on its machine, on host 0 of 1' -N 3 "${on[@]}" "$traffic" peers
  # Where the MPI loses what comes before a receive from any source, Pure finds that out, and looks for messages
  # (docs/mpi_faults.md). Were it wrong there, these would wait for ever.
  MPIR_CVAR_NOLOCAL=1 ends 0 'messages are ' -N 3 "${on[@]}" "$traffic" peers
  echo "$network between hosts: $(grep -o 'messages are .*' out)"
  for what in messages cancels; do MPIR_CVAR_NOLOCAL=1 ends 0 "$what: right" -N 3 "${on[@]}" "$traffic" "$what"; done
  at_once=0 # MPICH does not say
  [[ $network == mpich* ]] || at_once=8144
  OMPI_MCA_btl_vader_eager_limit=8192 OMPI_MCA_btl_sm_eager_limit=8192 \
    ends 0 "of 1, $at_once bytes at once" -N 2 "${on[@]}" "$traffic" peers
  [[ $network == mpich* ]] || at_once=17408 # where nobody has set it: a packet
  ends 0 "of 1, $at_once bytes at once" -N 2 "${on[@]}" "$traffic" peers
  ends 0 'UCX 65537' -N 2 "${on[@]}" "$traffic" peers
  UCX_RNDV_THRESH=auto ends 0 'UCX auto' -N 2 "${on[@]}" "$traffic" peers
  ends 9 'runcat' -N 2 "${on[@]}" "$traffic" too_long # MPI's own word: truncated, TRUNCATE
  grep -q 'the network failed: A receive' err || fail "$network: a payload that is too long is not explained: $(cat err)"
  echo "tested over $network"
done
finish
