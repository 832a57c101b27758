#!/usr/bin/env python3
"""Makes the seeds of the fuzz targets: fuzzes each from those there are, minimises what was found (`cargo fuzz
cmin`), and keeps as much of it as fits: first what exercises another rule, the shortest of it, then the shortest
of the rest.

    scripts/fuzz-seeds.py                      # all targets, half a minute each
    scripts/fuzz-seeds.py --time 300 eu_flow   # one of them, longer

What it has made before (`min-…`) is made anew; other seeds, which people have written or which showed a fault, stay
as they are. Needs a nightly toolchain and cargo-fuzz.
"""

import argparse
import hashlib
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "corpus"
BUILT = ROOT / "fuzz/target/x86_64-unknown-linux-gnu/release"
# Seeds of a target and their bytes, those of people left out.
MOST = 150
MOST_BYTES = 300_000
# Bytes of a seed.
LONGEST = 2048
# Inputs drawn at random to begin with.
DRAWN = 100
PREFIX = "min-"
FUZZ = ["cargo", "+nightly", "fuzz"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--time", type=int, default=30, help="seconds of fuzzing for each")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    targets = arguments.targets or call([*FUZZ, "list"]).split()
    for target in targets:
        call([*FUZZ, "build", "-O", "-s", "none", target])
        with tempfile.TemporaryDirectory() as room:
            make(arguments, target, pathlib.Path(room))
    print(f"{size(CORPUS) / 1e6:.1f} MB in {CORPUS.relative_to(ROOT)}")


def make(arguments, target, room):
    found, minimised = room / "found", room / "minimised"
    found.mkdir()
    # Cases of their full size, which a fuzzer that begins with nothing comes to late.
    chance = random.Random(arguments.seed)
    for number in range(DRAWN):
        (found / f"drawn-{number}").write_bytes(chance.randbytes(chance.randrange(LONGEST)))
    call([BUILT / target, f"-max_total_time={arguments.time}", f"-seed={arguments.seed}", f"-max_len={LONGEST}", "-len_control=0",
          f"-artifact_prefix={room}/", found, CORPUS / target])
    for seed in (CORPUS / target).iterdir():
        shutil.copy(seed, found)
    shutil.copytree(found, minimised)
    call([*FUZZ, "cmin", "-O", "-s", "none", target, minimised])
    by_people = {seed.read_bytes() for seed in (CORPUS / target).iterdir() if not seed.name.startswith(PREFIX)}
    inputs = [path for path in sorted(minimised.iterdir(), key=lambda path: (path.stat().st_size, path.name))
              if path.read_bytes() not in by_people]
    new = rules(target, inputs, room)
    kept, room_left = [], MOST_BYTES
    for path in sorted(inputs, key=lambda path: path not in new):
        if len(kept) < MOST and path.stat().st_size <= room_left:
            kept.append(path.read_bytes())
            room_left -= path.stat().st_size
    for seed in (CORPUS / target).glob(PREFIX + "*"):
        seed.unlink()
    for data in kept:
        (CORPUS / target / (PREFIX + hashlib.sha1(data).hexdigest()[:12])).write_bytes(data)
    print(f"{target}: {len(kept)} seeds of {len(inputs)} that were left of {len(list(found.iterdir()))}, "
          f"{size(CORPUS / target) / 1000:.0f} kB", flush=True)


def rules(target, inputs, room):
    """Those of the inputs that exercise a rule which none before them does."""
    log = room / "log"
    order = []
    for start in range(0, len(inputs), 1000):
        part = inputs[start:start + 1000]
        call([BUILT / target, *part], PARALLAX_RULE_LOG=str(log))
        if not log.exists():
            # What only decodes exercises none.
            return set()
        numbers = {int(line.split()[1]) for line in log.read_text().splitlines()}
        order += [path for number, path in enumerate(part, 1) if number in numbers]
    return set(order)


def call(command, **more):
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **more})
    if finished.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command[:6]))} …: exit code {finished.returncode}\n{finished.stderr[-3000:]}")
    return finished.stdout


def size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
