//! The words of the assembly language: conditional modifiers, predicate controls, options and
//! register names, as tables that printer and parser share.

use super::{
    generation::Generation,
    instruction::{ConditionalModifier, PredicateControl},
    register::ArfKind,
};

/// Conditional modifiers: the word printed first, then its synonyms.
pub(super) const CONDITIONS: [(&str, ConditionalModifier); 11] = [
    ("z", ConditionalModifier::Equal),
    ("e", ConditionalModifier::Equal),
    ("nz", ConditionalModifier::NotEqual),
    ("ne", ConditionalModifier::NotEqual),
    ("g", ConditionalModifier::Greater),
    ("ge", ConditionalModifier::GreaterEqual),
    ("l", ConditionalModifier::Less),
    ("le", ConditionalModifier::LessEqual),
    ("r", ConditionalModifier::RoundIncrement),
    ("o", ConditionalModifier::Overflow),
    ("u", ConditionalModifier::Unordered),
];

/// Conditional modifiers in the notation of the talk, in brackets: the word printed first, then its
/// synonyms.
pub(super) const TALK_CONDITIONS: [(&str, ConditionalModifier); 13] = [
    ("e", ConditionalModifier::Equal),
    ("eq", ConditionalModifier::Equal),
    ("z", ConditionalModifier::Equal),
    ("ne", ConditionalModifier::NotEqual),
    ("nz", ConditionalModifier::NotEqual),
    ("gt", ConditionalModifier::Greater),
    ("g", ConditionalModifier::Greater),
    ("ge", ConditionalModifier::GreaterEqual),
    ("lt", ConditionalModifier::Less),
    ("l", ConditionalModifier::Less),
    ("le", ConditionalModifier::LessEqual),
    ("o", ConditionalModifier::Overflow),
    ("u", ConditionalModifier::Unordered),
];

/// Shared functions behind the mnemonic of a message, as disassemblers of Gen12 name them, by code.
pub(super) const SHARED_FUNCTIONS: [(&str, u8); 13] = [
    ("null", 0),
    ("smpl", 2),
    ("gtwy", 3),
    ("dc2", 4),
    ("rc", 5),
    ("urb", 6),
    ("ts", 7),
    ("vme", 8),
    ("dcro", 9),
    ("dc0", 10),
    ("pixi", 11),
    ("dc1", 12),
    ("cre", 13),
];

/// Whether the mnemonic of a message may name the shared function.
pub(super) fn has_named_functions(generation: Generation) -> bool {
    generation >= Generation::Gen12
}

/// Predicate controls that have a word. Which ones an access mode has depends on the
/// generation.
pub(super) const PREDICATES: [(&str, PredicateControl); 16] = [
    ("x", PredicateControl::ReplicateX),
    ("y", PredicateControl::ReplicateY),
    ("z", PredicateControl::ReplicateZ),
    ("w", PredicateControl::ReplicateW),
    ("any2h", PredicateControl::Any2H),
    ("all2h", PredicateControl::All2H),
    ("any4h", PredicateControl::Any4H),
    ("all4h", PredicateControl::All4H),
    ("any8h", PredicateControl::Any8H),
    ("all8h", PredicateControl::All8H),
    ("any16h", PredicateControl::Any16H),
    ("all16h", PredicateControl::All16H),
    ("any32h", PredicateControl::Any32H),
    ("all32h", PredicateControl::All32H),
    ("anyv", PredicateControl::AnyV),
    ("allv", PredicateControl::AllV),
];

/// An option in braces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    Align1,
    Align16,
    SecHalf,
    Compressed,
    Compressed4,
    Switch,
    NoDdCheck,
    NoDdClear,
    NoMask,
    Breakpoint,
    EndOfThread,
    /// The 64-bit form (an extension of the manual's grammar).
    Compact,
    /// The MaskCtrlEx bit (an extension).
    MaskControlEx,
    /// The flag subregister field where neither predicate nor condition shows it (an extension).
    Flag1,
    /// In the grammar, but without a code on Gen4 and Gen4.5.
    Atomic,
    NoCMask,
    /// AccWrCtrl (Gen7 and later).
    AccumulatorWrite,
    /// BranchCtrl (Gen8 and later; an extension).
    BranchControl,
    /// FusionCtrl of a message (Gen12; an extension).
    FusionControl,
}

/// Options as they are written; case does not matter when read.
pub(super) const OPTIONS: [(&str, Choice); 19] = [
    ("Align1", Choice::Align1),
    ("Align16", Choice::Align16),
    ("SecHalf", Choice::SecHalf),
    ("Compr", Choice::Compressed),
    ("Compr4", Choice::Compressed4),
    ("Switch", Choice::Switch),
    ("NoDDChk", Choice::NoDdCheck),
    ("NoDDClr", Choice::NoDdClear),
    ("NoMask", Choice::NoMask),
    ("Breakpoint", Choice::Breakpoint),
    ("EOT", Choice::EndOfThread),
    ("Compact", Choice::Compact),
    ("MaskCtrlEx", Choice::MaskControlEx),
    ("Flag1", Choice::Flag1),
    ("Atomic", Choice::Atomic),
    ("NoCMask", Choice::NoCMask),
    ("AccWrEn", Choice::AccumulatorWrite),
    ("BranchCtrl", Choice::BranchControl),
    ("FusionCtrl", Choice::FusionControl),
];

