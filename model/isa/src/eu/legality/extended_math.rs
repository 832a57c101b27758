//! Messages to Extended Math, where the descriptor is an immediate (chapter 6 of volume 4).

use parallax_spec::{RuleId, rule_id};

use super::{
    super::{
        generation::Generation,
        instruction::{Compression, Descriptor, Instruction},
        opcode::Opcode,
        operand::{Register, Source},
        register::RegisterFile,
    },
    Check, Facts, checks,
    findings::{Findings, changes_masks},
};

checks! {
    Instruction [
        "g45.extmath.general.no-eot",
        "g45.inst.send.eot-target",
        "g45.msg.eot.targets-no",
        "g45.msg.eot.targets-yes",
        "g45.msg.eot.conflict",
        "g45.debug.math.eot",
    ]
        about |f| of(f).is_some() && f.instruction.message.is_some_and(|m| m.end_of_thread),
        holds |_| false,
        "a thread cannot end with a message to Extended Math";
    Instruction ["g45.extmath.general.reserved-func"]
        about |f| answered(f).is_some(),
        holds |f| answered(f).is_some_and(|message| message.function().is_some()),
        "the function code, bits 3:0 of the descriptor, is reserved";
    Instruction ["g45.extmath.desc.bits15-9"]
        about |f| answered(f).is_some(),
        holds |f| answered(f).is_some_and(|message| message.bits(9, 7) == 0),
        "bits 15:9 of the descriptor of an Extended Math message must be zero";
    Instruction ["g45.extmath.desc.saturate-int"]
        about |f| answered(f).is_some_and(ExtendedMath::is_division),
        holds |f| answered(f).is_some_and(|message| message.bits(6, 1) == 0),
        "a division of integers cannot saturate; clear bit 6 of the descriptor";
    Instruction ["g45.extmath.payload.16ch-no-two-op"]
        about |f| function(f).is_some_and(|(_, function)| function.operands == 2),
        holds |f| answered(f).is_some_and(|message| message.length() <= 2),
        "a function of two operands has no message of 16 channels; use two messages of two \
         registers";
    Instruction ["g45.extmath.payload.16ch-bwcl"]
        about |f| {
            f.generation == Generation::Gen4
                && function(f).is_some_and(|(_, function)| function.operands == 1)
        },
        holds |f| answered(f).is_some_and(|message| message.length() != 2),
        "the device has no Extended Math messages of 16 channels; use two messages of one register";
    Instruction ["g45.extmath.payload.lengths"]
        about |f| function(f).is_some_and(|(message, _)| message.length() > 0),
        holds |f| function(f).is_some_and(|(message, function)| {
            let is_too_long_by_itself = function.operands == 2 && message.length() > 2;
            (function.operands..=2).contains(&message.length()) || is_too_long_by_itself
        }),
        "an Extended Math message has as many registers as the function has operands, or two for \
         16 channels";
    Instruction ["g45.extmath.wb.lengths"]
        about |f| {
            function(f).is_some_and(|(message, function)| {
                message.bits(16, 4) > 0 && message.length() == function.operands
            })
        },
        holds |f| function(f).is_some_and(|(message, function)| {
            message.bits(16, 4) as usize == function.results
        }),
        "the reply of Extended Math has as many registers as the function has results";
}

/// A message to Extended Math, by its descriptor.
#[derive(Debug, Clone, Copy)]
struct ExtendedMath(u32);

/// How many operands and results a function has.
struct Function {
    operands: usize,
    results: usize,
}

impl ExtendedMath {
    fn new(instruction: &Instruction) -> Option<Self> {
        match instruction.message?.descriptor {
            Descriptor::Immediate(bits) if bits >> 24 & 0xF == 1 => Some(Self(bits)),
            _ => None,
        }
    }

    fn bits(self, low: u32, width: u32) -> u32 {
        self.0 >> low & ((1 << width) - 1)
    }

