#!/usr/bin/env bash
# Two machines, as two network namespaces that are joined by a cable: messages between them go through the cable, as its
# counters show, and through nothing else. As root only.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
needs_mpi

a=pure-a-$$ b=pure-b-$$
remove() {
  ip netns del "$a" 2> /dev/null
  ip netns del "$b" 2> /dev/null
  rm -rf "$work"
}
trap remove EXIT
connected() {
  ip netns add "$a" && ip netns add "$b" && ip link add "pa$$" type veth peer name "pb$$" &&
    ip link set "pa$$" netns "$a" name pure0 && ip link set "pb$$" netns "$b" name pure0 &&
    ip -n "$a" addr add 10.9.0.1/24 dev pure0 && ip -n "$b" addr add 10.9.0.2/24 dev pure0 &&
    ip -n "$a" link set pure0 up && ip -n "$b" link set pure0 up && ip -n "$a" link set lo up && ip -n "$b" link set lo up &&
    ip netns exec "$a" unshare -u true
}
if ! connected 2> why; then
  echo "not tested: no network namespaces here: $(head -n 1 why)"
  exit 0
fi

# The kernel may take a second to call a device running, and UCX uses none that is not.
for space in "$a" "$b"; do
  for try in {1..100}; do
    [[ $(ip -n "$space" -o link show pure0) == *'state UP'* ]] && break
    sleep 0.1
  done
done

# What the launchers use in place of ssh: remote [OPTION...] ADDRESS COMMAND...
cat > remote << END
#!/bin/bash
while [[ \$1 == -* ]]; do
  case \$1 in -l | -p | -o) shift 2 ;; *) shift ;; esac
done
case \$1 in 10.9.0.1) space=$a ;; 10.9.0.2) space=$b ;; *) echo "no machine \$1" >&2; exit 1 ;; esac
shift
exec ip netns exec "\$space" unshare -u sh -c "hostname \$space; \$*"
END
chmod +x remote

received_bytes() { ip netns exec "$a" cat /sys/class/net/pure0/statistics/rx_bytes; }

# crosses NETWORK PER_HOST MODE TEXT: between the machines; sets `crossed`, the bytes that came through the cable.
crosses() {
  local network=$1 per_host=$2 mode=$3 text=$4 before words transports
  case $network in
    mpich) words="-launcher rsh -launcher-exec $work/remote" ;;
    openmpi) words="--mca plm_rsh_agent $work/remote --mca pml ob1 --mca btl tcp,self,vader" ;;
  esac
  transports=tcp,self
  ((per_host == 1)) || transports=all
  before=$(received_bytes)
  ip netns exec "$a" unshare -u sh -c 'hostname "$0" && exec "$@"' "$a" env UCX_TLS="$transports" timeout 60 \
    purerun -n 4 --ppn "$per_host" --hosts 10.9.0.1,10.9.0.2 --mpi "$network" --network-interface pure0 \
    --mpiexec-args "$words" "$traffic" "$mode" > out 2>&1 < /dev/null || fail "$network, $mode: $(cat out)"
  grep -qF -- "$text" out || fail "$network, $mode: no '$text' in: $(cat out)"
  crossed=$(($(received_bytes) - before))
}

for network in $(networks); do
  crosses "$network" 1 peers 'process 1 of 2, 0 of 1 on host 1 of 2'
  crosses "$network" 2 peers 'process 3 of 4, 1 of 2 on host 1 of 2'
  crosses "$network" 1 messages 'messages: right'
  ((crossed > 5000000)) || fail "$network: only $crossed bytes of the messages went through the cable"
  echo "$network: $crossed bytes from one machine to the other"
done
finish
