"""Random pixel shaders for R700 as LLVM IR: 32-bit integers in straight lines and branches, with their values for the host.

A shader is a list of values in order: (number, operation, operands, blocks). An operand is the number of an earlier value,
or ("const", n). The values 0 to 3 are the inputs, the elements of R1. A branch has two lists of values, and gives the last
operand of each.
"""

import random

PIXELS = 64
MASK = (1 << 32) - 1
BINARY = ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr", "ashr", "udiv", "urem", "sdiv", "srem", "mulhu", "mulhs")
UNARY = ("sext8", "sext16", "zext8", "zext16", "ctpop", "bswap", "float")
PREDICATES = ("eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge")


def signed(value):
    return value - (1 << 32) if value >> 31 else value


class Shader:
    def __init__(self, seed, values, outputs):
        self.seed, self.values, self.outputs = seed, values, outputs

    def inputs(self):
        """Four numbers for each pixel."""
        chance = random.Random(self.seed * 2 + 1)
        corners = (0, 1, 2, 7, 31, 32, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe)
        return [[chance.choice(corners) if chance.random() < 0.5 else chance.getrandbits(32) for _ in range(4)] for _ in range(PIXELS)]


def draw(seed, avoid=()):
    chance = random.Random(seed)
    count = 4

    def operand(known):
        return ("const", chance.choice((0, 1, 2, 3, 5, 7, 16, 31, 255, 0x7fffffff, 0x80000000, MASK, chance.getrandbits(32)))) \
            if chance.random() < 0.2 else chance.choice(known[-8:])

    def body(length, known, depth):
        nonlocal count
        values = []
        for _ in range(length):
            roll = chance.random()
            blocks = []
            if roll < 0.12 and depth < 2:
                op, operands = "branch", [chance.choice(PREDICATES), operand(known), operand(known)]
                for _ in range(2):
                    inner = body(chance.randint(1, 4), list(known), depth + 1)
                    blocks.append((inner, inner[-1][0] if inner else operand(known)))
            elif roll < 0.25:
                op, operands = "select", [chance.choice(PREDICATES), *(operand(known) for _ in range(4))]
            elif roll < 0.4:
                op, operands = chance.choice(UNARY), [operand(known)]
            else:
                op, operands = chance.choice(BINARY), [operand(known), operand(known)]
            if op in avoid:
                continue
            values.append((count, op, operands, blocks))
            known.append(count)
            count += 1
        return values

    known = [0, 1, 2, 3]
    values = body(chance.randint(4, 24), known, 0)
    return clean(Shader(seed, values, [chance.choice(known[-6:]) for _ in range(4)]))


def numbers(value):
    """The values that a value reads itself."""
    _, _, operands, blocks = value
    return [operand for operand in operands if isinstance(operand, int)] + [result for _, result in blocks if isinstance(result, int)]


def clean(shader):
    """The shader without values that nothing reads."""

    def keep(values, needed):
        kept = []
        for value in reversed(values):
            if value[0] not in needed:
                continue
            number, op, operands, blocks = value
            needed.update(numbers(value))
            blocks = [(keep(inner, needed), result) for inner, result in blocks]
            kept.append((number, op, operands, blocks))
        return kept[::-1]

    needed = {output for output in shader.outputs if isinstance(output, int)}
    return Shader(shader.seed, keep(shader.values, needed), shader.outputs)


def every(values):
    for value in values:
        yield value
        for inner, _ in value[3]:
            yield from every(inner)


def size(shader):
    return sum(1 for _ in every(shader.values)) + sum(output != ("const", 0) for output in shader.outputs) + \
        sum(operand not in (("const", 0), ("const", 1)) for value in every(shader.values) for operand in value[2])


def shape(shader):
    return " ".join(sorted({op for _, op, _, _ in every(shader.values)}))


