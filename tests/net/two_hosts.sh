#!/usr/bin/env bash
# Two machines, as two network namespaces that are joined by a cable: messages between them go through the cable, as its
# counters show, and through nothing else. They know that they share cores. Their clocks count from moments that are
# 1000 s apart (where the kernel has time namespaces): a timeline of both is on one clock. As root only.
mpis_alone=1
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
mpis=system
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
  skip "no network namespaces can be made here: $(head -n 1 why)"
fi

later=()
if unshare -T --monotonic 1000 true 2> /dev/null; then
  later=(-T --monotonic 1000)
else
  not_tested 'clocks that differ' 'no time namespaces can be made here'
fi

# The kernel may take a second to call a device running, and UCX uses none that is not.
for space in "$a" "$b"; do
  for try in {1..1000}; do
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
case \$1 in 10.9.0.1) space=$a later= ;; 10.9.0.2) space=$b later=\$SECOND_IS_LATER ;; *) echo "no machine \$1" >&2; exit 1 ;; esac
shift
exec ip netns exec "\$space" unshare -u \$later sh -c "hostname \$space; \$*"
END
chmod +x remote

received_bytes() { ip netns exec "$a" cat /sys/class/net/pure0/statistics/rx_bytes; }

# crosses NETWORK PER_HOST TEXT PROGRAM...: between the machines; sets `crossed`, the bytes that came through the cable.
crosses() {
  local network=$1 per_host=$2 text=$3 before words transports
  shift 3
  case $network in
    mpich) words="-launcher rsh -launcher-exec $work/remote" ;;
    openmpi) words="--mca plm_rsh_agent $work/remote --mca pml ob1 --mca btl tcp,self,vader" ;;
  esac
  transports=tcp,self
  ((per_host == 1)) || transports=all
  before=$(received_bytes)
  ip netns exec "$a" unshare -u sh -c 'hostname "$0" && exec "$@"' "$a" env UCX_TLS="$transports" timeout 60 \
    purerun -n 4 --ppn "$per_host" --hosts 10.9.0.1,10.9.0.2 --mpi "$network" --network-interface pure0 \
    --mpiexec-args "$words" "$@" > out 2>&1 < /dev/null || fail "$network, $*: $(cat out)"
  grep -qF -- "$text" out || fail "$network, $*: no '$text' in: $(cat out)"
  crossed=$(($(received_bytes) - before))
}

for network in $(networks); do
  crosses "$network" 1 'process 1 of 2, 1 of 2 on its machine, on host 1 of 2' "$traffic" peers
  crosses "$network" 2 'process 3 of 4, 3 of 4 on its machine, on host 1 of 2' "$traffic" peers
  SECOND_IS_LATER=${later[*]} PURE_STATS=on PURE_TRACE=$work/t.json crosses "$network" 2 'what 4 ranks in 4 processes did' \
    "$build/tests/programs/activity" everything
  mv t.json "$network.json"
  PURE_NEAR_NETWORK=shm crosses "$network" 2 'allowed by the standard' "$build/tests/net/oracle" 1 4 # and the MPI between hosts
  if grep -q 'share no memory' out; then fail "$network: $(cat out)"; fi
  crosses "$network" 1 'messages: right' "$traffic" messages
  ((crossed > 5000000)) || fail "$network: only $crossed bytes of the messages went through the cable"
  echo "$network: $crossed bytes from one machine to the other"
done

python3 - "$support" "${#later[@]}" *.json << 'END' || fail 'the timelines of two machines'
import json, sys

sys.path.insert(0, sys.argv[1])
import timeline

for path in sys.argv[3:]:
    with open(path) as file:
        about = json.load(file)["otherData"]
    assert timeline.check(path, "processes=4", "ranks=4", "mains=4", "crossing=3+"), path
    for ahead, late in zip(about["machines"][1]["clock_ahead_us"], about["machines"][1]["uncertainty_us"]):
        true = 1e9 if sys.argv[2] != "0" else 0
        assert 0 < late < 1e5 and abs(ahead - true) <= late, (path, about)
END
finish
