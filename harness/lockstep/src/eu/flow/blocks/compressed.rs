//! Loops around blocks before Gen7, as text: compressed instructions, sums in accumulators, flags read as words,
//! messages.

mod mixed;

use std::fmt::Write as _;

use parallax_isa::{
    Device,
    eu::{Case, State, state::control, text},
};

use super::{super::start, NOT_COMPILED, REGISTERS, STEPS, fill_floats};
use crate::{choices::Choices, eu::setup, random::SplitMix64};

/// The first register that blocks work on, and two of a loop's own.
const FIRST: usize = super::FIRST as usize;
const COUNTER: &str = "r100.0";
const ENTRY: &str = "r101.0";
/// The header of messages, and the buffer that these go to: 256 octwords.
const HEADER: &str = "r102";
const BUFFER: &str = r#"{"surfaces": [{"type": "buffer", "base": 4096, "entries": 256}]}"#;
const BUFFER_BYTES: usize = 4096;

/// Loops around blocks.
pub(super) fn loops(device: Device, mut choices: Choices) -> Case {
    let (state, random) = start(device, &mut choices);
    let sends = choices.sometimes(80);
    let mut writer = Writer { choices, random, sends, text: String::new() };
    for number in 0..1 + writer.choices.below(3) {
        writer.around(number);
    }
    let assembly = text::parse(device, &writer.text)
        .unwrap_or_else(|error| panic!("{error:?} in\n{}", writer.text));
    let mut case = Case::new(device, assembly.program.bytes().to_vec(), state, STEPS);
    if sends {
        writer.random.fill(&mut case.state.memory.graphics);
        setup::apply(&mut case, BUFFER.as_bytes()).expect("it is a setup");
    }
    case
}

/// Registers at the start.
fn start(device: Device, choices: &mut Choices) -> (Box<State>, SplitMix64) {
    let (mut state, mut random) = start::registers(device, choices);
    fill_floats(choices, &mut random, &mut state);
    if !choices.sometimes(80) {
        state.mask = [0xFFFF; 4];
    } else if choices.sometimes(64) {
        // What looks for channels that are off has to look at each.
        state.mask = [!(1 << choices.below(16)); 4];
    }
    state.control[0] &= !NOT_COMPILED;
    if choices.sometimes(160) {
        // Much of what goes to accumulators on the side is open.
        state.control[0] |= control::ACCUMULATOR_DISABLE;
    }
    (state, random)
}

