#!/usr/bin/env bash
# A machine that cannot look up its own name: purerun says so when it starts several processes, and so do the tests of
# tests/net, rather than to wait for minutes.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Everything below runs in namespaces: another name, another /etc/hosts, a network with nobody in it.
if [[ ${1:-} != inside ]]; then
  unshare --uts --net --mount true 2> /dev/null || skip 'namespaces for a name, a network and mounts are not allowed'
  cd / && rm -rf "$work"
  exec unshare --uts --net --mount bash "${BASH_SOURCE[0]}" inside
fi
hostname bare-box || skip 'the machine cannot be given a name'
ip link set lo up 2> /dev/null || skip 'there is no ip (iproute2)'
mount --make-rprivate /
echo '127.0.0.1 localhost' > hosts
echo 'nameserver 127.0.0.53' > resolv.conf
mount --bind hosts /etc/hosts || skip '/etc/hosts cannot be mounted over'
mount --bind resolv.conf /etc/resolv.conf || skip '/etc/resolv.conf cannot be mounted over'

script hydra << 'END'
#!/bin/sh
if [ "$1" = --version ]; then echo 'HYDRA build details'; else sleep "$SECONDS_OF_JOB"; fi
END
mkdir plugins
touch plugins/libpure_net_mpich.so
export PURE_PLUGIN_DIR=$PWD/plugins
# starts SECONDS OPTION...: a job that takes so long, of which nobody hears anything.
starts() {
  SECONDS_OF_JOB=$1 timeout 60 purerun "${@:2}" --mpiexec ./hydra "$PURETEST_BUILD_DIR/bin/pure" > out 2> err < /dev/null
}
warning="purerun: warning: this machine's own name, bare-box, does not resolve"
to_do="Add the line '127.0.1.1 bare-box' to /etc/hosts."

# Nobody is there to ask: that is known at once.
starts 0.3 -N 2
says 'no server' "$warning: "
says 'no server' "$to_do"
[[ $(grep -c 'own name' err) == 1 ]] || fail "not once: $(cat err)"
"$PURETEST_BUILD_DIR/tests/programs/every_rank" > out 2> err && [[ ! -s err ]] || fail "one process: $(cat err)"
ends 0 '' -n 2 every_rank
SECONDS_OF_JOB=0 ends 0 '' -N 2 --mpiexec ./hydra --dry-run every_rank
bash -c 'source "$1"/net/common.bash; echo "it goes on"' bash "$tests" > out 2>&1
grep -q "^note: this machine's own name, bare-box, does not resolve: add the line" out || fail "the tests: $(cat out)"
grep -q 'it goes on' out || fail "the tests do not go on: $(cat out)"

# A server that does not answer.
python3 -c 'import socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("127.0.0.53", 53))
print("ready", flush=True)
while server.recvfrom(1000): pass' > ready &
server=$!
for _ in {1..600}; do [[ -s ready ]] || sleep 0.1; done
starts 1.4 -N 2
says 'a server that is silent' "$warning within a second"
[[ $(grep -c 'own name' err) == 1 ]] || fail "not once: $(cat err)"
began=$EPOCHREALTIME
starts 0.1 -N 2 # a job that ends before is not kept
(((${EPOCHREALTIME/[.,]/} - ${began/[.,]/}) < 4000000)) || fail "a short job takes from $began to $EPOCHREALTIME"
bash -c 'source "$1"/net/common.bash; echo "it goes on"' bash "$tests" > out 2>&1
[[ $? == 1 ]] && grep -q "^FAILED: this machine's own name, bare-box, does not resolve: add the line" out || fail "the tests: $(cat out)"
if grep -q 'it goes on' out; then fail "the tests go on: $(cat out)"; fi
kill $server

# What was asked for.
echo '127.0.1.1 bare-box' >> /etc/hosts
starts 1.2 -N 2
if grep -q 'own name' err; then fail "it resolves: $(cat err)"; fi
bash -c 'source "$1"/net/common.bash; echo "it goes on"' bash "$tests" > out 2>&1
[[ $(cat out) == 'it goes on' ]] || fail "the tests: $(cat out)"

finish
