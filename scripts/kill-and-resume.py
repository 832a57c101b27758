#!/usr/bin/env python3
"""Kills a campaign at random moments, resumes it each time, and holds the report that comes out in the end
against that of a campaign with the same seed that nobody killed.

    cargo build --release && scripts/kill-and-resume.py --kills 200
"""

import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kills", type=int, default=20, help="how many, over as many campaigns as that takes")
    parser.add_argument("--seed", type=int, help="of the moments and campaigns [default: a new one]")
    parser.add_argument("--cases", type=int, default=4000, help="cases of each suite of a campaign")
    parser.add_argument("--parallax", default=ROOT / "target/release/parallax")
    parser.add_argument("run", nargs="*", default=["--device", "g45", "--suite", "eu", "--suite", "eu-flow"],
                        help="more for `parallax run`, behind --")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.randrange(1 << 32)
    print(f"seed {seed}")
    moments, kills, campaign = random.Random(seed), 0, 0
    while kills < arguments.kills:
        campaign += 1
        with tempfile.TemporaryDirectory() as room:
            kills += compare(arguments, pathlib.Path(room), seed + campaign, moments, arguments.kills - kills)
        print(f"campaign {campaign}: {kills} kills, the report is the same", flush=True)


def compare(arguments, room, seed, moments, most):
    """Kills one campaign at most so many times; how often it was."""
    first = ["run", *arguments.run, "--seed", str(seed), "--cases", str(arguments.cases)]
    started = time.monotonic()
    whole = run(arguments.parallax, [*first, "--out", str(room / "whole")]).wait()
    took = time.monotonic() - started
    kills, command = 0, first
    while True:
        process = run(arguments.parallax, [*command, "--out", str(room / "killed")])
        try:
            if kills == most:
                code = process.wait()
            else:
                code = process.wait(timeout=moments.uniform(0, took))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
            # Killed before it had begun, it has nothing to go on from.
            command = ["run", "--resume"] if (room / "killed/journal").exists() else first
    if code != whole:
        sys.exit(f"campaign of seed {seed}: exit code {code} after {kills} kills, {whole} without")
    reports = [report(room / name) for name in ("whole", "killed")]
    different = [key for key in reports[0] if reports[0][key] != reports[1].get(key)]
    if different:
        sys.exit(f"campaign of seed {seed}: after {kills} kills another {', '.join(different)}")
    return kills


def run(parallax, arguments):
    quiet = subprocess.DEVNULL
    return subprocess.Popen([parallax, *arguments], stdout=quiet, stderr=quiet, cwd=ROOT)


def report(folder):
    """What a campaign came to, but for when and how it was run and the folder it is in."""
    report = json.loads((folder / "report.json").read_text())
    del report["elapsed_s"], report["run"]
    for divergence in report["divergences"]:
        divergence["trace"] = pathlib.Path(divergence["trace"]).name
    return report


if __name__ == "__main__":
    main()
