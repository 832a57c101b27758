#!/usr/bin/env python3
"""A translator: ALU clauses of R700 become a Python function on NumPy arrays of the pixels of several wavefronts.

    pip install numpy
    parallax run --device rv770 --engine "cmd:python3 harness/engines/python/r700_numpy.py" --time 20s

Like a translator to shaders it translates a program once, runs it from many starts at once (`batch`), and cannot stop
on the way (`steps`). It computes floats as the processor does, which is not what the manual says of denormal numbers and NaN: it
declares that (`weaknesses`). `--show` prints what it makes of each program on standard error; `--fault` makes `ASHR_INT`
shift in zeros.
"""

import struct
import sys

import numpy

from parallax_engine import HALTED, Engine, Refused, serve

SIGN = numpy.uint32(0x80000000)
LITERAL, PREVIOUS_VECTOR, PREVIOUS_SCALAR = 253, 254, 255
INLINE = {244: 0, 245: 0x3FF00000, 246: 0, 247: 0x3FE00000, 248: 0, 249: 0x3F800000, 250: 1, 251: 0xFFFFFFFF, 252: 0x3F000000}
FLOAT, INT, UINT, ALL = numpy.float32, numpy.int32, numpy.uint32, 0xFFFFFFFF
ONE = FLOAT(1)


def of_floats(function):
    """An operation on floats that gives floats, as one on their bits."""
    return lambda *sources: numpy.float32(function(*(source.view(numpy.float32) for source in sources))).view(numpy.uint32)


def of_signed(function):
    return lambda *sources: function(*(source.view(numpy.int32) for source in sources)).view(numpy.uint32)


def chosen(is_first):
    """The first source or the second; a number where the other is a NaN."""

    def choice(a, b):
        first, second = a.view(FLOAT), b.view(FLOAT)
        return numpy.where(is_first(first, second) | numpy.isnan(second), a, b)

    return choice


def truth(function, view, yes):
    """A comparison, whose result is all bits, or 1.0."""
    return lambda a, b: numpy.where(function(a.view(view), b.view(view)), numpy.uint32(yes), numpy.uint32(0))


def to_int(a):
    return numpy.trunc(a.view(numpy.float32)).astype(numpy.int64).astype(numpy.uint32)


def shift(function, view):
    """Counts of 32 and more shift everything out."""
    most = numpy.uint32(31)

    def shifted(a, b):
        last = function(a.view(view), numpy.minimum(b, most).view(view))
        return numpy.where(b > most, function(last, view(1)), last).view(numpy.uint32)

    return shifted


# Code: mnemonic, number of sources, whether only the scalar unit has it, function.
OPERATIONS = {
    0: ("ADD", 2, False, of_floats(numpy.add)),
    2: ("MUL_IEEE", 2, False, of_floats(numpy.multiply)),
    5: ("MAX_DX10", 2, False, chosen(numpy.greater_equal)),
    6: ("MIN_DX10", 2, False, chosen(numpy.less)),
    8: ("SETE", 2, False, truth(numpy.equal, FLOAT, 0x3F800000)),
    9: ("SETGT", 2, False, truth(numpy.greater, FLOAT, 0x3F800000)),
    10: ("SETGE", 2, False, truth(numpy.greater_equal, FLOAT, 0x3F800000)),
    11: ("SETNE", 2, False, truth(numpy.not_equal, FLOAT, 0x3F800000)),
    17: ("TRUNC", 1, False, of_floats(numpy.trunc)),
    20: ("FLOOR", 1, False, of_floats(numpy.floor)),
    25: ("MOV", 1, False, lambda a: a.copy()),
    48: ("AND_INT", 2, False, numpy.bitwise_and),
    49: ("OR_INT", 2, False, numpy.bitwise_or),
    50: ("XOR_INT", 2, False, numpy.bitwise_xor),
    51: ("NOT_INT", 1, False, numpy.bitwise_not),
    52: ("ADD_INT", 2, False, numpy.add),
    53: ("SUB_INT", 2, False, lambda a, b: b - a),
    54: ("MAX_INT", 2, False, of_signed(numpy.maximum)),
    55: ("MIN_INT", 2, False, of_signed(numpy.minimum)),
    56: ("MAX_UINT", 2, False, numpy.maximum),
    57: ("MIN_UINT", 2, False, numpy.minimum),
    58: ("SETE_INT", 2, False, truth(numpy.equal, INT, ALL)),
    59: ("SETGT_INT", 2, False, truth(numpy.greater, INT, ALL)),
    60: ("SETGE_INT", 2, False, truth(numpy.greater_equal, INT, ALL)),
    61: ("SETNE_INT", 2, False, truth(numpy.not_equal, INT, ALL)),
    62: ("SETGT_UINT", 2, False, truth(numpy.greater, UINT, ALL)),
    63: ("SETGE_UINT", 2, False, truth(numpy.greater_equal, UINT, ALL)),
    102: ("RECIP_IEEE", 1, True, of_floats(lambda a: ONE / a)),
    106: ("SQRT_IEEE", 1, True, of_floats(numpy.sqrt)),
    107: ("FLT_TO_INT", 1, True, to_int),
    108: ("INT_TO_FLT", 1, True, lambda a: a.view(INT).astype(FLOAT).view(UINT)),
    109: ("UINT_TO_FLT", 1, True, lambda a: a.astype(FLOAT).view(UINT)),
    112: ("ASHR_INT", 2, False, shift(numpy.right_shift, INT)),
    113: ("LSHR_INT", 2, False, shift(numpy.right_shift, UINT)),
    114: ("LSHL_INT", 2, False, shift(numpy.left_shift, UINT)),
}


