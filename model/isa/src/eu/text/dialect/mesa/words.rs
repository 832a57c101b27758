//! What Mesa says of a message behind `MsgDesc:`. Its labels are those of its disassembler, which has one table for
//! several generations; a code without a label is named as it names it.

use super::super::super::print::put;
use crate::eu::{
    generation::Generation,
    message::{DecodedMessage, Field, SharedFunction},
};

/// Labels by code.
type Labels = &'static [(u8, &'static str)];

const SAMPLER: Labels = &[
    (0, "sample"),
    (1, "sample_b"),
    (2, "sample_l"),
    (3, "sample_c"),
    (4, "sample_d"),
    (5, "sample_b_c"),
    (6, "sample_l_c"),
    (7, "ld"),
    (8, "gather4"),
    (9, "lod"),
    (10, "resinfo"),
    (11, "sampleinfo"),
    (16, "gather4_c"),
    (17, "gather4_po"),
    (18, "gather4_po_c"),
    (20, "sample_d_c"),
    (24, "sample_lz"),
    (25, "sample_c_lz"),
    (26, "ld_lz"),
    (28, "ld2dms_w"),
    (29, "ld_mcs"),
    (30, "ld2dms"),
    (31, "ld2dss"),
];

const SIMD_MODES: Labels =
    &[(0, "SIMD4x2"), (1, "SIMD8"), (2, "SIMD16"), (3, "SIMD32/64"), (5, "SIMD8H"), (6, "SIMD16H")];

const RENDER_CACHE_GEN7: Labels = &[
    (4, "media block read"),
    (5, "typed surface read"),
    (6, "typed atomic op"),
    (7, "memory fence"),
    (10, "media block write"),
    (TARGET_WRITE, "RT write"),
    (13, "typed surface write"),
];

const RENDER_CACHE_GEN9: Labels = &[(TARGET_WRITE, "RT write"), (13, "RT read")];

const TARGET_WRITE: u8 = 12;

const TARGETS: Labels = &[
    (0, "SIMD16"),
    (1, "SIMD16/RepData"),
    (2, "SIMD8/DualSrcLow"),
    (3, "SIMD8/DualSrcHigh"),
    (4, "SIMD8"),
    (5, "SIMD8/ImageWrite"),
    (7, "SIMD16/RepData-111"),
];

const URB: Labels = &[
    (0, "write HWord"),
    (1, "write OWord"),
    (2, "read HWord"),
    (3, "read OWord"),
    (4, "atomic mov"),
    (5, "atomic inc"),
    (6, "atomic add"),
    (7, "SIMD8 write"),
    (8, "SIMD8 read"),
];

const GATEWAY: Labels = &[
    (0, "open"),
    (1, "close"),
    (2, "forward msg"),
    (3, "get timestamp"),
    (4, "barrier msg"),
    (5, "update state"),
    (6, "mmio read/write"),
];

const INTERPOLATOR: Labels =
    &[(0, "per_message_offset"), (1, "sample_position"), (2, "centroid"), (3, "per_slot_offset")];

const DATA_CACHE_0: Labels = &[
    (0, "DC OWORD block read"),
    (1, "DC unaligned OWORD block read"),
    (2, "DC OWORD dual block read"),
    (3, "DC DWORD scattered read"),
    (4, "DC byte scattered read"),
    (5, "DC untyped surface read"),
    (6, "DC untyped atomic"),
    (7, "DC mfence"),
    (8, "DC OWORD block write"),
    (10, "DC OWORD dual block write"),
    (11, "DC DWORD scatterd write"),
    (12, "DC byte scattered write"),
    (13, "DC untyped surface write"),
];

const DATA_CACHE_1: Labels = &[
    (1, "untyped surface read"),
    (2, "DC untyped atomic op"),
    (3, "DC untyped 4x2 atomic op"),
    (4, "DC media block read"),
    (5, "DC typed surface read"),
    (6, "DC typed atomic"),
    (7, "DC typed 4x2 atomic op"),
    (9, "DC untyped surface write"),
    (10, "DC media block write"),
    (11, "DC atomic counter op"),
    (12, "DC 4x2 atomic counter op"),
    (13, "DC typed surface write"),
    (16, "DC A64 scattered read"),
    (17, "DC A64 untyped surface read"),
    (18, "DC A64 untyped atomic op"),
    (19, "DC A64 untyped atomic half-integer op"),
    (20, "DC A64 oword block read"),
    (21, "DC A64 oword block write"),
    (25, "DC A64 untyped surface write"),
    (26, "DC A64 scattered write"),
    (27, "DC untyped atomic float op"),
    (29, "DC A64 untyped atomic float op"),
    (30, "DC A64 untyped atomic half-float op"),
];

