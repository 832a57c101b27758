/**
 * A small engine of execution units: a few instructions on doublewords, in Align1, without flags.
 *
 *     parallax run --device g45 --engine "cmd:node harness/engines/javascript/example.js" --time 20s
 *
 * `--fault` puts a bug in: `not` of a negative number is zero.
 */

import { CONTINUE, Engine, HALTED, Refused, UNDEFINED, serve } from "./parallax-engine.js";

const FILE = { ARF: 0, IMMEDIATE: 3 };

/** Where the fields of an instruction are: [high, low] in its 128 bits, those of a source from its first bit on. */
const GEN4 = {
  size: [23, 21], files: [[38, 37], [43, 42]], destinationFile: [33, 32],
  number: [60, 53], subregister: [52, 48], stride: [62, 61],
  source: { number: [12, 5], subregister: [4, 0], vertical: [24, 21], width: [20, 18], horizontal: [17, 16] },
};
const GEN9 = { ...GEN4, files: [[42, 41], [90, 89]], destinationFile: [36, 35] };
/** Gen12 has bits that say that a source is an immediate, and has moved `mov` and the logic instructions. */
const GEN12 = {
  size: [18, 16], files: [[66, 66], [98, 98]], destinationFile: [50, 50],
  number: [63, 56], subregister: [55, 51], stride: [49, 48],
  source: { number: [15, 8], subregister: [7, 3], vertical: [23, 20], width: [19, 17], horizontal: [1, 0] },
  immediates: [46, 47], moved: 0x60,
};
const LAYOUTS = { bw: GEN4, cl: GEN4, ctg: GEN4, g45: GEN4, ivb: GEN4, skl: GEN9, dg1: GEN12 };

const VERTICAL = [0, 1, 2, 4, 8, 16, 32];
const HORIZONTAL = [0, 1, 2, 4];
const hasFault = process.argv.includes("--fault");

/** Code: mnemonic, number of sources, function. */
const OPERATIONS = {
  0x01: ["mov", 1, (a) => a],
  0x04: ["not", 1, (a) => (hasFault && a >> 31 ? 0 : ~a)],
  0x05: ["and", 2, (a, b) => a & b],
  0x06: ["or", 2, (a, b) => a | b],
  0x07: ["xor", 2, (a, b) => a ^ b],
  0x09: ["shl", 2, (a, b) => a << (b & 31)],
  0x40: ["add", 2, (a, b) => a + b],
};

/** Bits `high` to `low` of an instruction. */
function bits(word, high, low) {
  return Number((word >> BigInt(low)) & ((1n << BigInt(high - low + 1)) - 1n));
}

/** The operation of an instruction, if the engine has it. */
function operation(code, layout) {
  return OPERATIONS[code >= (layout.moved ?? Infinity) ? code - layout.moved : code];
}

function source(word, layout, number) {
  const first = 64 + 32 * number;
  const field = ([high, low]) => bits(word, first + high, first + low);
  const { source, files, immediates } = layout;
  const file = bits(word, ...files[number]);
  const isImmediate = immediates ? bits(word, immediates[number], immediates[number]) : file === FILE.IMMEDIATE;
  return {
    immediate: isImmediate ? bits(word, 127, 96) : file === FILE.ARF ? 0 : null,
    start: field(source.number) * 32 + field(source.subregister),
    horizontal: HORIZONTAL[field(source.horizontal)],
    width: 1 << field(source.width),
    vertical: VERTICAL[Math.min(field(source.vertical), 6)],
  };
}

function channel(operand, registers, number) {
  if (operand.immediate !== null) return operand.immediate;
  const row = Math.floor(number / operand.width);
  const offset = row * operand.vertical + (number % operand.width) * operand.horizontal;
  return registers.readUInt32LE(operand.start + 4 * offset);
}

class Example extends Engine {
  static declaration = {
    name: "javascript-example",
    devices: Object.keys(LAYOUTS),
    banks: ["r", "ip"],
    instructions: Object.values(OPERATIONS).map(([mnemonic]) => mnemonic),
    types: ["ud", "d"],
    features: [],
  };

  load() {
    for (let at = 0; at < this.program.length; at += 16) {
      const code = this.program[at] & 0x7f;
      if (!operation(code, LAYOUTS[this.device])) throw new Refused(`no operation has the code ${code}`, at);
    }
  }

  step() {
    if (this.ip === this.program.length) return HALTED;
    if (this.ip % 16 || this.ip > this.program.length) return [UNDEFINED, `no instruction starts at byte ${this.ip}`];
    const bytes = this.program.subarray(this.ip, this.ip + 16);
    this.execute(bytes.readBigUInt64LE(0) | (bytes.readBigUInt64LE(8) << 64n));
    this.ip += 16;
    return CONTINUE;
  }

  execute(word) {
    const registers = this.bank.r;
    const layout = LAYOUTS[this.device];
    const [, count, compute] = operation(bits(word, 6, 0), layout);
    const sources = [source(word, layout, 0), source(word, layout, 1)].slice(0, count);
    const channels = 1 << bits(word, ...layout.size);
    const results = Array.from({ length: channels }, (_, number) =>
      compute(...sources.map((operand) => channel(operand, registers, number))),
    );
    if (bits(word, ...layout.destinationFile) === FILE.ARF) return;
    const start = bits(word, ...layout.number) * 32 + bits(word, ...layout.subregister);
    const stride = HORIZONTAL[bits(word, ...layout.stride)];
    results.forEach((result, number) => registers.writeUInt32LE(result >>> 0, start + 4 * number * stride));
  }
}

serve(new Example());
