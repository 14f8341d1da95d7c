# Timelines that are as they should be (timeline.py): noted one by one, and looked at together in the end, because
# starting Python takes longer than a job. After checks.bash.

timelines=()

# holds FILE NAME=NUMBER...: this timeline is right, and holds so much. The file is gone then.
holds() {
  local copy=timeline.${#timelines[@]}
  mv "$1" "$copy" || fail "no $1"
  timelines+=("$copy" "${@:2}" --)
}

look_at_timelines() {
  python3 "$support/timeline.py" "${timelines[@]:0:${#timelines[@]}-1}" || fail 'timelines'
}