def operation(op, a, b=0):
    """What the host says an operation gives."""
    if op == "float":
        return (a & 0xfff) * 3 + 1
    if op in ("sext8", "sext16", "zext8", "zext16"):
        bits = int(op[4:])
        a &= (1 << bits) - 1
        return (a - (1 << bits) if op[0] == "s" and a >> bits - 1 else a) & MASK
    if op == "ctpop":
        return bin(a).count("1")
    if op == "bswap":
        return int.from_bytes(a.to_bytes(4, "little"), "big")
    if op in ("udiv", "urem"):
        b |= 1
        return a // b if op == "udiv" else a % b
    if op in ("sdiv", "srem"):
        x, y = signed(a), b & 0x7fffffff | 1
        quotient = abs(x) // y * (-1 if x < 0 else 1)
        return (quotient if op == "sdiv" else x - quotient * y) & MASK
    return {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b, "shl": a << (b & 31), "lshr": a >> (b & 31),
            "ashr": signed(a) >> (b & 31), "mulhu": a * b >> 32, "mulhs": signed(a) * signed(b) >> 32}[op] & MASK


def holds(predicate, a, b):
    if predicate in ("eq", "ne"):
        return (a == b) == (predicate == "eq")
    if predicate[0] == "s":
        a, b = signed(a), signed(b)
    return {"lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[predicate[1:]]


def expected(shader):
    """The four elements that each pixel exports."""
    results = []
    for pixel in shader.inputs():
        known = dict(enumerate(pixel))

        def get(operand):
            return known[operand] if isinstance(operand, int) else operand[1]

        def run(values):
            for number, op, operands, blocks in values:
                if op == "branch":
                    inner, result = blocks[0 if holds(operands[0], get(operands[1]), get(operands[2])) else 1]
                    run(inner)
                    known[number] = get(result)
                elif op == "select":
                    known[number] = get(operands[3] if holds(operands[0], get(operands[1]), get(operands[2])) else operands[4])
                else:
                    known[number] = operation(op, *map(get, operands))

        run(shader.values)
        results.append([get(output) for output in shader.outputs])
    return results


def llvm(shader):
    """The shader as LLVM IR."""
    lines, intrinsics = [], set()
    block = "entry"

    def name(operand):
        return f"%v{operand}" if isinstance(operand, int) else str(signed(operand[1]))

    def write(values):
        nonlocal block
        for number, op, operands, blocks in values:
            v = f"%v{number}"
            if op == "branch":
                lines.append(f"  {v}c = icmp {operands[0]} i32 {name(operands[1])}, {name(operands[2])}")
                lines.append(f"  br i1 {v}c, label %yes{number}, label %no{number}")
                ends = []
                for label, (inner, result) in zip((f"yes{number}", f"no{number}"), blocks):
                    lines.append(f"{label}:")
                    block = label
                    write(inner)
                    lines.append(f"  br label %end{number}")
                    ends.append(f"[ {name(result)}, %{block} ]")
                block = f"end{number}"
                lines.extend([f"{block}:", f"  {v} = phi i32 {', '.join(ends)}"])
                continue
            texts = [name(operand) for operand in operands if not isinstance(operand, str)]
            if op == "select":
                lines.append(f"  {v}c = icmp {operands[0]} i32 {texts[0]}, {texts[1]}")
                lines.append(f"  {v} = select i1 {v}c, i32 {texts[2]}, i32 {texts[3]}")
            elif op in ("shl", "lshr", "ashr"):
                lines.append(f"  {v}n = and i32 {texts[1]}, 31")
                lines.append(f"  {v} = {op} i32 {texts[0]}, {v}n")
            elif op in ("udiv", "urem", "sdiv", "srem"):
                lines.append(f"  {v}p = and i32 {texts[1]}, {2147483647 if op[0] == 's' else -1}")
                lines.append(f"  {v}n = or i32 {v}p, 1")
                lines.append(f"  {v} = {op} i32 {texts[0]}, {v}n")
            elif op in ("mulhu", "mulhs"):
                extend = "zext" if op == "mulhu" else "sext"
                lines.append(f"  {v}a = {extend} i32 {texts[0]} to i64")
                lines.append(f"  {v}b = {extend} i32 {texts[1]} to i64")
                lines.append(f"  {v}m = mul i64 {v}a, {v}b")
                lines.append(f"  {v}h = lshr i64 {v}m, 32")
                lines.append(f"  {v} = trunc i64 {v}h to i32")
            elif op[1:4] == "ext":
                lines.append(f"  {v}t = trunc i32 {texts[0]} to i{op[4:]}")
                lines.append(f"  {v} = {op[:4]} i{op[4:]} {v}t to i32")
            elif op in ("ctpop", "bswap"):
                intrinsics.add(op)
                lines.append(f"  {v} = call i32 @llvm.{op}.i32(i32 {texts[0]})")
            elif op == "float":
                lines.extend([f"  {v}a = and i32 {texts[0]}, 4095", f"  {v}f = sitofp i32 {v}a to float",
                              f"  {v}g = fmul float {v}f, 3.0", f"  {v}h = fadd float {v}g, 1.0", f"  {v} = fptosi float {v}h to i32"])
            else:
                lines.append(f"  {v} = {op} i32 {texts[0]}, {texts[1]}")

    used = {number for value in every(shader.values) for number in numbers(value)} | set(shader.outputs)
    for index in range(4):
        if index in used:
            lines.append(f"  %f{index} = extractelement <4 x float> %r1, i32 {index}")
            lines.append(f"  %v{index} = bitcast float %f{index} to i32")
    write(shader.values)
    vector = "undef"
    for index, output in enumerate(shader.outputs):
        lines.append(f"  %o{index} = bitcast i32 {name(output)} to float")
        lines.append(f"  %w{index} = insertelement <4 x float> {vector}, float %o{index}, i32 {index}")
        vector = f"%w{index}"
    head = ["declare void @llvm.r600.store.swizzle(<4 x float>, i32, i32)", *(f"declare i32 @llvm.{op}.i32(i32)" for op in sorted(intrinsics)), "",
            "define amdgpu_ps void @test(<4 x float> inreg %r0, <4 x float> inreg %r1) {", "entry:"]
    return "\n".join([f"; Seed {shader.seed}.", *head, *lines, f"  call void @llvm.r600.store.swizzle(<4 x float> {vector}, i32 0, i32 0)",
                      "  ret void", "}", ""])


def simpler(shader):
    """Shaders with one part less: an output constant, a value replaced by a constant or by what it reads."""
    for index, output in enumerate(shader.outputs):
        if output != ("const", 0):
            yield clean(Shader(shader.seed, shader.values, [("const", 0) if at == index else other for at, other in enumerate(shader.outputs)]))

    def replaced(number, stand_in):
        swap = lambda operand: stand_in if operand == number and isinstance(operand, int) else operand

        def through(values):
            return [(each, op, [swap(operand) for operand in operands], [(through(inner), swap(result)) for inner, result in blocks])
                    for each, op, operands, blocks in values if each != number]

        return clean(Shader(shader.seed, through(shader.values), [swap(output) for output in shader.outputs]))

    for number, op, operands, blocks in list(every(shader.values)):
        for stand_in in (("const", 0), ("const", 1), *(operand for operand in operands if not isinstance(operand, str))):
            yield replaced(number, stand_in)

    def with_operand(number, at):
        def through(values):
            return [(each, op, [("const", 1) if each == number and place == at else operand for place, operand in enumerate(operands)],
                     [(through(inner), result) for inner, result in blocks]) for each, op, operands, blocks in values]

        return clean(Shader(shader.seed, through(shader.values), shader.outputs))

    for number, op, operands, blocks in list(every(shader.values)):
        for at, operand in enumerate(operands):
            if not isinstance(operand, str) and operand not in (("const", 0), ("const", 1)):
                yield with_operand(number, at)