const BLOCKS: Labels = &[(0, "1-low"), (1, "1-high"), (2, "2"), (3, "4"), (4, "8")];

const ATOMICS: Labels = &[
    (1, "and"),
    (2, "or"),
    (3, "xor"),
    (4, "mov"),
    (5, "inc"),
    (6, "dec"),
    (7, "add"),
    (8, "sub"),
    (9, "revsub"),
    (10, "imax"),
    (11, "imin"),
    (12, "umax"),
    (13, "umin"),
    (14, "cmpwr"),
    (15, "predec"),
];

const FLOAT_ATOMICS: Labels = &[(1, "fmax"), (2, "fmin"), (3, "fcmpwr"), (4, "fadd")];

const MATH: Labels = &[
    (1, "inv"),
    (2, "log"),
    (3, "exp"),
    (4, "sqrt"),
    (5, "rsq"),
    (6, "sin"),
    (7, "cos"),
    (8, "sincos"),
    (9, "fdiv"),
    (10, "pow"),
    (11, "intdivmod"),
    (12, "intdiv"),
    (13, "intmod"),
];

const READS_GEN4: Labels = &[
    (0, "OWord Block Read"),
    (1, "OWord Dual Block Read"),
    (2, "Media Block Read"),
    (3, "DWord Scattered Read"),
];

const READS_GEN45: Labels = &[
    (0, "OWord Block Read"),
    (1, "Render Target UNORM Read"),
    (2, "OWord Dual Block Read"),
    (3, "AVC Loop Filter Read"),
    (4, "Media Block Read"),
    (6, "DWord Scattered Read"),
];

const WRITES: Labels = &[
    (0, "OWord block write"),
    (1, "OWord dual block write"),
    (2, "media block write"),
    (3, "DWord scattered write"),
    (TARGET_WRITE_GEN4, "RT write"),
    (5, "streamed VB write"),
    (6, "RT UNORM write"),
    (7, "flush render cache"),
];

const TARGET_WRITE_GEN4: u8 = 4;

const URB_GEN4: Labels = &[(0, "urb_write"), (1, "ff_sync")];

const SWIZZLES: Labels = &[(1, "interleave"), (2, "transpose")];

const FORMATS: Labels = &[(0, "F"), (2, "UD"), (3, "D")];

/// Text in which a word goes behind a blank if another word stands before it.
struct Words<'t> {
    text: &'t mut String,
    has_word: bool,
}

impl Words<'_> {
    fn put(&mut self, arguments: std::fmt::Arguments) {
        put(self.text, arguments);
    }

    /// The label of a code of something.
    fn label(&mut self, what: &str, labels: Labels, code: u32) {
        match labels.iter().find(|(known, _)| u32::from(*known) == code) {
            Some((_, label)) => self.word(label),
            None => self.put(format_args!("*** invalid {what} value {code} ")),
        }
    }

    fn word(&mut self, word: &str) {
        self.text.push_str(if self.has_word { " " } else { "" });
        self.text.push_str(word);
        self.has_word = true;
    }

    /// Further words if a field of one bit is set.
    fn flag(&mut self, is_set: bool, word: &str) {
        if is_set {
            self.put(format_args!(" {word}"));
        }
    }

    /// What is in parentheses begins like a text of its own.
    fn open(&mut self) {
        self.text.push_str(" (");
        self.has_word = false;
    }
}

