#!/usr/bin/env python3
"""A small engine of G45: a few instructions on doublewords, in Align1, without flags.

    parallax run --device g45 --engine "cmd:python3 harness/engines/python/example.py" --time 20s

`--fault` puts a bug in: `add` forgets the carry out of the low half. `--socket PATH` listens at a Unix socket
instead (`--engine unix:PATH`).
"""

import sys

from parallax_engine import CONTINUE, HALTED, UNDEFINED, Engine, Refused, serve, serve_socket

MASK = 0xFFFFFFFF
FILE_ARF, FILE_GRF, FILE_IMMEDIATE = 0, 1, 3
VERTICAL = [0, 1, 2, 4, 8, 16, 32]
HORIZONTAL = [0, 1, 2, 4]


def add(a, b):
    return a + b & MASK


def add_with_a_bug(a, b):
    return (a & 0xFFFF0000) + (b & 0xFFFF0000) + (a + b & 0xFFFF) & MASK


# Code: mnemonic, number of sources, function.
OPERATIONS = {
    0x01: ("mov", 1, lambda a: a),
    0x04: ("not", 1, lambda a: ~a & MASK),
    0x05: ("and", 2, lambda a, b: a & b),
    0x06: ("or", 2, lambda a, b: a | b),
    0x07: ("xor", 2, lambda a, b: a ^ b),
    0x09: ("shl", 2, lambda a, b: a << (b & 31) & MASK),
    0x40: ("add", 2, add),
}


def bits(word, high, low):
    return word >> low & (1 << high - low + 1) - 1


class Source:
    """Where a source takes its channels from."""

    def __init__(self, word, file, low):
        self.immediate = bits(word, 127, 96) if file == FILE_IMMEDIATE else None
        self.is_null = file == FILE_ARF
        self.start = bits(word, low + 12, low + 5) * 32 + bits(word, low + 4, low)
        self.horizontal = HORIZONTAL[bits(word, low + 17, low + 16)]
        self.width = 1 << bits(word, low + 20, low + 18)
        self.vertical = VERTICAL[min(bits(word, low + 24, low + 21), 6)]

    def channel(self, registers, number):
        if self.immediate is not None:
            return self.immediate
        if self.is_null:
            return 0
        row, column = divmod(number, self.width)
        place = self.start + 4 * (row * self.vertical + column * self.horizontal)
        return int.from_bytes(registers[place:place + 4], "little")


class Instruction:
    def __init__(self, code, offset):
        word = int.from_bytes(code, "little")
        if bits(word, 6, 0) not in OPERATIONS:
            raise Refused(f"no operation has the code {bits(word, 6, 0):#x}", offset)
        self.mnemonic, number, self.function = OPERATIONS[bits(word, 6, 0)]
        self.channels = 1 << bits(word, 23, 21)
        files = [bits(word, 38, 37), bits(word, 43, 42)]
        self.sources = [Source(word, files[n], 64 + 32 * n) for n in range(number)]
        self.to_null = bits(word, 33, 32) == FILE_ARF
        self.start = bits(word, 60, 53) * 32 + bits(word, 52, 48)
        self.stride = HORIZONTAL[bits(word, 62, 61)]

    def execute(self, registers):
        results = [
            self.function(*(source.channel(registers, number) for source in self.sources))
            for number in range(self.channels)
        ]
        for number, result in enumerate(results):
            place = self.start + 4 * number * self.stride
            if not self.to_null:
                registers[place:place + 4] = result.to_bytes(4, "little")


class Example(Engine):
    name = "python-example"
    devices = ["g45"]
    banks = ["r", "ip"]
    instructions = [mnemonic for mnemonic, _, _ in OPERATIONS.values()]
    types = ["ud", "d"]
    features = []

    def load(self):
        code = self.program
        self.decoded = {at: Instruction(code[at:at + 16], at) for at in range(0, len(code), 16)}

    def step(self):
        if self.ip == len(self.program):
            return HALTED
        if self.ip not in self.decoded:
            return UNDEFINED, f"no instruction starts at byte {self.ip}"
        self.decoded[self.ip].execute(self.bank["r"])
        self.ip += 16
        return CONTINUE


if __name__ == "__main__":
    if "--fault" in sys.argv:
        OPERATIONS[0x40] = ("add", 2, add_with_a_bug)
    if "--socket" in sys.argv:
        serve_socket(Example, sys.argv[sys.argv.index("--socket") + 1])
    serve(Example())
