#!/usr/bin/env bash
# `pure info` shows what is in force and where it came from, also when the environment is wrong; `pure` refuses wrong use.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

# info STATUS TEXT...: `pure info` ends so and prints every text.
info() {
  local status=$1 got
  shift
  pure info > out 2> err
  got=$?
  [[ $got == "$status" ]] || fail "pure info: status $got, not $status: $(cat err)"
  for text; do grep -qE -- "$text" out || fail "pure info: no '$text' in: $(cat out)"; done
}

info 0 '^Pure [0-9]+\.' 'hwloc +[0-9]' '[0-9]+ hardware thread' 'membarrier' 'huge pages' '^  rank 0 ' \
  'PURE_RANKS +one for each allowed core +default'
if [[ -e $PURETEST_BUILD_DIR/lib/libmpi_abi.so.1 ]]; then
  info 0 '^  MPI  +5\.0, by libmpi_abi\.so\.1 of the standard ABI, in( |$)'
  grep -qF "$PURETEST_BUILD_DIR/lib" out || fail "it does not say where libmpi_abi is: $(cat out)"
else
  info 0 '^  MPI  +none'
fi
mkdir -p copy/bin && cp "$(command -v pure)" copy/bin && grep -qE '^  MPI  +none: this copy of Pure has' <<< "$(copy/bin/pure info)" ||
  fail "a copy without libmpi_abi does not say so"
if grep -q PURE_LAUNCH_FD out; then fail 'it shows an internal setting'; fi
for name in PURE_RANKS PURE_MAP_BY PURE_REPORT_BINDINGS PURE_EAGER_LIMIT PURE_RING_BYTES PURE_SHARED_COPY_MIN \
  PURE_COPY_PIECE PURE_SPIN_US PURE_POLL_PAUSES PURE_STACK_BYTES PURE_UNEXPECTED_WARN PURE_MAX_TASK_CHUNKS; do
  grep -q "^  $name " out || fail "it does not show $name"
done

# What processes that purerun starts itself can do here, and could not where a filter forbids it.
if "$PURETEST_BUILD_DIR/tests/net/without" pidfd_open -- true 2> /dev/null; then
  without() {
    "$PURETEST_BUILD_DIR/tests/net/without" "$1" -- pure info > out || fail "pure info without $1: status $?"
    grep -qE -- "$2" <<< "$(tr -s ' \n' ' ' < out)" || fail "pure info without $1: no '$2' in: $(cat out)"
    awk 'length > 80 { exit 1 }' out || fail "pure info without $1: more than 80 columns"
  }
  without pidfd_open 'processes large messages (go on|wait)'
  without process_vm_readv 'large messages wait for their sender, for the kernel forbids'
  without bind 'who sleeps looks again and again'
  without membarrier 'every message costs a fence'
  without memfd_create 'processes none without an MPI: the memory .* cannot be had'
else
  not_tested 'what a filter forbids' 'there is no filter of system calls here'
fi

PURE_HUGE_PAGES=transparent info 0 'PURE_HUGE_PAGES +transparent +environment' '^ +transparent: (not )?granted'
PURE_HUGE_PAGES=reserved info 0 '^ +reserved: (granted|not granted: the kernel has reserved [0-9]+ huge page)'
PURE_RANKS=3 PURE_MAP_BY=none info 0 'PURE_RANKS +3 +environment' 'PURE_SPIN_US .*default' '3 ranks, not bound'
purerun -n 2 pure info > out 2> err
grep -qE 'PURE_RANKS +2 +environment' out || fail "under purerun: $(cat out)"

# Everything that is wrong at once, and the rest is shown all the same.
PURE_RANKS=0 PURE_SPINUS=1 PURE_MAP_BY=nuam PURE_RING_BYTES=4K PURE_EAGER_LIMIT=8K \
  info 1 'no job can start' 'PURE_RANKS=0 is not possible' 'did you mean PURE_SPIN_US' 'mapped by "nuam"' 'PURE_RANKS +one for each allowed core +refused' \
  'PURE_RING_BYTES=4 KiB is too small' 'PURE_STACK_BYTES' 'cannot start, see below'

# A variable of somebody's own keeps no job from starting, and is named.
PURE_HOME=/x PURE_SPIN=3 info 0 '^Warnings' 'PURE_HOME' 'PURE_SPIN .did you mean PURE_SPIN_US' 'count for nothing'
if grep -q '^Problems' out; then fail 'PURE_HOME is a problem'; fi

