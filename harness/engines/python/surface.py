#!/usr/bin/env python3
"""A small engine of surfaces: it decodes two formats.

    parallax run --device g45 --engine "cmd:python3 harness/engines/python/surface.py" --time 20s

`--fault` puts a bug in: blue of `B5G6R5_UNORM` has six bits.
"""

import struct
import sys

from parallax_engine import CONTINUE, HALTED, Engine, serve

FLOAT32 = 1
ONE = 0x3F800000
FAULT = "--fault" in sys.argv


def single(number, most):
    """The binary32 number nearest to a fraction."""
    return struct.unpack("<I", struct.pack("<f", number / most))[0]


class Surfaces(Engine):
    machine = "surface"
    name = "python-surface-example"
    devices = ["g45"]
    banks = ["texel", "type", "done"]
    instructions = ["decode"]
    types = ["R8G8B8A8_UNORM", "B5G6R5_UNORM"]

    def load(self):
        self.operations = self.settings["operations"]

    def step(self):
        done = self.number("done")
        if done == len(self.operations):
            return HALTED
        decode = self.operations[done]["Decode"]
        code = int.from_bytes(bytes(decode["bytes"]), "little")
        if len(decode["bytes"]) == 4:
            channels = [single(code >> place & 255, 255) for place in (0, 8, 16, 24)]
        else:
            blue = code & 63 if FAULT else code & 31
            channels = [single(code >> 11, 31), single(code >> 5 & 63, 63), single(blue, 31), ONE]
        self.bank["texel"][:] = struct.pack("<4Q", *channels).ljust(1024, b"\0")
        self.bank["type"][:] = bytes([FLOAT32] * 4).ljust(128, b"\0")
        self.set_number("done", done + 1)
        return CONTINUE


if __name__ == "__main__":
    serve(Surfaces())
