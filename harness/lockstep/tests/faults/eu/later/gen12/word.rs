//! Decoders that look for a field elsewhere than it is (table eu-inst-fields, column gen12), and that
//! refuse codes of the software scoreboard.

use parallax_isa::{
    Device,
    eu::{
        Case, Opcode, Program,
        scoreboard::{Scoreboard, Token},
    },
};

use super::{Eu, Fault, full};

/// Every fault of this kind.
pub(super) const FAULTS: &[Fault<Eu>] = &[
    full("is-immediate bit of the only source ignored", |word| {
        (is(word, &[Opcode::Mov, Opcode::Not]) && bit(word, 46)).then_some(word & !(1 << 46))
    }),
    full("is-immediate bit of the second source ignored", |word| {
        let known = is(word, &[Opcode::Add, Opcode::And, Opcode::Or, Opcode::Xor, Opcode::Mul]);
        (known && bit(word, 47)).then_some(word & !(1 << 47))
    }),
    full("is-immediate bit of the first of three sources ignored", |word| {
        (is(word, TERNARY) && bit(word, 46)).then_some(word & !(1 << 46))
    }),
    full("is-immediate bit of the third of three sources ignored", |word| {
        (is(word, TERNARY) && bit(word, 47)).then_some(word & !(1 << 47))
    }),
    full("is-immediate bits taken for each other", |word| {
        is(word, TERNARY).then(|| exchanged(word, 46, 47))
    }),
    full("immediate of the first of three sources where the third has its own", |word| {
        (is(word, TERNARY) && bit(word, 46) && !bit(word, 47))
            .then(|| put(word, 64, 16, get(word, 112, 16)))
    }),
    full("nibble of the channel offset taken for its highest bit", |word| {
        is(word, DATA).then(|| exchanged(word, 19, 21))
    }),
    full("flag register and half taken for each other", |word| {
        is(word, DATA).then(|| exchanged(word, 22, 23))
    }),
    full("predicate control of three bits", |word| {
        (is(word, DATA) && bit(word, 27)).then_some(word & !(1 << 27))
    }),
    full("absolute value and negation of the first source exchanged", |word| {
        is(word, DATA).then(|| exchanged(word, 44, 45))
    }),
    full("absolute value and negation of the second source exchanged", |word| {
        (is(word, &[Opcode::Add]) && !bit(word, 47)).then(|| exchanged(word, 120, 121))
    }),
    full("modifiers of the third of three sources where the second has its own", |word| {
        is(word, TERNARY).then(|| exchanged(exchanged(word, 84, 86), 85, 87))
    }),
    full("condition taken from the bits of Gen9", |word| {
        is(word, DATA).then(|| put(word, 92, 4, get(word, 24, 4)))
    }),
    full("saturation not seen", |word| {
        (is(word, DATA) && bit(word, 34)).then_some(word & !(1 << 34))
    }),
    full("AccWrEn not seen", |word| (is(word, DATA) && bit(word, 33)).then_some(word & !(1 << 33))),
    full("ExecDataType of three sources not seen", |word| {
        is(word, TERNARY).then_some(word ^ 1 << 39)
    }),
    full("lower bit of the vertical stride of the first of three sources lost", |word| {
        (is(word, TERNARY) && bit(word, 35) && !bit(word, 46)).then_some(word & !(1 << 35))
    }),
    full("upper bit of the vertical stride of the first of three sources lost", |word| {
        (is(word, TERNARY) && bit(word, 43) && !bit(word, 46)).then_some(word & !(1 << 43))
    }),
    full("lower bit of the vertical stride of the second of three sources lost", |word| {
        (is(word, TERNARY) && bit(word, 83)).then_some(word & !(1 << 83))
    }),
    full("upper bit of the vertical stride of the second of three sources lost", |word| {
        (is(word, TERNARY) && bit(word, 91)).then_some(word & !(1 << 91))
    }),
    full("destination offset of three sources in units of 16 bytes", |word| {
        is(word, TERNARY).then(|| put(word, 54, 2, get(word, 54, 1) << 1))
    }),
    full("destination stride of three sources not seen", |word| {
        (is(word, TERNARY) && bit(word, 48)).then_some(word & !(1 << 48))
    }),
    full("second and third source exchanged", |word| {
        (is(word, TERNARY) && !bit(word, 47)).then(|| {
            let [second, third] = [104, 120].map(|low| get(word, low, 8));
            put(put(word, 104, 8, third), 120, 8, second)
        })
    }),
    full("payload and reply lengths of a descriptor exchanged", |word| {
        message(word).then(|| {
            let [payload, reply] = [67, 51].map(|low| get(word, low, 5));
            put(put(word, 67, 5, reply), 51, 5, payload)
        })
    }),
    full("bits 19 to 11 of a descriptor one place lower", |word| {
        message(word).then(|| put(word, 113, 9, get(word, 113, 9) >> 1))
    }),
    full("bits 10 to 0 of a descriptor one place lower", |word| {
        message(word).then(|| put(word, 81, 11, get(word, 81, 11) >> 1))
    }),
    full("lengths of the second payload one place lower", |word| {
        let is_constant = message(word) && !bit(word, 49);
        is_constant.then(|| put(word, 99, 5, get(word, 99, 5) >> 1))
    }),
    full("descriptor in a register taken for a constant", |word| {
        (is(word, &[Opcode::Send]) && bit(word, 48)).then_some(word & !(1 << 48))
    }),
    full("extended descriptor in a register taken for a constant", |word| {
        (is(word, &[Opcode::Send]) && bit(word, 49)).then_some(word & !(1 << 49))
    }),
    full("extended descriptor from another subregister", |word| {
        (is(word, &[Opcode::Send]) && bit(word, 49)).then_some(word ^ 1 << 40)
    }),
    full("shared function of three bits", |word| {
        (message(word) && bit(word, 95)).then_some(word & !(1 << 95))
    }),
];

