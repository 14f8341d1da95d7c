#!/usr/bin/env bash
# `pure attach` and programs that are not what they say: what answers may be another program, another user's, endless or
# silent. Its terminal, its time and its memory stay its own. Numbers on the command line of `pure` are numbers.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

cat > stranger.py << 'END'
import os, pwd, socket, sys, time
point = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
kind, user = sys.argv[1], sys.argv[2]
if user == "speaks-as": os.setresuid(*[pwd.getpwnam("nobody").pw_uid] * 3)
point.bind(b"\0pure.%d.0" % os.getpid())
if kind != "deaf": point.listen(4)
if kind == "crowded":  # the queue is full: nobody can connect
    crowd = [socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) for _ in range(9)]
    for each in crowd:
        each.setblocking(False)
        try: each.connect(b"\0pure.%d.0" % os.getpid())
        except BlockingIOError: pass
if user == "hands-over": os.setresuid(*[pwd.getpwnam("nobody").pw_uid] * 3)
print("ready", flush=True)
while True:
    if kind in ("crowded", "deaf"): time.sleep(100)
    there, _ = point.accept()
    try:
        if kind == "escapes":
            there.sendall(b"rank 0 \x1b]0;mine\x07 \x9b31m \xc2\x9b1m caf\xc3\xa9 \xe2\x80\xae\tx\r\nrank 1 computes\n")
        if kind == "silent": time.sleep(100)
        while kind == "endless": there.sendall(b"\x1b[2Jx" * 10000)
        while kind == "drips": there.sendall(b"x"); time.sleep(0.1)
    except OSError: pass
    there.close()
END

# stranger KIND USER: starts one; its number is in $stranger.
stranger() {
  python3 ../stranger.py "$1" "$2" > ready &
  stranger=$!
  for _ in {1..600}; do [[ -s ready ]] && return; sleep 0.1; done
  fail "the stranger $1 does not start"
}
away() { kill "$stranger"; wait "$stranger" 2> /dev/null; rm ready; }

# attach STATUS TEXT ARGUMENT...: ends so, with the text in `err`.
attach() {
  local status=$1 text=$2 got
  shift 2
  timeout 60 ${as_user:-} "$(command -v pure)" attach "$@" > out 2> err < /dev/null
  got=$?
  [[ $got == "$status" ]] || fail "pure attach $*: status $got, not $status; it says: $(head -c 1000 err)"
  says "pure attach $*" "$text"
  if LC_ALL=C grep -q "[^[:print:]]" <(tr -d '\n' < out | sed 's/\xc3\xa9//g' | LC_ALL=C tr -d '\200-\377'); then
    fail "pure attach $*: control characters come through"
  fi
}

escapes() {
  stranger escapes same
  attach 0 '' $stranger
  away
  printf '%s\n' 'rank 0 \x1b]0;mine\x07 \x9b31m \u{9b}1m café \u{202e}\tx\r' 'rank 1 computes' > expected
  cmp -s expected out || fail "escapes: $(cat out)"
}

endless() {
  stranger endless same
  attach 1 'is cut off here: all answers are more than 16 MiB' $stranger
  away
  (($(grep -o x out | wc -l) > 1000000)) || fail "endless: $(wc -c < out) bytes of it are shown"
  (($(wc -c < out) < 64 << 20)) || fail "endless: $(wc -c < out) bytes of it are shown"
}

silent() {
  stranger silent same
  SECONDS=0
  attach 1 'does not answer within 1 s (--timeout)' --timeout 1 $stranger
  ((SECONDS < 8)) || fail "silent: --timeout 1 takes $SECONDS s"
  away
  stranger crowded same
  attach 1 'does not answer within 1 s (--timeout)' --timeout 1 $stranger
  away
  stranger deaf same
  attach 1 'runs no ranks' $stranger
  away
}

drips() {
  stranger drips same
  SECONDS=0
  attach 1 'was not whole after 2 s; --timeout gives it more' --timeout 2 $stranger
  ((SECONDS < 9)) || fail "drips: --timeout 2 takes $SECONDS s"
  away
  grep -q '^xxx' out || fail "drips: what has come is not shown: $(cat out)"
}

other_users() {
  [[ $(id -u) == 0 ]] && id nobody > /dev/null 2>&1 && command -v setpriv > /dev/null || {
    not_tested "answers of other users" "it needs root, the user nobody and setpriv"
    return
  }
  stranger escapes speaks-as
  attach 0 '' $stranger
  [[ $(head -1 out) == 'This is said by a program of the user nobody:' ]] || fail "another user's answer: $(cat out)"
  away
  chmod 755 . ..
  touch out err && chmod 666 out err
  stranger escapes hands-over # nobody's process, and root's answer
  as_user='setpriv --reuid nobody --clear-groups' attach 1 'belongs to the user root; only they and root may' $stranger
  [[ ! -s out ]] || fail "a refused answer is shown: $(cat out)"
  away
}

# Each numeric option: refuses what is no number in its range, in one line that says the range, and cites no more than that.
numbers() {
  local bad range option command
  for bad in abc -1 0 99999999999999999999 1e9 '' ' 5' 5x 0x10 1.5 +5; do
    for option in PID --timeout --ranks --width; do
      case $option in
        PID) range='from 1 to 4194304' command=(attach "$bad") ;;
        --timeout) range='from 1 to 86400' command=(attach $option "$bad" 1) ;;
        --ranks) range='from 2 to 32768' command=(bench tune $option "$bad") ;;
        --width) range='from 400 to 20000' command=(trace t.json --png t.png $option "$bad") ;;
      esac
      pure "${command[@]}" > out 2> err
      [[ $? == 2 ]] || fail "pure, $option '$bad': its status"
      [[ $option == --ranks && -z $bad ]] || says "pure, $option '$bad'" "'$bad' is no"
      [[ $option == --ranks && -z $bad ]] || says "pure, $option '$bad'" "$range"
      (($(head -1 err | wc -c) < 140)) || fail "pure, $option '$bad': a line of $(head -1 err | wc -c): $(cat err)"
    done
  done
  pure attach 010 > out 2> err
  grep -q 'process 10' err || fail "010 is not 10: $(cat err)"
}

for check in escapes endless silent drips other_users numbers; do beside $check; done
together
finish
