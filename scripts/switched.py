"""Wrong engines by the hundred, compiled once: what mutants.py and break-rules.py have in common.

All changes are put into a copy of the sources, each switched on by its number in the environment
variable PARALLAX_MUTANT, and hunted by `examples/hunt`: all suites by turns, until one differs or the time
is over. A panic, an abort and an engine that hangs are noticed too: campaigns make findings of them.
"""

import json, os, pathlib, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Copy:
    """A worktree with the sources of an engine that is made wrong."""

    def __init__(self, folder, sources):
        self.folder, self.sources = pathlib.Path(folder), sources
        self.hunt = self.folder / "target/release/examples/hunt"

    def fresh(self):
        """The sources as they were committed last where this script is."""
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
        head = head.stdout.strip()
        if self.folder.exists():
            checkout = ["git", "checkout", "--quiet", "--force", "--detach", head]
            subprocess.run(checkout, cwd=self.folder, check=True)
        else:
            add = ["git", "worktree", "add", "--quiet", "--detach", self.folder, head]
            subprocess.run(add, cwd=ROOT, check=True)

    def put_in(self, *arguments):
        """Runs scripts/mutants on the copy."""
        command = ["cargo", "run", "--quiet", "--release", "--manifest-path",
                   ROOT / "scripts/mutants/Cargo.toml", "--", self.folder / self.sources]
        return subprocess.run([*command, *map(str, arguments)]).returncode == 0

    def complaints(self, package):
        """What the compiler complains of: file, first and last line, words."""
        check = ["cargo", "check", "--quiet", "--message-format=json", "-p", package]
        output = subprocess.run(check, cwd=self.folder, capture_output=True, text=True).stdout
        for line in output.splitlines():
            message = json.loads(line).get("message")
            if message and message["level"] == "error":
                for span in message["spans"]:
                    place = self.folder / span["file_name"], span["line_start"], span["line_end"]
                    yield *place, message["message"]

    def build(self):
        build = ["cargo", "build", "--quiet", "--release", "-p", "parallax-lockstep", "--example", "hunt"]
        subprocess.run(build, cwd=self.folder, check=True)

    def hunted(self, number, time, named):
        """What notices a change in a time of seconds: devices and suites may be named."""
        environment = os.environ | {"PARALLAX_MUTANT": str(number)}
        try:
            run = subprocess.run([self.hunt, str(time), *named], env=environment, capture_output=True,
                                 text=True, timeout=time + 60)
        except subprocess.TimeoutExpired:
            return "found", "hangs"
        if run.returncode == 0:
            return "MISSED", ""
        if run.returncode == 2:
            sys.exit(run.stderr.strip())
        return "found", run.stdout.strip() or f"ends with {run.returncode}"

    def hunt_all(self, wanted, time, jobs):
        """The same of many, which are numbers with what is named for each, in their order."""
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(lambda one: self.hunted(one[0], time, one[1]), wanted)