/// Codes of the software scoreboard that are taken for reserved ones.
pub(super) const REFUSALS: &[Fault<Eu>] = &[
    Fault::refuse("distances refused", |case| waits(case, |board| board.token.is_none())),
    Fault::refuse("waits for a token's destination refused", |case| {
        waits(case, |board| matches!(board.token, Some(Token::Destination(_))))
    }),
    Fault::refuse("waits for a token's sources refused", |case| {
        waits(case, |board| matches!(board.token, Some(Token::Source(_))))
    }),
    Fault::refuse("tokens set refused", |case| {
        waits(case, |board| matches!(board.token, Some(Token::Set(_))) && board.distance == 0)
    }),
    Fault::refuse("distances beside tokens refused", |case| {
        waits(case, |board| board.token.is_some() && board.distance > 0)
    }),
];

const TERNARY: &[Opcode] = &[Opcode::Mad, Opcode::Csel];
const DATA: &[Opcode] =
    &[Opcode::Mov, Opcode::Add, Opcode::Mul, Opcode::And, Opcode::Or, Opcode::Shl];

fn is(word: u128, opcodes: &[Opcode]) -> bool {
    let code = (word & 0x7F) as u8;
    opcodes.iter().any(|opcode| opcode.code(Device::Dg1) == Some(code))
}

/// A message with its descriptor in it.
fn message(word: u128) -> bool {
    is(word, &[Opcode::Send, Opcode::Sendc]) && !bit(word, 48)
}

fn bit(word: u128, number: u32) -> bool {
    word >> number & 1 == 1
}

fn get(word: u128, low: u32, width: u32) -> u128 {
    word >> low & ((1 << width) - 1)
}

fn put(word: u128, low: u32, width: u32, value: u128) -> u128 {
    word & !(((1 << width) - 1) << low) | value << low
}

fn exchanged(word: u128, first: u32, second: u32) -> u128 {
    put(put(word, first, 1, get(word, second, 1)), second, 1, get(word, first, 1))
}

/// Whether an instruction of a program waits in some way.
fn waits(case: &Case, in_this_way: fn(&Scoreboard) -> bool) -> bool {
    Program::decode(case.device, &case.program).is_ok_and(|program| {
        let boards = program.instructions().iter().map(|placed| placed.instruction.scoreboard);
        boards.filter(|board| *board != Scoreboard::default()).any(|board| in_this_way(&board))
    })
}
