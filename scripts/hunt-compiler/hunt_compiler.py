#!/usr/bin/env python3
"""Hunts for mistakes of Intel's offline OpenCL compiler (`ocloc`) without hardware: random kernels with defined
behaviour, compiled in many configurations, run by `parallax exec`, compared with each other and with the same program
compiled for the host. With --target r600 the same for LLVM's back end for R700 (`llc`) and random pixel shaders.

    scripts/hunt-compiler/hunt_compiler.py --time 600                 # ten minutes, findings go to hunt-findings/
    scripts/hunt-compiler/hunt_compiler.py --seed 500 --programs 20   # the programs of the seeds 500 to 519
    scripts/hunt-compiler/hunt_compiler.py --config skl --config 16   # configurations with both words in their names
    scripts/hunt-compiler/hunt_compiler.py --avoid add_sat:64 --avoid mad_sat      # leave out what is known already
    scripts/hunt-compiler/hunt_compiler.py --print 500                # the kernel of a seed, its program for the host
    scripts/hunt-compiler/hunt_compiler.py --list                     # the configurations
    scripts/hunt-compiler/hunt_compiler.py --target r600 --config O2  # pixel shaders for R700, optimised

A configuration is device-form-optimisation-size, for example skl-patchtokens-optimised-16, or rv770-O2. What is found:

    miscompiled         the kernel computes something else than the host
    illegal             the code breaks a rule of the device's manual (`parallax check`)
    crash, timeout      the compiler did not come to an end
    engines differ      the two engines of Parallax differ: a mistake of Parallax
    failed              the run ended otherwise (a deadlock, what Parallax leaves undefined): look at it
    refused             Parallax does not run it, or the compiler refuses the source: no finding, only counted

Each finding is reduced by cutting statements and expressions out while it stays, and goes to a folder of its own:
kernel.cl, in.bin, expected.bin, host.c, and report.txt with what each configuration gives and the commands.

Exit code 0: no finding, 1: findings, 2: what is needed is not there.
"""

import argparse
import collections
import concurrent.futures
import copy
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import generator  # noqa: E402
import printing  # noqa: E402
import programs  # noqa: E402
import shaders  # noqa: E402

DEVICES = ("skl", "dg1")
FORMS = ("patchtokens", "zebin")
OPTIMISATIONS = {"optimised": "", "unoptimised": "-cl-opt-disable"}
SUB_GROUPS = (8, 16, 32)
FINDINGS = ("miscompiled", "illegal", "crash", "timeout", "engines differ", "failed")
OF_COMPILER = ("miscompiled", "illegal", "crash", "timeout")

Config = collections.namedtuple("Config", "device form optimisation size")
ShaderConfig = collections.namedtuple("ShaderConfig", "device optimisation")
SHADER_CONFIGS = [ShaderConfig("rv770", f"O{level}") for level in range(4)]
# What a configuration gave: a kind ("right", "miscompiled", "illegal", …), what tells it apart from others of its kind
# (a rule, a message), the output.
Result = collections.namedtuple("Result", "kind detail output", defaults=("", b""))


def configurations():
    return [Config(device, form, optimisation, size) for device in DEVICES for form in FORMS for optimisation in OPTIMISATIONS
            for size in SUB_GROUPS]


def name(config):
    return "-".join(map(str, config))


class Stopped(Exception):
    """The hunt ends."""


