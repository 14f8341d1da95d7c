#!/usr/bin/env bash
# Programs that start their rank themselves (pure_init), alone and as processes that purerun starts: what ends the job,
# what is refused, threads and children beside the rank, and programs that load Pure late, such as Python.
source "$(dirname "${BASH_SOURCE[0]}")/common.bash"
adopted=$build/tests/net/adopted
module=$build/tests/net/libranked.so

# alone STATUS TEXT COMMAND...: without purerun; the text is in what it says.
alone() {
  local status=$1 text=$2 got
  shift 2
  timeout 60 "$@" > out 2> err < /dev/null
  got=$?
  ((got == status)) || fail "$*: status $got, not $status: $(cat out err)"
  [[ -z $text ]] || grep -qF -- "$text" out err || fail "$*: no '$text' in: $(cat out err)"
}

# both STATUS TEXT COMMAND...: alone, and in 3 processes.
both() {
  beside alone "$@"
  beside ends "$1" "$2" --ranks-as processes -n 3 "${@:3}"
}

# ---- as it should be ----
beside alone 0 'right: 1 ranks' "$adopted" right
beside ends 0 'right: 3 ranks' --ranks-as processes -n 3 "$adopted" right
for mode in on_thread begins_twice forks; do both 0 '' "$adopted" "$mode"; done

# ---- what is refused: a rank handles its errors; where no rank calls, the process ends ----
both 1 'pure_init: another thread of this process is a rank already' "$adopted" begins_beside
both 1 'pure_finalize: the calling thread is no rank that has begun so (pure_init)' "$adopted" ends_beside
both 1 'pure_send_msg: called outside a rank' "$adopted" calls_after_end
both 1 'between pure_init and pure_finalize' "$adopted" calls_after_end
both 1 'pure_finalize: the calling thread is no rank that has begun so (pure_init)' "$adopted" ends_twice
for function in send init finalize; do
  both 0 'is a forked child of rank 0, and itself no rank' "$adopted" "forks_$function"
done

# ---- without pure_finalize: the job fails, and says what to call ----
missing='pure_finalize() has to come first'
both 1 "main returned 0 while ranks were running: $missing" "$adopted" returns 0
both 3 'main returned 3 while ranks were running' "$adopted" returns 3
both 1 "rank 0 called exit(0): $missing" "$adopted" exits 0
both 3 'rank 0 called exit(3)' "$adopted" exits 3
both 1 "rank 0 called _exit(0): $missing" "$adopted" _exits 0
both 1 "rank 0 called pthread_exit: $missing" "$adopted" leaves
both 1 "main returned 0 while ranks were running: $missing" "$adopted" thread_returns

# ---- hangs ----
both 1 'deadlock' "$adopted" waits
# A thread that was there before might still do something: a warning, and what the thread does counts.
PURE_HANG_TIMEOUT=1 both 5 'warning: ranks wait for ever, unless' "$adopted" waits_beside

# ---- modules ----
host=$build/tests/net/module_host
beside alone 0 'host: right, 1 ranks' "$host" "$module" end
beside ends 0 'host: right, 3 ranks' --ranks-as processes -n 3 "$host" "$module" end
for how in return exit; do both 1 "rank 0 called exit(0) while ranks were running: $missing" "$host" "$module" "$how"; done
if python=$(command -v python3); then
  script=$support/../net/module/ranked.py
  beside alone 0 'python: right, 1 ranks' "$python" "$script" "$module" end
  beside ends 0 'python: right, 3 ranks' --ranks-as processes -n 3 "$python" "$script" "$module" end
  both 1 "rank 0 called exit(0) while ranks were running: $missing" "$python" "$script" "$module" exit
  both 1 "nobody catches this" "$python" "$script" "$module" raise
  beside ends 1 'ended' --ranks-as processes -n 3 "$python" "$script" "$module" _exit
else
  not_tested 'Python that loads Pure' 'there is no python3'
fi
together
finish
