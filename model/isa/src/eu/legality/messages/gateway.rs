//! Messages to the Message Gateway (chapter 7).

use super::{super::prelude::*, Described};

checks! {
    Instruction UpToGen45 ["g45.gateway.desc.reserved"]
        holds |f| message(f).is_none_or(|message| message.field(2, 12) == 0),
        "bits 13:2 of the descriptor of a message to the gateway must be zero";
    Instruction UpToGen45 ["g45.gateway.desc.ackreq-rules"]
        about |f| message(f).is_some_and(|message| message.reply() <= 8),
        holds |f| message(f).is_some_and(|message| message.reply() == message.field(14, 1)),
        "a message to the gateway has a reply of one register if it asks for an acknowledgement, bit 14 \
         of the descriptor, and none if it does not";
}

fn message(f: &Facts) -> Option<Described> {
    Described::to(f, 3)
}
