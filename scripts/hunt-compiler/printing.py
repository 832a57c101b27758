"""Prints kernels as OpenCL C for the compiler under test and as C for the host."""

from programs import BUILTINS, COMPARISONS, FLOATS, INPUT_BYTES, SLOTS, SLOT_BYTES, UINT, names

HOST_TYPES = {"char": "signed char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "int": "int",
              "uint": "unsigned int", "long": "long long", "ulong": "unsigned long long"}

# --- Printing as OpenCL C --------------------------------------------------------------------------------------------


def literal(type_, value):
    value &= (1 << type_.bits) - 1
    if type_.bits == 64:
        return f"(({type_}){value:#x}ul)"
    if value < 1 << 31 and type_.base == "int":
        return str(value)
    return f"(({type_}){value}u)" if value < 1000 else f"(({type_}){value:#x}u)"


def opencl_expr(expr):
    type_, op = expr.type, expr.op
    unsigned = type_.unsigned_type
    args = [opencl_expr(arg) for arg in expr.args]
    scalar = type_.width == 1
    small = scalar and type_.bits < 32
    as_unsigned = (lambda text: f"as_{unsigned}({text})") if type_.signed else (lambda text: text)
    back = (lambda text: f"as_{type_}({text})") if type_.signed else (lambda text: f"({text})")
    element = type_.element

    def cut(text):
        return f"({type_})({text})" if small else f"({text})"

    if op == "const":
        return literal(type_, expr.data)
    if op == "var":
        return expr.data
    if op == "gid":
        return "gid"
    if op == "argument":
        return "n"
    if op == "local":
        return f"shared[(lid + {args[0]}) % ITEMS]"
    if op == "input":
        count = INPUT_BYTES // (type_.bits // 8 * type_.width)
        index = f"({args[0]} * 3u + {expr.data}u) % {count}u"
        pointer = f"(const __global {element} *)in"
        return f"({pointer})[{index}]" if scalar else f"vload{type_.width}({index}, {pointer})"
    if op == "array":
        return f"{expr.data}[{args[0]} % LENGTH_{expr.data}]"
    if op == "call":
        return f"{expr.data}({', '.join(args)})"
    if op in ("add", "sub", "mul"):
        sign = {"add": "+", "sub": "-", "mul": "*"}[op]
        if small:
            return f"({type_})((uint){args[0]} {sign} (uint){args[1]})" if op == "mul" else f"({type_})({args[0]} {sign} {args[1]})"
        return back(f"{as_unsigned(args[0])} {sign} {as_unsigned(args[1])}")
    if op in ("and", "or", "xor"):
        return cut(f"{args[0]} {({'and': '&', 'or': '|', 'xor': '^'})[op]} {args[1]}")
    if op == "not":
        return cut(f"~{args[0]}")
    if op == "neg":
        return cut(f"-{args[0]}") if small else back(f"-{as_unsigned(args[0])}")
    if op == "shl":
        count = f"({args[1]} & {literal(element, type_.bits - 1)})"
        return f"({type_})((uint){args[0]} << {count})" if small else back(f"{as_unsigned(args[0])} << {as_unsigned(count)}")
    if op == "shr":
        return cut(f"{args[0]} >> ({args[1]} & {literal(element, type_.bits - 1)})")
    if op == "shlany":
        return back(f"{as_unsigned(args[0])} << {args[1] if scalar else as_unsigned(args[1])}")
    if op == "shrany":
        return f"({args[0]} >> {args[1]})"
    if op in ("addsmall", "subsmall"):
        return cut(f"({args[0]} >> {literal(element, 2)}) {'+' if op == 'addsmall' else '-'} ({args[1]} >> {literal(element, 2)})")
    if op == "mulsmall":
        half = literal(element, type_.bits // 2)
        return cut(f"({args[0]} >> {half}) * ({args[1]} >> {half})")
    if op in ("divup", "remup"):
        return cut(f"{args[0]} {'/' if op == 'divup' else '%'} {cut(f'{args[1]} & {literal(element, element.most)} | {literal(element, 1)}')}")
    if op in ("divdown", "remdown"):
        divisor = cut(f"({args[1]} | {literal(element, element.least)}) & {literal(element, -2)}")
        return cut(f"{args[0]} {'/' if op == 'divdown' else '%'} {divisor}")
    if op == "clamp":
        return f"clamp({args[0]}, min({args[1]}, {args[2]}), max({args[1]}, {args[2]}))"
    if op in BUILTINS or op == "abs_diff" or op in ("any", "all", "upsample"):
        return f"{op}({', '.join(args)})"
    if op == "abs":
        return f"abs({args[0]})"
    if op == "select":
        return f"select({', '.join(args)})"
    if op == "cond":
        return cut(f"{args[0]} ? {args[1]} : {args[2]}")
    if op == "land":
        return f"({args[0]} && {args[1]})"
    if op == "lor":
        return f"({args[0]} || {args[1]})"
    if op == "lnot":
        return f"(!{args[0]})"
    if op in COMPARISONS:
        return f"({args[0]} {COMPARISONS[op]} {args[1]})"
    if op == "convert":
        return f"({type_}){args[0]}" if scalar else f"convert_{type_}({args[0]})"
    if op == "convert_sat":
        return f"convert_{type_}_sat({args[0]})"
    if op == "as":
        return f"as_{type_}({args[0]})"
    if op == "parts":
        return f"({args[0]}).s{''.join(format(part, 'x') for part in expr.data)}"
    if op in ("make", "splat"):
        return f"({type_})({', '.join(args)})"
    if op == "shuffle":
        return f"shuffle({', '.join(args)})"
    if op == "mul24":
        count = "17" if type_.signed else "20u"
        return f"mul24({args[0]} >> {count}, {args[1]} >> {count})"
    if op in FLOATS:
        floats = "float" if scalar else f"float{type_.width}"
        return f"convert_{type_}(convert_{floats}({args[0]} & 0xfff) {FLOATS[op]} convert_{floats}({args[1]} & 0xfff))"
    raise ValueError(op)


class OpenCL:
    """How statements are written for the compiler under test."""

    value = staticmethod(opencl_expr)

    def assign(self, stmt):
        return [f"{stmt.data[0]} = {self.value(stmt.exprs[0])};"]

    def assign_parts(self, stmt):
        return [f"{stmt.data[0]}.s{''.join(format(part, 'x') for part in stmt.data[1])} = {self.value(stmt.exprs[0])};"]

    def assign_array(self, stmt):
        return [f"{stmt.data[0]}[{self.value(stmt.exprs[0])} % LENGTH_{stmt.data[0]}] = {self.value(stmt.exprs[1])};"]

    def copy(self, stmt):
        return [f"{stmt.data[0]} = {stmt.data[1]};"]

    def counter(self, name):
        return name

    def store(self, stmt):
        value, (slot,) = stmt.exprs[0], stmt.data
        pointer = f"(__global {value.type.element} *)(out + gid * {SLOTS * SLOT_BYTES}u + {slot * SLOT_BYTES}u)"
        if value.type.width == 1:
            return [f"*({pointer}) = {self.value(value)};"]
        return [f"vstore{value.type.width}({self.value(value)}, 0, {pointer});"]

    def exchange(self, stmt):
        return ["{", f"  uint put = {self.value(stmt.exprs[0])};", "  barrier(CLK_LOCAL_MEM_FENCE);", "  shared[lid] = put;",
                "  barrier(CLK_LOCAL_MEM_FENCE);", "}"]

    def atomic(self, stmt):
        return ["{", f"  uint at = {self.value(stmt.exprs[0])} % ITEMS;", f"  uint put = {self.value(stmt.exprs[1])};",
                "  barrier(CLK_LOCAL_MEM_FENCE);", f"  {stmt.data[0]}(&shared[at], put);", "  barrier(CLK_LOCAL_MEM_FENCE);", "}"]


def statement(writer, stmt):
    """The lines of a statement."""
    value = writer.value
    inner = [[line for each in block for line in statement(writer, each)] for block in stmt.blocks]
    indented = [["  " + line for line in block] for block in inner]
    if stmt.op == "set":
        return writer.assign(stmt)
    if stmt.op == "set_parts":
        return writer.assign_parts(stmt)
    if stmt.op == "set_array":
        return writer.assign_array(stmt)
    if stmt.op == "copy":
        return writer.copy(stmt)
    if stmt.op in ("store", "exchange", "atomic"):
        return getattr(writer, stmt.op)(stmt)
    if stmt.op in ("break", "continue"):
        return [f"if ({value(stmt.exprs[0])}) {stmt.op};"]
    if stmt.op == "return":
        return [f"if ({value(stmt.exprs[0])}) return {value(stmt.exprs[1])};"]
    if stmt.op == "if":
        otherwise = ["} else {", *indented[1]] if indented[1] else []
        return [f"if ({value(stmt.exprs[0])}) {{", *indented[0], *otherwise, "}"]
    if stmt.op == "loop":
        counter, kind = writer.counter(stmt.data[0]), stmt.data[1]
        bound, again = value(stmt.exprs[0]), value(stmt.exprs[1])
        if kind == "for":
            return [f"for ({counter} = 0; {counter} < ({bound} & 7); {counter}++) {{", *indented[0], "}"]
        lines = [f"  {counter}++;", *indented[0]]
        if kind == "while":
            return [f"{counter} = 0;", f"while ({counter} < ({bound} & 7) && {again}) {{", *lines, "}"]
        return [f"{counter} = 0;", "do {", *lines, f"}} while ({counter} < ({bound} & 7) && {again});"]
    if stmt.op == "switch":
        labels, falls = stmt.data
        lines = [f"switch ({value(stmt.exprs[0])} & 7) {{"]
        for label, fall, block in zip(labels, falls, indented):
            lines += [f"case {label}:", *block]
            if not fall:
                lines.append("  break;")
        return lines + ["default:", *indented[-1], "  break;", "}"]
    raise ValueError(stmt.op)


def opencl(program):
    """The program as OpenCL C. `-DSIZE=8` sets the size of its sub-groups."""
    writer = OpenCL()
    used = names(program)
    lines = [f"// Seed {program.seed}: {program.items} work items in a group, n = {program.argument}."]
    for structure, fields in structures_used(program):
        lines += [f"struct {structure} {{", *(f"  {field.type} {field.name};" for field in fields), "};"]
    for function in [*program.helpers, program.kernel]:
        for variable in function.variables:
            if variable.length:
                lines.append(f"#define LENGTH_{variable.name} {variable.length}u")
    if "shared" in used:
        lines.append(f"#define ITEMS {program.items}u")
    for helper in program.helpers:
        parameters = ", ".join(f"{parameter.type} {parameter.name}" for parameter in helper.parameters)
        lines += ["", f"__attribute__((noinline)) {helper.result[0].type} {helper.name}({parameters}) {{"]
        lines += ["  " + line for line in declarations(writer, helper)]
        lines += ["  " + line for stmt in helper.body for line in statement(writer, stmt)]
        lines += [f"  return {writer.value(helper.result[0])};", "}"]
    lines += ["", "#ifdef SIZE", "__attribute__((intel_reqd_sub_group_size(SIZE)))", "#endif",
              "__kernel void test(__global const uchar *in, __global uchar *out, uint n) {", "  uint gid = get_global_id(0);"]
    if "shared" in used:
        lines += ["  uint lid = get_local_id(0);", "  __local uint shared[ITEMS];", "  shared[lid] = lid;", "  barrier(CLK_LOCAL_MEM_FENCE);"]
    lines += ["  " + line for line in declarations(writer, program.kernel)]
    lines += ["  " + line for stmt in program.kernel.body for line in statement(writer, stmt)]
    return "\n".join([*lines, "}", ""])


def structures_used(program):
    kinds = {variable.type for variable in program.kernel.variables if isinstance(variable.type, str)}
    return [(structure, fields) for structure, fields in program.structures if structure in kinds]


def declarations(writer, function):
    for variable in function.variables:
        if isinstance(variable.type, str):
            yield f"struct {variable.type} {variable.name} = {{ 0 }};"
        elif variable.length:
            yield f"{variable.type} {variable.name}[{variable.length}];"
            yield f"for (uint j = 0; j < {variable.length}; j++) {variable.name}[j] = {writer.value(variable.start[0])};"
        else:
            yield f"{variable.type} {variable.name} = {writer.value(variable.start[0])};"


# --- Printing as C for the host --------------------------------------------------------------------------------------

PRELUDE = """\
// What the kernel has to compute, in C: a function for each operation of a type, with the arithmetic in 128 bits.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef __int128 wide;
static wide fit(wide value, wide least, wide most) { return value < least ? least : value > most ? most : value; }
static int ones(uint64_t bits) { int count = 0; for (; bits; bits &= bits - 1) count++; return count; }
static int zeros(uint64_t bits, int size) { int count = 0; while (count < size && !(bits >> (size - 1 - count) & 1)) count++; return count; }
static unsigned char in[INPUT_BYTES], out[ITEMS * SLOTS * SLOT_BYTES];
static uint32_t n, shared[ITEMS];
"""

# What an operation gives, of elements a, b, c of type T; U is its unsigned type, B its bits, LO and HI its range.
SCALARS = {
    "add": "(T)((uint64_t)a + (uint64_t)b)", "sub": "(T)((uint64_t)a - (uint64_t)b)", "mul": "(T)((uint64_t)a * (uint64_t)b)",
    "and": "(T)(a & b)", "or": "(T)(a | b)", "xor": "(T)(a ^ b)", "not": "(T)~a", "neg": "(T)(0 - (uint64_t)a)",
    "shl": "(T)((uint64_t)a << ((uint64_t)b & (B - 1)))", "shr": "(T)(a >> ((uint64_t)b & (B - 1)))",
    "shlany": "(T)((uint64_t)a << ((uint64_t)b & (B - 1)))", "shrany": "(T)(a >> ((uint64_t)b & (B - 1)))",
    "addsmall": "(T)(((wide)a >> 2) + ((wide)b >> 2))", "subsmall": "(T)(((wide)a >> 2) - ((wide)b >> 2))",
    "mulsmall": "(T)(((wide)a >> B / 2) * ((wide)b >> B / 2))",
    "divup": "(T)((wide)a / (((wide)b & HI) | 1))", "remup": "(T)((wide)a % (((wide)b & HI) | 1))",
    "divdown": "(T)((wide)a / (((wide)b | LO) & -2))", "remdown": "(T)((wide)a % (((wide)b | LO) & -2))",
    "add_sat": "(T)fit((wide)a + b, LO, HI)", "sub_sat": "(T)fit((wide)a - b, LO, HI)",
    "hadd": "(T)(((wide)a + b) >> 1)", "rhadd": "(T)(((wide)a + b + 1) >> 1)",
    "mul_hi": "(T)(MULTIPLY(a, b) >> B)", "mad_hi": "(T)(uint64_t)((MULTIPLY(a, b) >> B) + c)",
    "mad_sat": "MAD_SAT",
    "rotate": "(T)(((uint64_t)(U)a << ((uint64_t)b & (B - 1))) | ((uint64_t)(U)a >> ((B - ((uint64_t)b & (B - 1))) & (B - 1))))",
    "min": "a < b ? a : b", "max": "a > b ? a : b",
    "clamp": "(T)fit(a, b < c ? b : c, b < c ? c : b)", "bitselect": "(T)((a & ~c) | (b & c))",
    "clz": "(T)zeros((U)a, B)", "popcount": "(T)ones((U)a)",
    "select": "SELECT",
    "mul24": "(T)(((wide)a >> SHIFT24) * ((wide)b >> SHIFT24))",
    "fadd": "(a & 0xfff) + (b & 0xfff)", "fsub": "(a & 0xfff) - (b & 0xfff)", "fmul": "(a & 0xfff) * (b & 0xfff)",
}


class Host:
    """Writes statements in C for the host, and collects the functions that they need."""

    def __init__(self):
        self.functions = {}
        self.owner = ""

    def type(self, type_):
        """The name of a type, defined where it is first used."""
        name = f"t_{type_}"
        if name not in self.functions:
            self.functions[name] = f"typedef {HOST_TYPES[type_.base]} {name};" if type_.width == 1 else \
                f"typedef struct {{ {HOST_TYPES[type_.base]} s[{type_.width}]; }} {name};"
        return name

    def function(self, name, result, parameters, body):
        if name not in self.functions:
            head = f"static {self.type(result)} {name}({', '.join(f'{self.type(type_)} {parameter}' for parameter, type_ in parameters)})"
            self.functions[name] = f"{head} {{ {body} }}"
        return name

    def elementwise(self, name, result, operands, scalar):
        """A function that computes each element from those of its operands."""
        letters = "abc"[:len(operands)]
        element = self.type(result.element)
        if result.width == 1:
            return self.function(name, result, list(zip(letters, operands)), f"return {scalar};")
        reads = " ".join(f"{self.type(type_.element)} {letter} = {letter}_.s[i];" for letter, type_ in zip(letters, operands))
        body = f"{self.type(result)} r; for (int i = 0; i < {result.width}; i++) {{ {reads} {element} x = {scalar}; r.s[i] = x; }} return r;"
        return self.function(name, result, [(letter + "_", type_) for letter, type_ in zip(letters, operands)], body)

    def value(self, expr):
        type_, op = expr.type, expr.op
        args = [self.value(arg) for arg in expr.args]
        kinds = [arg.type for arg in expr.args]
        element = self.type(type_.element)
        name = "_".join([op, str(type_), *(str(kind) for kind in kinds)])
        call = lambda function: f"{function}({', '.join(args)})"
        if op == "const":
            return f"(({element})({expr.data & (1 << 64) - 1:#x}ull))"
        if op == "var":
            return self.place(expr.data)
        if op == "gid":
            return "gid"
        if op == "argument":
            return "n"
        if op == "local":
            return f"shared[(gid + {args[0]}) % ITEMS]"
        if op == "array":
            return f"{self.place(expr.data)}[{args[0]} % LENGTH_{expr.data}]"
        if op == "call":
            return call(expr.data)
        if op == "input":
            size = type_.bits // 8 * type_.width
            body = f"{self.type(type_)} r; memcpy(&r, in + (i * 3u + k) % {INPUT_BYTES // size}u * {size}, {size}); return r;"
            return f"{self.function(f'input_{type_}', type_, [('i', UINT), ('k', UINT)], body)}({args[0]}, {expr.data})"
        if op in COMPARISONS:
            return call(self.elementwise(name, type_, kinds, f"{'-' if type_.width > 1 else ''}(a {COMPARISONS[op]} b)"))
        if op == "cond":
            return f"({args[0]} ? {args[1]} : {args[2]})"
        if op in ("land", "lor"):
            return f"({args[0]} {'&&' if op == 'land' else '||'} {args[1]})"
        if op == "lnot":
            return f"(!{args[0]})"
        if op == "as":
            return call(self.function(name, type_, [("a", kinds[0])], f"{self.type(type_)} r; memcpy(&r, &a, sizeof r); return r;"))
        if op == "convert":
            return call(self.elementwise(name, type_, kinds, f"({element})a"))
        if op == "convert_sat":
            return call(self.elementwise(name, type_, kinds, f"({element})fit(a, {wide(type_.least)}, {wide(type_.most)})"))
        if op == "upsample":
            return call(self.elementwise(name, type_, kinds, f"({element})(((uint64_t)a << {type_.bits // 2}) | (uint64_t)b)"))
        if op == "abs_diff":
            return call(self.elementwise(name, type_, kinds, f"({element})(a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b)"))
        if op == "abs":
            return f"{self.elementwise(name, type_, kinds[:1], f'({element})(a < 0 ? 0 - (uint64_t)a : (uint64_t)a)')}({args[0]})"
        if op in ("any", "all"):
            joined = (" || " if op == "any" else " && ").join(f"a.s[{index}] < 0" for index in range(kinds[0].width))
            return call(self.function(name, type_, [("a", kinds[0])], f"return {joined};"))
        if op == "parts":
            if type_.width == 1:
                body = f"return a.s[{expr.data[0]}];"
            else:
                body = f"{self.type(type_)} r = {{ {{ {', '.join(f'a.s[{part}]' for part in expr.data)} }} }}; return r;"
            return call(self.function(name + "_" + "".join(map(str, expr.data)), type_, [("a", kinds[0])], body))
        if op == "splat":
            return call(self.function(name, type_, [("a", kinds[0])],
                                      f"{self.type(type_)} r; for (int i = 0; i < {type_.width}; i++) r.s[i] = a; return r;"))
        if op == "make":
            parts = [f"a{index}" + (f".s[{part}]" if kind.width > 1 else "") for index, kind in enumerate(kinds) for part in range(kind.width)]
            return call(self.function(name, type_, [(f"a{index}", kind) for index, kind in enumerate(kinds)],
                                      f"{self.type(type_)} r = {{ {{ {', '.join(parts)} }} }}; return r;"))
        if op == "shuffle":
            body = f"{self.type(type_)} r; for (int i = 0; i < {type_.width}; i++) r.s[i] = a.s[m.s[i] & {kinds[0].width - 1}]; return r;"
            return call(self.function(name, type_, [("a", kinds[0]), ("m", kinds[1])], body))
        scalar = SCALARS[op]
        multiply = "((wide)a * (wide)b)" if type_.signed else "((unsigned __int128)a * (unsigned __int128)b)"
        if op == "mad_sat":
            scalar = f"mad_sat(a, b, c, {int(type_.signed)}, LO, HI)"
            self.functions.setdefault("mad_sat", MAD_SAT)
        scalar = scalar.replace("SELECT", "c < 0 ? b : a" if kinds[-1].signed else "(c >> (B - 1)) ? b : a") if type_.width > 1 else \
            scalar.replace("SELECT", "c ? b : a")
        scalar = scalar.replace("MULTIPLY(a, b)", multiply).replace("SHIFT24", "17" if type_.signed else "20")
        for letter, text in (("(T)", f"({element})"), ("(U)", f"({self.type(type_.unsigned_type.element)})"), ("LO", wide(type_.least)),
                             ("HI", wide(type_.most)), ("(B ", f"({type_.bits} "), (" B)", f" {type_.bits})"), (" B ", f" {type_.bits} "),
                             ("((B", f"(({type_.bits}"), (", B)", f", {type_.bits})"), ("> B", f"> {type_.bits}")):
            scalar = scalar.replace(letter, text)
        return call(self.elementwise(name, type_, kinds, scalar))

    def place(self, name):
        return self.owner + name

    counter = place

    def assign(self, stmt):
        return [f"{self.place(stmt.data[0])} = {self.value(stmt.exprs[0])};"]

    def assign_parts(self, stmt):
        value, (name, parts) = stmt.exprs[0], stmt.data
        if len(parts) == 1:
            return [f"{self.place(name)}.s[{parts[0]}] = {self.value(value)};"]
        return [f"{{ {self.type(value.type)} r = {self.value(value)};",
                *(f"  {self.place(name)}.s[{part}] = r.s[{index}];" for index, part in enumerate(parts)), "}"]

    def assign_array(self, stmt):
        return [f"{{ uint32_t at = {self.value(stmt.exprs[0])} % LENGTH_{stmt.data[0]};",
                f"  {self.place(stmt.data[0])}[at] = {self.value(stmt.exprs[1])}; }}"]

    def copy(self, stmt):
        return [f"{self.place(stmt.data[0])} = {self.place(stmt.data[1])};"]

    def store(self, stmt):
        value, (slot,) = stmt.exprs[0], stmt.data
        return [f"{{ {self.type(value.type)} r = {self.value(value)};",
                f"  memcpy(out + gid * {SLOTS * SLOT_BYTES}u + {slot * SLOT_BYTES}u, &r, {value.type.bits // 8 * value.type.width}); }}"]


MAD_SAT = """\
static wide mad_sat(wide a, wide b, wide c, int is_signed, wide least, wide most) {
  if (is_signed) { wide product = a * b; return fit(product + c, least, most); }
  unsigned __int128 product = (unsigned __int128)a * (unsigned __int128)b;
  return product > (unsigned __int128)most - (unsigned __int128)c ? most : (wide)(product + (unsigned __int128)c);
}"""

ATOMICS = {"atomic_add": "shared[at] + put", "atomic_or": "shared[at] | put", "atomic_and": "shared[at] & put", "atomic_xor": "shared[at] ^ put",
           "atomic_min": "shared[at] < put ? shared[at] : put", "atomic_max": "shared[at] > put ? shared[at] : put"}


def wide(value):
    """A number of up to 65 bits as C of 128 bits."""
    if value < 0:
        return f"(-(wide){-value:#x}ull)"
    return f"((wide){value:#x}ull)"


def host(program):
    """The program as C: it reads the input from standard input and writes the output to standard output."""
    writer = Host()
    lines = []
    for function in [*program.helpers, program.kernel]:
        lines += [f"#define LENGTH_{variable.name} {variable.length}u" for variable in function.variables if variable.length]
    for structure, fields in structures_used(program):
        lines += [f"struct {structure} {{", *(f"  {writer.type(field.type)} {field.name};" for field in fields), "};"]
    for helper in program.helpers:
        parameters = ", ".join(f"{writer.type(parameter.type)} {parameter.name}" for parameter in helper.parameters)
        lines.append(f"static {writer.type(helper.result[0].type)} {helper.name}({parameters}) {{")
        for variable in helper.variables:
            lines.append(f"  {writer.type(variable.type)} {variable.name} = {writer.value(variable.start[0])};")
        lines += ["  " + line for stmt in helper.body for line in statement(writer, stmt)]
        lines += [f"  return {writer.value(helper.result[0])};", "}"]
    # Variables of the kernel live in a structure for each work item, so that it can stop where a group meets.
    lines.append("static struct item {")
    lines.append("  uint32_t at, put;")
    writer.owner = "t->"
    starts = []
    for variable in program.kernel.variables:
        if isinstance(variable.type, str):
            lines.append(f"  struct {variable.type} {variable.name};")
        elif variable.length:
            lines.append(f"  {writer.type(variable.type)} {variable.name}[{variable.length}];")
            starts.append(f"for (uint32_t j = 0; j < {variable.length}; j++) t->{variable.name}[j] = {writer.value(variable.start[0])};")
        else:
            lines.append(f"  {writer.type(variable.type)} {variable.name};")
            starts.append(f"t->{variable.name} = {writer.value(variable.start[0])};")
    lines.append("} items[ITEMS];")
    phases = [["shared[gid] = gid;"], starts]
    for stmt in program.kernel.body:
        if stmt.op == "exchange":
            phases[-1].append(f"t->put = {writer.value(stmt.exprs[0])};")
            phases += [["shared[gid] = t->put;"], []]
        elif stmt.op == "atomic":
            phases[-1] += [f"t->at = {writer.value(stmt.exprs[0])} % ITEMS;", f"t->put = {writer.value(stmt.exprs[1])};"]
            phases += [["uint32_t at = t->at, put = t->put;", f"shared[at] = {ATOMICS[stmt.data[0]]};"], []]
        else:
            phases[-1] += statement(writer, stmt)
    for number, phase in enumerate(phases):
        lines += [f"static void phase{number}(uint32_t gid, struct item *t) {{", *("  " + line for line in phase), "}"]
    lines += ["int main(void) {", f"  n = {program.argument};", "  if (fread(in, 1, sizeof in, stdin) != sizeof in) return 1;"]
    for number in range(len(phases)):
        lines.append(f"  for (uint32_t i = 0; i < ITEMS; i++) phase{number}(i, &items[i]);")
    lines += ["  return fwrite(out, 1, sizeof out, stdout) != sizeof out;", "}"]
    sizes = [f"#define ITEMS {program.items}", f"#define INPUT_BYTES {INPUT_BYTES}", f"#define SLOTS {SLOTS}", f"#define SLOT_BYTES {SLOT_BYTES}"]
    # Types come before the functions that use them.
    support = [text for name, text in writer.functions.items() if name.startswith("t_")]
    support += [text for name, text in writer.functions.items() if not name.startswith("t_")]
    return "\n".join([*sizes, PRELUDE, *support, *lines, ""])
