#!/usr/bin/env python3
"""Breaks the executor's code of rules at random and looks whether a campaign notices.

    scripts/break-rules.py --report target/parallax --list      what would be broken, and what no row names
    scripts/break-rules.py --report target/parallax --count 20  breaks them, one after the other

Rules are drawn from those that a report says are covered, by --seed. What breaks one is a row of
broken-rules.csv (a pattern of rule ids, a file, text and what stands there instead), or found by the
name of an instruction or format. Each is tried in a worktree of its own: built, then `parallax run` for
--time on the devices of the rule; found is exit code 1.
"""

import argparse, csv, fnmatch, json, pathlib, random, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXECUTOR = "harness/executor/src"


def rows():
    with open(ROOT / "scripts/broken-rules.csv", newline="") as table:
        return list(csv.DictReader(table))


def sources(folder):
    for path in sorted((ROOT / EXECUTOR / folder).rglob("*.rs")):
        yield path.relative_to(ROOT), path.read_text()


def by_name(rule):
    """The row of an instruction or format, by the name in the rule's id."""
    parts = rule.split(".")
    if rule.startswith("g45.inst."):
        folder, pattern = "eu", rf'(?:data|flow|row|bare)\(0x([0-9A-F]{{2}}), "{re.escape(parts[2])}"'
    elif rule.startswith("r700.aluinst."):
        name = parts[2].upper().replace("-", "_")
        folder, pattern = "r700/alu", rf"\b{name}: (?:OP2|OP3) (\d+)"
    elif rule.startswith(("g45.format.", "dg1.format.")) and parts[2] != "type":
        name = parts[2].upper().replace("-", "_")
        folder, pattern = "surface", rf'\(0x([0-9A-F]{{3}}), "{name}"'
    elif rule.startswith("dg1.logicop."):
        name = "".join(word.capitalize() for word in parts[2].split("-"))
        path = pathlib.Path(EXECUTOR) / "surface/pixels/blend.rs"
        bits = re.search(rf"LogicOp::{name} => 0b([01]{{4}})", (ROOT / path).read_text())
        return bits and (path, bits[0], bits[0][:-4] + f"{int(bits[1], 2) ^ 1:04b}")
    else:
        return None
    for path, text in sources(folder):
        if found := re.search(pattern, text):
            # Another code: the instruction or format is taken for none, or for another one.
            wrong = {2: "7F", 3: "3FF"}.get(len(found[1])) if folder != "r700/alu" else "511"
            start, end = found.start(1) - found.start(), found.end(1) - found.start()
            return path, found[0], found[0][:start] + wrong + found[0][end:]
    return None


def change(rule, table):
    """The file, the text in it and what is to stand there instead."""
    for row in table:
        if fnmatch.fnmatchcase(rule, row["rule"]):
            return pathlib.Path(EXECUTOR) / row["file"], row["text"], row["instead"]
    return by_name(rule)


def devices(rule):
    document = rule.split(".")[0]
    return {"r700": ["rv770"], "dg1": ["dg1"]}.get(document, ["g45", "bw"])


def is_noticed(worktree, rule, path, text, instead, time):
    file = worktree / path
    before = file.read_text()
    file.write_text(before.replace(text, instead, 1))
    try:
        build = ["cargo", "build", "--quiet", "--release", "-p", "parallax"]
        if subprocess.run(build, cwd=worktree).returncode:
            return "does not build"
        run = ["target/release/parallax", "run", "--time", time]
        run += [word for device in devices(rule) for word in ("--device", device)]
        code = subprocess.run(run, cwd=worktree, capture_output=True).returncode
        return {0: "MISSED", 1: "found"}.get(code, f"exit code {code}")
    finally:
        file.write_text(before)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--report", default="target/parallax", help="folder of a run's report.json")
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--time", default="60s")
    arguments.add_argument("--list", action="store_true", help="only say what would be broken")
    options = arguments.parse_args()
    uses = json.loads((pathlib.Path(options.report) / "report.json").read_text())["rules"]["uses"]
    covered = sorted(rule for rule, use in uses.items() if use["exact"])
    drawn = random.Random(options.seed).sample(covered, min(options.count, len(covered)))
    table, results = rows(), {}
    worktree = ROOT / "target/broken"
    if not options.list and not worktree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", worktree], cwd=ROOT, check=True)
    for rule in drawn:
        found = change(rule, table)
        if found is None:
            result, place = "no row", ""
        else:
            path, text, instead = found
            source = (ROOT / path).read_text()
            if text not in source:
                sys.exit(f"{path}: no {text!r}, which the row of {rule} names")
            place = f"{path}:{source[:source.index(text)].count(chr(10)) + 1}"
            result = "row" if options.list else is_noticed(
                worktree, rule, path, text, instead, options.time)
        results[result] = results.get(result, 0) + 1
        print(f"{result:14} {rule:44} {place}", flush=True)
    print(", ".join(f"{number} {result}" for result, number in sorted(results.items())))
    return 1 if results.get("MISSED") else 0


if __name__ == "__main__":
    sys.exit(main())