def bits(word, high, low):
    return word >> low & (1 << high - low + 1) - 1


class Source:
    """A source of an instruction with at most two: what it names, and its modifiers."""

    def __init__(self, word, select, element, negate, absolute):
        self.select, self.element = bits(word, select + 8, select), bits(word, element + 1, element)
        self.negate, self.absolute = bits(word, negate, negate), bits(word, absolute, absolute)

    def text(self, literals):
        if self.select < 128:
            text = f"R[{4 * self.select + self.element}]"
        elif self.select == PREVIOUS_VECTOR:
            text = f"PV[{self.element}]"
        elif self.select == PREVIOUS_SCALAR:
            text = "PV[4]"
        elif self.select == LITERAL:
            text = f"constant({literals[self.element]:#x})"
        elif self.select in INLINE:
            text = f"constant({INLINE[self.select]:#x})"
        else:
            raise Refused(f"no source has the select {self.select}")
        text = f"{text} & ~SIGN" if self.absolute else text
        return f"({text}) ^ SIGN" if self.negate else text


class Translator:
    """Makes Python of the ALU clauses of a program, one after the other."""

    def __init__(self, program):
        self.words = [word for (word,) in struct.iter_unpack("<Q", program)]
        self.lines = ["def run(R, PV):"]

    def translated(self):
        for word in self.words:
            if bits(word, 61, 61):  # ALU
                address, end = bits(word, 21, 0), bits(word, 21, 0) + bits(word, 56, 50)
                while address <= end:
                    address = self.group(address)
            elif bits(word, 53, 53):  # NOP with END_OF_PROGRAM
                return "\n".join([*self.lines, "    return"])
        raise Refused("the program does not end")

    def group(self, address):
        """Adds the lines of a group; the address behind it."""
        instructions = []
        while not instructions or not bits(instructions[-1], 31, 31):
            instructions.append(self.words[address + len(instructions)])
        sources = [
            [Source(word, 0, 10, 12, 32), Source(word, 13, 23, 25, 33)][: self.operation(word, address)[1]]
            for word in instructions
        ]
        address += len(instructions)
        asked = [source.element for of_one in sources for source in of_one if source.select == LITERAL]
        pairs = 0 if not asked else 1 + (max(asked) > 1)
        literals = [bits(word, high, high - 31) for word in self.words[address : address + pairs] for high in (31, 63)]
        units = {}
        for number, (word, of_one) in enumerate(zip(instructions, sources)):
            name, _, is_scalar, _ = self.operation(word, address)
            element = bits(word, 62, 61)
            units[4 if is_scalar or element in units else element] = number
            operands = ", ".join(source.text(literals) for source in of_one)
            self.lines.append(f"    t{number} = {name}({operands})")
        # All of them have read before one writes.
        for number, word in enumerate(instructions):
            if bits(word, 36, 36):
                self.lines.append(f"    R[{4 * bits(word, 59, 53) + bits(word, 62, 61)}] = t{number}")
        self.lines += [f"    PV[{unit}] = t{number}" for unit, number in units.items()]
        return address + pairs

    @staticmethod
    def operation(word, address):
        code = bits(word, 49, 39)
        if code not in OPERATIONS:
            raise Refused(f"no operation has the code {code}", 8 * address)
        return OPERATIONS[code]


class NumPy(Engine):
    machine = "r700"
    name = "python-r700-numpy"
    devices = ["rv770"]
    banks = ["R"]
    instructions = [mnemonic for mnemonic, *_ in OPERATIONS.values()]
    features = ["source-modifiers"]
    weaknesses = ["denormals", "nan-payloads", "nan-comparisons", "conversions"]
    approximations = {"RECIP_IEEE": 1, "SQRT_IEEE": 1}
    steps, batch = False, True
    translated = None

    def load(self):
        if self.translated == self.program:
            return  # The same program from another start.
        text = Translator(self.program).translated()
        if "--show" in sys.argv:
            print(text, file=sys.stderr)
        names = {mnemonic: function for mnemonic, *_, function in OPERATIONS.values()}
        constant = lambda number: numpy.full(1, number, numpy.uint32)
        names |= {"SIGN": SIGN, "constant": constant}
        exec(text, names)
        self.run, self.translated = names["run"], self.program

    def step(self):
        return self.run_batch([self.bank])[0]

    def run_batch(self, starts):
        banks = [numpy.frombuffer(start["R"], numpy.uint32).reshape(-1, 64) for start in starts]
        registers = numpy.concatenate(banks, axis=1)
        with numpy.errstate(all="ignore"):
            self.run(registers, numpy.zeros((5, registers.shape[1]), numpy.uint32))
        for bank, end in zip(banks, numpy.split(registers, len(banks), axis=1)):
            bank[:] = end
        return [HALTED] * len(starts)


if __name__ == "__main__":
    if "--fault" in sys.argv:
        OPERATIONS[112] = ("ASHR_INT", 2, False, shift(numpy.right_shift, UINT))
    serve(NumPy())
