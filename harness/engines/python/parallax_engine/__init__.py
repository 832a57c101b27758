"""An engine of one's own under test by Parallax.

Make a class of `Engine`, say what it has, write `step`, and call `serve`. The kit reads and writes the
frames of harness/lockstep/PROTOCOL.md and finds out itself what a step has changed. Standard output
is for frames: print to `sys.stderr`. An engine that takes long to start listens at a socket instead, with
`serve_socket`: `--engine unix:PATH`.
"""

import json
import os
import socket
import stat
import struct
import sys
import threading

VERSION = 2
MAGIC = 0xA5

# Bytes of the banks of each machine (PROTOCOL.md says what lies where in them).
EU_BANKS = {
    "r": 4096, "m": 512, "acc": 1024, "tmevent": 8, "ms": 32, "pcip": 128, "a": 32, "f": 8, "mask": 8,
    "msd": 4, "sr": 16, "cr": 12, "n": 8, "n0": 12, "tdr0": 16, "ip": 4, "mem": 8192, "slm": 65536,
    "gmem": 16384, "urb": 24576, "other": 4096, "othern": 8,
}
R700_BANKS = {
    "R": 131072, "G": 8192, "PV": 1024, "PS": 256, "AR": 512, "EXPORT": 36864, "MEM": 16384, "LDS": 16384,
    "emitted": 256, "cut": 256, "stack": 3584, "exported": 8, "valid": 8, "active": 8,
    "inactive-continue": 8, "inactive-break": 8, "predicate": 8, "executing": 8, "execute-set": 8,
    "execute-value": 8, "loop.count": 4, "aL": 4, "loop.increment": 4, "loop.kind": 4, "stack-depth": 4, "call-depth": 4,
    "cf": 4, "group": 4, "in-clause": 4, "reserved": 4,
}
SURFACE_BANKS = {"texel": 1024, "type": 128, "byte": 32, "result": 8, "done": 8}
UNITS_BANKS = {"answer": 4096, "length": 8, "done": 8}
ENUMS_BANKS = {"answer": 4096, "length": 8, "done": 8}
BANKS = {**EU_BANKS, **R700_BANKS, **SURFACE_BANKS, **UNITS_BANKS, **ENUMS_BANKS}

# How a step ends.
CONTINUE, HALTED, END_OF_THREAD, STEP_LIMIT, EXCEPTION, UNDEFINED, DECLINED = range(7)

_CASE, _START, _STEP, _RUN, _WRITE, _END, _BATCH = range(1, 8)
_HELLO, _READY, _REFUSED, _STEPPED, _RAN, _FAILED, _DECLINED, _BATCHED = range(0x81, 0x89)
_GRAIN = 32  # Changes are reported in pieces of so many bytes,
_COARSE = 4096  # which are looked for in larger ones.
_LISTS = ("instructions", "types", "features", "messages", "profiles", "weaknesses",
          "approximations")


class Refused(Exception):
    """Raise it in `load`: the program is wrong at this byte (or None)."""

    kind = _REFUSED

    def __init__(self, message, offset=None):
        super().__init__(message)
        self.offset = offset


class Declined(Refused):
    """Raise it in `load`: the engine does not have the instruction at this byte (or None: something of the case). It is
    counted, and no finding."""

    kind = _DECLINED


class Engine:
    """What is under test. `self.program` and the banks, `self.bank["r"]`, are set before `load`."""

    machine = "eu"
    name = "engine"
    devices = ["g45"]
    banks = ["r", "ip"]
    # None: all there are.
    instructions = None
    types = None
    features = None
    messages = None
    profiles = None
    # What it does not claim to have right: ["denormals"], {"math.exp": 2}.
    weaknesses = None
    approximations = None
    # False: it can only run to the end.
    steps = True
    # True, of an engine that only runs to the end: `run_batch` runs several starts of a program.
    batch = False

    def __init__(self):
        self.program = b""
        self.device = ""
        self.settings = None
        self.bank = {name: bytearray(BANKS[name]) for name in self.banks}

    def load(self):
        """A case begins; its registers are in the banks."""

    def step(self):
        """Executes one instruction (R700: one group or control-flow instruction) and says how that ended:
        CONTINUE, HALTED, (EXCEPTION, "name"), (DECLINED, "why it does not have the next one") …"""
        raise NotImplementedError

    def run_batch(self, starts):
        """Runs the program that `load` has got from several starts, each a dictionary of banks, to their ends, and says
        how each ended."""
        raise NotImplementedError

    def number(self, bank):
        """The number that a bank of a few bytes holds."""
        return int.from_bytes(self.bank[bank], "little")

    def set_number(self, bank, value):
        self.bank[bank][:] = value.to_bytes(len(self.bank[bank]), "little")

    @property
    def ip(self):
        return self.number("ip")

    @ip.setter
    def ip(self, value):
        self.set_number("ip", value)


def serve(engine):
    """Answers questions on standard input until there are no more."""
    source, sink = sys.stdin.buffer, os.fdopen(os.dup(1), "wb", buffering=0)
    # What is printed by mistake is read by people, not by the harness.
    os.dup2(2, 1)
    _converse(engine, source, sink)


def serve_socket(make, path):
    """Listens at a Unix socket for ever, and answers each connection with an engine of its own from `make`."""
    if os.path.exists(path) and stat.S_ISSOCK(os.stat(path).st_mode):
        os.unlink(path)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_answer, args=(make(), connection), daemon=True).start()