/// How the subregister of an architecture register is written and what it is when left out.
pub(super) struct ArfName {
    pub(super) word: &'static str,
    pub(super) kind: ArfKind,
    /// Low four bits of the register number.
    pub(super) number: u8,
    /// Byte offset that the bare word stands for; `None`: a subregister may follow.
    pub(super) alias: Option<u8>,
}

const fn plain(word: &'static str, kind: ArfKind, number: u8) -> ArfName {
    ArfName { word, kind, number, alias: None }
}

const fn alias(word: &'static str, kind: ArfKind, byte: u8) -> ArfName {
    ArfName { word, kind, number: 0, alias: Some(byte) }
}

impl ArfName {
    /// Whether a generation has such a register.
    pub(super) fn exists(&self, generation: Generation) -> bool {
        let is_second_flag = self.kind == ArfKind::Flag && self.number == 1;
        let is_further_accumulator = self.kind == ArfKind::Accumulator && self.number > 1;
        ArfKind::on(generation, self.kind.code() << 4) == Some(self.kind)
            && (!is_second_flag || generation > Generation::Gen45)
            && (!is_further_accumulator || generation >= Generation::Gen12)
    }
}

/// The architecture register of a number in a generation.
pub(super) fn architecture_register(
    generation: Generation,
    number: u8,
) -> Option<&'static ArfName> {
    let kind = ArfKind::on(generation, number)?;
    let mut rows = ARF_NAMES.iter().filter(|row| row.alias.is_none() && row.exists(generation));
    rows.find(|row| row.kind == kind && row.number == number & 0xF)
}

/// Architecture registers, lower case.
pub(super) static ARF_NAMES: [ArfName; 35] = [
    plain("null", ArfKind::Null, 0),
    plain("a0", ArfKind::Address, 0),
    plain("acc0", ArfKind::Accumulator, 0),
    plain("acc1", ArfKind::Accumulator, 1),
    plain("acc2", ArfKind::Accumulator, 2),
    plain("acc3", ArfKind::Accumulator, 3),
    plain("acc4", ArfKind::Accumulator, 4),
    plain("acc5", ArfKind::Accumulator, 5),
    plain("acc6", ArfKind::Accumulator, 6),
    plain("acc7", ArfKind::Accumulator, 7),
    plain("f0", ArfKind::Flag, 0),
    plain("mask0", ArfKind::Mask, 0),
    alias("amask", ArfKind::Mask, 0),
    alias("imask", ArfKind::Mask, 2),
    alias("lmask", ArfKind::Mask, 4),
    alias("cmask", ArfKind::Mask, 6),
    plain("ms0", ArfKind::MaskStack, 0),
    alias("ims", ArfKind::MaskStack, 0),
    alias("lms", ArfKind::MaskStack, 16),
    plain("msd0", ArfKind::MaskStackDepth, 0),
    alias("imsd", ArfKind::MaskStackDepth, 0),
    alias("lmsd", ArfKind::MaskStackDepth, 2),
    plain("sr0", ArfKind::State, 0),
    plain("cr0", ArfKind::Control, 0),
    plain("n0", ArfKind::Notification, 0),
    plain("n1", ArfKind::Notification, 1),
    plain("ip", ArfKind::InstructionPointer, 0),
    plain("f1", ArfKind::Flag, 1),
    plain("ce0", ArfKind::ChannelEnable, 0),
    plain("msg0", ArfKind::MessageControl, 0),
    plain("sp", ArfKind::StackPointer, 0),
    plain("tdr0", ArfKind::ThreadDependency, 0),
    plain("tm0", ArfKind::Timestamp, 0),
    plain("fc0", ArfKind::FlowControl, 0),
    plain("dbg0", ArfKind::Debug, 0),
];

/// Bytes that one step of a subregister number means, for the kinds where the element type does
/// not decide it (section 11.4: elsewhere it counts elements of the operand).
pub(super) const fn subregister_unit(kind: ArfKind) -> Option<u8> {
    match kind {
        ArfKind::Flag | ArfKind::Mask | ArfKind::MaskStackDepth => Some(2),
        ArfKind::MaskStack => Some(1),
        ArfKind::State | ArfKind::Control | ArfKind::Notification => Some(4),
        ArfKind::ChannelEnable
        | ArfKind::Timestamp
        | ArfKind::StackPointer
        | ArfKind::MessageControl
        | ArfKind::FlowControl
        | ArfKind::Debug => Some(4),
        ArfKind::ThreadDependency => Some(2),
        ArfKind::Null | ArfKind::Address | ArfKind::Accumulator | ArfKind::InstructionPointer => {
            None
        }
    }
}
