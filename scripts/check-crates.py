#!/usr/bin/env python3
"""Checks that each packaged crate holds every file that its sources include: scripts/check-crates.py target/package

`cargo package --no-verify` writes the crates and does not build them, which takes as long as a clean build of all. What
a build would miss are files outside the folder of a crate.
"""

import re
import sys
import tarfile
from pathlib import PurePosixPath, Path

INCLUDE = re.compile(r'include(?:_str|_bytes)?!\(\s*(concat!\(\s*)?"([^"]+)"|#\[path = "([^"]+)"\]')


def resolved(path):
    """A path without `..`; None if it leaves the package."""
    parts = []
    for part in path.parts:
        if part == "..":
            if len(parts) <= 1:
                return None
            parts.pop()
        elif part != ".":
            parts.append(part)
    return PurePosixPath(*parts)


def problems(crate):
    with tarfile.open(crate) as archive:
        members = {PurePosixPath(member.name): member for member in archive if not member.isdir()}
        for name, member in members.items():
            if not member.isfile():
                yield f"{crate.name}: {name} is a link, not a file"
            # Tests and benchmarks are not built by who depends on the crate.
            if name.suffix != ".rs" or name.parts[1] in ("tests", "benches", "examples") or not member.isfile():
                continue
            source = archive.extractfile(member).read().decode().split("#[cfg(test)]")[0]
            for concatenated, included, module in INCLUDE.findall(source):
                path = resolved(name.parent / (included or module))
                # Only the start of a concatenated name is known.
                known = path and (any(path in other.parents for other in members) if concatenated else path in members)
                if not known:
                    yield f"{crate.name}: {name} includes {included or module}, which the package lacks"


def main():
    crates = sorted(Path(sys.argv[1]).glob("*.crate"))
    if not crates:
        sys.exit(f"there are no crates in {sys.argv[1]}")
    found = [problem for crate in crates for problem in problems(crate)]
    print("\n".join(found) or f"{len(crates)} crates hold all that they include")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