/// Assembly text in the making.
struct Writer<'c> {
    choices: Choices<'c>,
    random: SplitMix64,
    /// There is a buffer to read and to write, and messages go to Extended Math too.
    sends: bool,
    text: String,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("text can be written to a string");
    }

    /// A loop around a block, or several that something stands between.
    fn around(&mut self, number: usize) {
        let turns = 2 + self.choices.below(12);
        let length = 3 + self.choices.below(24);
        let jumps = self.choices.sometimes(64);
        let between = self.choices.sometimes(64).then(|| self.choices.below(length));
        self.line(&format!("mov (1) {COUNTER}<1>:d {turns}:d {{NoMask}}"));
        if jumps {
            self.line(&format!("mov (1) {ENTRY}<1>:d 0:d {{NoMask}}"));
        }
        if self.sends {
            // Some blocks end with the buffer, or within an octword of its end.
            let offset = match self.choices.sometimes(96) {
                true => BUFFER_BYTES + 16 - 16 * self.choices.below(10) - self.choices.below(16),
                false => self.choices.below(BUFFER_BYTES + 32),
            };
            self.line(&format!("mov (8) {HEADER}<1>:ud 0x0:ud {{NoMask}}"));
            self.line(&format!("mov (1) {HEADER}.2<1>:ud 0x{offset:x}:ud {{NoMask}}"));
        }
        self.line(&format!("TOP{number}: nop"));
        if jumps {
            // Every other turn begins in the middle of the block.
            let entry = 1 + self.choices.below(length - 1);
            self.line(&format!("xor (1) {ENTRY}<1>:d {ENTRY}<0;1,0>:d {entry}:d {{NoMask}}"));
            self.line(&format!("jmpi (1) {ENTRY}<0;1,0>:d {{NoMask}}"));
        }
        for statement in 0..length {
            if between == Some(statement) {
                self.between();
            } else if self.sends && self.choices.sometimes(80) {
                match self.choices.sometimes(112) {
                    true => self.extended_math(),
                    false => self.octwords(),
                }
            } else {
                self.statement();
            }
        }
        self.line(&format!("add (1) {COUNTER}<1>:d {COUNTER}<0;1,0>:d -1:d {{NoMask}}"));
        self.line(&format!("cmp.nz.f0.0 (1) null<1>:d {COUNTER}<0;1,0>:d 0:d {{NoMask}}"));
        self.line(&format!("(f0.0) jmpi (1) TOP{number} {{NoMask}}"));
    }

    /// A block of octwords read or written, and sometimes another place for the next.
    fn octwords(&mut self) {
        let registers = *self.choices.pick(&[1, 2, 4]);
        let size = 2 + registers / 2;
        let predicate = if self.choices.sometimes(32) { "(f0.0) " } else { "" };
        let options = if self.choices.sometimes(128) { " {NoMask}" } else { "" };
        let message = self.choices.pick(&["m1", "m3"]);
        let (to, descriptor) = match self.choices.sometimes(128) {
            true => {
                let reply = FIRST + self.choices.below(REGISTERS - 3);
                (format!("r{reply}<1>"), format!("0x041{registers}0{size}00"))
            }
            false => ("null<1>".to_owned(), format!("0x05{}00{size}00", registers + 1)),
        };
        self.line(&format!(
            "{predicate}send (16) {to}:uw {message} {HEADER}<16;16,1>:uw {descriptor}{options}"
        ));
        if self.choices.sometimes(128) {
            let further = *self.choices.pick(&[16, 24, 128, 640]);
            self.line(&format!(
                "add (1) {HEADER}.2<1>:ud {HEADER}.2<0;1,0>:ud 0x{further:x}:ud {{NoMask}}"
            ));
        }
    }

    /// An inverse or a root.
    fn extended_math(&mut self) {
        let is_compressed = self.choices.sometimes(128);
        let (size, options) = match (is_compressed, self.choices.sometimes(96)) {
            (true, true) => (16, " {Compr, NoMask}"),
            (true, false) => (16, " {Compr}"),
            (false, true) => (8, " {NoMask}"),
            (false, false) => (8, ""),
        };
        let [to, from] = [0; 2].map(|_| {
            let number = FIRST + self.choices.below(REGISTERS - 1);
            if is_compressed { number & !1 } else { number }
        });
        let predicate = *self.choices.pick(&["", "", "(f0.0) ", "(-f0.1) "]);
        let saturate = if self.choices.sometimes(48) { 1 << 6 } else { 0 };
        let descriptor = 0x0111_0000 | saturate | self.choices.pick(&[1, 4]);
        self.line(&format!(
            "{predicate}send ({size}) r{to}<1>:f m5 r{from}<8;8,1>:f 0x{descriptor:08x}{options}"
        ));
    }

    /// What ends a block: a mode changed.
    fn between(&mut self) {
        let bit = *self.choices.pick(&[1, 2, 2]);
        self.line(&format!(
            "xor (1) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x{bit:08x}:ud {{NoMask, Switch}}"
        ));
    }

    /// A data instruction.
    fn statement(&mut self) {
        if self.choices.sometimes(64) {
            return self.mixed();
        }
        let kind = *self.choices.pick(&["f", "f", "f", "d", "d", "ud", "w", "uw"]);
        let words = matches!(kind, "w" | "uw");
        if words && self.choices.sometimes(40) {
            return self.transform(kind);
        }
        if words && self.choices.sometimes(32) {
            return self.flags_as_words();
        }
        let operations: &[&str] = match kind {
            "f" => &["add", "mul", "add", "mul", "mac", "mov", "sel", "rndd", "frc", "cmp", "cmpn"],
            _ => &[
                "add", "add", "mul", "and", "or", "xor", "not", "shl", "shr", "asr", "avg", "mov",
                "sel", "cmp", "cmpn",
            ],
        };
        let operation = *self.choices.pick(operations);
        let kind = match (operation, kind) {
            ("shr", "w") => "uw",
            ("shr", _) if kind != "uw" => "ud",
            _ => kind,
        };
        let size = *self.choices.pick(&[8, 8, 8, 16, 16, 4, 1]);
        let (compares, selects) = (operation.starts_with("cmp"), operation == "sel");
        let flag = self.choices.below(2);
        let predicate = if selects || self.choices.sometimes(48) {
            let sign = if self.choices.sometimes(96) { "-" } else { "" };
            format!("({sign}f0.{flag}) ")
        } else {
            String::new()
        };
        let condition = match compares {
            true => {
                let condition = self.choices.pick(&["z", "nz", "g", "ge", "l", "le"]);
                format!(".{condition}.f0.{flag}")
            }
            false => String::new(),
        };
        let saturates = kind == "f" && !compares && self.choices.sometimes(32);
        let saturate = if saturates { ".sat" } else { "" };
        let to = match compares {
            true => format!("null<1>:{kind}"),
            false => self.destination(size, kind),
        };
        let one = matches!(operation, "mov" | "not" | "rndd" | "frc");
        let logic = matches!(operation, "and" | "or" | "xor" | "not" | "shl" | "shr" | "asr");
        let first = self.source(size, kind, !logic);
        let second = match one {
            true => String::new(),
            false if self.choices.sometimes(64) => format!(" {}", self.immediate(kind)),
            false => format!(" {}", self.source(size, kind, !logic)),
        };
        let compressed = size == 16 && !matches!(kind, "w" | "uw");
        let mut options = Vec::new();
        if compressed {
            options.push("Compr");
        } else if size == 8 && self.choices.sometimes(48) {
            options.push("SecHalf");
        }
        let text =
            format!("{predicate}{operation}{saturate}{condition} ({size}) {to} {first}{second}");
        self.instruction(&text, options);
    }

    /// An instruction with options, now and then of all channels.
    fn instruction(&mut self, text: &str, mut options: Vec<&str>) {
        if self.choices.sometimes(64) {
            options.push("NoMask");
        }
        match options[..] {
            [] => self.line(text),
            _ => self.line(&format!("{text} {{{}}}", options.join(", "))),
        }
    }

    /// Products of words summed up, and what their accumulator holds.
    fn transform(&mut self, kind: &str) {
        for term in 0..1 + self.choices.below(6) {
            let operation = if term == 0 && !self.choices.sometimes(64) { "mul" } else { "mac" };
            let to = match self.choices.sometimes(64) {
                true => self.destination(16, kind),
                false => format!("null<1>:{kind}"),
            };
            let first = self.source(16, kind, false);
            let second = match self.choices.sometimes(128) {
                true => self.immediate(kind),
                false => self.source(16, kind, false),
            };
            self.line(&format!("{operation} (16) {to} {first} {second}"));
        }
        let to = self.destination(16, kind);
        let accumulator = format!("acc0<16;16,1>:{kind}");
        let shift = if kind == "w" { "asr" } else { *self.choices.pick(&["asr", "shr"]) };
        match self.choices.below(4) {
            0 => self.line(&format!("mov (16) {to} {accumulator}")),
            _ => {
                let count = self.choices.below(32);
                self.line(&format!("{shift} (16) {to} {accumulator} {count}:{kind}"));
            }
        }
    }

    /// A comparison whose flags are then looked at as a word.
    fn flags_as_words(&mut self) {
        let flag = self.choices.below(2);
        let kind = *self.choices.pick(&["d", "ud", "w", "uw"]);
        let size = *self.choices.pick(&[8, 16, 4, 1]);
        let condition = *self.choices.pick(&["z", "nz", "g", "ge", "l", "le"]);
        let [first, second] = [0, 1].map(|_| self.source(size, kind, false));
        let compressed = size == 16 && matches!(kind, "d" | "ud");
        let options = if compressed { " {Compr}" } else { "" };
        self.line(&format!(
            "cmp.{condition}.f0.{flag} ({size}) null<1>:{kind} {first} {second}{options}"
        ));
        // A flag register, both of them, or a half of one.
        let (kind, number) = match self.choices.below(4) {
            0 => ("ud", 0),
            1 => ("ub", self.choices.below(4)),
            _ => ("uw", flag),
        };
        let to = self.destination(1, if kind == "ud" { "ud" } else { "uw" });
        self.line(&format!("mov (1) {to} f0.{number}<0;1,0>:{kind}"));
    }

    /// Now and then one that its element has no number for: greater than the greatest, or below 0.
    fn immediate(&mut self, kind: &str) -> String {
        let bits = self.random.next() as u32;
        let kind = match (kind, self.choices.sometimes(24)) {
            ("d", true) => "ud",
            ("ud", true) => "d",
            ("w", true) => "uw",
            ("uw", true) => "w",
            (kind, _) => kind,
        };
        match kind {
            "f" => {
                let value = self.choices.pick(&["1.0", "0.5", "-0.75", "3.0", "0.0"]);
                format!("{value}:f")
            }
            "d" => format!("{}:d", (bits >> (bits & 31)).cast_signed()),
            "w" => format!("{}:w", (bits as u16 >> (bits >> 16 & 15)).cast_signed()),
            "uw" => format!("0x{:04x}:uw", bits as u16 >> (bits >> 16 & 15)),
            _ => format!("0x{:08x}:ud", bits >> (bits & 31)),
        }
    }

    fn register(&mut self, size: usize) -> usize {
        let number = FIRST + self.choices.below(REGISTERS);
        if size == 16 { number & !1 } else { number }
    }

    fn destination(&mut self, size: usize, kind: &str) -> String {
        let elements = if matches!(kind, "w" | "uw") { 16 } else { 8 };
        let element = if size == 1 { self.choices.below(elements) } else { 0 };
        if self.choices.sometimes(24) {
            return format!("m{}.{element}<1>:{kind}", 2 * self.choices.below(6));
        }
        format!("r{}.{element}<1>:{kind}", self.register(size))
    }

    /// Packed, or one element for all channels; now and then not where a register begins.
    fn source(&mut self, size: usize, kind: &str, modified: bool) -> String {
        let negate = if modified && self.choices.sometimes(48) { "-" } else { "" };
        let absolute = modified && matches!(kind, "f" | "d" | "w") && self.choices.sometimes(24);
        let number = self.register(size);
        let elements = if matches!(kind, "w" | "uw") { 16 } else { 8 };
        let register = if size == 1 || self.choices.sometimes(64) {
            format!("r{number}.{}<0;1,0>:{kind}", self.choices.below(elements))
        } else {
            let within = size < elements && self.choices.sometimes(96);
            // Rows of two may lie on both sides of where a register ends.
            let rows = within && self.choices.sometimes(128);
            let element = match (within, rows) {
                (false, _) => 0,
                (true, false) => self.choices.below(elements - size + 1),
                (true, true) => 2 * self.choices.below(elements / 2),
            };
            let width = if rows { 2 } else { size.min(elements) };
            format!("r{number}.{element}<{width};{width},1>:{kind}")
        };
        if absolute { format!("{negate}(abs){register}") } else { format!("{negate}{register}") }
    }
}
