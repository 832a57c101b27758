"""Kernels as trees: types, expressions, statements, and what can be asked of a whole program.

What could be undefined is guarded where it is printed, not where it is drawn: a division prints its own guard. So a
tree stays defined whatever is cut out of it, and the reducer needs to know nothing about the language.
"""

import random

BITS = {"char": 8, "uchar": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
WIDTHS = (1, 2, 3, 4, 8)
INPUT_BYTES = 1024
SLOT_BYTES = 64
SLOTS = 6
SIZES = (64, 64, 64, 40, 12)


class Type:
    """An integer type of a width: `int4` is Type("int", 4)."""

    __slots__ = ("base", "width")

    def __init__(self, base, width=1):
        self.base, self.width = base, width

    def __eq__(self, other):
        return (self.base, self.width) == (other.base, other.width)

    def __hash__(self):
        return hash((self.base, self.width))

    def __str__(self):
        return self.base + (str(self.width) if self.width > 1 else "")

    __repr__ = __str__

    @property
    def bits(self):
        return BITS[self.base]

    @property
    def signed(self):
        return self.base[0] != "u"

    @property
    def unsigned_type(self):
        return self if not self.signed else Type("u" + self.base, self.width)

    @property
    def signed_type(self):
        return self if self.signed else Type(self.base[1:], self.width)

    @property
    def element(self):
        return Type(self.base)

    @property
    def least(self):
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def most(self):
        return (1 << self.bits - self.signed) - 1

    def wide(self, width):
        return Type(self.base, width)


INT, UINT = Type("int"), Type("uint")


class Expr:
    """An operation, its type, its operands, and what else says what it is (a name, a value, components)."""

    __slots__ = ("op", "type", "args", "data")

    def __init__(self, op, type_, args=(), data=None):
        self.op, self.type, self.args, self.data = op, type_, list(args), data


class Stmt:
    """A statement: expressions, blocks of statements, and what else says what it is."""

    __slots__ = ("op", "exprs", "blocks", "data")

    def __init__(self, op, exprs=(), blocks=(), data=None):
        self.op, self.exprs, self.blocks, self.data = op, list(exprs), [list(block) for block in blocks], data


class Variable:
    """A variable: with a length an array, with a start an initial value."""

    __slots__ = ("name", "type", "length", "start")

    def __init__(self, name, type_, length=0, start=None):
        self.name, self.type, self.length, self.start = name, type_, length, start


class Function:
    """The kernel (no result) or a helper."""

    __slots__ = ("name", "parameters", "variables", "body", "result")

    def __init__(self, name, parameters, variables, body, result=None):
        self.name, self.parameters, self.variables, self.body, self.result = name, parameters, variables, body, result


class Program:
    """A kernel, its helpers and structures, the number of work items and the value of its argument."""

    __slots__ = ("seed", "items", "argument", "structures", "helpers", "kernel")

    def __init__(self, seed, items, argument, structures, helpers, kernel):
        self.seed, self.items, self.argument = seed, items, argument
        self.structures, self.helpers, self.kernel = structures, helpers, kernel

    def inputs(self):
        """What the input buffer holds: corner values of all sizes among random bytes."""
        chance = random.Random(self.seed * 2 + 1)
        data = bytearray(chance.randbytes(INPUT_BYTES))
        corners = (b"\0" * 8, b"\xff" * 8, b"\0" * 7 + b"\x80", b"\xff" * 7 + b"\x7f", b"\0\0\0\x80" * 2, b"\xff\xff\xff\x7f" * 2,
                   b"\x80" * 8, b"\x7f" * 8, b"\0\x80" * 4, b"\1" + b"\0" * 7, b"\xfe" + b"\xff" * 7)
        for at in range(0, INPUT_BYTES, 8):
            if chance.random() < 0.35:
                data[at:at + 8] = chance.choice(corners)
        return bytes(data)


# Operations whose operands and result have one type, with the number of operands.
ARITHMETIC = {"add": 2, "sub": 2, "mul": 2, "and": 2, "or": 2, "xor": 2, "not": 1, "neg": 1, "shl": 2, "shr": 2, "shlany": 2,
              "shrany": 2, "addsmall": 2, "subsmall": 2, "mulsmall": 2, "divup": 2, "remup": 2, "divdown": 2, "remdown": 2}
BUILTINS = {"add_sat": 2, "sub_sat": 2, "hadd": 2, "rhadd": 2, "mul_hi": 2, "rotate": 2, "min": 2, "max": 2, "mad_hi": 3,
            "mad_sat": 3, "clamp": 3, "bitselect": 3, "clz": 1, "popcount": 1}
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
FLOATS = {"fadd": "+", "fsub": "-", "fmul": "*"}


def expressions(program):
    """Every list of expressions in the program with an index into it, parents before their operands."""

    def inside(holder):
        for index, expr in enumerate(holder):
            yield holder, index
            yield from inside(expr.args)

    def of_blocks(block):
        for stmt in block:
            yield from inside(stmt.exprs)
            for inner in stmt.blocks:
                yield from of_blocks(inner)

    for function in [program.kernel, *program.helpers]:
        yield from of_blocks(function.body)
        if function.result is not None:
            yield from inside(function.result)
        for variable in function.variables:
            if variable.start is not None:
                yield from inside(variable.start)


def blocks(program):
    """Every block of statements, outer before inner."""

    def inside(block):
        yield block
        for stmt in block:
            for inner in stmt.blocks:
                yield from inside(inner)

    for function in [program.kernel, *program.helpers]:
        yield from inside(function.body)


def size(program):
    """Statements, expressions and variables of the program."""
    return (sum(len(block) for block in blocks(program)) + sum(1 for _ in expressions(program))
            + sum(len(function.variables) for function in [program.kernel, *program.helpers]))


def names(program):
    """The names (variables, arrays, helpers) that are read, written or called."""
    found = set()
    for holder, index in expressions(program):
        expr = holder[index]
        if expr.op in ("var", "array", "call"):
            found.add(expr.data)
        elif expr.op == "local":
            found.add("shared")
    for block in blocks(program):
        for stmt in block:
            if stmt.op in ("set", "set_array", "set_parts", "loop"):
                found.add(stmt.data[0])
            elif stmt.op == "copy":
                found.update(stmt.data)
            elif stmt.op in ("exchange", "atomic"):
                found.add("shared")
    return found


def tidy(program):
    """Drops variables, structures and helpers that nothing names any more, until nothing changes."""
    while True:
        used = names(program)
        used |= {name.split(".")[0] for name in used}
        before = size(program)
        program.helpers = [helper for helper in program.helpers if helper.name in used]
        for function in [program.kernel, *program.helpers]:
            function.variables = [variable for variable in function.variables if variable.name in used]
        if size(program) == before:
            return program


def shape(program):
    """What the program is made of: its operations with their types, statements and helpers, for telling findings apart."""
    parts = set()
    for holder, index in expressions(program):
        expr = holder[index]
        if expr.op not in ("const", "var", "gid", "argument", "input"):
            parts.add(f"{expr.op}:{expr.type if expr.op not in COMPARISONS else expr.args[0].type}")
    for block in blocks(program):
        parts.update(stmt.op for stmt in block if stmt.op not in ("set", "store"))
    return " ".join(sorted(parts))