class Tools:
    """Runs the compilers and Parallax, with limits of time and memory."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.stop = threading.Event()

    def run(self, command, seconds, data=None):
        """(exit code, standard output, standard error); the exit code is None at the limit of time."""
        if self.stop.is_set():
            raise Stopped
        limit = self.arguments.memory << 20

        def limits():
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        # In a session of its own: Ctrl-C is for the hunt, which then ends by itself.
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   start_new_session=True, preexec_fn=limits)
        try:
            out, error = process.communicate(data, timeout=seconds)
            return process.returncode, out, error
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return None, b"", b""

    def expected(self, program, room, levels=(("-O0",), ("-O2", "-fwrapv"))):
        """What the host computes, None if its compiler refuses the program or its optimisation matters (a mistake of the generator)."""
        source = room / "host.c"
        source.write_text(printing.host(program))
        outputs = []
        for options in levels:
            code, _, error = self.run(["cc", "-w", *options, "-o", room / "host", source], 60)
            if code:
                self.complaint = error.decode(errors="replace")
                return None
            code, out, error = self.run([room / "host"], 20, program.inputs())
            if code != 0:
                self.complaint = f"the host's program ends with {code}"
                return None
            outputs.append(out)
        if outputs[0] != outputs[-1]:
            self.complaint = "the host's program depends on its optimisation"
            return None
        return outputs[0]

    def compile_command(self, config, source, folder):
        options = " ".join(filter(None, ["-cl-std=CL2.0", OPTIMISATIONS[config.optimisation], f"-DSIZE={config.size}"]))
        return ["ocloc", "compile", "-file", source, "-device", config.device, "-out_dir", folder, "-output", "kernel", "--format", config.form,
                "-options", options]

    def exec_command(self, config, program, binary, given):
        return [self.arguments.parallax, "exec", binary, "--device", config.device, "--kernel", "test", "--global", str(program.items),
                "--local", str(program.items), "--arg", f"0={given}",
                "--arg", f"1=zeros:{program.items * programs.SLOTS * programs.SLOT_BYTES}",
                "--arg", f"2={program.argument}:ud", "--dump", "arg:1", "--step-limit", "5000000", "--json"]

    def result(self, program, config, expected, room):
        """Compiles and runs the program in a configuration."""
        folder = room / name(config)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        source, given = room / "kernel.cl", room / "in.bin"
        source.write_text(printing.opencl(program))
        given.write_bytes(program.inputs())
        code, out, error = self.run(self.compile_command(config, source, folder), self.arguments.compile_time)
        text = (out + error).decode(errors="replace")
        binaries = list(folder.glob("*.bin"))
        if code is None:
            return Result("timeout", "compiling")
        if code < 0 or code >= 128 and not re.search(r"\berror:", text):
            return Result("crash", f"signal {-code}" if code < 0 else message(text) or f"exit code {code}")
        if re.search(r"internal compiler error|segmentation|assert|unreachable|stack dump|backend compiler failed", text, re.IGNORECASE):
            return Result("crash", message(text))
        if code or not binaries:
            return Result("refused", "the compiler: " + message(text))
        code, out, error = self.run(self.exec_command(config, program, binaries[0], given), self.arguments.run_time)
        text = error.decode(errors="replace")
        if code is None:
            return Result("refused", "Parallax takes too long")
        if code == 1:
            return Result("engines differ", message(text))
        if code:
            # An illegal instruction ends with its rules, of which those for all devices (`leg.…`) tell most.
            rule = re.search(r"\bleg\.[\w.-]+", text) or re.search(r"(?<=\[)gen[\d.]+\.[\w.-]+", text)
            if rule:
                return Result("illegal", rule.group(0))
            return Result("failed" if code < 0 or code > 100 else "refused", "Parallax: " + message(text))
        answer = json.loads(out)
        if answer["outcome"] == "step-limit":
            return Result("refused", "Parallax takes too many steps")
        if answer["outcome"] != "eot":
            return Result("failed", f"{answer['outcome']}: {answer.get('message', '')}"[:160])
        output = bytes.fromhex(answer["buffers"]["arg:1"])
        if output == expected:
            return Result("right", "", output)
        return Result("miscompiled", "", output)


    def shader_command(self, config, source, binary):
        return ["llc", "-march=r600", f"-mcpu={config.device}", f"-{config.optimisation}", "-filetype=obj", source, "-o", binary]

    def shader_exec_command(self, config, shader, binary):
        sets = []
        for place, element in enumerate("xyzw"):
            sets += ["--set", f"R1.{element}:ud=" + ",".join(str(pixel[place]) for pixel in shader.inputs())]
        return [self.arguments.parallax, "exec", binary, "--device", config.device, "--profile", "silicon", "--kernel", "test", *sets,
                "--dump", "R0", "--json"]

    def shader_result(self, shader, config, expected, room):
        """Compiles and runs a shader; the output is a list of the elements of each pixel."""
        source, binary = room / "shader.ll", room / f"{config.optimisation}.o"
        source.write_text(shaders.llvm(shader))
        code, _, error = self.run(self.shader_command(config, source, binary), self.arguments.compile_time)
        text = error.decode(errors="replace")
        if code is None:
            return Result("timeout", "compiling")
        if code < 0 or re.search(r"LLVM ERROR|Stack dump", text):
            return Result("crash", re.sub(r"%\w+|0x[0-9a-f]+|\d+", "N", text.split("\n")[0])[:100])
        if code:
            return Result("refused", "the compiler: " + message(text))
        code, out, error = self.run(self.shader_exec_command(config, shader, binary), self.arguments.run_time)
        text = error.decode(errors="replace")
        if code == 1:
            return Result("engines differ", message(text))
        if code != 0:
            return Result("refused", "Parallax: " + message(text))
        answer = json.loads(out)
        if answer["outcome"] != "halted":
            return Result("failed", f"{answer['outcome']}: {answer.get('message', '')}"[:160])
        if rule := re.search(r"\bleg\.[\w.-]+|\br700\.[\w.-]+", text):
            return Result("illegal", rule.group(0))
        elements = answer["exports"]["PIX0"]
        output = [[int(elements[element][pixel], 16) for element in "xyzw"] for pixel in range(shaders.PIXELS)]
        return Result("right" if output == expected else "miscompiled", "", output)


def message(text):
    """The line of a tool's output that says what is wrong, without numbers, which differ from run to run."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for pattern in (r"internal compiler error", r"\berror\b", r"failed", r""):
        for line in lines:
            if re.search(pattern, line, re.IGNORECASE) and not line.startswith("Command was"):
                return re.sub(r"0x[0-9a-f]+|\d+", "N", re.sub(r"/\S*/", "", line))[:160]
    return ""