/// What is said of a message between `MsgDesc:` and its lengths.
pub(super) fn write(text: &mut String, generation: Generation, message: &DecodedMessage) {
    let mut words = Words { text, has_word: true };
    let code = message.code.unwrap_or(0);
    match message.function {
        SharedFunction::ExtendedMath => math(&mut words, message, code),
        SharedFunction::DataPortRead => {
            let is_gen4 = generation == Generation::Gen4;
            let labels = if is_gen4 { READS_GEN4 } else { READS_GEN45 };
            words.label("DP read message type", labels, code.into());
            message_control(&mut words, message);
            words.put(format_args!(" Surface = {}", surface(message)));
        }
        SharedFunction::DataPortWrite => data_port_write(&mut words, message, code),
        SharedFunction::Sampler if generation <= Generation::Gen45 => {
            early_sampler(&mut words, message, code);
        }
        SharedFunction::Urb if generation <= Generation::Gen45 => {
            early_urb(&mut words, message, code);
        }
        SharedFunction::Sampler => sampler(&mut words, message, code),
        SharedFunction::SamplerCache
        | SharedFunction::ConstantCache
        | SharedFunction::ReadOnlyCache => cache(&mut words, message, code.into()),
        // The function of this code until Gen8, whose type has a bit more.
        SharedFunction::DataCache2 => {
            let scale = message.field(Field::Scale).unwrap_or(0);
            cache(&mut words, message, u32::from(code) << 1 | scale);
        }
        SharedFunction::RenderCache => render_cache(&mut words, generation, message, code),
        SharedFunction::Urb => urb(&mut words, generation, message, code),
        SharedFunction::Gateway => {
            let known = GATEWAY.iter().find(|(known, _)| *known == code);
            words.put(format_args!(" ({})", known.map_or("reserved", |(_, label)| label)));
        }
        SharedFunction::ThreadSpawner => {}
        SharedFunction::DataCache0 => data_cache_0(&mut words, message, code),
        SharedFunction::DataCache1 => data_cache_1(&mut words, message, code),
        SharedFunction::PixelInterpolator => {
            let kind = if message.has(Field::Linear) { "linear" } else { "persp" };
            let known = INTERPOLATOR.iter().find(|(known, _)| *known == code);
            let label = known.map_or("reserved", |(_, label)| label);
            let data = message.field(Field::Data).unwrap_or(0);
            words.put(format_args!(" ({kind}, {label}, {data:#04x})"));
        }
        function => {
            words.put(format_args!("unsupported shared function ID {}", function.code()));
        }
    }
    if words.has_word {
        words.put(format_args!(" "));
    }
}

/// Numbers alone: `(bti 1, msg_ctrl 2, msg_type 0, write_commit 0)`.
fn cache(words: &mut Words, message: &DecodedMessage, code: u32) {
    let (surface, control) = (surface(message), control(message));
    words
        .put(format_args!(" (bti {surface}, msg_ctrl {control}, msg_type {code}, write_commit 0)"));
}

/// The binding table index. Scratch blocks are taken for others, with the offset in its place.
fn surface(message: &DecodedMessage) -> u32 {
    let offset = message.field(Field::Offset).map(|offset| offset & 0xFF);
    message.field(Field::Surface).or(offset).unwrap_or(0)
}

fn control(message: &DecodedMessage) -> u32 {
    message.field(Field::Control).unwrap_or(0)
}

/// The message control: a decimal number, whatever stands before it.
fn message_control(words: &mut Words, message: &DecodedMessage) {
    words.put(format_args!(" MsgCtrl = 0x{}", control(message)));
}

fn math(words: &mut Words, message: &DecodedMessage, code: u8) {
    words.label("math function", MATH, code.into());
    words.flag(message.has(Field::Saturate), "sat");
    words.flag(message.has(Field::Signed), "signed");
    words.flag(message.has(Field::Scalar), "scalar");
    words.flag(message.has(Field::Partial), "partial_precision");
}

fn data_port_write(words: &mut Words, message: &DecodedMessage, code: u8) {
    words.label("DP rc message type", WRITES, code.into());
    if code == TARGET_WRITE_GEN4 {
        words.label("RT message type", TARGETS, message.field(Field::Subtype).unwrap_or(0));
        words.flag(message.has(Field::LastTarget), "LastRT");
        words.flag(message.has(Field::Commit), "WriteCommit");
    } else {
        message_control(words, message);
    }
    words.put(format_args!(" Surface = {}", surface(message)));
}

fn early_sampler(words: &mut Words, message: &DecodedMessage, code: u8) {
    let (surface, sampler) = (surface(message), message.field(Field::Sampler).unwrap_or(0));
    words.put(format_args!(" (bti {surface}, sampler {sampler}, msg_type {code}, "));
    if let Some(format) = message.field(Field::ReturnFormat) {
        words.has_word = false;
        words.label("sampler target format", FORMATS, format);
    }
    words.put(format_args!(")"));
    words.has_word = true;
}