def _answer(engine, connection):
    with connection, connection.makefile("rb") as source, connection.makefile("wb", buffering=0) as sink:
        try:
            _converse(engine, source, sink)
        except OSError:
            pass  # The other side has gone away.


def _converse(engine, source, sink):
    lists = {key: getattr(engine, key) for key in _LISTS}
    hello = {"protocol": VERSION, "machine": engine.machine, "name": engine.name,
             "devices": engine.devices, "banks": engine.banks, "steps": engine.steps,
             "batch": engine.batch}
    hello.update({key: value for key, value in lists.items() if value is not None})
    sink.write(_frame(_HELLO, 0, json.dumps(hello).encode()))
    server = _Server(engine)
    while True:
        header = source.read(8)
        if len(header) < 8:
            return
        magic, kind, number, length = struct.unpack("<BBHI", header)
        content = source.read(length)
        if magic != MAGIC or kind == _END or len(content) < length:
            return
        sink.write(_frame(*server.answer(kind, number, content)))


def _frame(kind, number, content=b""):
    return struct.pack("<BBHI", MAGIC, kind, number, len(content)) + content


class _Server:
    def __init__(self, engine):
        self.engine = engine
        self.reported = {name: bytes(len(bank)) for name, bank in engine.bank.items()}
        self.over = None

    def answer(self, kind, number, content):
        if kind in (_CASE, _START):
            return self.begin(kind, number, content)
        if kind == _STEP:
            steps = []
            for _ in range(max(1, min(struct.unpack("<I", content)[0], 1000))):
                steps.append(self.tell(self.step()))
                if self.over is not None:
                    break
            return _STEPPED, number, struct.pack("<H", len(steps)) + b"".join(steps)
        if kind == _RUN:
            flow = CONTINUE
            for _ in range(struct.unpack("<Q", content)[0]):
                flow = self.step()
                if self.over is not None:
                    break
            return _RAN, number, self.tell(flow)
        if kind == _WRITE:
            self.write(content, 0)
            return _READY, number, b""
        if kind == _BATCH:
            try:
                return _BATCHED, number, self.batch(content)
            except Refused as refused:
                return _refusal(refused, number)
        return _FAILED, number, b"a question of this kind is not known"

    def begin(self, kind, number, content):
        engine, place = self.engine, 0
        if kind == _CASE:
            _, program, settings, device = struct.unpack_from("<QIII", content)
            engine.program = content[20:20 + program]
            place = 20 + program
            text = content[place:place + settings].decode()
            engine.settings = json.loads(text) if text else None
            place += settings
            engine.device = content[place:place + device].decode()
            place += device
        for bank in engine.bank.values():
            bank[:] = bytes(len(bank))
        self.write(content, place)
        self.over = None
        try:
            engine.load()
        except Refused as refused:
            return _refusal(refused, number)
        return _READY, number, b""

    def batch(self, content):
        """What the program comes to from several starts."""
        (count,) = struct.unpack_from("<H", content)
        place, starts = 2, []
        for _ in range(count):
            start = {name: bytearray(len(bank)) for name, bank in self.engine.bank.items()}
            place = self.write_to(start, content, place)
            starts.append(start)
        before = [{name: bytes(bank) for name, bank in start.items()} for start in starts]
        flows = self.engine.run_batch(starts)
        ends = [_report(*end) for end in zip(flows, starts, before)]
        return struct.pack("<H", len(ends)) + b"".join(ends)

    def write(self, content, place):
        self.write_to(self.engine.bank, content, place)
        self.reported = {name: bytes(bank) for name, bank in self.engine.bank.items()}

    def write_to(self, banks, content, place):
        (count,) = struct.unpack_from("<H", content, place)
        place += 2
        for _ in range(count):
            bank, _, length, offset = struct.unpack_from("<BBHI", content, place)
            place += 8
            name = self.engine.banks[bank]
            banks[name][offset:offset + length] = content[place:place + length]
            place += length
        return place

    def step(self):
        if self.over is None:
            flow = self.engine.step()
            if flow != CONTINUE:
                self.over = flow
            return flow
        return self.over

    def tell(self, flow):
        """How a step ended, and what has changed since it was last reported."""
        return _report(flow, self.engine.bank, self.reported)


def _refusal(refused, number):
    offset = 0xFFFFFFFF if refused.offset is None else refused.offset
    return refused.kind, number, struct.pack("<I", offset) + str(refused).encode()


def _report(flow, banks, reported):
    """How a run ended, and what is in banks that was not reported; then it is."""
    code, text = flow if isinstance(flow, tuple) else (flow, "")
    text = text.encode()
    writes = []
    for number, (name, bank) in enumerate(banks.items()):
        before = reported[name]
        if bank == before:
            continue
        now = bytes(bank)
        for start in range(0, len(now), _COARSE):
            if now[start:start + _COARSE] == before[start:start + _COARSE]:
                continue
            for offset in range(start, min(start + _COARSE, len(now)), _GRAIN):
                piece = now[offset:offset + _GRAIN]
                if piece != before[offset:offset + _GRAIN]:
                    writes.append(struct.pack("<BBHI", number, 0, len(piece), offset) + piece)
        reported[name] = now
    head = struct.pack("<BBH", code, 0, len(text)) + text
    return head + struct.pack("<H", len(writes)) + b"".join(writes)
