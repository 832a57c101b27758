//! Changes to control-flow instructions that leave a program's shape alone.

use parallax_isa::r700::{
    Cf, CfOpcode,
    microcode::{CfAluWord, CfWord, ExportSwizzle},
};

use super::super::layout::Item;
use crate::random::SplitMix64;

/// Changes fields of some instructions.
pub(super) fn change(random: &mut SplitMix64, items: &mut [Item]) {
    for item in items {
        let bits = random.next();
        if let Cf::Plain(word) = item.cf
            && item.cf.opcode() == Some(CfOpcode::PopPush)
            && bits >> 32 & 1 == 1
        {
            item.cf = Cf::Plain(word.with(CfWord::CF_INST, CfOpcode::PopPushElse.code()));
        }
        if bits & 3 != 0 {
            continue;
        }
        let opcode = item.cf.opcode();
        match &mut item.cf {
            Cf::Alu(word) => {
                *word = word.with(CfAluWord::WHOLE_QUAD_MODE, (bits >> 2 & 1) as u32);
            }
            Cf::Export(word) => {
                let mode = if bits >> 2 & 1 == 0 {
                    ExportSwizzle::WHOLE_QUAD_MODE
                } else {
                    ExportSwizzle::VALID_PIXEL_MODE
                };
                *word = word.with(mode, 1);
            }
            Cf::Memory(_) => {}
            Cf::Plain(word) => *word = changed(*word, opcode, bits),
        }
    }
}

/// Makes every `POP_PUSH` push a whole entry, for which what it pops may leave no room; whether there is one.
pub(super) fn push_whole_entries(items: &mut [Item]) -> bool {
    let mut any = false;
    for item in items {
        if let (Cf::Plain(word), Some(CfOpcode::PopPush)) = (item.cf, item.cf.opcode()) {
            let word = word.with(CfWord::VALID_PIXEL_MODE, 0).with(CfWord::WHOLE_QUAD_MODE, 1);
            item.cf = Cf::Plain(word);
            any = true;
        }
    }
    any
}

fn changed(word: CfWord, opcode: Option<CfOpcode>, bits: u64) -> CfWord {
    use CfOpcode::{Call, Kill, LoopEnd, Nop, PopPush, PopPushElse, Return, WaitAck};
    let pushes = matches!(opcode, Some(PopPush | PopPushElse));
    match bits >> 4 & 7 {
        // What is pushed is one more then.
        _ if pushes && bits >> 40 & 3 == 0 => {
            word.with(CfWord::POP_COUNT, 0).with(CfWord::VALID_PIXEL_MODE, (bits >> 42 & 1) as u32)
        }
        0..=2 => word.with(CfWord::VALID_PIXEL_MODE, 0).with(CfWord::WHOLE_QUAD_MODE, 1),
        3 | 4 => word.with(CfWord::WHOLE_QUAD_MODE, 0).with(CfWord::VALID_PIXEL_MODE, 1),
        // A loop that never ends, a call too many: conditions where they are harmless.
        5 | 6 if !matches!(opcode, Some(Call | Kill | LoopEnd | Nop | Return | WaitAck)) => word
            .with(CfWord::COND, 1 + (bits >> 8) as u32 % 3)
            .with(CfWord::CF_CONST, (bits >> 16) as u32 & 7),
        _ => word,
    }
}
