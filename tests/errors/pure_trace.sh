#!/usr/bin/env bash
# `pure trace` draws a timeline file as a PNG of the asked size, and says in one line what is wrong with anything else.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

cat > run.json << 'END'
{"displayTimeUnit":"ns","otherData":{"program":"stencil","pure":"0.1.0","ranks":2,"helpers":1,"dropped_events":0},"traceEvents":[
{"ph":"M","pid":0,"tid":0,"name":"thread_name","args":{"name":"rank 0"}},
{"ph":"X","pid":0,"tid":0,"ts":10.000,"dur":20.000,"cat":"chunk","name":"chunk 0","args":{"owner":0,"task":1,"first":0,"last":0}},
{"ph":"X","pid":0,"tid":0,"ts":10.000,"dur":50.000,"cat":"task","name":"parallel_for","args":{"task":1,"chunks":2,"at":"a.cpp:7"}},
{"ph":"s","pid":0,"tid":0,"ts":70.000,"cat":"message","name":"message","id":1},
{"ph":"X","pid":0,"tid":0,"ts":0.000,"dur":100.000,"cat":"rank","name":"main","args":{}},
{"ph":"X","pid":0,"tid":1,"ts":20.000,"dur":40.000,"cat":"chunk","name":"chunk 1","args":{"owner":0,"task":1,"first":1,"last":1}},
{"ph":"f","bp":"e","pid":0,"tid":1,"ts":72.000,"cat":"message","name":"message","id":1},
{"ph":"X","pid":0,"tid":1,"ts":5.000,"dur":68.000,"cat":"wait","name":"pure_recv_msg","args":{"for":"a message from rank 0","at":"a.cpp:9"}},
{"ph":"X","pid":0,"tid":1,"ts":0.000,"dur":100.000,"cat":"rank","name":"main","args":{}}
]}
END

# draws TEXT ARGUMENT...: run.json becomes a PNG, and the text is in what is said of it.
draws() {
  local text=$1
  shift
  rm -f out.png
  pure trace run.json --png out.png "$@" > out 2> err || fail "pure trace $*: it fails: $(cat err)"
  grep -qF -- "$text" out || fail "pure trace $*: no '$text' in: $(cat out)"
  [[ $(head -c 8 out.png | od -An -tx1 | tr -d ' \n') == 89504e470d0a1a0a ]] || fail "pure trace $*: no PNG"
}
# The width, as the PNG says it.
width() { printf '%d' "0x$(head -c 20 out.png | tail -c 4 | od -An -tx1 | tr -d ' \n')"; }

if grep -q 'built without cairo' <<< "$(pure trace run.json --png out.png 2>&1)"; then
  skip 'pure is built without cairo'
fi
draws '0 us to 100 us of stencil, 3 rows, 1600 x '
[[ $(width) == 1600 ]] || fail "the width is $(width)"
draws '3 rows, 800 x ' --width 800
[[ $(width) == 800 ]] || fail "--width 800: the width is $(width)"
draws '20.0 us to 40.0 us of stencil' --from 20us --to 0.04ms
draws '90.0 us to 100.0 us' --from 90us --to 2s
draws '1 row' --ranks 1
draws '2 rows' --ranks 0-1
# The first rank does something after two thirds of the run: the picture begins there, unless asked otherwise.
mv run.json early.json
awk 'match($0, /"ts":[0-9.]+/) { sub(/"ts":[0-9.]+/, sprintf("\"ts\":%.3f", 200 + substr($0, RSTART + 5, RLENGTH - 5))) } 1' \
  early.json > run.json
draws '198 us to 300 us of stencil'
draws '0 us to 300 us of stencil' --from 0
mv early.json run.json
draws '5.8 us to 64.2 us' --zoom auto # 10 to 60, and a little around it

# refuses STATUS TEXT ARGUMENT...: and leaves no picture.
refuses() {
  local status=$1 text=$2 got
  shift 2
  rm -f out.png
  pure trace "$@" > out 2> err
  got=$?
  [[ $got == "$status" ]] || fail "pure trace $*: status $got, not $status"
  says "pure trace $*" "$text"
  ((status == 2 || $(wc -l < err) == 1)) || fail "pure trace $*: more than a line: $(cat err)"
  [[ ! -e out.png ]] || fail "pure trace $*: it leaves out.png"
}

refuses 1 'nothing.json: it cannot be read: No such file' nothing.json --png out.png
refuses 1 ': it is a directory' . --png out.png
echo 'no json' > text
refuses 1 'text: not JSON: parse error at line 1, column 2' text --png out.png
head -c 700 run.json > half
refuses 1 'was the program ended while it wrote the file?' half --png out.png
echo '{"traceEvents":[]}' > chrome.json
refuses 1 'chrome.json: no timeline of Pure' chrome.json --png out.png
echo '{"otherData":{"pure":"0.1.0","ranks":2,"helpers":0},"traceEvents":[]}' > empty.json
refuses 1 'empty.json: the timeline is empty' empty.json --png out.png
refuses 1 '--zoom auto: no chunk of' <(grep -v '"chunk 1"' run.json) --png out.png --zoom auto

refuses 1 'the run ends after 100 us' run.json --png out.png --from 100us
refuses 1 'the window is empty' run.json --png out.png --from 30us --to 30us
refuses 1 'there is no rank 2' run.json --png out.png --ranks 0-2
refuses 1 '--png no/such/folder.png: it cannot be written: No such file' run.json --png no/such/folder.png
refuses 1 '--png /dev/full: it cannot be written: No space left' run.json --png /dev/full

refuses 2 'file is required' --png out.png
refuses 2 '--png is required' run.json
refuses 2 '5 is no time with a unit' run.json --png out.png --from 5
refuses 2 'soon is no time with a unit' run.json --png out.png --to soon
refuses 2 '3-1 is no list of ranks' run.json --png out.png --ranks 3-1
refuses 2 '--width' run.json --png out.png --width 10
refuses 2 '--zoom' run.json --png out.png --zoom best
refuses 2 'excludes --zoom' run.json --png out.png --zoom auto --from 1us
refuses 2 'there is no option --rnaks (did you mean --ranks?)' run.json --png out.png --rnaks 1
refuses 2 'there is no option --pgn (did you mean --png?)' run.json --pgn out.png
refuses 2 'there is no option --form (did you mean --from?)' run.json --png out.png --form=1us
# Names of files mean no option: json is no --json, stats.json nothing of purerun's.
for words in 'run.json' 'stats.json' 'info.json --zoom auto' 'attach --png out.png --zoom best' 'a.json b.json --png out.png'; do
  # shellcheck disable=SC2086
  refuses 2 'pure: ' $words
  if grep -q 'did you mean' err; then fail "pure trace $words: $(cat err)"; fi
done
refuses 2 'pure: not expected: other.json.' run.json other.json --png out.png
grep -q -- '--zoom' <<< "$(pure trace --help)" || fail 'trace --help'

finish
