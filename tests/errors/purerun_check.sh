#!/usr/bin/env bash
# purerun --check: ranks that disagree about a collective end with one error that names both ranks and both places.
# What the texts say in detail is in wrong_collectives.sh.
source "$(dirname "${BASH_SOURCE[0]}")/purerun_common.bash"

# disagree RANKS WHAT TEXT...
disagree() {
  local ranks=$1 what=$2 messages places
  shift 2
  ends 1 'rank 0' -n "$ranks" --check bad_collective "$what"
  for text in 'rank 1' "$@"; do says "$what ($ranks ranks)" "$text"; done
  messages=$(grep -c '^pure: ' err)
  [[ $messages == 1 ]] || fail "$what ($ranks ranks): $messages messages: $(cat err)"
  places=$(grep -o 'bad_collective.cpp:[0-9]*' err | sort -u | wc -l)
  [[ $places == 2 ]] || fail "$what ($ranks ranks): $places places, not 2, in: $(cat err)"
}

for ranks in 2 4; do
  disagree $ranks kind pure_barrier pure_allreduce
  disagree $ranks roots pure_bcast root
  disagree $ranks ops pure_allreduce operator
  disagree $ranks types pure_allreduce type
  disagree $ranks counts pure_allreduce count
done

finish
