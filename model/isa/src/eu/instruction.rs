//! The instruction: every field of the 128-bit word under its own name (G45 volume 4, chapter 13).

use serde::{Deserialize, Serialize};

use super::{
    opcode::Opcode,
    operand::{Destination, Source},
    scoreboard::Scoreboard,
    types::DataType,
};

/// Bytes of an instruction in the native form.
pub const NATIVE_BYTES: usize = 16;
/// Bytes of an instruction in the compact form.
pub const COMPACT_BYTES: usize = 8;

/// One instruction.
///
/// Fields that the instruction's format does not use have their default value; what a machine
/// word holds there, and in reserved bits, is kept in `residue`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instruction {
    /// Operation.
    pub opcode: Opcode,
    /// Number of channels: 1, 2, 4, 8, 16 or 32.
    pub execution_size: u8,
    /// Align1 or Align16.
    pub access_mode: AccessMode,
    /// `NoMask`: channel enables are ignored (the predicate is not).
    pub no_mask: bool,
    /// `MaskCtrlEx` (bit 28, CTG and G45).
    pub mask_control_ex: bool,
    /// `AccWrEn` (Gen7 and later): the result is also written to the accumulator.
    pub accumulator_write: bool,
    /// Which part of a compressed pair it is (Gen4 and Gen4.5).
    pub compression: Compression,
    /// The first of its channels in execution masks and flags: a multiple of 4 from 0 to 28, the
    /// quarter and the nibble of Gen7 and later. 0 where `compression` says it.
    pub first_channel: u8,
    /// Thread switching around the instruction.
    pub thread_control: ThreadControl,
    /// `NoDDClr`: the destination dependency is not cleared. No functional effect.
    pub no_dd_clear: bool,
    /// `NoDDChk`: the destination dependency is not checked. No functional effect.
    pub no_dd_check: bool,
    /// Predication.
    pub predicate: Predicate,
    /// Flag update.
    pub condition: ConditionalModifier,
    /// The flag register of predicate and conditional modifier: 0, or 1 on Gen7 and later.
    pub flag_register: u8,
    /// The half of it, its subregister: 0 or 1.
    pub flag_subregister: u8,
    /// `.sat`: clamp to the range of the destination type.
    pub saturate: bool,
    /// `Breakpoint`: the DebugCtrl bit.
    pub breakpoint: bool,
    /// Destination (for send: the post destination).
    pub destination: Destination,
    /// Sources; an absent one is [`Source::ABSENT`].
    pub sources: [Source; 3],
    /// What a send has beyond that; `None` for every other opcode.
    pub message: Option<Message>,
    /// Where a branch of Gen7 and later leads; `None` for every other opcode, and for `jmpi`, whose
    /// index is its src1.
    pub branch: Option<Branch>,
    /// The function of `math` (Gen7 and later); `None` for every other opcode.
    pub math: Option<MathFunction>,
    /// The function of `sync` (Gen12); `None` for every other opcode.
    pub sync: Option<SyncFunction>,
    /// The code of the software scoreboard (`SWSB`, Gen12). No effect on results.
    pub scoreboard: Scoreboard,
    /// Whether the machine code is (or is to be) the 64-bit compact form.
    pub compact: bool,
    /// The bits of the 128-bit machine word that differ from the encoding of the fields above:
    /// zero unless reserved or unused bits were set.
    pub residue: u128,
    /// The bits of the 64-bit compact form that the 128-bit word does not tell: zero unless reserved
    /// bits were set, or an entry of a table that says the same as an earlier one (Gen7 and later).
    pub compact_residue: u64,
}

impl Instruction {
    /// An operation on one channel with no option set and every operand `null`.
    #[must_use]
    pub fn bare(opcode: Opcode) -> Self {
        Self {
            opcode,
            execution_size: 1,
            access_mode: AccessMode::default(),
            no_mask: false,
            mask_control_ex: false,
            accumulator_write: false,
            compression: Compression::default(),
            first_channel: 0,
            thread_control: ThreadControl::default(),
            no_dd_clear: false,
            no_dd_check: false,
            predicate: Predicate::default(),
            condition: ConditionalModifier::default(),
            flag_register: 0,
            flag_subregister: 0,
            saturate: false,
            breakpoint: false,
            destination: Destination::null(DataType::Ud),
            sources: [Source::ABSENT; 3],
            message: None,
            branch: None,
            math: None,
            sync: None,
            scoreboard: Scoreboard::default(),
            compact: false,
            residue: 0,
            compact_residue: 0,
        }
    }
}

