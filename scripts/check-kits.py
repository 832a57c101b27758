#!/usr/bin/env python3
"""Checks that the kits for engines install and are found where their users look for them.

Python: a wheel that imports outside the checkout. C: CMake's find_package and pkg-config, each compiling the example
against the installed header. JavaScript: the files that `npm pack` would publish. A kit whose tools are not there is
skipped, with a line that says so.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

KITS = Path(__file__).resolve().parent.parent / "harness/engines"

FIND_PACKAGE = """\
cmake_minimum_required(VERSION 3.16)
project(user LANGUAGES C)
find_package(parallax_engine 0.1 REQUIRED CONFIG)
add_executable(user example.c)
target_link_libraries(user PRIVATE parallax::parallax_engine)
"""


class Failed(Exception):
    """A step that ended otherwise than it should."""


def run(*command, cwd=None, env=None):
    ended = subprocess.run(
        [str(word) for word in command], cwd=cwd, env={**os.environ, **(env or {})}, text=True, errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if ended.returncode:
        raise Failed(f"`{' '.join(map(str, command))}` ended with {ended.returncode}:\n{ended.stdout}")
    return ended.stdout


def copied(name, folder):
    """A copy of a kit: building leaves nothing in the checkout."""
    return shutil.copytree(KITS / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))


def python_wheel(folder):
    kit = copied("python", folder)
    # What builds the wheel comes from the package index, unless it is installed.
    is_offline = all(importlib.util.find_spec(module) for module in ("setuptools", "wheel"))
    isolation = ["--no-build-isolation"] if is_offline else []
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", *isolation, "-w", folder, kit)
    wheels = list(folder.glob("parallax_engine-*.whl"))
    if len(wheels) != 1:
        raise Failed(f"expected one wheel of parallax_engine, found {wheels}")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", folder / "site", wheels[0])
    # Beside the example lies the kit, which would be found first.
    (folder / "user").mkdir()
    shutil.copy(KITS / "python/example.py", folder / "user")
    run(sys.executable, "example.py", cwd=folder / "user", env={"PYTHONPATH": str(folder / "site")})


def c_header(folder):
    kit, prefix, user = copied("c", folder), folder / "prefix", folder / "user"
    # Only what is installed can be found.
    run("cmake", "-S", kit, "-B", folder / "build", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_LIBDIR=lib")
    run("cmake", "--build", folder / "build")
    run("cmake", "--install", folder / "build")
    user.mkdir()
    example = (KITS / "c/example.c").read_text()
    (user / "example.c").write_text(example.replace('"parallax_engine.h"', "<parallax_engine.h>"))
    (user / "CMakeLists.txt").write_text(FIND_PACKAGE)
    run("cmake", "-S", user, "-B", user / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", user / "build")
    if shutil.which("pkg-config"):
        flags = run("pkg-config", "--cflags", "parallax_engine", env={"PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"})
        run("cc", *flags.split(), "-o", user / "by-pkg-config", user / "example.c")
    else:
        print("SKIPPED: there is no pkg-config")


def javascript_package(folder):
    kit = copied("javascript", folder)
    packed = json.loads(run("npm", "pack", "--dry-run", "--json", "--offline", cwd=kit))
    files = {file["path"] for file in packed[0]["files"]}
    missing = {"package.json", "parallax-engine.js", "example.js"} - files
    if missing:
        raise Failed(f"npm leaves out {sorted(missing)}")


def main():
    failures = 0
    for check, tools in ((python_wheel, ()), (c_header, ("cmake", "cc")), (javascript_package, ("npm",))):
        missing = [tool for tool in tools if not shutil.which(tool)]
        if missing:
            print(f"SKIPPED: {check.__name__} needs {', '.join(missing)}")
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                check(Path(folder))
                print(f"{check.__name__}: ok")
            except Failed as failed:
                failures += 1
                print(f"{check.__name__}: {failed}")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