class Reducer:
    """Cuts parts out of a program while `holds` stays true of it."""

    def __init__(self, holds, until=None):
        self.holds, self.until = holds, until
        self.tries = 0

    def reduce(self, program):
        best = program
        while True:
            before = programs.size(best)
            for step in (self.cut_statements, self.flatten, self.cut_expressions, self.cut_starts):
                best = step(best)
            if programs.size(best) >= before or self.late():
                return best

    def late(self):
        return self.until is not None and time.monotonic() > self.until

    def accepts(self, candidate, than):
        if self.late():
            return False
        programs.tidy(candidate)
        if programs.size(candidate) >= programs.size(than) and printing.opencl(candidate) == printing.opencl(than):
            return False
        self.tries += 1
        return self.holds(candidate)

    def cut_statements(self, best):
        """Runs of statements of a block, long ones first."""
        number = 0
        while number < len(list(programs.blocks(best))):
            length = len(list(programs.blocks(best))[number])
            while length:
                at = 0
                while number < len(all_blocks := list(programs.blocks(best))) and at < len(all_blocks[number]):
                    candidate = copy.deepcopy(best)
                    block = list(programs.blocks(candidate))[number]
                    del block[at:at + length]
                    if self.accepts(candidate, best):
                        best = candidate
                    else:
                        at += length
                length //= 2
            number += 1
        return best

    def flatten(self, best):
        """A statement becomes one of its blocks."""
        number = 0
        while number < len(list(programs.blocks(best))):
            at = 0
            while number < len(all_blocks := list(programs.blocks(best))) and at < len(all_blocks[number]):
                for inner in range(len(all_blocks[number][at].blocks)):
                    candidate = copy.deepcopy(best)
                    block = list(programs.blocks(candidate))[number]
                    block[at:at + 1] = block[at].blocks[inner]
                    if self.accepts(candidate, best):
                        best = candidate
                        break
                else:
                    at += 1
            number += 1
        return best

    def cut_expressions(self, best):
        """An expression becomes a constant, one of its parts, or the value of the input."""
        at = 0
        while at < len(places := list(programs.expressions(best))):
            holder, index = places[at]
            for replacement in simpler(holder[index]):
                candidate = copy.deepcopy(best)
                holder_, index_ = list(programs.expressions(candidate))[at]
                holder_[index_] = copy.deepcopy(replacement)
                if self.accepts(candidate, best):
                    best = candidate
                    break
            at += 1
        return best

    def cut_starts(self, best):
        """A loop of another kind becomes `for`, arrays become short, the group has fewer work items, the argument is 0."""
        for items in (8, 16, 32):
            if items < best.items:
                candidate = copy.deepcopy(best)
                candidate.items = items
                if self.accepts(candidate, best):
                    best = candidate
                    break
        return best


