#!/bin/sh
# Makes a man page of what a tool's --help prints (man_page.awk).
#
# usage: man_page.sh PAGE VERSION SEE_ALSO TOOL [SUBCOMMAND...]     PAGE: the file, as in man/pure-info.1
set -eu
page=$1 version=$2 see=$3
shift 3
name=$(basename "$page" .1)
help=$("$@" --help) # not in the pipe, where a failure would go unnoticed
printf '%s\n' "$help" |
  awk -v name="$name" -v version="$version" -v see="$see" -f "$(dirname "$0")/man_page.awk" > "$page.new"
mv "$page.new" "$page"
