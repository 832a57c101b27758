//! The types of messages that generated programs send to the data cache (table `eu-message-types`).

use Generations::{All, Gen7, Gen9AndLater};

/// A form of message: what its descriptor says beside its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Block,
    Media,
    Bytes,
    Doublewords,
    Untyped,
    Atomic,
    FloatAtomic,
    Fence,
}

/// A message type.
#[derive(Debug, Clone, Copy)]
pub(super) struct Type {
    generations: Generations,
    pub(super) port: u8,
    pub(super) code: u32,
    pub(super) form: Form,
    pub(super) is_write: bool,
    pub(super) is_wide: bool,
}

/// Which generations have a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Generations {
    All,
    Gen7,
    Gen9AndLater,
}

const fn port0(generations: Generations, code: u32, form: Form, is_write: bool) -> Type {
    Type { generations, port: 10, code, form, is_write, is_wide: false }
}

/// What the cache of constants reads.
const fn constants(code: u32, form: Form) -> Type {
    Type { generations: All, port: 9, code, form, is_write: false, is_wide: false }
}

const fn port1(code: u32, form: Form, is_write: bool, is_wide: bool) -> Type {
    Type { generations: Gen9AndLater, port: 12, code, form, is_write, is_wide }
}

/// A type stands as often as it is drawn beside others.
const TYPES: &[Type] = &[
    port0(All, 0, Form::Block, false),
    port0(All, 8, Form::Block, true),
    port0(All, 1, Form::Block, false),
    port0(All, 3, Form::Doublewords, false),
    port0(All, 11, Form::Doublewords, true),
    port0(All, 4, Form::Bytes, false),
    port0(All, 12, Form::Bytes, true),
    port0(All, 7, Form::Fence, false),
    port0(Gen7, 5, Form::Untyped, false),
    port0(Gen7, 13, Form::Untyped, true),
    port0(Gen7, 6, Form::Atomic, true),
    port0(Gen7, 6, Form::Atomic, true),
    port1(1, Form::Untyped, false, false),
    port1(9, Form::Untyped, true, false),
    port1(4, Form::Media, false, false),
    port1(10, Form::Media, true, false),
    port1(2, Form::Atomic, true, false),
    port1(27, Form::FloatAtomic, true, false),
    port1(29, Form::FloatAtomic, true, true),
    port1(16, Form::Bytes, false, true),
    port1(26, Form::Bytes, true, true),
    port1(16, Form::Bytes, false, true),
    port1(26, Form::Bytes, true, true),
    port1(17, Form::Untyped, false, true),
    port1(25, Form::Untyped, true, true),
    port1(18, Form::Atomic, true, true),
    port1(20, Form::Block, false, true),
    port1(21, Form::Block, true, true),
    constants(0, Form::Block),
    constants(1, Form::Block),
    constants(3, Form::Doublewords),
];

/// The types of Gen7, or of later generations.
pub(super) fn types(is_gen7: bool) -> Vec<Type> {
    let other = if is_gen7 { Gen9AndLater } else { Gen7 };
    TYPES.iter().filter(|of| of.generations != other).copied().collect()
}
