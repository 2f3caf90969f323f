#!/bin/sh
# The one hook of every case: `recorder.sh FOLDER TAG` keeps its stdin and its environment in FOLDER/log, and answers
# with what stands in FOLDER/answers/CASE.TAG. The case is named in the payload, else in FOLDER/current.
folder=$1 tag=$2
seen=$(mktemp "$folder/log/$tag.XXXXXXXX") || exit 1
cat >"$seen"
payload=$(cat "$seen")
case=${payload#*case-}
if [ "$case" = "$payload" ]; then case=$(cat "$folder/current"); else case=${case%%[!a-z0-9-]*}; fi
{ printf 'CASE=%s\nCWD=%s\n' "$case" "$(pwd)"; env; } >"$seen.env"
answer=$folder/answers/$case.$tag
if [ -e "$answer" ]; then . "$answer"; fi
