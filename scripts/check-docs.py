#!/usr/bin/env python3
"""Checks README.md, docs/ and examples/README.md: links lead somewhere, the README keeps its length, and commands run.

    scripts/check-docs.py                      links and length only
    scripts/check-docs.py --run target/release # also runs each block marked `sh`, with this folder first in PATH

Blocks marked `sh,no_run` show commands that need files, services or hours that a checkout does not have. A command
may end with exit code 1 (a difference was found) where the line above its block says "Exit code 1".
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
README_WORDS = range(600, 901)
SECONDS_FOR_A_COMMAND = 300
# So that a mistake in finding the blocks is noticed: fewer commands were not found, but lost.
LEAST_COMMANDS = 50


def pages():
    return [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "examples/README.md")] + sorted(
        (ROOT / "docs/src").rglob("*.md"))


def anchors(text):
    """The anchors that headings of a page give, as mdBook and code hosts make them."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


def broken_links(page):
    text = page.read_text()
    for match in LINK.finditer(BLOCK.sub("", text)):
        target = match.group(1) or match.group(2)
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page.relative_to(ROOT)}: {target} leads nowhere"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"{page.relative_to(ROOT)}: {target} has no such heading"
    if page.is_relative_to(ROOT / "docs/src") and page.name != "SUMMARY.md":
        name = str(page.relative_to(ROOT / "docs/src"))
        if f"({name})" not in (ROOT / "docs/src/SUMMARY.md").read_text():
            yield f"docs/src/{name} is not in SUMMARY.md"


def commands(text):
    """The commands of a page: lines of its `sh` blocks, joined where they end with a backslash."""
    for match in BLOCK.finditer(text):
        if match.group(1).strip() != "sh":
            continue
        before = text[:match.start()].rstrip().rsplit("\n", 1)[-1]
        for line in match.group(2).replace("\\\n", " ").splitlines():
            line = re.sub(r"\s+#\s.*$", "", line).strip()
            if line:
                yield line, {0, 1} if "xit code 1" in before else {0}


def run(binaries):
    """Runs the commands of each page in a folder of its own that looks like the checkout."""
    count, failures = 0, []
    environment = {**os.environ, "PATH": f"{Path(binaries).resolve()}{os.pathsep}{os.environ['PATH']}"}
    for page in pages():
        with tempfile.TemporaryDirectory() as folder:
            for entry in ROOT.iterdir():
                if entry.name not in ("target", ".git"):
                    os.symlink(entry, Path(folder) / entry.name)
            for command, accepted in commands(page.read_text()):
                count += 1
                ended = subprocess.run(
                    ["bash", "-c", command], cwd=folder, env=environment, timeout=SECONDS_FOR_A_COMMAND,
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if ended.returncode not in accepted:
                    last = "\n    ".join(ended.stdout.splitlines()[-8:])
                    failures.append(f"{page.relative_to(ROOT)}: `{command}` ended with {ended.returncode}:\n    {last}")
    return count, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", metavar="FOLDER", help="run the commands with the binaries of this folder")
    arguments = parser.parse_args()
    failures = [failure for page in pages() for failure in broken_links(page)]
    words = len((ROOT / "README.md").read_text().split())
    if words not in README_WORDS:
        failures.append(f"README.md has {words} words; expected {README_WORDS.start} to {README_WORDS.stop - 1}")
    if arguments.run:
        count, failed = run(arguments.run)
        failures += failed
        if count < LEAST_COMMANDS:
            failures.append(f"only {count} commands are in blocks marked `sh`; expected at least {LEAST_COMMANDS}")
        print(f"{count} commands run, {len(failed)} failed")
    print("\n".join(failures) or f"{len(pages())} pages checked")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
