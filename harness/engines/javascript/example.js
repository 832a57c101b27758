/**
 * A small engine of G45: a few instructions on doublewords, in Align1, without flags.
 *
 *     parallax run --device g45 --engine "cmd:node harness/engines/javascript/example.js" --time 20s
 *
 * `--fault` puts a bug in: `not` of a negative number is zero.
 */

import { CONTINUE, Engine, HALTED, Refused, UNDEFINED, serve } from "./parallax-engine.js";

const FILE = { ARF: 0, IMMEDIATE: 3 };
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

function source(word, file, low) {
  return {
    immediate: file === FILE.IMMEDIATE ? bits(word, 127, 96) : file === FILE.ARF ? 0 : null,
    start: bits(word, low + 12, low + 5) * 32 + bits(word, low + 4, low),
    horizontal: HORIZONTAL[bits(word, low + 17, low + 16)],
    width: 1 << bits(word, low + 20, low + 18),
    vertical: VERTICAL[Math.min(bits(word, low + 24, low + 21), 6)],
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
    devices: ["g45"],
    banks: ["r", "ip"],
    instructions: Object.values(OPERATIONS).map(([mnemonic]) => mnemonic),
    types: ["ud", "d"],
    features: [],
  };

  load() {
    for (let at = 0; at < this.program.length; at += 16) {
      const code = this.program[at] & 0x7f;
      if (!(code in OPERATIONS)) throw new Refused(`no operation has the code ${code}`, at);
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
    const [, count, compute] = OPERATIONS[bits(word, 6, 0)];
    const sources = [source(word, bits(word, 38, 37), 64), source(word, bits(word, 43, 42), 96)].slice(0, count);
    const channels = 1 << bits(word, 23, 21);
    const results = Array.from({ length: channels }, (_, number) =>
      compute(...sources.map((operand) => channel(operand, registers, number))),
    );
    if (bits(word, 33, 32) === FILE.ARF) return;
    const start = bits(word, 60, 53) * 32 + bits(word, 52, 48);
    const stride = HORIZONTAL[bits(word, 62, 61)];
    results.forEach((result, number) => registers.writeUInt32LE(result >>> 0, start + 4 * number * stride));
  }
}

serve(new Example());
