#!/usr/bin/env bash
# What the tools print for people fits a terminal of 80 columns, but for names and paths, which have their own length.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

# fits WHO FILE: no line of the file is longer.
fits() {
  local long
  long=$(awk 'length > 80' "$2")
  [[ -z $long ]] || fail "$1: more than 80 columns: $long"
}

purerun --help > out || fail 'purerun --help'
fits 'purerun --help' out
while read -r words; do
  # shellcheck disable=SC2086
  pure $words --help > out || fail "pure $words --help"
  [[ -s out ]] || fail "pure $words --help: nothing"
  fits "pure $words --help" out
done << 'END'

info
bench
bench tune
trace
attach
globals
END

pure info > out || fail 'pure info'
fits 'pure info' out
pure info --tuning > out || fail 'pure info --tuning'
fits 'pure info --tuning' out
# Columns are columns: what is in force, and where it comes from, begin at one place each.
pure info | grep -E '^  PURE_' > out
[[ $(grep -obE '(default|environment)$' out | wc -l) == $(wc -l < out) ]] || fail "pure info: $(cat out)"
[[ $(awk '{ sub(/(default|environment)$/, ""); print length }' out | sort -u | wc -l) == 1 ]] || fail "pure info: $(cat out)"
purerun --help | grep -E '^  PURE_' > out
[[ $(awk '{ match($0, /^  [A-Z_]+ +/); print RLENGTH }' out | sort -u | wc -l) == 1 ]] || fail "purerun --help: $(cat out)"
PURE_RANKS=0 PURE_SPINUS=1 PURE_MAP_BY=nuam PURE_PROCESSES=x PURE_RING_BYTES=4K PURE_STACK_BYTES=1 PURE_HOME=/x pure info > out
fits 'pure info, with a wrong environment' out
for huge_pages in transparent reserved; do
  PURE_HUGE_PAGES=$huge_pages pure info > out
  fits "pure info, $huge_pages" out
done

for n in 2 3 17 40; do
  purerun -n $n --stats --report-bindings activity everything > out 2> err || fail "-n $n --stats: $(cat err)"
  fits "-n $n --stats --report-bindings" err
done
purerun -n 2 --set helpers=auto --report-bindings --stats --map-by numa activity messages > out 2> err
fits "helpers=auto" err

# Reports of hangs, without the places in the program.
purerun -n 2 hang crossed_sends > out 2> err
grep -q '^pure: deadlock' err || fail "no deadlock: $(cat err)"
grep -vE '^  rank|^    ' err > fixed
grep -q 'Look for' fixed || fail "no advice: $(cat err)"
fits 'a deadlock' fixed

finish
