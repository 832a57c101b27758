#!/usr/bin/env bash
# A campaign in shards on one machine, as many at a time as there are processors, and their union.
#
#     scripts/shards-xargs.sh OUT SHARDS CASES SEED [more arguments of `parallax run` …]
#     scripts/shards-xargs.sh night 64 1000000 7 --device g45
#
# A shard that was finished before is not run again, one that was stopped goes on: the same command does both.
# `PARALLAX` names the program, `AT_ONCE` how many shards run at a time. Ends with the exit code of
# `parallax merge`: 0 all agree, 1 a difference was found, 2 something was not run.
set -euo pipefail
if [ $# -lt 4 ]; then
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
out=$1 shards=$2 cases=$3 seed=$4
shift 4
case $shards in *[!0-9]* | '' | 0*) echo "error: \`$shards\` is no number of shards" >&2; exit 2 ;; esac
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"

# A shard with a difference is no failure of xargs: the union says what was found.
seq "$shards" | xargs -P "${AT_ONCE:-$(nproc)}" -I{} \
  "$here/shard.sh" "$out" {} "$shards" "$cases" "$seed" "$@" || true

"${PARALLAX:-parallax}" merge $(seq -f "$out/part%g" "$shards") --out "$out/whole"
