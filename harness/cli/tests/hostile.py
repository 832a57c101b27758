#!/usr/bin/env python3
"""The example, made to misbehave in one way: for the tests of the harness."""

import os
import signal
import struct
import sys
import time

import parallax_engine as kit
from example import Example

HOW = sys.argv[1]
LONG = 5_000_000 * b"x"
frame, step, tell = kit._frame, Example.step, kit._Server.tell


def misbehave(self):
    if HOW == "crash":
        print("the emulator saw something it did not like", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    elif HOW == "hang":
        time.sleep(60)
    elif HOW == "memory":
        self.hoard = bytearray(1 << 40)
    elif HOW == "middle" and self.ip >= 32:
        os._exit(7)
    return step(self)


def framed(kind, number, content=b""):
    if kind == 0x81:
        if HOW == "log":
            return b"Starting emulator version 3 ...\n" + frame(kind, number, content)
        if HOW == "version":
            content = content.replace(b'"protocol": 2', b'"protocol": 9')
        if HOW == "bank":
            content = content.replace(b'"banks": ["r"', b'"banks": ["q"')
        if HOW == "instruction":
            content = content.replace(b'"mov"', b'"movv"')
        if HOW == "no-json":
            content = b"good evening"
        return frame(kind, number, content)
    if HOW == "late-log" and kind == 0x84:
        return b"executed something\n" + frame(kind, number, content)
    if HOW == "twice":
        return 2 * frame(kind, number, content)
    if HOW == "other":
        return frame(kind, number + 1, content)
    if HOW == "kind" and kind == 0x84:
        return frame(0x82, number)
    if HOW == "huge" and kind == 0x84:
        return struct.pack("<BBHI", 0xA5, kind, number, 0x7FFFFFFF)
    if HOW == "wordy" and kind == 0x84:
        return frame(0x86, number, LONG)
    if HOW == "refusing" and kind == 0x82:
        return frame(0x83, number, struct.pack("<I", 0) + LONG)
    if HOW == "cut" and kind == 0x84:
        return frame(kind, number, content)[:11]
    return frame(kind, number, content)


def told(self, flow):
    if HOW == "size":
        return struct.pack("<BBHHBBHI", 0, 0, 0, 1, 0, 0, 8, 4092) + bytes(8)
    return tell(self, flow)


if HOW == "gone":
    print("no licence found", file=sys.stderr)
    sys.exit(3)
Example.step, kit._frame, kit._Server.tell = misbehave, framed, told
kit.serve(Example())