def simpler(expr):
    """What may stand for an expression, the simplest first."""
    type_, op = expr.type, expr.op
    if op == "const":
        if expr.data not in (0, 1):
            yield programs.Expr("const", type_, data=0)
            yield programs.Expr("const", type_, data=1)
        return
    for value in (0, 1):
        constant = programs.Expr("const", type_.element, data=value)
        if type_.width == 1:
            yield constant
        elif op != "splat" or expr.args[0].op != "const":
            yield programs.Expr("splat", type_, [constant])
    stack = list(expr.args)
    while stack:
        inner = stack.pop(0)
        if inner.type == type_ and inner.op != "const":
            yield inner
        stack += inner.args
    if op == "var" or op == "input" or op == "gid" or op == "argument":
        return
    for arg in expr.args:
        if arg.type != type_ and arg.type.width == type_.width and op not in ("convert", "as"):
            yield programs.Expr("convert", type_, [arg])


class Hunt:
    def __init__(self, arguments, tools, configs):
        self.arguments, self.tools, self.configs = arguments, tools, configs
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.refusals = collections.Counter()
        self.seen = collections.Counter()
        self.findings = []
        self.programs = self.runs = 0
        self.end = time.monotonic() + arguments.time if arguments.time else None

    def chosen(self, seed):
        """The configurations of a seed: so many of all, others for each."""
        import random
        count = min(self.arguments.configs or len(self.configs), len(self.configs))
        return random.Random(seed * 7 + 3).sample(self.configs, count)

    def hunt(self, seed):
        if self.tools.stop.is_set() or self.end and time.monotonic() > self.end:
            return
        program = generator.draw(seed, self.arguments.avoid)
        with tempfile.TemporaryDirectory(prefix="hunt-") as folder:
            room = pathlib.Path(folder)
            expected = self.tools.expected(program, room)
            with self.lock:
                self.programs += 1
            if expected is None:
                self.say(f"seed {seed}: a mistake of the generator: {self.tools.complaint[:300]}")
                return
            met = []
            for config in self.chosen(seed):
                result = self.tools.result(program, config, expected, room)
                with self.lock:
                    self.runs += 1
                    self.counts[result.kind] += 1
                    if result.kind == "refused":
                        self.refusals[result.detail] += 1
                if result.kind not in FINDINGS or self.skipped(result):
                    continue
                # What has been reduced may be this one too: then it shows here as well.
                if any(kind == result.kind and detail == result.detail and self.shows(smallest, config, result, room)
                       for kind, detail, smallest in met):
                    continue
                met.append((result.kind, result.detail, self.found(seed, program, config, result, room)))

    def skipped(self, result):
        return any(word in f"{result.kind} {result.detail}" for word in self.arguments.skip)

    def shows(self, program, config, result, room):
        """Whether a program gives the same kind of result in a configuration."""
        expected = self.tools.expected(program, room, (("-O0",),))
        if expected is None:
            return False
        again = self.tools.result(program, config, expected, room)
        return again.kind == result.kind and (again.kind == "miscompiled" or again.detail == result.detail)

    def found(self, seed, program, config, result, room):
        """Reduces and writes a finding, and returns its smallest program."""
        what = f"{result.kind}{' ' + result.detail if result.detail else ''}"
        early = (result.kind, result.detail, config.device)
        with self.lock:
            # What a rule or a message tells apart needs no reduction to be known again.
            if result.kind != "miscompiled" and self.seen[early] >= self.arguments.alike:
                self.seen[early] += 1
                return program
            self.seen[early] += 1
        self.say(f"seed {seed}: {what} by {name(config)}")
        smallest, tries = program, 0
        if self.arguments.reduce:
            reducer = Reducer(lambda candidate: self.shows(candidate, config, result, room), time.monotonic() + self.arguments.reduce_time)
            smallest = reducer.reduce(program)
            tries = reducer.tries
        shape = programs.shape(smallest)
        with self.lock:
            late = (result.kind, result.detail, shape, "reduced")
            self.seen[late] += 1
            if self.arguments.reduce and self.seen[late] > 1:
                return smallest
        folder = self.write(seed, smallest, config, result, shape, room)
        with self.lock:
            self.findings.append((what, name(config), seed, programs.size(smallest), shape, folder.name))
        self.say(f"seed {seed}: {what} by {name(config)}, reduced to {programs.size(smallest)} parts in {tries} tries: {shape[:200]} ({folder.name})")
        return smallest

    def write(self, seed, program, config, result, shape, room):
        """A folder with everything to repeat the finding."""
        slug = re.sub(r"[^a-z0-9]+", "-", f"{result.kind} {result.detail}".lower()).strip("-")[:60]
        mark = hashlib.sha1(f"{name(config)}{shape}".encode()).hexdigest()[:6]
        folder = self.arguments.out / f"{slug}-{seed}-{mark}"
        folder.mkdir(parents=True, exist_ok=True)
        expected = self.tools.expected(program, room)
        (folder / "kernel.cl").write_text(printing.opencl(program))
        (folder / "original.cl").write_text(printing.opencl(generator.draw(seed, self.arguments.avoid)))
        (folder / "host.c").write_text(printing.host(program))
        (folder / "in.bin").write_bytes(program.inputs())
        (folder / "expected.bin").write_bytes(expected)
        lines = [f"{result.kind} {result.detail}".strip(), f"seed {seed}, configuration {name(config)}", f"shape: {shape}", "",
                 "Commands:", "  " + quoted(self.tools.compile_command(config, "kernel.cl", "out")),
                 "  " + quoted(self.tools.exec_command(config, program, "out/kernel_*.bin", "in.bin")),
                 "  cc -w -O2 -fwrapv -o host host.c && ./host < in.bin | cmp - expected.bin", "", "What each configuration gives:"]
        for other in configurations():
            again = self.tools.result(program, other, expected, room)
            lines.append(f"  {name(other):36} {again.kind} {again.detail}{difference(program, expected, again.output)}".rstrip())
        lines.append("  the host's compiler, -O0 and -O2     agree with each other")
        (folder / "report.txt").write_text("\n".join(lines) + "\n")
        return folder

    def say(self, text):
        with self.lock:
            print(text, flush=True)

    def summary(self):
        print(f"\n{self.programs} programs, {self.runs} compilations")
        for kind in ("right", *FINDINGS, "refused"):
            if self.counts[kind]:
                print(f"  {kind:16} {self.counts[kind]}")
        for reason, count in self.refusals.most_common(8):
            print(f"  refused {count} times: {reason}")
        alike = [(key, count) for key, count in self.seen.items() if len(key) == 3 and count > 1]
        for key, count in sorted(alike, key=lambda pair: -pair[1]):
            print(f"  met {count} times: {' '.join(filter(None, key))}")
        if self.findings:
            print(f"\n{'parts':>5}  {'finding':44} {'configuration':36} folder")
            for what, config, _, size, shape, folder in sorted(self.findings):
                print(f"{size:5}  {what[:44]:44} {config:36} {folder}\n{'':7}{shape[:150]}")


