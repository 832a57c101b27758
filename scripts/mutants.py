#!/usr/bin/env python3
"""Makes the executor wrong in many random ways and looks whether campaigns notice each.

    scripts/mutants.py --count 500 --seed 1          a table of all, with what noticed each
    scripts/mutants.py --only 17,204 --time 300      some of them again
    scripts/mutants.py --reached --time 300          the places no campaign comes by, where none could be found

All mutants are compiled at once into a copy of the sources (switched.py), in target/mutants or the folder
that PARALLAX_MUTANTS names; scripts/mutants has the program that puts them in. The result is a CSV file:
what is missed is to be looked at.
"""

import argparse, csv, os, pathlib, re, subprocess, sys

from switched import ROOT, Copy

# The engines, and where each has its sources. Mutants are made of the executor.
ENGINES = {"executor": "harness/executor/src", "reference": "model/reference/src"}
FOLDER = pathlib.Path(os.environ.get("PARALLAX_MUTANTS", ROOT / "target/mutants"))
LIST = FOLDER / "mutants.csv"


def put_in(copy, options, dropped):
    copy.fresh()
    command = ["--list", LIST, "--count", options.count, "--seed", options.seed]
    # Tests are no part of the engine.
    command += [word for part in ["tests.rs", "tests/", *options.without] for word in ("--without", part)]
    command += [word for part in options.within for word in ("--within", part)]
    if dropped:
        command += ["--drop", ",".join(map(str, sorted(dropped)))]
    if not copy.put_in(*command):
        sys.exit("mutants could not be put in")


def not_compiling(copy, engine):
    """Numbers of the mutants on whose lines the compiler has something to say."""
    wrong, places = set(), list(copy.complaints(f"parallax-{engine}"))
    # What the compiler complains of may stand some lines from the mutant that brought it about.
    for around in (0, 4):
        for path, first, last, _ in places if not wrong else ():
            lines = path.read_text().splitlines()[max(first - 1 - around, 0):last + around]
            wrong |= {int(n) for n in re.findall(r"mutants::at\((\d+)\)", "\n".join(lines))}
    if places and not wrong:
        sys.exit(f"mutants do not compile, and none stands at {places[:3]}")
    return wrong


def never_reached(copy, rows, time, named):
    """The mutants by which a campaign of all suites does not come."""
    reached = FOLDER / "reached"
    reached.unlink(missing_ok=True)
    environment = os.environ | {"PARALLAX_REACHED": str(reached)}
    subprocess.run([copy.hunt, str(time), *named], env=environment, check=True)
    seen = set(reached.read_text().split())
    return [row for row in rows if row["number"] not in seen]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--count", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--time", type=int, default=60, help="seconds for each")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments.add_argument("--without", action="append", default=[], help="part of a path")
    arguments.add_argument("--within", action="append", default=[], help="part of a path")
    arguments.add_argument("--device", action="append", default=[], help="all of them, if none is named")
    arguments.add_argument("--suite", action="append", default=[], help="all of them, if none is named")
    arguments.add_argument("--only", help="numbers, of the mutants that are compiled already")
    arguments.add_argument("--reached", action="store_true", help="only look which are come by, of all")
    arguments.add_argument("--engine", choices=ENGINES, default="executor")
    arguments.add_argument("--out", default=ROOT / "target/mutants.csv")
    options = arguments.parse_args()
    named = [*options.device, *options.suite]
    if options.reached:
        options.count = 1 << 16
    copy = Copy(FOLDER, ENGINES[options.engine])
    if not options.only:
        dropped = set()
        put_in(copy, options, dropped)
        while wrong := not_compiling(copy, options.engine):
            dropped |= wrong
            put_in(copy, options, dropped)
        print(f"{len(dropped)} do not compile", flush=True)
        copy.build()
    with open(LIST, newline="") as table:
        rows = list(csv.DictReader(table))
    if options.only:
        rows = [row for row in rows if row["number"] in options.only.split(",")]
    if options.reached:
        passed_by = never_reached(copy, rows, options.time, named)
        with open(options.out, "w", newline="") as table:
            left = csv.DictWriter(table, rows[0].keys())
            left.writeheader()
            left.writerows(passed_by)
        return print(f"{len(rows)} places, {len(passed_by)} never come by")
    missed = 0
    with open(options.out, "w", newline="") as table:
        results = csv.writer(table)
        results.writerow(["number", "result", "by", "file", "line", "kind", "before", "after"])
        hunts = copy.hunt_all([(row["number"], named) for row in rows], options.time, options.jobs)
        for row, (result, by) in zip(rows, hunts):
            cells = [row[name] for name in ("number", "file", "line", "kind", "before", "after")]
            results.writerow([cells[0], result, by, *cells[1:]])
            table.flush()
            missed += result == "MISSED"
            if result == "MISSED":
                print(*cells[:3], f"{row['before']!r} -> {row['after']!r}", flush=True)
    print(f"{len(rows)} mutants, {len(rows) - missed} found, {missed} missed")


if __name__ == "__main__":
    main()
