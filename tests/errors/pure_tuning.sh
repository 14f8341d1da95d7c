#!/usr/bin/env bash
# `pure info --tuning` prints the table in force, for people and as a file, and which way messages go; `pure bench tune`
# measures and writes a table.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

# pure_ends STATUS TEXT ARGUMENT...: with the text somewhere on stderr ('' for silence).
pure_ends() {
  local status=$1 text=$2 got
  shift 2
  timeout 250 pure "$@" > out 2> err < /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "pure $*: status $got, not $status; it says: $(cat err)"
  says "pure $*" "$text"
}
shows() { # TEXT...: patterns in the output
  for text; do grep -qE -- "$text" out || fail "no '$text' in: $(cat out)"; done
}

# ---- the table in force ----

pure_ends 0 '' info --tuning
shows 'built-in' '^  barrier +up to 16 +own +- +flat +-$' '^  alltoall +any number +shared +2 KiB +- +8 KiB$'
pure_ends 0 '' info --tuning --json
cp out built_in.json

cat > table.json << 'END_OF_TABLE'
{"collectives": [{"collective": "reduce", "ranks": 4, "copied_bytes": 4096, "tree_radix": 3, "piece_bytes": 65536}]}
END_OF_TABLE
PURE_TUNING=table.json pure_ends 0 '' info --tuning
shows 'PURE_TUNING=table.json' '^  reduce +up to 4 +own +4 KiB +3 +64 KiB$' '^  reduce +up to 16 +own +2 KiB +flat +8 KiB$'
PURE_TUNING=table.json pure_ends 0 '' info --tuning --json
cp out again.json
PURE_TUNING=again.json pure_ends 0 '' info --tuning --json
cmp -s out again.json || fail "what --json prints is not read as it was: $(diff out again.json)"
if cmp -s built_in.json again.json; then fail 'the row of the file is missing'; fi

# ---- the ways of messages ----

pure_ends 0 '' info --tuning
shows '^  up to 192 B +in the lines of the pair.s ring$' '^  up to 2 KiB +through cells' \
  "^  up to 512 KiB +from the sender's buffer, which the receiver reads, or both" '^  longer +likewise: so do' \
  'PURE_EAGER_LIMIT=2 KiB, PURE_CELLS=auto, PURE_PACKED_COPY_MAX=512 KiB,$' 'PURE_SHARED_COPY_MIN=64 KiB; and$' '^  192 +bytes: ' '^  1\.7 +times as long' \
  '\(docs/decisions.md, D-cells\)' 'decisions.md, D-fresh-line' '^  up to 4 KiB +[0-9.]+ +[0-9.]+$' '^  up to 512 KiB +[0-9.]+ +[0-9.]+$' '^  1\.3 +likewise, from'
PURE_CELLS=off PURE_EAGER_LIMIT=8K PURE_RING_BYTES=64K pure_ends 0 '' info --tuning
shows '^  up to 8 KiB +in the lines' '^  below 64 KiB +from the' 'PURE_EAGER_LIMIT=8 KiB, PURE_CELLS=off'
if grep -q 'through cells,\|up to 192 B' out; then fail "cells, though there are none: $(cat out)"; fi
PURE_CELLS=on PURE_EAGER_LIMIT=64 PURE_SHARED_COPY_MIN=4K pure_ends 0 '' info --tuning
shows '^  up to 64 B +in the lines' '^  up to 192 B +from the sender.s buffer: the' '^  up to 512 KiB +through cells' '^  longer +likewise: so do'

# A program runs with what is printed.
ends 0 '' -n 2 --set tuning=again.json every_rank

# ---- a broken file ----

echo '{"collectives": [{"collective": "allredcue"}]}' > broken.json
for arguments in '--tuning' '--tuning --json'; do
  PURE_TUNING=broken.json pure_ends 1 'PURE_TUNING=broken.json: row 1: "allredcue" is no collective' info $arguments
  PURE_TUNING=none.json pure_ends 1 'PURE_TUNING=none.json: it cannot be read: No such file' info $arguments
done
PURE_TUNING=broken.json pure info > out 2> err
[[ $? == 1 ]] || fail 'info, with a broken table: its status'
shows 'no job can start' 'PURE_TUNING=broken.json: row 1'

# ---- the benchmark ----

# 2 ranks, and more than one core has: both kinds of rows, unless this machine has one core.
pure_ends 0 '20 of 20: alltoall' bench tune --quick --ranks 3,2,3 --output tuned.json
shows 'tuned.json is written' 'PURE_TUNING=tuned.json'
PURE_TUNING=tuned.json pure_ends 0 '' info --tuning
ends 0 '' -n 3 --set tuning=tuned.json every_rank
PURE_TUNING=tuned.json pure_ends 0 'PURE_TUNING is set aside' bench tune --quick --ranks 2
echo kept > kept.json
PURE_SPIN_US=soon pure_ends 1 'PURE_SPIN_US=soon' bench tune --quick --ranks 2 --output kept.json
[[ $(cat kept.json) == kept ]] || fail 'a table that could not be measured has overwritten a file'

pure_ends 1 '--output /no/such/folder/t.json: it cannot be written: No such file' bench tune --output /no/such/folder/t.json
pure_ends 1 "--output $work: it cannot be written" bench tune --output "$work"
pure_ends 2 "'1' is no number of ranks, a whole number from 2 to 32768" bench tune --ranks 1
pure_ends 2 "'many' is no number of ranks" bench tune --ranks 2,many
pure_ends 2 "'40000' is no number of ranks, a whole number from 2 to 32768" bench tune --ranks 40000
pure_ends 2 'did you mean --output?' bench tune --ouput x
pure_ends 2 'did you mean tune?' bench tun
pure_ends 2 'did you mean bench?' bnech tune
pure_ends 2 'subcommand' bench
pure_ends 0 '' bench tune --help
for word in --output --ranks --quick PURE_TUNING 'Exit status'; do
  grep -qF -- "$word" out || fail "bench tune --help does not mention '$word'"
done
pure_ends 0 '' info --help
shows --tuning --json
pure_ends 0 '' --help
shows 'bench tune' 'info --tuning'

finish
