#!/usr/bin/env python3
"""Breaks the executor's code of rules at random, each by itself, and looks whether campaigns notice.

    scripts/break-rules.py --list                      what would be broken, and what no row names
    scripts/break-rules.py --count 200 --seed 1        breaks them, and writes what noticed each
    scripts/break-rules.py --only dg1.tex.wrap,...     some of them again

Rules are drawn by --seed from the catalogue, of those that a report says are covered. What breaks one is
in broken-rules.csv: a pattern of rule ids, a file of the executor, text that stands there (of `this … that`,
the first `that` behind the first `this`), and what stands there instead. The rows of the first pattern that
fits are applied together. In both texts {2} is the third part of the rule's id, {2^} the same in capitals
with underscores, {2*} with every word capitalised and joined, and {code} a number that the id ends with.

All are compiled at once into a copy of the sources (switched.py), in target/broken or the folder that
PARALLAX_BROKEN names.
"""

import argparse, csv, fnmatch, json, os, pathlib, random, re, sys

from switched import ROOT, Copy

FOLDER = pathlib.Path(os.environ.get("PARALLAX_BROKEN", ROOT / "target/broken"))
CHANGES = FOLDER / "changes.csv"
COLUMNS = ["number", "rule", "file", "text", "instead"]
DEVICES = {
    "g45": ["g45", "ctg", "cl", "bw"], "r700": ["rv770"], "dg1": ["dg1"], "gen7": ["ivb", "skl", "dg1"],
    "gen9": ["skl", "dg1"], "gen12": ["dg1"], "talk": ["skl", "dg1", "ivb"],
}


def drawn(options):
    """Rules in the order of the seed, whatever else is covered."""
    report = options.report / "report.json"
    if not report.is_file():
        sys.exit(f"{report}: there is no such report; `parallax run --time 60s` writes one")
    uses = json.loads(report.read_text())["rules"]["uses"]
    rules = set()
    for path in (ROOT / "model/spec/catalogue").glob("*.csv"):
        with open(path, newline="") as table:
            rules |= {row["id"] for row in csv.DictReader(table)}
    order = sorted(rules)
    random.Random(options.seed).shuffle(order)
    return [rule for rule in order if uses.get(rule, {}).get("exact")][:options.count]


def filled(text, rule):
    """The text with parts of the rule's id in it."""
    for number, part in enumerate(rule.split(".")):
        words = part.split("-")
        text = text.replace(f"{{{number}}}", part)
        text = text.replace(f"{{{number}^}}", "_".join(words).upper())
        text = text.replace(f"{{{number}*}}", "".join(word.capitalize() for word in words))
    if code := re.search(r"code-([0-9A-F]+)(b|h)$", rule):
        text = text.replace("{code}", {"b": "0b", "h": "0x"}[code[2]] + code[1])
    return text


def pieces(rule, table):
    """The rows of the first pattern that the rule fits."""
    pattern = next((row["rule"] for row in table if fnmatch.fnmatchcase(rule, row["rule"])), None)
    return [{"file": row["file"], "text": filled(row["text"], rule), "instead": filled(row["instead"], rule)}
            for row in table if row["rule"] == pattern]


def put_in(copy, changes):
    with open(CHANGES, "w", newline="") as table:
        rows = csv.DictWriter(table, COLUMNS)
        rows.writeheader()
        rows.writerows({"number": number, "rule": rule, **piece}
                       for number, (rule, all) in changes.items() for piece in all)
    if not copy.put_in("--changes", CHANGES):
        sys.exit("changes could not be put in")


def complained_of(copy):
    """Numbers of changes that do not compile, and why not."""
    wrong = {}
    for path, first, _, words in copy.complaints("parallax-executor"):
        marks = re.findall(r"/\* (change (\d+)|unchanged) \*/", "\n".join(path.read_text().splitlines()[:first]))
        if not marks or not marks[-1][1]:
            sys.exit(f"{path}:{first}: {words}")
        wrong.setdefault(int(marks[-1][1]), words)
    return wrong


def compiled(copy, changes):
    """Puts all in that compile, and says which do not."""
    copy.fresh()
    put_in(copy, changes)
    left_out = {}
    while wrong := complained_of(copy):
        left_out |= wrong
        copy.fresh()
        put_in(copy, {number: change for number, change in changes.items() if number not in left_out})
    copy.build()
    return left_out


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--report", default=ROOT / "target/parallax", type=pathlib.Path,
                           help="folder of the report.json of a run")
    arguments.add_argument("--count", type=int, default=200)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--time", type=int, default=60, help="seconds for each")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--only", help="rules, instead of those that the seed draws")
    arguments.add_argument("--list", action="store_true", help="only say what would be broken")
    arguments.add_argument("--out", default=ROOT / "target/broken-rules.csv", type=pathlib.Path)
    options = arguments.parse_args()
    with open(ROOT / "scripts/broken-rules.csv", newline="") as table:
        rows = list(csv.DictReader(table))
    rules = options.only.split(",") if options.only else drawn(options)
    changes = {number: (rule, pieces(rule, rows)) for number, rule in enumerate(rules, 1)}
    if options.list:
        for rule, all in changes.values():
            lines = [f"{one['file']}: {one['text']!r} -> {one['instead']!r}" for one in all]
            print(rule, *lines or ["no row"], sep="\n    ")
        return 0
    copy = Copy(FOLDER, "harness/executor/src")
    known = {number: change for number, change in changes.items() if change[1]}
    left_out = compiled(copy, known)
    wanted = [(number, DEVICES.get(rule.split(".")[0], []))
              for number, (rule, _) in known.items() if number not in left_out]
    hunts = copy.hunt_all(wanted, options.time, options.jobs)
    counts = {}
    with open(options.out, "w", newline="") as table:
        results = csv.writer(table)
        results.writerow(["rule", "result", "by", "file", "text", "instead"])
        for number, (rule, all) in changes.items():
            if not all:
                result, by = "no row", ""
            elif number in left_out:
                result, by = "does not compile", left_out[number]
            else:
                result, by = next(hunts)
            one = all[0] if all else {"file": "", "text": "", "instead": ""}
            results.writerow([rule, result, by, one["file"], one["text"], one["instead"]])
            table.flush()
            counts[result] = counts.get(result, 0) + 1
            if result != "found":
                print(f"{result:8} {rule} {by}", flush=True)
    print(", ".join(f"{number} {result}" for result, number in sorted(counts.items())))
    return 0 if counts.get("found", 0) == len(changes) else 1


if __name__ == "__main__":
    sys.exit(main())