fn early_urb(words: &mut Words, message: &DecodedMessage, code: u8) {
    words.put(format_args!(" offset {}", message.field(Field::Offset).unwrap_or(0)));
    words.label("urb opcode", URB_GEN4, code.into());
    match message.field(Field::Swizzle).unwrap_or(0) {
        0 => {}
        swizzle => words.label("urb swizzle", SWIZZLES, swizzle),
    }
    words.flag(message.has(Field::Allocate), "allocate");
    words.flag(message.has(Field::Used), "used");
    words.flag(message.has(Field::Complete), "complete");
}

fn sampler(words: &mut Words, message: &DecodedMessage, code: u8) {
    words.label("sampler message", SAMPLER, code.into());
    let mode = message.field(Field::SimdMode).unwrap_or(0);
    words.label("sampler simd mode", SIMD_MODES, mode);
    words.flag(message.has(Field::HalfPrecision), "HP");
    let (surface, sampler) = (surface(message), message.field(Field::Sampler).unwrap_or(0));
    words.put(format_args!(" Surface = {surface} Sampler = {sampler}"));
}

fn render_cache(words: &mut Words, generation: Generation, message: &DecodedMessage, code: u8) {
    let labels = if generation >= Generation::Gen9 { RENDER_CACHE_GEN9 } else { RENDER_CACHE_GEN7 };
    words.label("DP rc message type", labels, code.into());
    if code == TARGET_WRITE {
        let subtype = message.field(Field::Subtype).unwrap_or(0);
        words.label("RT message type", TARGETS, subtype);
        words.flag(message.has(Field::UpperSlots), "Hi");
        words.flag(message.has(Field::LastTarget), "LastRT");
        words.flag(message.has(Field::CoarsePixel), "CoarseWrite");
    } else {
        message_control(words, message);
    }
    words.put(format_args!(" Surface = {}", surface(message)));
}

fn urb(words: &mut Words, generation: Generation, message: &DecodedMessage, code: u8) {
    words.put(format_args!(" offset {}", message.field(Field::Offset).unwrap_or(0)));
    // There is one table for all generations.
    words.label("urb opcode", URB, code.into());
    words.flag(message.has(Field::PerSlotOffset), "per-slot");
    words.flag(message.has(Field::Masked), "masked");
    words.flag(message.has(Field::Interleave), "interleave");
    words.flag(generation == Generation::Gen7 && message.has(Field::Complete), "complete");
}

fn data_cache_0(words: &mut Words, message: &DecodedMessage, code: u8) {
    words.open();
    words.label("DP DC0 message type", DATA_CACHE_0, code.into());
    words.put(format_args!(", bti {}, ", surface(message)));
    match code {
        0 => block(words, control(message)),
        6 => words.label("atomic op", ATOMICS, control(message) & 0xF),
        _ => words.put(format_args!("{}", control(message))),
    }
    words.put(format_args!(")"));
}

fn data_cache_1(words: &mut Words, message: &DecodedMessage, code: u8) {
    let control = control(message);
    let channels = if control & 0x10 == 0 { 16 } else { 8 };
    words.open();
    words.label("DP DC1 message type", DATA_CACHE_1, code.into());
    words.put(format_args!(", Surface = {}, ", surface(message)));
    match code {
        2 | 6 | 11 => {
            words.put(format_args!("SIMD{channels},"));
            words.label("atomic op", ATOMICS, control & 0xF);
        }
        3 | 7 | 12 | 18 | 19 => words.label("atomic op", ATOMICS, control & 0xF),
        1 | 5 | 9 | 13 | 17 | 25 => {
            let width = ["4x2", "16", "8", "reserved"][(control >> 4 & 3) as usize];
            words.put(format_args!("SIMD{width}, Mask = {:#x}", control & 0xF));
        }
        27 | 29 | 30 => {
            words.put(format_args!("SIMD{channels},"));
            words.label("atomic float op", FLOAT_ATOMICS, control & 0xF);
        }
        20 | 21 => block(words, control),
        _ => words.put(format_args!("{control:#x}")),
    }
    words.put(format_args!(")"));
}

/// `owords = 2, aligned = 0`.
fn block(words: &mut Words, control: u32) {
    let known = BLOCKS.iter().find(|(known, _)| u32::from(*known) == control & 7);
    let size = known.map_or("reserved", |(_, label)| label);
    words.put(format_args!("owords = {size}, aligned = {}", control >> 3 & 3));
}
