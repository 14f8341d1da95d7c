#!/usr/bin/env bash
# A thread that is no rank, or the main of a larger program, ends the process while ranks send messages: a failure of the
# job, said once, and never status 0; no destructor runs under the ranks.
source "$(dirname "${BASH_SOURCE[0]}")/ends.bash"

is_no_rank='a thread that is no rank called'
for host in '' host; do
  for status in 0 3 256; do
    expected=$((status == 3 ? 3 : 1))
    for how in exit quick_exit _exit _Exit; do
      fails $expected 3 foreign_exit $host $how $status -- "$is_no_rank $how($status) while ranks were running"
      grep -q destroyed "$work/err" && fail "$host $how($status): a destructor has run under the ranks"
    done
    for how in err errx error handler; do
      [[ $how$status == error0 ]] && continue # that one returns
      called=$([[ $how == handler ]] && echo _exit || echo exit)
      fails $expected 3 foreign_exit $host $how $status -- "$is_no_rank $called($status)"
      grep -q destroyed "$work/err" && fail "$host $how($status): a destructor has run under the ranks"
      [[ $how == handler ]] || grep -q "the text of $how" "$work/err" || fail "$host $how: its text is lost"
    done
  done
  # What was a crash of the program is one.
  for how in abort throw; do fails 134 3 foreign_exit $host $how 0 --; done
done
for status in 0 256; do fails 1 3 foreign_exit host main $status -- "main returned $status while ranks were running"; done
fails 5 3 foreign_exit host main 5 -- 'main returned 5 while ranks were running'
finish