impl Instruction {
    /// Bytes of its machine code.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        if self.compact { COMPACT_BYTES } else { NATIVE_BYTES }
    }

    /// The value of the opcode field where no operation of the device has it: such a word is an
    /// `illegal` instruction whose residue holds the value.
    #[must_use]
    pub fn undefined_opcode(&self) -> Option<u8> {
        let code = (self.residue & OPCODE_BITS) as u8;
        (self.opcode == Opcode::Illegal && code != 0).then_some(code)
    }
}

/// The opcode field of a machine word.
pub(super) const OPCODE_BITS: u128 = 0x7F;

/// How operands are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum AccessMode {
    /// Full region descriptions.
    #[default]
    Align1,
    /// Groups of four 32-bit channels, swizzles and channel enables.
    Align16,
}

/// Compression control (bits 13:12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Compression {
    /// Native instruction on the lower half of flags and masks.
    #[default]
    None,
    /// `SecHalf`: native instruction on the upper half.
    SecHalf,
    /// `Compr`: two native instructions in one.
    Compressed,
}

/// Thread control (bits 15:14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum ThreadControl {
    /// The hardware decides.
    #[default]
    Normal,
    /// `Atomic`: no thread switch before the next instruction (Gen7 and later).
    Atomic,
    /// `Switch`: switch threads after the instruction.
    Switch,
}

/// Predication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Predicate {
    /// How flag bits become the predicate mask.
    pub control: PredicateControl,
    /// Whether the mask is inverted after that.
    pub inverse: bool,
}

/// Predicate control (bits 19:16); which ones exist depends on the access mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
#[expect(missing_docs, reason = "the names are the manual's and say it all")]
pub enum PredicateControl {
    /// No predication.
    #[default]
    None,
    /// Each channel its own flag bit.
    Sequential,
    /// Align16: channel x of each group of four for the whole group.
    ReplicateX,
    ReplicateY,
    ReplicateZ,
    ReplicateW,
    /// Align1: f0.0 or f0.1, channel by channel.
    AnyV,
    /// Align1: f0.0 and f0.1, channel by channel.
    AllV,
    Any2H,
    All2H,
    /// Both access modes.
    Any4H,
    All4H,
    Any8H,
    All8H,
    Any16H,
    All16H,
    /// Gen7 and later.
    Any32H,
    All32H,
}

/// Conditional modifier (bits 27:24).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum ConditionalModifier {
    /// No flag update.
    #[default]
    None,
    /// `.e` or `.z`.
    Equal,
    /// `.ne` or `.nz`.
    NotEqual,
    /// `.g`.
    Greater,
    /// `.ge`.
    GreaterEqual,
    /// `.l`.
    Less,
    /// `.le`.
    LessEqual,
    /// `.r`: round increment.
    RoundIncrement,
    /// `.o`: overflow.
    Overflow,
    /// `.u`: unordered.
    Unordered,
}

/// What a send has beyond other instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Message {
    /// First message register of the payload, 0 to 15: the current destination. Gen7 and later have
    /// the payload in src0, and that of `sends` and `sendsc` in src0 and src1.
    pub current_destination: u8,
    /// The message descriptor.
    pub descriptor: Descriptor,
    /// The shared function (SFID) on Gen7 and later, which is in the descriptor before.
    pub shared_function: u8,
    /// The extended message descriptor, without shared function and End Of Thread, which have
    /// fields of their own: bits 31:16 of `send` on Gen9, bits 31:16 and 9:6 of `sends`, bits 31:6 on
    /// Gen12.
    pub extended: ExtendedDescriptor,
    /// `FusionCtrl` (Gen12). No functional effect in one execution unit.
    pub fusion_control: bool,
    /// The thread ends with this message.
    pub end_of_thread: bool,
}

