/**
 * Puts an engine under test by Parallax.
 *
 * Extend `Engine`, declare what it has, write `load` and `step`, and call `serve`. This module reads and writes
 * the frames of the engine protocol and finds what a step changed. Standard output carries frames only:
 * `console.log` is redirected to standard error.
 */

import { readSync, writeSync } from "node:fs";

const VERSION = 2;
const MAGIC = 0xa5;
const HEADER_BYTES = 8;
/** Changes are reported in pieces of this many bytes. */
const GRAIN = 32;
/** Keys of the hello that are left out where the engine has all. */
const LISTS = ["instructions", "types", "features", "messages", "profiles", "weaknesses", "approximations"];

/** Bytes of each bank of execution units; the protocol page says what lies where in them. */
export const EU_BANKS = {
  r: 4096, m: 512, acc: 1024, tmevent: 8, ms: 32, pcip: 128, a: 32, f: 8, mask: 8, msd: 4, sr: 16, cr: 12,
  n: 8, n0: 12, tdr0: 16, ip: 4, mem: 8192, slm: 65536, gmem: 16384, urb: 24576, other: 4096, othern: 8,
};
/** Bytes of each bank of R700. */
export const R700_BANKS = {
  R: 131072, G: 8192, PV: 1024, PS: 256, AR: 512, EXPORT: 36864, MEM: 16384, LDS: 16384, emitted: 256,
  cut: 256, stack: 3584, exported: 8, valid: 8, active: 8, "inactive-continue": 8, "inactive-break": 8,
  predicate: 8, executing: 8, "execute-set": 8, "execute-value": 8, "loop.count": 4, aL: 4,
  "loop.increment": 4, "loop.kind": 4, "stack-depth": 4, "call-depth": 4, cf: 4, group: 4, "in-clause": 4,
  reserved: 4,
};
/** The same of surfaces. */
export const SURFACE_BANKS = { texel: 1024, type: 128, byte: 32, result: 8, done: 8 };
/** The same of fixed functions of Gen4 and of enumerations of DG1. */
export const UNITS_BANKS = { answer: 4096, length: 8, done: 8 };
export const ENUMS_BANKS = { answer: 4096, length: 8, done: 8 };
export const BANKS = { ...EU_BANKS, ...R700_BANKS, ...SURFACE_BANKS, ...UNITS_BANKS, ...ENUMS_BANKS };

/** How a step ends. Return one of these, or `[flow, text]` to say more. */
export const CONTINUE = 0;
export const HALTED = 1;
export const END_OF_THREAD = 2;
export const STEP_LIMIT = 3;
export const EXCEPTION = 4;
export const UNDEFINED = 5;
export const DECLINED = 6;

const Question = { CASE: 1, START: 2, STEP: 3, RUN: 4, WRITE: 5, END: 6, BATCH: 7 };
const Answer = {
  HELLO: 0x81, READY: 0x82, REFUSED: 0x83, STEPPED: 0x84, RAN: 0x85, FAILED: 0x86, DECLINED: 0x87,
  BATCHED: 0x88,
};

/** Throw it in `load`: the program is wrong at this byte (or undefined). */
export class Refused extends Error {
  static kind = Answer.REFUSED;

  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Throw it in `load`: the engine does not have the instruction at this byte (or undefined: something of the case).
 * It is counted, and no finding.
 */
export class Declined extends Refused {
  static kind = Answer.DECLINED;
}

/** An engine under test. `program` and the banks (`bank.r`) are set before `load`. */
export class Engine {
  /** What it has; `null` for all there are. `steps: false` if it only runs to the end. */
  static declaration = {
    machine: "eu", name: "engine", devices: ["g45"], banks: ["r", "ip"],
    instructions: null, types: null, features: null, messages: null, profiles: null, weaknesses: null,
    approximations: null, steps: true, batch: false,
  };

  constructor() {
    this.declaration = { ...Engine.declaration, ...this.constructor.declaration };
    this.program = Buffer.alloc(0);
    this.device = "";
    this.settings = null;
    this.bank = Object.fromEntries(this.declaration.banks.map((name) => [name, Buffer.alloc(BANKS[name])]));
  }

  /** A case begins; its registers are in the banks. */
  load() {}

  /** Another start of the program that was loaded last; a translator keeps its translation here. */
  start() {
    this.load();
  }

  /** Executes one instruction and says how that ended. */
  step() {
    throw new Error("an engine needs a `step`");
  }

  get ip() {
    return this.bank.ip.readUInt32LE(0);
  }

