"""Draws random kernels with defined behaviour from seeds."""

import random

from programs import (
    ARITHMETIC, BITS, BUILTINS, COMPARISONS, FLOATS, INT, SIZES, SLOTS, UINT, WIDTHS, Expr, Function, Program, Stmt, Type, Variable, tidy,
)


class Generator:
    """Draws the program of a seed. `avoid` has operations to leave out, `add_sat` or with their bits `add_sat:64`."""

    def __init__(self, seed, avoid=()):
        self.chance = random.Random(seed)
        self.seed = seed
        self.avoid = set(avoid)
        self.count = 0
        self.variables = []
        self.arrays = []
        self.counters = []
        self.helpers = []
        self.structures = {}
        self.in_helper = False
        self.has_local = False
        # Statements until blocks nest no more.
        self.left = 18
        # A program has a taste: few types, so that values meet, and not all statements.
        bases = list(BITS)
        self.types = [Type(self.chance.choice(bases), self.chance.choice((1, 1, 1, 2, 3, 4, 8))) for _ in range(self.chance.randint(2, 5))]
        self.depth = self.chance.choice((1, 2, 2, 3))
        self.few_vectors = self.chance.random() < 0.4
        if self.few_vectors:
            self.types = [type_.element for type_ in self.types]

    def name(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def program(self):
        chance = self.chance
        items = chance.choice(SIZES)
        for _ in range(chance.choice((0, 0, 1, 1, 2))):
            self.helpers.append(self.helper())
        self.variables, self.arrays, self.in_helper = [], [], False
        self.has_local = chance.random() < 0.25
        own = [self.variable() for _ in range(chance.randint(3, 7))]
        for _ in range(chance.choice((0, 0, 1, 2))):
            array = Variable(self.name("a"), chance.choice(self.types), chance.choice((2, 3, 4, 8, 13)), [self.leaf(chance.choice(self.types))])
            array.start = [self.expr(array.type, 1)]
            own.append(array)
            self.arrays.append(array)
        structures = []
        if chance.random() < 0.2:
            structure = self.name("s")
            fields = [Variable(f"f{index}", self.type()) for index in range(chance.randint(2, 4))]
            structures.append((structure, fields))
            for _ in range(2):
                instance = Variable(self.name("t"), structure)
                own.append(instance)
                self.structures.setdefault(structure, []).append(instance.name)
                self.variables += [Variable(f"{instance.name}.{field.name}", field.type) for field in fields]
        body = self.block(chance.randint(2, 7), 0, top=True)
        watched = chance.sample(self.variables, min(SLOTS, len(self.variables)))
        for slot, variable in enumerate(watched):
            body.append(Stmt("store", [Expr("var", variable.type, data=variable.name)], data=(slot,)))
        kernel = Function("test", [], own, body)
        loops = self.counters
        kernel.variables += [Variable(name, UINT, 0, [Expr("const", UINT, data=0)]) for name in loops]
        return tidy(Program(self.seed, items, chance.randint(0, 1000), structures, self.helpers, kernel))

    def variable(self):
        variable = Variable(self.name("v"), self.type())
        variable.start = [self.expr(variable.type, self.chance.choice((0, 0, 1, 2)))]
        self.variables.append(variable)
        return variable

    def helper(self):
        chance = self.chance
        self.variables, self.arrays, self.in_helper, kept = [], [], True, self.counters
        self.counters = []
        parameters = [Variable(self.name("p"), self.type()) for _ in range(chance.randint(1, 3))]
        self.variables += parameters
        result = self.type()
        own = [self.variable() for _ in range(chance.randint(0, 3))]
        self.result = result
        body = self.block(chance.randint(0, 4), 1)
        function = Function(self.name("helper"), parameters, own, body, [self.expr(result, 2)])
        function.variables += [Variable(name, UINT, 0, [Expr("const", UINT, data=0)]) for name in self.counters]
        self.counters = kept
        return function

    def type(self):
        if self.chance.random() < 0.8:
            return self.chance.choice(self.types)
        return Type(self.chance.choice(list(BITS)), 1 if self.few_vectors else self.chance.choice((1, 1, 1, 2, 3, 4, 8)))

    # Statements

    def block(self, count, level, top=False, loop=False):
        stmts = []
        for _ in range(count):
            stmts.append(self.statement(level, top, loop))
        return stmts

    def statement(self, level, top, loop):
        chance = self.chance
        roll = chance.random()
        self.left -= 1
        if self.left < 0:
            level = 3
        if top and self.has_local and roll < 0.15:
            if chance.random() < 0.5:
                return Stmt("exchange", [self.expr(UINT, 2)])
            return Stmt("atomic", [self.expr(UINT, 1), self.expr(UINT, 2)],
                        data=(chance.choice(("atomic_add", "atomic_or", "atomic_and", "atomic_xor", "atomic_min", "atomic_max")),))
        if loop and roll < 0.2:
            return Stmt(chance.choice(("break", "continue", "continue")), [self.condition()])
        if self.in_helper and roll < 0.12:
            return Stmt("return", [self.condition(), self.expr(self.result, 2)])
        if level < 3 and roll < 0.32:
            return Stmt("if", [self.condition()], [self.block(chance.randint(1, 3), level + 1, loop=loop),
                                                   self.block(chance.choice((0, 0, 1, 2)), level + 1, loop=loop)])
        if level < (2 if self.in_helper else 3) and roll < 0.45:
            counter = self.name("i")
            self.counters.append(counter)
            kind = chance.choice(("for", "for", "while", "do"))
            bound = self.expr(UINT, 1) if chance.random() < 0.5 else Expr("const", UINT, data=chance.randint(1, 7))
            while_ = self.condition()
            readable = Variable(counter, UINT)
            self.variables.append(readable)
            body = self.block(chance.randint(1, 4), level + 1, loop=True)
            self.variables.remove(readable)
            return Stmt("loop", [bound, while_], [body], (counter, kind))
        if level < 3 and roll < 0.52:
            cases = chance.randint(2, 5)
            labels = tuple(chance.sample(range(8), cases))
            falls = tuple(chance.random() < 0.3 for _ in range(cases))
            return Stmt("switch", [self.expr(chance.choice((UINT, INT)), 2)],
                        [self.block(chance.randint(1, 2), level + 1) for _ in range(cases + 1)], (labels, falls))
        if self.structures and not self.in_helper and roll < 0.58:
            pair = next(iter(self.structures.values()))
            return Stmt("copy", data=tuple(chance.sample(pair, 2)))
        if self.arrays and roll < 0.66:
            array = chance.choice(self.arrays)
            return Stmt("set_array", [self.expr(UINT, 1), self.expr(array.type, self.depth)], data=(array.name, array.length))
        targets = [variable for variable in self.variables if variable.name not in self.counters]
        if not targets:
            return Stmt("if", [self.condition()], [[], []])
        variable = chance.choice(targets)
        if variable.type.width > 1 and chance.random() < 0.35:
            width = chance.choice([width for width in WIDTHS if width <= variable.type.width])
            parts = tuple(chance.sample(range(variable.type.width), width))
            return Stmt("set_parts", [self.expr(variable.type.wide(width), 2)], data=(variable.name, parts))
        return Stmt("set", [self.expr(variable.type, self.depth)], data=(variable.name,))

    # Expressions

    def condition(self):
        if self.chance.random() < 0.15:
            return self.expr(INT, 1)
        type_ = self.chance.choice([type_.element for type_ in self.types])
        return Expr(self.chance.choice(list(COMPARISONS)), INT, [self.expr(type_, 1), self.expr(type_, self.chance.choice((0, 0, 1)))])

    def constant(self, type_):
        chance = self.chance
        if chance.random() < 0.6:
            value = chance.choice((0, 1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 31, 33, -1, -2, -3))
        elif chance.random() < 0.6:
            value = chance.choice((type_.least, type_.most, type_.most - 1, 1 << chance.randrange(type_.bits)))
        else:
            value = chance.getrandbits(type_.bits)
        value &= (1 << type_.bits) - 1
        if type_.signed and value > type_.most:
            value -= 1 << type_.bits
        return Expr("const", type_, data=value)

    def leaf(self, type_):
        chance = self.chance
        same = [variable for variable in self.variables if variable.type == type_]
        if same and chance.random() < 0.6:
            return Expr("var", type_, data=chance.choice(same).name)
        roll = chance.random()
        if type_.width > 1 and roll < 0.4:
            return Expr("splat", type_, [self.leaf(type_.element)])
        if type_ == UINT and not self.in_helper and roll < 0.3:
            return Expr("gid", type_) if roll < 0.2 else Expr("argument", type_)
        if type_ == UINT and self.has_local and not self.in_helper and roll < 0.6:
            return Expr("local", type_, [Expr("const", UINT, data=chance.randint(0, 63))])
        if not self.in_helper and roll < 0.7:
            return Expr("input", type_, [Expr("gid", UINT)], chance.randint(0, 9))
        others = [variable for variable in self.variables if variable.type != type_]
        if others and roll < 0.9:
            variable = chance.choice(others)
            return self.fit(Expr("var", variable.type, data=variable.name), type_)
        return self.constant(type_.element) if type_.width == 1 else Expr("splat", type_, [self.constant(type_.element)])

    def fit(self, expr, type_):
        """The value of another type as one of this type."""
        chance = self.chance
        if expr.type.width != type_.width:
            if type_.width == 1:
                expr = Expr("parts", expr.type.element, [expr], (chance.randrange(expr.type.width),))
            elif expr.type.width == 1:
                expr = Expr("splat", expr.type.wide(type_.width), [expr])
            else:
                expr = Expr("parts", expr.type.wide(type_.width), [expr],
                            tuple(chance.randrange(expr.type.width) for _ in range(type_.width)))
        if expr.type == type_:
            return expr
        return Expr(chance.choice(("convert", "convert", "convert_sat")), type_, [expr])

    def allowed(self, op, type_):
        return op not in self.avoid and f"{op}:{type_.bits}" not in self.avoid and f"{op}:{type_}" not in self.avoid

    def expr(self, type_, depth):
        while True:
            expr = self.draw(type_, depth)
            if self.allowed(expr.op, expr.type):
                return expr

    def draw(self, type_, depth):
        chance = self.chance
        if depth <= 0:
            return self.leaf(type_)
        depth -= 1
        below = lambda other=type_: self.expr(other, depth)
        roll = chance.random()
        if roll < 0.1:
            return self.leaf(type_)
        if roll < 0.38:
            op = chance.choice(list(ARITHMETIC))
            if op in ("divdown", "remdown") and not type_.signed:
                op = "divup"
            if op in ("shlany", "shrany") and type_.bits < 32 and type_.width == 1:
                op = "shl"
            args = [below() for _ in range(ARITHMETIC[op])]
            if len(args) == 2 and chance.random() < 0.35:
                constant = self.constant(type_.element)
                args[1] = constant if type_.width == 1 else Expr("splat", type_, [constant])
            return Expr(op, type_, args)
        if roll < 0.62:
            op = chance.choice(list(BUILTINS))
            return Expr(op, type_, [below() for _ in range(BUILTINS[op])])
        if roll < 0.66 and not type_.signed:
            signed = type_.signed_type
            other = chance.choice((signed, type_))
            return Expr(chance.choice(("abs_diff", "abs_diff", "abs")), type_, [below(other), below(other)])
        if roll < 0.70 and type_.bits > 8:
            half = Type({64: "int", 32: "short", 16: "char"}[type_.bits], type_.width)
            return Expr("upsample", type_, [below(half if type_.signed else half.unsigned_type), below(half.unsigned_type)])
        if roll < 0.74:
            if type_ == INT and chance.random() < 0.5:
                return Expr("lnot", INT, [below(INT)]) if chance.random() < 0.2 else Expr(chance.choice(("land", "lor")), INT, [self.condition(), self.condition()])
            return Expr("cond", type_, [self.condition(), below(), below()])
        if roll < 0.78:
            return Expr("select", type_, [below(), below(), below(chance.choice((type_.signed_type, type_.unsigned_type)))])
        if roll < 0.82:
            other = chance.choice((self.type(), self.type()))
            if other.width == 1 and type_ == INT:
                return Expr(chance.choice(list(COMPARISONS)), INT, [below(other), below(other)])
            if type_.signed and type_.width > 1:
                other = chance.choice((type_, type_.unsigned_type))
                return Expr(chance.choice(list(COMPARISONS)), type_, [below(other), below(other)])
            if type_ == INT and other.width > 1:
                return Expr(chance.choice(("any", "all")), INT, [below(other.signed_type)])
        if roll < 0.86:
            same = [Type(base, type_.bits * type_.width // bits) for base, bits in BITS.items()
                    if type_.bits * type_.width % bits == 0 and type_.bits * type_.width // bits in WIDTHS]
            same = [other for other in same if (3 not in (other.width, type_.width) or other.width == type_.width) and other != type_]
            if same and not (self.few_vectors and chance.random() < 0.7):
                return Expr("as", type_, [below(chance.choice(same))])
        if roll < 0.90 and type_.width > 1:
            if type_.width in (4, 8) and chance.random() < 0.4:
                half = type_.wide(type_.width // 2)
                return Expr("make", type_, [below(half), below(half)])
            if type_.width in (2, 4, 8) and chance.random() < 0.4:
                source = type_.wide(chance.choice((2, 4, 8)))
                return Expr("shuffle", type_, [below(source), below(type_.unsigned_type)])
            return Expr("make", type_, [self.expr(type_.element, min(depth, 1)) for _ in range(type_.width)])
        if roll < 0.93 and self.arrays:
            array = chance.choice(self.arrays)
            return self.fit(Expr("array", array.type, [below(UINT)], array.name), type_)
        if roll < 0.95 and self.helpers and not self.in_helper:
            helper = chance.choice(self.helpers)
            return self.fit(Expr("call", helper.result[0].type, [below(parameter.type) for parameter in helper.parameters], helper.name), type_)
        if roll < 0.97 and type_.base in ("int", "uint"):
            if chance.random() < 0.4:
                return Expr("mul24", type_, [below(), below()])
            return Expr(chance.choice(list(FLOATS)), type_.signed_type, [below(type_.signed_type), below(type_.signed_type)]) if type_.signed else \
                Expr("mul24", type_, [below(), below()])
        return self.fit(below(self.type()), type_)


def draw(seed, avoid=()):
    return Generator(seed, avoid).program()
