#!/usr/bin/env python3
"""How many rules of the manuals a fuzz target has exercised after how long, with the rule counters given to libFuzzer
and without: the same budget for both, run by run in turn, from no seeds. Draws both, with the range of the runs.

    cd fuzz && cargo +nightly fuzz build -O -s none eu_lockstep && cd ..
    scripts/rules-over-time.py eu_lockstep --time 60 --runs 3 --out fuzz/rules-over-time.svg

`--corpus` starts from the seeds of `corpus` instead. `--plot` draws again what `--data` has from before.
Needs matplotlib.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / "fuzz/target/x86_64-unknown-linux-gnu/release"
VARIANTS = {"with rule counters": "on", "without": "off"}
# One input is in work when the time is up.
GRACE = 60


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--time", type=int, default=60, help="seconds of a run")
    parser.add_argument("--runs", type=int, default=3, help="runs of each kind")
    parser.add_argument("--corpus", action="store_true", help="from the seeds of the target")
    parser.add_argument("--data", type=pathlib.Path, help="where what was measured is kept, as JSON")
    parser.add_argument("--plot", action="store_true", help="run nothing")
    parser.add_argument("--out", type=pathlib.Path, help="the picture, SVG")
    arguments = parser.parse_args()
    if arguments.plot:
        measured = json.loads(arguments.data.read_text())
    else:
        measured = {target: measure(arguments, target) for target in arguments.targets}
    if arguments.data:
        arguments.data.write_text(json.dumps(measured, indent=1) + "\n")
    for target, kinds in measured.items():
        for kind, runs in kinds.items():
            print(f"{target:16} {kind:20} {summary(runs)}")
    if arguments.out:
        draw(measured, arguments.out)


def measure(arguments, target):
    kinds = {kind: [] for kind in VARIANTS}
    for number in range(arguments.runs):
        for kind, counters in VARIANTS.items():
            kinds[kind].append(run(arguments, target, counters, number + 1))
    return kinds


def run(arguments, target, counters, seed):
    """One run: for each second how many rules there were by then, and how many inputs in all."""
    with tempfile.TemporaryDirectory() as room:
        room = pathlib.Path(room)
        (room / "corpus").mkdir()
        environment = {**os.environ, "PARALLAX_RULE_COUNTERS": counters, "PARALLAX_RULE_LOG": str(room / "log")}
        command = [BUILT / target, f"-max_total_time={arguments.time}", f"-seed={seed}", "-max_len=4096",
                   "-len_control=0", f"-artifact_prefix={room}/", room / "corpus"]
        if arguments.corpus:
            command.append(ROOT / "corpus" / target)
        finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=False,
                                  timeout=arguments.time + GRACE)
        if finished.returncode != 0:
            raise SystemExit(f"{target} found something:\n{finished.stderr[-2000:]}")
        lines = [line.split() for line in (room / "log").read_text().splitlines()]
        times = [int(line[0]) / 1000 for line in lines]
        rules = [sum(time <= second for time in times) for second in range(arguments.time + 1)]
        executed = [line for line in finished.stderr.splitlines() if line.startswith("Done ")]
        return {"rules": rules, "inputs": int(executed[-1].split()[1])}


def summary(runs):
    last = [run["rules"][-1] for run in runs]
    inputs = statistics.median(run["inputs"] for run in runs)
    marks = [second for second in (5, 10, 30, 60, 120, 300) if second < len(runs[0]["rules"])]
    at = ", ".join(f"{statistics.median(run['rules'][mark] for run in runs):.0f} at {mark} s" for mark in marks)
    return f"{at}; at the end {min(last)} to {max(last)}; {inputs:.0f} inputs"


def draw(measured, out):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "parallax"
    import matplotlib.pyplot as plt

    figure, places = plt.subplots(1, len(measured), figsize=(5 * len(measured), 3.6), squeeze=False)
    for place, (target, kinds) in zip(places[0], measured.items()):
        for (kind, runs), colour in zip(kinds.items(), ("#1f6feb", "#d1242f")):
            curves = list(zip(*(run["rules"] for run in runs)))
            seconds = range(len(curves))
            place.plot(seconds, [statistics.median(at) for at in curves], color=colour, label=kind)
            place.fill_between(seconds, [min(at) for at in curves], [max(at) for at in curves],
                               color=colour, alpha=0.2, linewidth=0)
        place.set_title(target)
        place.set_xlabel("seconds")
        place.set_ylabel("rules exercised")
        place.set_ylim(bottom=0)
        place.grid(alpha=0.3)
        place.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(out, metadata={"Date": None})


if __name__ == "__main__":
    main()
