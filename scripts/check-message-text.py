#!/usr/bin/env python3
"""Holds what `disasm --syntax mesa` says of messages against the listings of programs:

    scripts/check-message-text.py --parallax target/release/parallax programs-ivb.jsonl.gz…

A line of a file is a JSON object with `code`, the hex of each instruction, `asm`, what Mesa prints of each, and `target`;
where that is no device the name of the file names it. Compared is what stands between `MsgDesc:` and the options, blank for
blank. Lines without these keys and other devices are skipped. Exit code 0: all are equal, 1: some differ, 2: there is
nothing to compare.
"""

import argparse
import collections
import concurrent.futures
import gzip
import json
import pathlib
import re
import subprocess
import sys

DEVICES = ["bw", "cl", "ctg", "g45", "ivb", "skl", "dg1"]


def programs(path):
    """The device, name, machine code and listing of each program of a file."""
    opened = gzip.open(path, "rt") if path.suffix == ".gz" else open(path)
    named = [device for device in DEVICES if re.search(rf"\b{device}\b", path.name)]
    with opened as lines:
        for line in filter(str.strip, lines):
            program = json.loads(line)
            device = next(iter([name for name in [program.get("target")] if name in DEVICES] + named), None)
            if device in DEVICES and isinstance(program.get("code"), list) and isinstance(program.get("asm"), list):
                yield device, program.get("id", "?"), program["code"], program["asm"]


def words(instructions):
    """What is said of each message, in order: up to the options, which a listing may leave out."""
    found = (re.search(r"MsgDesc:([^{]*)", text) for text in instructions)
    return [message[1].replace("\n", " ").rstrip() for message in found if message]


def compare(parallax, program):
    """The pairs of a program: what is expected of each message and what is printed."""
    device, name, code, asm = program
    command = [parallax, "disasm", "--device", device, "--syntax", "mesa", "--hex", *code]
    ran = subprocess.run(command, capture_output=True, text=True)
    expected, printed = words(asm), words(ran.stdout.splitlines())
    if len(expected) != len(printed):
        return [(device, name, want, f"{len(printed)} messages, {len(expected)} expected") for want in expected]
    return [(device, name, *pair) for pair in zip(expected, printed)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parallax", default="target/release/parallax", help="the program")
    parser.add_argument("--jobs", type=int, default=2, help="programs at a time")
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="programs with their listings")
    arguments = parser.parse_args()
    total, equal, differing = 0, 0, collections.Counter()
    for path in arguments.files:
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            pairs = [pair for found in pool.map(lambda one: compare(arguments.parallax, one), programs(path)) for pair in found]
        same = sum(want == got for _, _, want, got in pairs)
        if pairs:
            print(f"{path.name}: {same} of {len(pairs)} messages are equal")
        total, equal = total + len(pairs), equal + same
        differing.update((device, want, got) for device, _, want, got in pairs if want != got)
    for (device, want, got), count in differing.most_common():
        print(f"{count} times on {device}:\n  expected{want}\n  printed {got}")
    print(f"{equal} of {total} messages are equal")
    return 2 if total == 0 else int(equal < total)


if __name__ == "__main__":
    sys.exit(main())