PURE_RANKS=5 PURE_HOME=/x pure info --json > out || fail '--json: its status'
python3 - << 'END' || fail '--json: see above'
import json, os
info = json.load(open("out"))
assert [place["rank"] for place in info["job"]["places"]] == [0, 1, 2, 3, 4]
allowed = {thread["cpu"] for thread in info["machine"]["hardware_threads"] if thread["allowed"]}
assert allowed == os.sched_getaffinity(0), allowed
assert all(set(place["cpus"]) <= allowed for place in info["job"]["places"])
settings = {setting["name"]: setting for setting in info["settings"]}
assert settings["PURE_RANKS"]["value"] == "5" and settings["PURE_RANKS"]["from"] == "environment"
assert settings["PURE_MAP_BY"]["value"] == settings["PURE_MAP_BY"]["default"] == "core"
assert info["kernel"]["huge_pages_granted"] is None
assert all(type(info["kernel"]["processes"][each]) is bool for each in ("read_each_other", "are_woken", "have_common_fence"))
assert info["problems"] == [] and len(info["warnings"]) == 1 and "PURE_HOME" in info["warnings"][0] and info["version"] and info["build"]["hwloc"]
library = os.environ["PURETEST_BUILD_DIR"] + "/lib"
assert info["build"]["mpi_folder"] == (library if os.path.exists(library + "/libmpi_abi.so.1") else ""), info["build"]
built = [name for name in ("mpich", "openmpi") if os.path.exists(f"{library}/libpure_net_{name}.so")]
messages = info["messages"]
sizes = [row["up_to"] for row in messages["ways"]]
assert sizes[-1] is None and sizes[:-1] == sorted(set(sizes[:-1])), messages
ways = [row["way"] for row in messages["ways"]]
assert ways == ["ring", "cells", "measured", "all_who_wait"], ways
assert sizes[0] == messages["numbers"]["worth_cells_bytes"] == 192 and sizes[1] == 2048, messages
for row in messages["copies"]:
    assert 0 < row["own_line_ns"] < 1000, row
    number = "fetched" if row["up_to"] < 32768 else "fetched_of_long"
    assert abs(row["fetched_line_ns"] - messages["numbers"][number] * row["own_line_ns"]) < 1e-6, row
networks = info["build"]["networks"]
assert [network["name"] for network in networks] == built, networks
assert all(network["problem"] == "" and network["version"][0].isdigit() for network in networks), networks
loads = os.path.exists(library + "/pure_ranks_mpi")
assert info["build"]["mpi_ranks_as"] == ("threads" if loads else "processes"), info["build"]
END
# What joins machines: none, with the remedy; or one that cannot be loaded, with the reason.
mkdir none broken && : > broken/libpure_net_mpich.so
PURE_PLUGIN_DIR=none info 0 'network +between machines: none: install MPICH'
PURE_PLUGIN_DIR=broken info 0 'network +between machines: mpich .cannot be loaded:'
PURE_RANKS=0 pure info --json > out
[[ $? == 1 ]] || fail '--json with a wrong environment: its status'
python3 -c 'import json; assert json.load(open("out"))["problems"]' || fail '--json: no problems'

# refuses TEXT ARGUMENT...
refuses() {
  local text=$1
  shift
  pure "$@" > out 2> err
  [[ $? == 2 ]] || fail "pure $*: its status"
  says "pure $*" "$text"
}
refuses 'Usage: pure'
refuses 'there is no subcommand inof (did you mean info?)' inof
refuses 'there is no subcommand inof (did you mean info?)' inof --json
refuses 'there is no option --jsno (did you mean --json?)' info --jsno
refuses 'Try `pure info --help`' info --jsno
refuses 'there is no option --versoin (did you mean --version?)' --versoin
refuses 'not expected: more' info more
refuses 'there is no subcommand tnue (did you mean tune?)' bench tnue
refuses 'pure: which subcommand?' bench
refuses 'there is no option --outptu (did you mean --output?)' bench tune --outptu tuning.json
# What is not known here may be something elsewhere: that is not meant.
refuses 'pure: not expected: trace.' info trace
refuses 'pure: there is no option --ranks.' info --ranks
refuses 'pure: there is no option --bananas.' globals --bananas app
refuses 'pure: there is no subcommand app.' app
grep -q 'info' <<< "$(pure --help)" || fail '--help'
grep -q -- '--json' <<< "$(pure info --help)" || fail 'info --help'
[[ $(pure --version) =~ ^pure\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "--version: $(pure --version)"

finish
