/**
 * A small engine of R700: six ALU operations on registers, literals and inline constants.
 *
 *     parallax run --device rv770 --engine "cmd:node harness/engines/javascript/r700.js" --time 20s
 *
 * `--fault` puts a bug in: `LSHR_INT` shifts in the sign. `--to-the-end` makes an engine that cannot be stopped within a
 * program, and runs several starts of it in a batch, like a translator.
 */

import { CONTINUE, Engine, HALTED, Refused, UNDEFINED, serve } from "./parallax-engine.js";

const PIXELS = 64;
/** Source selects behind the 128 registers, and the values of inline constants. */
const LITERAL = 253;
const INLINE = {
  244: 0, 245: 0x3ff00000, 246: 0, 247: 0x3fe00000, 248: 0, 249: 0x3f800000, 250: 1, 251: 0xffffffff, 252: 0x3f000000,
};
const hasFault = process.argv.includes("--fault");
const toTheEnd = process.argv.includes("--to-the-end");

const scratch = new DataView(new ArrayBuffer(4));

/** A denormal counts as a zero of its sign. */
const flushed = (bits) => (bits & 0x7f800000 ? bits : bits & 0x80000000);

function number(bits) {
  scratch.setUint32(0, flushed(bits) >>> 0);
  return scratch.getFloat32(0);
}

/** The nearest single, in which a double that holds an exact sum or product is rounded once. */
function single(value) {
  scratch.setFloat32(0, value);
  return flushed(scratch.getUint32(0));
}

function shiftRight(a, b) {
  if (hasFault) return (a | 0) >> Math.min(b, 31);
  return b < 32 ? a >>> b : 0;
}

/** Code: mnemonic, number of sources, function. */
const OPERATIONS = {
  0x00: ["ADD", 2, (a, b) => single(number(a) + number(b))],
  0x02: ["MUL_IEEE", 2, (a, b) => single(number(a) * number(b))],
  0x19: ["MOV", 1, (a) => a],
  0x30: ["AND_INT", 2, (a, b) => a & b],
  0x34: ["ADD_INT", 2, (a, b) => a + b],
  0x71: ["LSHR_INT", 2, shiftRight],
};

/** Bits `high` to `low` of a 64-bit word. */
function bits(word, high, low) {
  return Number((word >> BigInt(low)) & ((1n << BigInt(high - low + 1)) - 1n));
}

/** An ALU instruction with at most two sources: 64 bits, of which the second doubleword has bits 32 to 63. */
function decode(word, address) {
  const code = bits(word, 32 + 17, 32 + 7);
  if (!(code in OPERATIONS)) throw new Refused(`no operation has the code ${code}`, 8 * address);
  const [, count, compute] = OPERATIONS[code];
  const fields = [[bits(word, 8, 0), bits(word, 11, 10)], [bits(word, 21, 13), bits(word, 24, 23)]];
  // A source asks for literals even if the operation has no use for it.
  const literals = fields.map(([select, element]) => (select === LITERAL ? 1 + (element >> 1) : 0));
  return {
    compute,
    sources: fields.slice(0, count),
    literals: Math.max(...literals),
    isLast: bits(word, 31, 31),
    writes: bits(word, 36, 36),
    destination: 4 * bits(word, 32 + 27, 32 + 21) + bits(word, 32 + 30, 32 + 29),
  };
}

class Example extends Engine {
  static declaration = {
    machine: "r700",
    name: "javascript-r700-example",
    devices: ["rv770"],
    banks: ["R", "cf", "group", "in-clause"],
    instructions: Object.values(OPERATIONS).map(([mnemonic]) => mnemonic),
    features: [],
    steps: !toTheEnd,
    batch: toTheEnd,
  };

  load() {
    this.words = Array.from({ length: this.program.length / 8 }, (_, n) => this.program.readBigUInt64LE(8 * n));
    this.groups = new Map();
  }

  /** Its groups are decoded: another start needs nothing. */
  start() {}

  /** The instructions of a group, its literals, and the address behind it. */
  groupAt(address) {
    if (!this.groups.has(address)) {
      const instructions = [];
      do {
        const place = address + instructions.length;
        instructions.push(decode(this.words[place], place));
      } while (!instructions.at(-1).isLast);
      const start = address + instructions.length;
      const end = start + Math.max(...instructions.map(({ literals }) => literals));
      const literals = this.words.slice(start, end).flatMap((word) => [bits(word, 31, 0), bits(word, 63, 32)]);
      this.groups.set(address, { instructions, literals, end });
    }
    return this.groups.get(address);
  }

  /** A source of a pixel. */
  source([select, element], literals, pixel) {
    if (select < 128) return this.bank.R.readUInt32LE(4 * (PIXELS * (4 * select + element) + pixel));
    return select === LITERAL ? literals[element] : INLINE[select];
  }

  step() {
    const cf = this.bank.cf.readUInt32LE(0);
    if (cf >= this.words.length) return [UNDEFINED, `no instruction stands at address ${cf}`];
    const word = this.words[cf];
    if (!bits(word, 61, 61)) {
      // NOP
      this.bank.cf.writeUInt32LE(cf + 1);
      return bits(word, 53, 53) ? HALTED : CONTINUE;
    }
    if (!this.bank["in-clause"].readUInt32LE(0)) {
      // ALU
      this.bank["in-clause"].writeUInt32LE(1);
      this.bank.group.writeUInt32LE(bits(word, 21, 0));
      return CONTINUE;
    }
    const { instructions, literals, end } = this.groupAt(this.bank.group.readUInt32LE(0));
    // All of them read before one writes.
    const results = instructions.map(({ sources, compute }) =>
      Array.from({ length: PIXELS }, (_, pixel) =>
        compute(...sources.map((operand) => this.source(operand, literals, pixel))),
      ),
    );
    instructions.forEach(({ writes, destination }, n) => {
      if (!writes) return;
      results[n].forEach((value, pixel) => {
        this.bank.R.writeUInt32LE(value >>> 0, 4 * (PIXELS * destination + pixel));
      });
    });
    const isOver = end > bits(word, 21, 0) + bits(word, 56, 50);
    this.bank.group.writeUInt32LE(isOver ? 0 : end);
    if (isOver) {
      this.bank["in-clause"].writeUInt32LE(0);
      this.bank.cf.writeUInt32LE(cf + 1);
    }
    return CONTINUE;
  }
}

serve(new Example());
