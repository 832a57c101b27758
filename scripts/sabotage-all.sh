#!/usr/bin/env bash
# Breaks each rule of the executor in turn and looks whether lockstep notices; writes model/spec/sabotage.csv, from
# which reports know the rules that no campaign would notice.
#
#   scripts/sabotage-all.sh [CASES] [SEED] [DEVICE or SUITE…]
#
# CASES of every suite (150 unless given) are run to learn where each rule is met. With names of devices or suites the
# table is printed only: it is that of all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
cases=${1:-150} seed=${2:-1}
table=model/spec/sabotage.csv
run() { cargo run --release --locked --quiet --package parallax-lockstep --example sabotage -- "$cases" "$seed" "$@"; }
if [ $# -gt 2 ]; then
  run "${@:3}"
  exit
fi
run > "$table.new"
mv "$table.new" "$table"
awk -F, 'NR > 1 { n[$2 == "-" ? "unnoticed" : $2 == "no steps" ? "without steps" : "noticed"]++ }
         END { for (word in n) print n[word], word }' "$table"
