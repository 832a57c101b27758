//! Messages to the URB (chapter 8).

use super::{super::prelude::*, Described};

checks! {
    Instruction UpToGen45 ["g45.urb.desc.opcode-reserved"]
        holds |f| message(f).is_none_or(|message| message.field(0, 4) == 0),
        "opcodes 1 to 15 of the URB are reserved";
    Instruction UpToGen45 ["g45.urb.desc.swizzle-reserved"]
        holds |f| message(f).is_none_or(|message| message.field(10, 2) != 3),
        "swizzle 3 of the URB, bits 11:10 of the descriptor, is reserved";
    Instruction UpToGen45 ["g45.urb.desc.offset-transpose"]
        holds |f| transposed(f).is_none_or(|message| !message.bit(4)),
        "transposed data start at an even row: bit 4 of the descriptor must be zero";
    Instruction UpToGen45 ["g45.urb.tr.multiple3"]
        holds |f| transposed(f).is_none_or(|message| message.length() == 0 || message.length() % 3 == 1),
        "transposed data are three registers, or several times three, behind the header";
    Instruction UpToGen45 ["g45.urb.combo.alloc-eot"]
        holds |f| message(f).is_none_or(|message| !message.is_last || !message.bit(13)),
        "the last message of a thread allocates nothing: bit 13 of the descriptor must be zero";
    Instruction UpToGen45 ["g45.msg.error.rlen-check"]
        about |f| message(f).is_some_and(|message| !message.is_last && message.reply() <= 8),
        holds |f| message(f).is_some_and(|message| message.reply() == message.field(13, 1)),
        "the URB replies with one register if it allocates, bit 13 of the descriptor, and not at all if \
         it does not";
}

fn message(f: &Facts) -> Option<Described> {
    Described::to(f, 6)
}

fn transposed(f: &Facts) -> Option<Described> {
    message(f).filter(|message| message.field(10, 2) == 2)
}
