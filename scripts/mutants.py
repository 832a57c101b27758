#!/usr/bin/env python3
"""Makes the executor wrong in many random ways and looks whether campaigns notice each.

    scripts/mutants.py --count 500 --seed 1          a table of all, with what noticed each
    scripts/mutants.py --only 17,204 --time 300      some of them again
    scripts/mutants.py --reached --time 300          the places no campaign comes by, where none could be found

All mutants are compiled at once into a copy of the sources, in target/mutants or the folder that
PARALLAX_MUTANTS names (scripts/mutants has the program that puts them in); each is then switched on by
its number and hunted by all suites, until one differs or --time is over. A panic, an abort and an engine
that hangs are noticed too: campaigns make findings of them. The result is a CSV file: what is missed is
to be looked at.
"""

import argparse, csv, json, os, pathlib, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = pathlib.Path(os.environ.get("PARALLAX_MUTANTS", ROOT / "target/mutants"))
# The engines, and where each has its sources. Mutants are made of the executor.
ENGINES = {"executor": "harness/executor/src", "reference": "model/reference/src"}
LIST = COPY / "mutants.csv"
HUNT = COPY / "target/release/examples/hunt"


def put_in(options, dropped):
    sources = ENGINES[options.engine]
    subprocess.run(["git", "checkout", "--quiet", "--", sources], cwd=COPY, check=True)
    command = ["cargo", "run", "--quiet", "--release", "--manifest-path",
               ROOT / "scripts/mutants/Cargo.toml", "--", COPY / sources, "--list", LIST,
               "--count", str(options.count), "--seed", str(options.seed)]
    # Tests are no part of the engine.
    command += [word for part in ["tests.rs", *options.without] for word in ("--without", part)]
    command += [word for part in options.within for word in ("--within", part)]
    if dropped:
        command += ["--drop", ",".join(map(str, sorted(dropped)))]
    subprocess.run(command, check=True)


def not_compiling(engine):
    """Numbers of the mutants on whose lines the compiler has something to say."""
    check = ["cargo", "check", "--quiet", "--message-format=json", "-p", f"parallax-{engine}"]
    output = subprocess.run(check, cwd=COPY, capture_output=True, text=True).stdout
    wrong, places = set(), []
    for line in output.splitlines():
        message = json.loads(line).get("message")
        if message and message["level"] == "error":
            places += [(s["file_name"], s["line_start"], s["line_end"]) for s in message["spans"]]
    # What the compiler complains of may stand some lines from the mutant that brought it about.
    for around in (0, 4):
        for name, first, last in places if not wrong else ():
            lines = (COPY / name).read_text().splitlines()[max(first - 1 - around, 0):last + around]
            wrong |= {int(n) for n in re.findall(r"mutants::at\((\d+)\)", "\n".join(lines))}
    if places and not wrong:
        sys.exit(f"mutants do not compile, and none stands at {places[:3]}")
    return wrong


def hunted(row, time, named):
    environment = os.environ | {"PARALLAX_MUTANT": row["number"]}
    try:
        run = subprocess.run([HUNT, str(time), *named], env=environment, capture_output=True, text=True,
                             timeout=time + 60)
    except subprocess.TimeoutExpired:
        return "found", "hangs"
    if run.returncode == 0:
        return "MISSED", ""
    if run.returncode == 2:
        sys.exit(run.stderr.strip())
    return "found", run.stdout.strip() or f"ends with {run.returncode}"


def never_reached(rows, time, named):
    """The mutants by which a campaign of all suites does not come."""
    reached = COPY / "reached"
    reached.unlink(missing_ok=True)
    environment = os.environ | {"PARALLAX_REACHED": str(reached)}
    subprocess.run([HUNT, str(time), *named], env=environment, check=True)
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
    if not options.only:
        if not COPY.exists():
            subprocess.run(["git", "worktree", "add", "--quiet", "--detach", COPY], cwd=ROOT, check=True)
        dropped = set()
        put_in(options, dropped)
        while wrong := not_compiling(options.engine):
            dropped |= wrong
            put_in(options, dropped)
        print(f"{len(dropped)} do not compile", flush=True)
        build = ["cargo", "build", "--quiet", "--release", "-p", "parallax-lockstep", "--example", "hunt"]
        subprocess.run(build, cwd=COPY, check=True)
    with open(LIST, newline="") as table:
        rows = list(csv.DictReader(table))
    if options.only:
        rows = [row for row in rows if row["number"] in options.only.split(",")]
    if options.reached:
        passed_by = never_reached(rows, options.time, named)
        with open(options.out, "w", newline="") as table:
            left = csv.DictWriter(table, rows[0].keys())
            left.writeheader()
            left.writerows(passed_by)
        return print(f"{len(rows)} places, {len(passed_by)} never come by")
    missed = 0
    with ThreadPoolExecutor(options.jobs) as pool, open(options.out, "w", newline="") as table:
        results = csv.writer(table)
        results.writerow(["number", "result", "by", "file", "line", "kind", "before", "after"])
        for row, (result, by) in zip(rows, pool.map(lambda row: hunted(row, options.time, named), rows)):
            cells = [row[name] for name in ("number", "file", "line", "kind", "before", "after")]
            results.writerow([cells[0], result, by, *cells[1:]])
            table.flush()
            missed += result == "MISSED"
            if result == "MISSED":
                print(*cells[:3], f"{row['before']!r} -> {row['after']!r}", flush=True)
    print(f"{len(rows)} mutants, {len(rows) - missed} found, {missed} missed")


if __name__ == "__main__":
    main()
