#!/usr/bin/env python3
"""A small engine of enumerations of DG1: modes of the sampler's messages and elements of `dpas`.

    parallax run --device dg1 --engine "cmd:python3 harness/engines/python/enums.py" --time 10s

`--fault` puts a bug in: elements of eight bits have no sign.
"""

import struct
import sys

from parallax_engine import CONTINUE, HALTED, Engine, serve

FAULT = "--fault" in sys.argv
# Pixels, whether of 16 bits, whether results are integers.
SIMD_MODES = {0: (8, 0, 1), 1: (8, 0, 0), 2: (16, 0, 0), 4: (16, 0, 1), 5: (8, 1, 0), 6: (16, 1, 0)}


def elements(code, doubleword):
    if code > 7:
        return [0]
    bits, signed = 1 << (code & 3), code >= 4 and not (FAULT and code == 7)
    values = [doubleword >> place & (1 << bits) - 1 for place in range(0, 32, bits)]
    sign = 1 << bits - 1
    return [1] + [(value - 2 * (value & sign)) & 0xFFFFFFFF if signed else value for value in values]


def answer(kind, value):
    if kind == "elements":
        return elements(value["code"], value["doubleword"])
    return [1, *SIMD_MODES[value]] if value in SIMD_MODES else [0]


class Enums(Engine):
    machine = "enums"
    name = "python-enums-example"
    devices = ["dg1"]
    banks = ["answer", "length", "done"]
    instructions = ["elements", "simd-mode"]

    def load(self):
        self.queries = self.settings["queries"]

    def step(self):
        done = self.number("done")
        if done == len(self.queries):
            return HALTED
        ((kind, value),) = self.queries[done].items()
        words = answer(kind, value)
        self.bank["answer"][:] = struct.pack(f"<{len(words)}I", *words).ljust(4096, b"\0")
        self.set_number("length", len(words))
        self.set_number("done", done + 1)
        return CONTINUE


if __name__ == "__main__":
    serve(Enums())
