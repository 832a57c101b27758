#!/usr/bin/env python3
"""A small engine of execution units: a few instructions on doublewords, in Align1, without flags.

    parallax run --device g45 --engine "cmd:python3 harness/engines/python/example.py" --time 20s

`--fault` puts a bug in: `add` forgets the carry out of the low half. `--socket PATH` listens at a Unix socket
instead (`--engine unix:PATH`).
"""

import sys

from parallax_engine import CONTINUE, HALTED, UNDEFINED, Engine, Refused, serve, serve_socket

MASK = 0xFFFFFFFF
FILE_ARF, FILE_IMMEDIATE = 0, 3
VERTICAL = [0, 1, 2, 4, 8, 16, 32]
HORIZONTAL = [0, 1, 2, 4]


class Layout:
    """Where the fields of an instruction are: (high, low) in its 128 bits, those of a source from its first bit on."""

    size, files, destination_file = (23, 21), [(38, 37), (43, 42)], (33, 32)
    number, subregister, stride = (60, 53), (52, 48), (62, 61)
    source_number, source_subregister = (12, 5), (4, 0)
    vertical, width, horizontal = (24, 21), (20, 18), (17, 16)
    immediates = None  # Gen12: the bits that say that a source is an immediate.


class Gen9(Layout):
    files, destination_file = [(42, 41), (90, 89)], (36, 35)


class Gen12(Layout):
    size, files, destination_file = (18, 16), [(66, 66), (98, 98)], (50, 50)
    number, subregister, stride = (63, 56), (55, 51), (49, 48)
    source_number, source_subregister = (15, 8), (7, 3)
    vertical, width, horizontal = (23, 20), (19, 17), (1, 0)
    immediates = [46, 47]


LAYOUTS = {
    "bw": Layout, "cl": Layout, "ctg": Layout, "g45": Layout, "ivb": Layout, "skl": Gen9, "dg1": Gen12,
}


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

    def __init__(self, word, layout, number):
        def field(name):
            high, low = getattr(layout, name)
            return bits(word, first + high, first + low)

        first = 64 + 32 * number
        file = bits(word, *layout.files[number])
        if layout.immediates and bits(word, layout.immediates[number], layout.immediates[number]):
            file = FILE_IMMEDIATE
        self.immediate = bits(word, 127, 96) if file == FILE_IMMEDIATE else None
        self.is_null = file == FILE_ARF
        self.start = field("source_number") * 32 + field("source_subregister")
        self.horizontal = HORIZONTAL[field("horizontal")]
        self.width = 1 << field("width")
        self.vertical = VERTICAL[min(field("vertical"), 6)]

    def channel(self, registers, number):
        if self.immediate is not None:
            return self.immediate
        if self.is_null:
            return 0
        row, column = divmod(number, self.width)
        place = self.start + 4 * (row * self.vertical + column * self.horizontal)
        return int.from_bytes(registers[place:place + 4], "little")


class Instruction:
    def __init__(self, code, offset, device):
        word, layout = int.from_bytes(code, "little"), LAYOUTS[device]
        opcode = bits(word, 6, 0)
        if device == "dg1" and opcode >= 0x60:
            opcode -= 0x60  # Where Gen12 has moved `mov` and the logic instructions.
        if opcode not in OPERATIONS:
            raise Refused(f"no operation has the code {bits(word, 6, 0):#x}", offset)
        self.mnemonic, number, self.function = OPERATIONS[opcode]
        self.channels = 1 << bits(word, *layout.size)
        self.sources = [Source(word, layout, n) for n in range(number)]
        self.to_null = bits(word, *layout.destination_file) == FILE_ARF
        self.start = bits(word, *layout.number) * 32 + bits(word, *layout.subregister)
        self.stride = HORIZONTAL[bits(word, *layout.stride)]

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
    devices = list(LAYOUTS)
    banks = ["r", "ip"]
    instructions = [mnemonic for mnemonic, _, _ in OPERATIONS.values()]
    types = ["ud", "d"]
    features = []

    def load(self):
        code = self.program
        self.decoded = {at: Instruction(code[at:at + 16], at, self.device) for at in range(0, len(code), 16)}

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
