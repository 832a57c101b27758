#!/usr/bin/env bash
# One shard of a campaign, begun, gone on with, or left alone if it has come to its end: for the scripts that
# run many.
#
#     scripts/shard.sh OUT NUMBER SHARDS CASES SEED [more arguments of `parallax run` …]
#
# Exit code 0 if it has come to its end, whatever it found, else 2.
set -uo pipefail
if [ $# -lt 5 ]; then
  sed -n '2,7s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
out=$1 number=$2 shards=$3 cases=$4 seed=$5
shift 5
part=$out/part$number
mkdir -p "$out"
[ -e "$part/done" ] && exit 0

if [ -e "$part/journal" ]; then
  "${PARALLAX:-parallax}" run --resume --out "$part" > "$out/shard$number.log" 2>&1
else
  "${PARALLAX:-parallax}" run --cases "$cases" --seed "$seed" --shard "$number/$shards" --jobs 1 \
    --out "$part" "$@" > "$out/shard$number.log" 2>&1
fi
code=$?
# 1 is a difference that was found: what was run is whole.
if [ $code -le 1 ] || grep -q "has come to its end" "$out/shard$number.log"; then
  touch "$part/done"
  exit 0
fi
tail -n 3 "$out/shard$number.log" >&2
exit 2
