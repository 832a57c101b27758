#!/usr/bin/env bash
# Builds every fuzz target, and packs the seeds of each beside it, as OSS-Fuzz wants them. Elsewhere:
#
#     OUT=/tmp/fuzzers .clusterfuzzlite/build.sh [TARGET …]
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"
# In the image the script stands beside the project, else within it.
if [ -d parallax ]; then cd parallax; else cd ..; fi
: "${OUT:?where the targets go}"
mkdir -p "$OUT"
read -ra flags <<< "${FUZZ_BUILD_FLAGS:--O --debug-assertions}"
targets=("$@")
if [ ${#targets[@]} = 0 ]; then mapfile -t targets < <(cargo fuzz list); fi
for target in "${targets[@]}"; do
  cargo fuzz build "${flags[@]}" "$target"
  # The latest, of whatever profile the flags choose.
  built=$(find fuzz/target -maxdepth 3 -type f -name "$target" -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)
  cp "$built" "$OUT/"
  python3 - "corpus/$target" "$OUT/${target}_seed_corpus.zip" <<'PYTHON'
import pathlib, sys, zipfile

with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as seeds:
    for seed in sorted(pathlib.Path(sys.argv[1]).iterdir()):
        seeds.write(seed, seed.name)
PYTHON
done