impl Message {
    /// A message of Gen4 and Gen4.5.
    #[must_use]
    pub const fn of_registers(
        current_destination: u8,
        descriptor: Descriptor,
        end_of_thread: bool,
    ) -> Self {
        Self {
            current_destination,
            descriptor,
            shared_function: 0,
            extended: ExtendedDescriptor::Immediate(0),
            fusion_control: false,
            end_of_thread,
        }
    }
}

/// Where the extended message descriptor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum ExtendedDescriptor {
    /// A constant; 0 where there is no such descriptor.
    Immediate(u32),
    /// A doubleword of `a0`, by its number: `sends` and `sendsc`, and `send` of Gen12.
    Address(u8),
}

/// Where a branch of Gen7 and later leads: distances from the branch itself, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub struct Branch {
    /// The jump distance. `None` where a register holds it: src0 of `brd`, `brc` and `ret`, src1 of
    /// `call` and `calla`.
    pub jip: Option<i32>,
    /// The update distance; `None` where the operation has none.
    pub uip: Option<i32>,
    /// `BranchCtrl` (Gen8 and later).
    pub control: bool,
}

/// A function of `math` (table `eu-math-functions`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum MathFunction {
    /// 1 / src0.
    Inv,
    /// Logarithm to base 2.
    Log,
    /// 2 to the power of src0.
    Exp,
    /// Square root.
    Sqt,
    /// 1 / square root.
    Rsqt,
    /// Sine.
    Sin,
    /// Cosine.
    Cos,
    /// src0 / src1.
    Fdiv,
    /// |src0| to the power of src1.
    Pow,
    /// Quotient, and remainder in the next register.
    Idiv,
    /// Integer quotient.
    Iqot,
    /// Integer remainder.
    Irem,
    /// First step of the divide macro (Gen8 and later).
    Invm,
    /// First step of the square root macro (Gen8 and later).
    Rsqtm,
}

impl MathFunction {
    /// Every function.
    pub const ALL: [Self; 14] = [
        Self::Inv,
        Self::Log,
        Self::Exp,
        Self::Sqt,
        Self::Rsqt,
        Self::Sin,
        Self::Cos,
        Self::Fdiv,
        Self::Pow,
        Self::Idiv,
        Self::Iqot,
        Self::Irem,
        Self::Invm,
        Self::Rsqtm,
    ];

    /// The name in assembly text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inv => "inv",
            Self::Log => "log",
            Self::Exp => "exp",
            Self::Sqt => "sqt",
            Self::Rsqt => "rsqt",
            Self::Sin => "sin",
            Self::Cos => "cos",
            Self::Fdiv => "fdiv",
            Self::Pow => "pow",
            Self::Idiv => "idiv",
            Self::Iqot => "iqot",
            Self::Irem => "irem",
            Self::Invm => "invm",
            Self::Rsqtm => "rsqtm",
        }
    }

    /// Number of sources.
    #[must_use]
    pub const fn sources(self) -> usize {
        match self {
            Self::Fdiv | Self::Pow | Self::Idiv | Self::Iqot | Self::Irem | Self::Invm => 2,
            _ => 1,
        }
    }
}

/// What `sync` waits for (Gen12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum SyncFunction {
    /// Only what its code of the software scoreboard says.
    Nop,
    /// All tokens have read their sources, or those of a mask.
    AllRead,
    /// All tokens have written their destinations, or those of a mask.
    AllWritten,
    /// The barrier's notification.
    Barrier,
    /// The host's notification.
    Host,
}

impl SyncFunction {
    /// Every function.
    pub const ALL: [Self; 5] =
        [Self::Nop, Self::AllRead, Self::AllWritten, Self::Barrier, Self::Host];

    /// The name in assembly text.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nop => "nop",
            Self::AllRead => "allrd",
            Self::AllWritten => "allwr",
            Self::Barrier => "bar",
            Self::Host => "host",
        }
    }
}

/// Where a message descriptor comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
pub enum Descriptor {
    /// A constant; bit 31 is clear before Gen12: End Of Thread is not part of it.
    Immediate(u32),
    /// `a0.0:ud`.
    Address,
}
