#!/usr/bin/env python3
"""A small engine of R700: six ALU operations on registers, literals and inline constants.

    parallax run --device rv770 --engine "cmd:python3 harness/engines/python/r700.py" --time 20s

`--fault` puts a bug in: `LSHR_INT` shifts in the sign. `--to-the-end` makes an engine that cannot be stopped within
a program, as a translator to shaders is.
"""

import math
import operator
import struct
import sys

from parallax_engine import CONTINUE, HALTED, UNDEFINED, Engine, Refused, serve

PIXELS = 64
MASK = 0xFFFFFFFF
SIGN = 0x80000000
# Source selects behind the 128 registers, and the values of inline constants.
LITERAL = 253
INLINE = {244: 0, 245: 0x3FF00000, 246: 0, 247: 0x3FE00000, 248: 0, 249: 0x3F800000, 250: 1, 251: MASK, 252: 0x3F000000}


def flushed(bits):
    """A denormal counts as a zero of its sign."""
    return bits if bits & 0x7F800000 else bits & SIGN


def number(bits):
    return struct.unpack("<f", struct.pack("<I", flushed(bits)))[0]


def single(value):
    """The nearest single, in which a double that holds an exact sum or product is rounded once."""
    try:
        return flushed(struct.unpack("<I", struct.pack("<f", value))[0])
    except OverflowError:
        return struct.unpack("<I", struct.pack("<f", math.copysign(math.inf, value)))[0]


def float_operation(operation):
    """An operation on two floats. Of two NaNs it gives the first: Python may swap the operands of `+` and `*`."""

    def result(a, b):
        for source in map(number, (a, b)):
            if math.isnan(source):
                return single(source)
        return single(operation(number(a), number(b)))

    return result


def shift_right(a, b):
    return a >> b if b < 32 else 0


def shift_right_with_a_bug(a, b):
    return (a - ((a & SIGN) << 1)) >> min(b, 31) & MASK


# Code: mnemonic, number of sources, function.
OPERATIONS = {
    0x00: ("ADD", 2, float_operation(operator.add)),
    0x02: ("MUL_IEEE", 2, float_operation(operator.mul)),
    0x19: ("MOV", 1, lambda a: a),
    0x30: ("AND_INT", 2, lambda a, b: a & b),
    0x34: ("ADD_INT", 2, lambda a, b: a + b & MASK),
    0x71: ("LSHR_INT", 2, shift_right),
}


def bits(word, high, low):
    return word >> low & (1 << high - low + 1) - 1


class Instruction:
    """An ALU instruction with at most two sources: 64 bits, of which the second doubleword has bits 32 to 63."""

    def __init__(self, word, address):
        code = bits(word, 32 + 17, 32 + 7)
        if code not in OPERATIONS:
            raise Refused(f"no operation has the code {code:#x}", 8 * address)
        self.mnemonic, count, self.function = OPERATIONS[code]
        fields = [(bits(word, 8, 0), bits(word, 11, 10)), (bits(word, 21, 13), bits(word, 24, 23))]
        self.sources = fields[:count]
        # A source asks for literals even if the operation has no use for it.
        self.literals = max((2 + 2 * (element > 1) for select, element in fields if select == LITERAL), default=0)
        self.is_last = bits(word, 31, 31)
        self.writes = bits(word, 36, 36)
        self.destination = 4 * bits(word, 32 + 27, 32 + 21) + bits(word, 32 + 30, 32 + 29)

    def results(self, engine, literals):
        sources = [engine.source(select, element, literals) for select, element in self.sources]
        return [self.function(*operands) for operands in zip(*sources)]


class Example(Engine):
    machine = "r700"
    name = "python-r700-example"
    devices = ["rv770"]
    banks = ["R", "cf", "group", "in-clause"]
    instructions = [mnemonic for mnemonic, _, _ in OPERATIONS.values()]
    features = []
    steps = "--to-the-end" not in sys.argv

    def load(self):
        self.words = [word for (word,) in struct.iter_unpack("<Q", self.program)]
        self.groups = {}

    def source(self, select, element, literals):
        """The values of all pixels."""
        if select < 128:
            return struct.unpack_from("<64I", self.bank["R"], 256 * (4 * select + element))
        return PIXELS * [literals[element] if select == LITERAL else INLINE[select]]

    def group_at(self, address):
        """The instructions of a group, its literals, and the address behind it."""
        if address not in self.groups:
            instructions = []
            while not instructions or not instructions[-1].is_last:
                place = address + len(instructions)
                instructions.append(Instruction(self.words[place], place))
            start = address + len(instructions)
            end = start + max(instruction.literals for instruction in instructions) // 2
            literals = [bits(word, high, high - 31) for word in self.words[start:end] for high in (31, 63)]
            self.groups[address] = instructions, literals, end
        return self.groups[address]

    def step(self):
        cf = self.number("cf")
        if cf >= len(self.words):
            return UNDEFINED, f"no instruction stands at address {cf}"
        word = self.words[cf]
        if not bits(word, 61, 61):  # NOP
            self.set_number("cf", cf + 1)
            return HALTED if bits(word, 53, 53) else CONTINUE
        if not self.number("in-clause"):  # ALU
            self.set_number("in-clause", 1)
            self.set_number("group", bits(word, 21, 0))
            return CONTINUE
        instructions, literals, end = self.group_at(self.number("group"))
        # All of them read before one writes.
        results = [instruction.results(self, literals) for instruction in instructions]
        for instruction, result in zip(instructions, results):
            if instruction.writes:
                struct.pack_into("<64I", self.bank["R"], 256 * instruction.destination, *result)
        is_over = end > bits(word, 21, 0) + bits(word, 56, 50)
        self.set_number("group", 0 if is_over else end)
        if is_over:
            self.set_number("in-clause", 0)
            self.set_number("cf", cf + 1)
        return CONTINUE


if __name__ == "__main__":
    if "--fault" in sys.argv:
        OPERATIONS[0x71] = ("LSHR_INT", 2, shift_right_with_a_bug)
    serve(Example())
