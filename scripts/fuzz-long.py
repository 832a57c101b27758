#!/usr/bin/env python3
"""Fuzzes all targets for a long time, in turn, on as many processors as there are, and says what came of each.

    scripts/fuzz-long.py --time 24h                       # a day over all targets
    scripts/fuzz-long.py --time 2h --jobs 1 eu_flow       # one of them

Each target has its turn again and again (--turn); what it has found goes on in its next one, from a folder (--folder)
that a later call takes up too, with the counts in it. A finding does not end the run: it is kept in the folder, and the
exit code is 1. Ctrl-C ends it early, with the table so far. Needs a nightly toolchain and cargo-fuzz; targets are built
without sanitizer and without what makes libFuzzer slow (fuzz/README.md), unless --sanitizer says which.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ROOT / "fuzz/target/x86_64-unknown-linux-gnu/release"
FUZZ = ["cargo", "+nightly", "fuzz"]
UNITS = {"s": 1, "m": 60, "h": 3600}
# How the files of findings begin. What was only slow is kept too, but is none.
FINDINGS = ("crash-", "timeout-", "oom-", "leak-")
# What is counted of each target.
NOTHING = {"turns": 0, "seconds": 0.0, "processor": 0.0, "inputs": 0, "findings": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--time", type=seconds, default=seconds("1h"), help="how long, by the clock: 90m, 24h")
    parser.add_argument("--turn", type=seconds, default=seconds("5m"), help="how long a target's turn is")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "target/fuzz-long")
    parser.add_argument("--sanitizer", default="none")
    arguments = parser.parse_args()
    if arguments.jobs < 1 or arguments.turn < 1:
        parser.error("at least one job, and turns of at least a second")
    known = call([*FUZZ, "list"]).split()
    for target in arguments.targets:
        if target not in known:
            parser.error(f"there is no target {target}: {', '.join(known)}")
    build = [*FUZZ, "build", "-O", "-s", arguments.sanitizer]
    call([*build, "--no-trace-compares"] if arguments.sanitizer == "none" else build)
    run = Run(arguments, arguments.targets or known)
    try:
        run.all()
    except KeyboardInterrupt:
        run.stop()
    run.print_table()
    sys.exit(1 if any(count["findings"] for count in run.counts.values()) else 0)


class Run:
    def __init__(self, arguments, targets):
        self.arguments, self.targets = arguments, targets
        self.end = time.monotonic() + arguments.time
        self.lock, self.children, self.stopped = threading.Lock(), set(), False
        arguments.folder.mkdir(parents=True, exist_ok=True)
        self.file = arguments.folder / "counts.json"
        self.counts = json.loads(self.file.read_text()) if self.file.exists() else {}
        # Those that had the fewest turns are next.
        self.queue = sorted(targets, key=lambda target: self.counts.get(target, NOTHING)["turns"])

    def all(self):
        with concurrent.futures.ThreadPoolExecutor(self.arguments.jobs) as pool:
            workers = [pool.submit(self.work) for _ in range(min(self.arguments.jobs, len(self.targets)))]
            try:
                for worker in workers:
                    worker.result()
            except KeyboardInterrupt:
                self.stop()
                raise

    def work(self):
        """Gives one target after the other its turn."""
        while True:
            left = self.end - time.monotonic()
            with self.lock:
                if self.stopped or left < 1:
                    return
                target = self.queue.pop(0)
            self.turn(target, int(min(self.arguments.turn, left)))
            with self.lock:
                self.queue.append(target)

    def turn(self, target, length):
        found, findings = (self.arguments.folder / part / target for part in ("corpus", "findings"))
        for folder in (found, findings):
            folder.mkdir(parents=True, exist_ok=True)
        command = [BUILT / target, f"-max_total_time={length}", "-max_len=2048", "-timeout=60", "-entropic=0",
                   f"-artifact_prefix={findings}/", found, ROOT / "corpus" / target]
        start = time.monotonic()
        with self.lock:
            if self.stopped:
                return
            child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
            self.children.add(child)
        # What it has to say may be a lot: the last number of inputs, and how it ended, is what counts.
        inputs = 0
        for line in child.stderr:
            if number := re.match(r"(?:#|Done )(\d+)", line):
                inputs = int(number[1])
        _, _, usage = os.wait4(child.pid, 0)
        with self.lock:
            self.children.discard(child)
            count = self.counts.setdefault(target, dict(NOTHING))
            count["turns"] += 1
            count["seconds"] += time.monotonic() - start
            count["processor"] += usage.ru_utime + usage.ru_stime
            count["inputs"] += inputs
            # A case of a crash is kept beside it as a trace, which is no finding more.
            kept = [path for path in findings.iterdir() if path.name.startswith(FINDINGS)]
            count["findings"] = sum(path.suffix != ".trace" for path in kept)
            new = self.file.with_suffix(".new")
            new.write_text(json.dumps(self.counts, indent=1))
            new.replace(self.file)
        print(f"{target:<16} {inputs:>12,} inputs, {count['findings']} findings", flush=True)

    def stop(self):
        with self.lock:
            self.stopped = True
            for child in self.children:
                child.terminate()

    def print_table(self):
        print("\n| target | turns | by the clock | processor time | inputs | findings |\n| --- | --- | --- | --- | --- | --- |")
        total = dict(NOTHING)
        for target, count in sorted(self.counts.items()):
            print(row(f"`{target}`", count))
            total = {key: total[key] + count[key] for key in total}
        print(row("all", total))


def row(name, count):
    clock, processor = (f"{count[key] / 60:.0f} min" for key in ("seconds", "processor"))
    return f"| {name} | {count['turns']} | {clock} | {processor} | {count['inputs']:,} | {count['findings']} |"


def seconds(text):
    found = re.fullmatch(r"(\d+)([smh])", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text} is no time: 90s, 30m, 24h")
    return int(found[1]) * UNITS[found[2]]


def call(command):
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if finished.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {finished.returncode}\n{finished.stderr[-3000:]}")
    return finished.stdout


if __name__ == "__main__":
    main()