    /// Registers of the message.
    fn length(self) -> usize {
        self.bits(20, 4) as usize
    }

    /// The general registers of the reply, from the first of the destination on.
    fn reply(self, destination: Register) -> Option<std::ops::Range<usize>> {
        match destination {
            Register::Direct { file: RegisterFile::Grf, number, .. } => {
                let first = usize::from(number);
                Some(first..first + self.bits(16, 4) as usize)
            }
            _ => None,
        }
    }

    fn is_division(self) -> bool {
        (0xB..=0xD).contains(&self.bits(0, 4))
    }

    fn function(self) -> Option<Function> {
        let (operands, results) = match self.bits(0, 4) {
            0x1..=0x7 => (1, 1),
            0x8 => (1, 2),
            0xB => (2, 2),
            0xA | 0xC | 0xD => (2, 1),
            _ => return None,
        };
        Some(Function { operands, results })
    }
}

/// A message to Extended Math.
fn of(f: &Facts) -> Option<ExtendedMath> {
    ExtendedMath::new(f.instruction).filter(|_| f.opcode == Opcode::Send)
}

/// One that is not the last of its thread.
fn answered(f: &Facts) -> Option<ExtendedMath> {
    of(f).filter(|_| f.instruction.message.is_some_and(|message| !message.end_of_thread))
}

/// One with a function that there is.
fn function(f: &Facts) -> Option<(ExtendedMath, Function)> {
    let message = answered(f)?;
    Some((message, message.function()?))
}

/// Whether a compressed send can be run as two messages: of one register each, with replies to two
/// registers (D-eu-extended-math).
pub(super) fn has_two_halves(f: &Facts) -> bool {
    // Decision D-eu-send-compressed.
    let one = |message: ExtendedMath| message.bits(20, 4) == 1 && message.bits(16, 4) == 1;
    f.instruction.message.is_some_and(|message| message.current_destination < 15)
        && of(f).is_some_and(one)
}

/// The rule that only a program can break.
pub(super) static RULES: &[RuleId] = &[rule_id!("g45.extmath.general.nodd-hazard")];

/// Replies may come in any order: a message that does not wait for the register of its reply must not
/// follow another one with a reply to that register, unless something between them waits for that.
pub(super) fn order_of_replies(findings: &mut Findings) {
    let mut outstanding = Vec::new();
    for (index, instruction) in findings.instructions() {
        let destination = instruction.destination.register;
        let message = ExtendedMath::new(instruction);
        let reply = message.and_then(|message| message.reply(destination));
        if let Some(reply) = reply.clone().filter(|_| instruction.no_dd_check) {
            let overlaps =
                |other: &std::ops::Range<usize>| other.start < reply.end && reply.start < other.end;
            findings.judge(
                index,
                rule_id!("g45.extmath.general.nodd-hazard"),
                !outstanding.iter().any(overlaps),
                "an earlier reply of Extended Math to this register may come later; leave out \
                 NoDDChk",
            );
        }
        let waits = |register: Register| match register {
            Register::Direct { file: RegisterFile::Grf, number, .. } => {
                let number = usize::from(number);
                Some(number..number + 2)
            }
            _ => None,
        };
        let sources = instruction.sources.iter().filter_map(|source| match source {
            Source::Register { register, .. } => waits(*register),
            Source::Immediate { .. } => None,
        });
        let written = waits(destination).filter(|_| !instruction.no_dd_check);
        for waited in sources.chain(written) {
            outstanding.retain(|reply: &std::ops::Range<usize>| {
                reply.end <= waited.start || waited.end <= reply.start
            });
        }
        if changes_masks(instruction.opcode) || instruction.opcode == Opcode::Jmpi {
            outstanding.clear();
        }
        if instruction.compression != Compression::Compressed {
            outstanding.extend(reply);
        } else if let Some(reply) = reply {
            outstanding.push(reply.start..reply.end + 1);
        }
    }
}