class ShaderHunt(Hunt):
    """The hunt for R700."""

    def hunt(self, seed):
        if self.tools.stop.is_set() or self.end and time.monotonic() > self.end:
            return
        shader = shaders.draw(seed, self.arguments.avoid)
        expected = shaders.expected(shader)
        with tempfile.TemporaryDirectory(prefix="hunt-") as folder:
            room = pathlib.Path(folder)
            with self.lock:
                self.programs += 1
            for config in self.chosen(seed):
                result = self.tools.shader_result(shader, config, expected, room)
                with self.lock:
                    self.runs += 1
                    self.counts[result.kind] += 1
                    if result.kind == "refused":
                        self.refusals[result.detail] += 1
                    early = (result.kind, result.detail, name(config))
                    known = result.kind not in FINDINGS or self.skipped(result) or self.seen[early] >= self.arguments.alike
                    if result.kind in FINDINGS:
                        self.seen[early] += 1
                if not known:
                    self.found(seed, shader, config, result, room)

    def found(self, seed, shader, config, result, room):
        what = f"{result.kind}{' ' + result.detail if result.detail else ''}"
        until = time.monotonic() + self.arguments.reduce_time

        def same(candidate):
            again = self.tools.shader_result(candidate, config, shaders.expected(candidate), room)
            return again.kind == result.kind and again.detail == result.detail

        smaller = self.arguments.reduce
        while smaller and time.monotonic() < until:
            # simpler() gives some of the same size: only what is smaller counts, so that this ends.
            smaller = next((candidate for candidate in shaders.simpler(shader) if shaders.size(candidate) < shaders.size(shader) and same(candidate)),
                           None)
            shader = smaller or shader
        shape = shaders.shape(shader)
        with self.lock:
            late = (what, name(config), shape, "reduced")
            self.seen[late] += 1
            if self.arguments.reduce and self.seen[late] > 1:
                return
        folder = self.arguments.out / f"{re.sub(r'[^a-z0-9]+', '-', what.lower()).strip('-')[:60]}-{seed}-{name(config)}"
        folder.mkdir(parents=True, exist_ok=True)
        expected = shaders.expected(shader)
        (folder / "shader.ll").write_text(shaders.llvm(shader))
        lines = [what, f"seed {seed}, configuration {name(config)}", f"shape: {shape}", "", "Commands:",
                 "  " + quoted(self.tools.shader_command(config, "shader.ll", "shader.o")),
                 "  " + quoted(self.tools.shader_exec_command(config, shader, "shader.o")), "", "What each configuration gives:"]
        for other in SHADER_CONFIGS:
            again = self.tools.shader_result(shader, other, expected, room)
            pixel = next((at for at in range(shaders.PIXELS) if again.output and again.output[at] != expected[at]), None)
            where = "" if pixel is None else f": pixel {pixel}, inputs {hexadecimal(shader.inputs()[pixel])}: "                 f"{hexadecimal(again.output[pixel])}, not {hexadecimal(expected[pixel])}"
            lines.append(f"  {name(other):10} {again.kind} {again.detail}{where}".rstrip())
        (folder / "report.txt").write_text("\n".join(lines) + "\n")
        with self.lock:
            self.findings.append((what, name(config), seed, shaders.size(shader), shape, folder.name))
        self.say(f"seed {seed}: {what} by {name(config)}, reduced to {shaders.size(shader)} parts: {shape} ({folder.name})")


