#!/usr/bin/env python3
"""Checks that each packaged crate holds every file that its sources include: scripts/check-crates.py target/package

`cargo package --no-verify` writes the crates and does not build them, which takes as long as a clean build of all. What
a build would miss are files outside the folder of a crate. And that the one binary of a crate's integration tests names
every file of tests beside it: one that it does not name never runs.
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


def unnamed(archive, members):
    """The files of tests that `tests/main.rs` does not name, if there is one."""
    main = next((name for name in members if name.parts[1:] == ("tests", "main.rs")), None)
    if main is None:
        return
    named = set(re.findall(r"^mod (\w+);$", archive.extractfile(members[main]).read().decode(), re.MULTILINE))
    for name in members:
        parts = name.parts[2:] if name.parts[1] == "tests" and name.suffix == ".rs" and name != main else ()
        is_test = len(parts) == 1 or parts[1:] == ("mod.rs",)
        if is_test and PurePosixPath(parts[0]).stem not in named:
            yield f"{name} is not named in {main}: its tests never run"


def problems(crate):
    with tarfile.open(crate) as archive:
        members = {PurePosixPath(member.name): member for member in archive if not member.isdir()}
        yield from unnamed(archive, members)
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
    print("\n".join(found) or f"{len(crates)} crates hold all that they include, and all of their tests")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
