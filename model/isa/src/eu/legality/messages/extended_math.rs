//! Messages to Extended Math, where the descriptor is an immediate (chapter 6 of volume 4).

use std::ops::Range;

use super::{
    super::{
        prelude::*,
        program::{Findings, is_branch, require},
    },
    Described, described,
};

const EXTENDED_MATH: u32 = 1;

checks! {
    Instruction UpToGen45 [
        "g45.extmath.general.no-eot", "g45.inst.send.eot-target", "g45.msg.eot.targets-no",
        "g45.msg.eot.targets-yes", "g45.msg.eot.conflict", "g45.debug.math.eot",
    ]
        holds |f| message(f).is_none_or(|message| !message.is_last),
        "a thread cannot end with a message to Extended Math";
    Instruction UpToGen45 ["g45.extmath.general.reserved-func"]
        about |f| answered(f).is_some(),
        holds |f| function(f).is_some(),
        "the function code, bits 3:0 of the descriptor, is reserved";
    Instruction UpToGen45 ["g45.extmath.desc.bits15-9"]
        holds |f| answered(f).is_none_or(|message| message.field(9, 7) == 0),
        "bits 15:9 of the descriptor of an Extended Math message must be zero";
    Instruction UpToGen45 ["g45.extmath.desc.saturate-int"]
        holds |f| answered(f).is_none_or(|message| {
            !(0xB..=0xD).contains(&message.field(0, 4)) || !message.bit(6)
        }),
        "a division of integers cannot saturate; clear bit 6 of the descriptor";
    Instruction UpToGen45 ["g45.extmath.payload.16ch-no-two-op"]
        holds |f| function(f).is_none_or(|(message, operands, _)| operands != 2 || message.length() <= 2),
        "a function of two operands has no message of 16 channels; use two messages of two \
         registers";
    Instruction Gen4 ["g45.extmath.payload.16ch-bwcl"]
        holds |f| function(f).is_none_or(|(message, operands, _)| operands != 1 || message.length() != 2),
        "the device has no Extended Math messages of 16 channels; use two messages of one register";
    Instruction UpToGen45 ["g45.extmath.payload.lengths"]
        holds |f| function(f).is_none_or(|(message, operands, _)| {
            let has_another_rule = message.length() == 0 || operands == 2 && message.length() > 2;
            (operands..=2).contains(&message.length()) || has_another_rule
        }),
        "an Extended Math message has as many registers as the function has operands, or two for \
         16 channels";
    Instruction UpToGen45 ["g45.extmath.wb.lengths"]
        holds |f| function(f).is_none_or(|(message, operands, results)| {
            message.length() != operands || message.reply() == 0 || message.reply() == results
        }),
        "the reply of Extended Math has as many registers as the function has results";
}

fn message(f: &Facts) -> Option<Described> {
    Described::to(f, EXTENDED_MATH)
}

/// One that is not the last of its thread.
fn answered(f: &Facts) -> Option<Described> {
    message(f).filter(|message| !message.is_last)
}

/// One with a function that there is, and how many registers its operands and its results have of 8 channels.
fn function(f: &Facts) -> Option<(Described, u32, u32)> {
    let message = answered(f)?;
    let (operands, results) = match message.field(0, 4) {
        0x1..=0x7 => (1, 1),
        0x8 => (1, 2),
        0xB => (2, 2),
        0xA | 0xC | 0xD => (2, 1),
        _ => return None,
    };
    Some((message, operands, results))
}

/// Whether a compressed send can be run as two messages: of one register each, with replies to two
/// registers (D-eu-extended-math).
pub(in super::super) fn has_two_halves(f: &Facts) -> bool {
    // Decision D-eu-send-compressed.
    f.instruction.message.is_some_and(|message| message.current_destination < 15)
        && message(f).is_some_and(|message| message.length() == 1 && message.reply() == 1)
}

/// Replies may come in any order: a message that does not wait for the register of its reply must not
/// follow another one with a reply to that register, unless something between them waits for that.
pub(in super::super) fn order_of_replies(findings: &mut Findings, facts: &[Facts]) {
    let overlap = |a: &Range<usize>, b: &Range<usize>| a.start < b.end && b.start < a.end;
    let registers = |register: Register, count: u32| match register {
        Register::Direct { file: RegisterFile::Grf, number, .. } => {
            Some(usize::from(number)..usize::from(number) + count as usize)
        }
        _ => None,
    };
    let mut outstanding: Vec<Range<usize>> = Vec::new();
    for (index, f) in facts.iter().enumerate() {
        let Instruction { destination, no_dd_check, .. } = *f.instruction;
        let message = described(f).filter(|message| message.target() == EXTENDED_MATH);
        let reply = message.and_then(|message| registers(destination.register, message.reply()));
        let is_early = reply.as_ref().is_some_and(|reply| {
            no_dd_check && outstanding.iter().any(|other| overlap(other, reply))
        });
        require!(findings, index => !is_early => "g45.extmath.general.nodd-hazard",
            "an earlier reply of Extended Math to this register may come later; leave out NoDDChk");
        let sources = f.instruction.sources.iter().filter_map(|source| match source {
            Source::Register { register, .. } => registers(*register, 2),
            Source::Immediate { .. } => None,
        });
        let written = registers(destination.register, 2).filter(|_| !no_dd_check);
        for waited in sources.chain(written) {
            outstanding.retain(|reply| reply.end <= waited.start || waited.end <= reply.start);
        }
        if is_branch(f.opcode) {
            outstanding.clear();
        }
        outstanding.extend(reply.map(|reply| reply.start..reply.end + usize::from(f.compressed)));
    }
}