  set ip(value) {
    this.bank.ip.writeUInt32LE(value >>> 0, 0);
  }
}

/** Answers questions on standard input until there are no more. */
export function serve(engine) {
  console.log = console.error;
  const hello = { protocol: VERSION, ...engine.declaration };
  for (const key of LISTS) if (hello[key] === null) delete hello[key];
  send(Answer.HELLO, 0, Buffer.from(JSON.stringify(hello)));
  const server = new Server(engine);
  for (;;) {
    const header = receive(HEADER_BYTES);
    if (header === null || header[0] !== MAGIC || header[1] === Question.END) return;
    const content = receive(header.readUInt32LE(4));
    if (content === null) return;
    const number = header.readUInt16LE(2);
    const [kind, answer] = server.answer(header[1], content);
    send(kind, number, answer);
  }
}

/** So many bytes of standard input, or null where it ends. */
function receive(length) {
  const bytes = Buffer.alloc(length);
  for (let have = 0; have < length; ) {
    let read;
    try {
      read = readSync(0, bytes, have, length - have, null);
    } catch (error) {
      if (error.code === "EAGAIN") continue;
      throw error;
    }
    if (read === 0) return null;
    have += read;
  }
  return bytes;
}

function send(kind, number, content) {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(MAGIC, 0);
  header.writeUInt8(kind, 1);
  header.writeUInt16LE(number, 2);
  header.writeUInt32LE(content.length, 4);
  const frame = Buffer.concat([header, content]);
  for (let sent = 0; sent < frame.length; ) sent += writeSync(1, frame, sent);
}

function uint(bytes, value) {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}

/** That an engine does not take a case; other errors are thrown again. */
function refusal(error) {
  if (!(error instanceof Refused)) throw error;
  const offset = uint(4, error.offset ?? 0xffffffff);
  return [error.constructor.kind, Buffer.concat([offset, Buffer.from(error.message)])];
}

class Server {
  constructor(engine) {
    this.engine = engine;
    this.reported = new Map();
    /** How the program ended, once it has. */
    this.end = null;
  }

  answer(kind, content) {
    switch (kind) {
      case Question.CASE:
      case Question.START:
        return this.begin(kind, content);
      case Question.STEP:
        return this.steps(content.readUInt32LE(0));
      case Question.RUN:
        return this.run(content.readBigUInt64LE(0));
      case Question.BATCH:
        return this.batch(content);
      case Question.WRITE:
        this.write(content, 0);
        return [Answer.READY, Buffer.alloc(0)];
      default:
        return [Answer.FAILED, Buffer.from(`questions of kind ${kind} are unknown`)];
    }
  }

  begin(kind, content) {
    const { engine } = this;
    let at = 0;
    if (kind === Question.CASE) {
      const [program, settings, device] = [8, 12, 16].map((offset) => content.readUInt32LE(offset));
      at = 20;
      const take = (length) => content.subarray(at, (at += length));
      engine.program = Buffer.from(take(program));
      const text = take(settings).toString();
      engine.settings = text ? JSON.parse(text) : null;
      engine.device = take(device).toString();
    }
    try {
      this.start(content, at, kind === Question.CASE);
    } catch (error) {
      return refusal(error);
    }
    return [Answer.READY, Buffer.alloc(0)];
  }

  /** Begins a program, or another start of it, with the registers that stand here; returns what comes behind them. */
  start(content, at, isWhole) {
    for (const bank of Object.values(this.engine.bank)) bank.fill(0);
    const rest = this.write(content, at);
    this.end = null;
    if (isWhole) this.engine.load();
    else this.engine.start();
    return rest;
  }

  /** Runs the program from several starts, each to its end. */
  batch(content) {
    const count = content.readUInt16LE(0);
    const ends = [];
    try {
      for (let at = 2; ends.length < count; ) {
        at = this.start(content, at, false);
        while (this.end === null) this.step();
        ends.push(this.report(this.end));
      }
    } catch (error) {
      return refusal(error);
    }
    return [Answer.BATCHED, Buffer.concat([uint(2, count), ...ends])];
  }

  steps(most) {
    const ends = [];
    while (ends.length < Math.max(1, Math.min(most, 1000))) {
      ends.push(this.report(this.step()));
      if (this.end !== null) break;
    }
    return [Answer.STEPPED, Buffer.concat([uint(2, ends.length), ...ends])];
  }

  run(most) {
    let flow = CONTINUE;
    for (let step = 0n; step < most && this.end === null; step++) flow = this.step();
    return [Answer.RAN, this.report(this.end ?? flow)];
  }

  step() {
    if (this.end !== null) return this.end;
    const flow = this.engine.step();
    if (flow !== CONTINUE) this.end = flow;
    return flow;
  }

  /** Writes to banks; returns what comes behind that. */
  write(content, start) {
    const { bank, declaration } = this.engine;
    const count = content.readUInt16LE(start);
    let at = start + 2;
    for (let write = 0; write < count; write++) {
      const name = declaration.banks[content.readUInt8(at)];
      const length = content.readUInt16LE(at + 2);
      content.copy(bank[name], content.readUInt32LE(at + 4), at + 8, at + 8 + length);
      at += 8 + length;
    }
    for (const [name, bytes] of Object.entries(bank)) this.reported.set(name, Buffer.from(bytes));
    return at;
  }

  /** How a step ended, and what changed since the last report. */
  report(flow) {
    const [code, text] = Array.isArray(flow) ? flow : [flow, ""];
    const words = Buffer.from(text);
    const writes = [];
    this.engine.declaration.banks.forEach((name, number) => {
      const bytes = this.engine.bank[name];
      const reported = this.reported.get(name);
      if (bytes.equals(reported)) return;
      for (let offset = 0; offset < bytes.length; offset += GRAIN) {
        const piece = bytes.subarray(offset, offset + GRAIN);
        if (piece.equals(reported.subarray(offset, offset + GRAIN))) continue;
        writes.push(Buffer.concat([uint(1, number), uint(1, 0), uint(2, piece.length), uint(4, offset), piece]));
      }
      bytes.copy(reported);
    });
    const end = Buffer.concat([uint(1, code), uint(1, 0), uint(2, words.length), words]);
    return Buffer.concat([end, uint(2, writes.length), ...writes]);
  }
}