def hexadecimal(numbers):
    return " ".join(format(number, "x") for number in numbers)


def difference(program, expected, output):
    """The first element that differs, by work item and slot."""
    if not output or output == expected:
        return ""
    at = next(index for index in range(len(expected)) if index >= len(output) or output[index] != expected[index])
    item, place = divmod(at, programs.SLOTS * programs.SLOT_BYTES)
    slot, byte = divmod(place, programs.SLOT_BYTES)
    at -= byte % 8
    return f": work item {item}, slot {slot}, byte {byte // 8 * 8}: {output[at:at + 8].hex()}, not {expected[at:at + 8].hex()}"


def quoted(command):
    return " ".join(f'"{word}"' if re.search(r"\s", str(word)) else str(word) for word in command)


def parse(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", choices=("opencl", "r600"), default="opencl", help="the compiler: ocloc, or LLVM's for R700 [opencl]")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first program [1]")
    parser.add_argument("--programs", type=int, default=0, help="programs to draw [no end]")
    parser.add_argument("--time", type=float, default=0, help="seconds after which no program is begun [300, without --programs]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at a time [cores]")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("hunt-findings"), help="where findings go [hunt-findings]")
    parser.add_argument("--config", action="append", default=[], metavar="WORD", help="configurations with this word in their name; several: with all")
    parser.add_argument("--configs", type=int, default=6, help="configurations that a program is compiled in, drawn from them; 0 for all [6]")
    parser.add_argument("--avoid", action="append", default=[], metavar="OPERATION", help="operation to leave out: add_sat, add_sat:64, add_sat:long4")
    parser.add_argument("--skip", action="append", default=[], metavar="TEXT", help="only count findings with this in their kind, rule or message")
    parser.add_argument("--reduce", action=argparse.BooleanOptionalAction, default=True, help="make findings small")
    parser.add_argument("--reduce-time", type=float, default=120, help="seconds for each finding [120]")
    parser.add_argument("--alike", type=int, default=2, help="findings of one rule or message to reduce [2]")
    parser.add_argument("--compile-time", type=float, default=30, help="seconds for a compilation [30]")
    parser.add_argument("--run-time", type=float, default=60, help="seconds for a run [60]")
    parser.add_argument("--memory", type=int, default=4096, help="megabytes of address space of each tool [4096]")
    parser.add_argument("--parallax", default="parallax", help="the binary of Parallax [parallax, from PATH]")
    parser.add_argument("--list", action="store_true", help="list the configurations")
    parser.add_argument("--print", type=int, metavar="SEED", help="print the kernel of a seed and its program for the host")
    arguments = parser.parse_args(words)
    if not arguments.time and not arguments.programs:
        arguments.time = 300
    return arguments


