#!/usr/bin/env python3
"""Tests of the generator, of what it prints and of the reducer: `python3 scripts/hunt-compiler/test_hunt_compiler.py`.

They need a C compiler for the host, and neither `ocloc` nor Parallax.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import hunt_compiler  # noqa: E402
import generator  # noqa: E402
import printing  # noqa: E402
import programs  # noqa: E402
import shaders  # noqa: E402
from programs import Expr, Function, Program, Stmt, Type, Variable  # noqa: E402

ULONG, LONG, CHAR, UCHAR = Type("ulong"), Type("long"), Type("char"), Type("uchar")
UNDEFINED = ["-fsanitize=undefined", "-fno-sanitize-recover"]


def constant(type_, value):
    return Expr("const", type_, data=value)


def of(expr):
    """A program of one work item that stores a value."""
    return Program(1, 1, 0, [], [], Function("test", [], [], [Stmt("store", [expr], data=(0,))]))


def on_host(program, options=("-O0",)):
    with tempfile.TemporaryDirectory() as room:
        source, binary = pathlib.Path(room, "host.c"), pathlib.Path(room, "host")
        source.write_text(printing.host(program))
        subprocess.run(["cc", "-w", *options, "-o", binary, source], check=True)
        return subprocess.run([binary], input=program.inputs(), capture_output=True, check=True).stdout


def value(op, type_, *operands, kinds=None):
    """What an operation gives on the host."""
    kinds = kinds or [type_] * len(operands)
    result = on_host(of(Expr(op, type_, [constant(kind, number) for kind, number in zip(kinds, operands)])))
    return int.from_bytes(result[:type_.bits // 8], "little", signed=type_.signed)


class Generator(unittest.TestCase):
    def test_a_seed_always_gives_the_same_program(self):
        self.assertEqual(printing.opencl(generator.draw(7)), printing.opencl(generator.draw(7)))
        self.assertEqual(generator.draw(7).inputs(), generator.draw(7).inputs())
        self.assertNotEqual(printing.opencl(generator.draw(7)), printing.opencl(generator.draw(8)))

    def test_what_is_avoided_is_not_drawn(self):
        for seed in range(30):
            for holder, index in programs.expressions(generator.draw(seed, ["mad_sat", "rotate:64"])):
                self.assertNotEqual(holder[index].op, "mad_sat")
                self.assertFalse(holder[index].op == "rotate" and holder[index].type.bits == 64)

    def test_all_operations_are_drawn(self):
        drawn = {holder[index].op for seed in range(300) for holder, index in programs.expressions(generator.draw(seed))}
        self.assertEqual({*programs.ARITHMETIC, *programs.BUILTINS, *programs.COMPARISONS, *programs.FLOATS} - drawn, set())

    def test_all_statements_are_drawn(self):
        drawn = {stmt.op for seed in range(300) for block in programs.blocks(generator.draw(seed)) for stmt in block}
        self.assertEqual(drawn, {"set", "set_parts", "set_array", "copy", "store", "exchange", "atomic", "break", "continue", "return",
                                 "if", "loop", "switch"})

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_programs_have_no_undefined_behaviour_on_the_host(self):
        for seed in range(12):
            with self.subTest(seed=seed):
                program = generator.draw(seed)
                self.assertEqual(on_host(program), on_host(program, ["-O1", *UNDEFINED]))


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Reference(unittest.TestCase):
    """The host's functions, against values that follow from the definitions in the OpenCL specification."""

    def test_saturation(self):
        self.assertEqual(value("add_sat", CHAR, 100, 100), 127)
        self.assertEqual(value("sub_sat", UCHAR, 1, 2), 0)
        self.assertEqual(value("add_sat", LONG, -1 << 63, -1), -1 << 63)
        self.assertEqual(value("mad_sat", LONG, 0, -5, 0), 0)
        self.assertEqual(value("mad_sat", LONG, 1 << 62, 2, 0), (1 << 63) - 1)
        self.assertEqual(value("mad_sat", ULONG, (1 << 64) - 1, (1 << 64) - 1, 1), (1 << 64) - 1)

    def test_halves(self):
        self.assertEqual(value("hadd", CHAR, -128, -127), -128)
        self.assertEqual(value("rhadd", CHAR, -128, -127), -127)
        self.assertEqual(value("hadd", ULONG, (1 << 64) - 1, (1 << 64) - 1), (1 << 64) - 1)

    def test_multiplication(self):
        self.assertEqual(value("mul_hi", ULONG, (1 << 64) - 1, (1 << 64) - 1), (1 << 64) - 2)
        self.assertEqual(value("mul_hi", CHAR, -128, 127), -64)
        self.assertEqual(value("mad_hi", CHAR, 127, 127, 100), -93)

    def test_bits(self):
        self.assertEqual(value("rotate", UCHAR, 0x81, 1), 3)
        self.assertEqual(value("rotate", CHAR, -128, 9), 1)
        self.assertEqual(value("rotate", ULONG, 5, 0), 5)
        self.assertEqual(value("clz", CHAR, 1), 7)
        self.assertEqual(value("clz", ULONG, 0), 64)
        self.assertEqual(value("popcount", CHAR, -1), 8)
        self.assertEqual(value("bitselect", UCHAR, 0x0F, 0xF0, 0x3C), 0x33)
        self.assertEqual(value("shr", CHAR, -128, 9), -64)

    def test_distance(self):
        self.assertEqual(value("abs_diff", UCHAR, -128, 127, kinds=[CHAR, CHAR]), 255)
        self.assertEqual(value("abs", UCHAR, -128, 0, kinds=[CHAR, CHAR]), 128)

    def test_division_guards_itself(self):
        self.assertEqual(value("divup", LONG, 7, 0), 7)
        self.assertEqual(value("divdown", LONG, -1 << 63, -1), 1 << 62)
        self.assertEqual(value("remdown", CHAR, -7, -2), -1)

    def test_choice(self):
        self.assertEqual(value("select", CHAR, 1, 2, 1), 2)
        vector = Type("char", 2)
        of_vector = Expr("select", vector, [Expr("splat", vector, [constant(CHAR, number)]) for number in (1, 2, 1)])
        self.assertEqual(on_host(of(of_vector))[:2], b"\1\1")

    def test_group(self):
        """Each work item reads what its neighbour has put into shared memory."""
        body = [Stmt("exchange", [Expr("gid", programs.UINT)]),
                Stmt("store", [Expr("local", programs.UINT, [constant(programs.UINT, 1)])], data=(0,))]
        program = Program(1, 4, 0, [], [], Function("test", [], [], body))
        step = programs.SLOTS * programs.SLOT_BYTES
        self.assertEqual([on_host(program)[item * step] for item in range(4)], [1, 2, 3, 0])


