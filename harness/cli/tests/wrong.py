#!/usr/bin/env python3
"""An engine that has everything, and sets bit 0 wrong in what it writes to general registers: what a command
behind it says, with a bit of it changed."""

import struct
import subprocess
import sys
import threading

engine = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def forward():
    while data := sys.stdin.buffer.read1():
        engine.stdin.write(data)
        engine.stdin.flush()
    engine.stdin.close()


def spoil(content, told):
    """Changes writes to bank 0 behind each of so many ends."""
    at = 0
    for _ in range(told):
        at += 4 + struct.unpack_from("<H", content, at + 2)[0]
        (count,) = struct.unpack_from("<H", content, at)
        at += 2
        for _ in range(count):
            bank, _, length, _ = struct.unpack_from("<BBHI", content, at)
            at += 8
            if bank == 0:
                content[at] ^= 1
            at += length


threading.Thread(target=forward, daemon=True).start()
while header := engine.stdout.read(8):
    _, kind, _, length = struct.unpack("<BBHI", header)
    content = bytearray(engine.stdout.read(length))
    if kind == 0x84:
        steps = memoryview(content)[2:]
        spoil(steps, struct.unpack_from("<H", content)[0])
    if kind == 0x85:
        spoil(content, 1)
    sys.stdout.buffer.write(header + content)
    sys.stdout.buffer.flush()