def main():
    arguments = parse()
    r600 = arguments.target == "r600"
    configs = [config for config in (SHADER_CONFIGS if r600 else configurations()) if all(word in name(config).split("-") for word in arguments.config)]
    if arguments.list:
        print("\n".join(map(name, configs)))
        return 0
    if arguments.print is not None:
        if r600:
            print(shaders.llvm(shaders.draw(arguments.print, arguments.avoid)))
            return 0
        program = generator.draw(arguments.print, arguments.avoid)
        print(printing.opencl(program), printing.host(program), sep="\n")
        return 0
    if not configs:
        print("no configuration has all these words in its name; --list has the names", file=sys.stderr)
        return 2
    compilers = [("llc", "LLVM's compiler with its R600 back end (Debian: llvm)")] if r600 else \
        [("ocloc", "Intel's offline compiler (Debian: intel-opencl-icd)"), ("cc", "a C compiler for the host")]
    for tool, why in (*compilers, (arguments.parallax, "Parallax (give its path by --parallax)")):
        if shutil.which(tool) is None:
            print(f"{tool} is not installed: the hunt needs {why}", file=sys.stderr)
            return 2
    tools = Tools(arguments)
    hunt = (ShaderHunt if r600 else Hunt)(arguments, tools, configs)
    seeds = iter(range(arguments.seed, arguments.seed + arguments.programs) if arguments.programs else iter(range(arguments.seed, 1 << 62)))

    def work():
        while True:
            with hunt.lock:
                seed = next(seeds, None)
            if seed is None or tools.stop.is_set() or hunt.end and time.monotonic() > hunt.end:
                return
            try:
                hunt.hunt(seed)
            except Stopped:
                return

    def interrupt(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        workers = [pool.submit(work) for _ in range(arguments.jobs)]
        try:
            for worker in workers:
                worker.result()
        except KeyboardInterrupt:
            print("\nends", file=sys.stderr)
            tools.stop.set()
    hunt.summary()
    return 1 if any(hunt.counts[kind] for kind in OF_COMPILER) else 0


if __name__ == "__main__":
    sys.exit(main())