class Reducer(unittest.TestCase):
    def test_only_what_is_needed_is_left(self):
        for seed in (3, 9, 30):
            program = generator.draw(seed)
            operations = [holder[index].op for holder, index in programs.expressions(program)]
            wanted = next(op for op in operations if op in programs.BUILTINS)

            def holds(candidate):
                return any(holder[index].op == wanted for holder, index in programs.expressions(candidate))

            smallest = hunt_compiler.Reducer(holds).reduce(program)
            self.assertTrue(holds(smallest))
            self.assertLess(programs.size(smallest), 16)

    def test_the_original_stays_as_it_was(self):
        program = generator.draw(5)
        before = printing.opencl(program)
        hunt_compiler.Reducer(lambda candidate: True).reduce(program)
        self.assertEqual(printing.opencl(program), before)

    def test_nothing_changes_where_nothing_holds(self):
        program = generator.draw(6)
        self.assertIs(hunt_compiler.Reducer(lambda candidate: False).reduce(program), program)

    def test_it_ends_in_time(self):
        program = generator.draw(5)
        self.assertIs(hunt_compiler.Reducer(lambda candidate: True, until=0).reduce(program), program)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_what_is_cut_stays_defined(self):
        program = generator.draw(4)
        candidates = []
        hunt_compiler.Reducer(lambda candidate: candidates.append(candidate) or False).reduce(program)
        for candidate in candidates[::max(1, len(candidates) // 8)]:
            self.assertEqual(on_host(candidate), on_host(candidate, ["-O1", *UNDEFINED]))

    def test_variables_that_nothing_names_are_dropped(self):
        used, unused = Variable("v1", LONG, 0, [constant(LONG, 1)]), Variable("v2", LONG, 0, [constant(LONG, 2)])
        program = Program(1, 1, 0, [], [], Function("test", [], [used, unused], [Stmt("store", [Expr("var", LONG, data="v1")], data=(0,))]))
        self.assertEqual([variable.name for variable in programs.tidy(program).kernel.variables], ["v1"])


class Shaders(unittest.TestCase):
    def test_a_seed_always_gives_the_same_shader(self):
        self.assertEqual(shaders.llvm(shaders.draw(7)), shaders.llvm(shaders.draw(7)))
        self.assertNotEqual(shaders.llvm(shaders.draw(7)), shaders.llvm(shaders.draw(8)))

    def test_operations(self):
        self.assertEqual(shaders.operation("sdiv", 0xFFFFFFF9, 3), 0xFFFFFFFE)
        self.assertEqual(shaders.operation("srem", 0xFFFFFFF9, 3), 0xFFFFFFFF)
        self.assertEqual(shaders.operation("sext8", 0x180), 0xFFFFFF80)
        self.assertEqual(shaders.operation("mulhs", 0xFFFFFFFF, 1), 0xFFFFFFFF)
        self.assertEqual(shaders.operation("shl", 1, 33), 2)
        self.assertEqual(shaders.operation("bswap", 0x01020304), 0x04030201)

    def test_branches(self):
        values = [(4, "branch", ["slt", 0, ("const", 0)], [([(5, "add", [0, ("const", 1)], [])], 5), ([], 1)])]
        shader = shaders.Shader(3, values, [4, ("const", 0), ("const", 0), ("const", 0)])
        for pixel, result in zip(shader.inputs(), shaders.expected(shader)):
            self.assertEqual(result[0], (pixel[0] + 1) % (1 << 32) if pixel[0] >> 31 else pixel[1])

    def test_what_nothing_reads_is_dropped(self):
        values = [(4, "add", [0, 1], []), (5, "sub", [4, 2], []), (6, "mul", [4, 3], [])]
        self.assertEqual([value[0] for value in shaders.clean(shaders.Shader(1, values, [6, 6, 6, 6])).values], [4, 6])

    def test_simpler_shaders_end(self):
        shader = shaders.draw(11)
        while smaller := next((each for each in shaders.simpler(shader) if shaders.size(each) < shaders.size(shader)), None):
            shaders.expected(smaller)
            shader = smaller
        self.assertEqual(shaders.size(shader), 0)


class Configurations(unittest.TestCase):
    def test_names(self):
        names = [hunt_compiler.name(config) for config in hunt_compiler.configurations()]
        self.assertEqual(len(set(names)), 24)
        self.assertIn("skl-patchtokens-optimised-8", names)

    def test_messages_of_one_mistake_are_one(self):
        self.assertEqual(hunt_compiler.message("a note\nerror: at 0x12ab, line 17\n"), hunt_compiler.message("error: at 0xff, line 3"))


if __name__ == "__main__":
    unittest.main()
