//! From operations to machine code.
//!
//! Floats are computed with the rounding of their generation and denormals taken for zero,
//! which MXCSR is set to for the segment. Truncation makes the largest number of what overflows, where the
//! result is infinite; and of the next to the smallest number the processor makes zero before it is
//! rounded up. Sticky flags tell, and the segment takes back what it did.

use std::mem::offset_of;

use iced_x86::code_asm::*;
use parallax_isa::eu::{DataType, State};

use super::{
    Rounding, Setting,
    description::{Element, LaneOperation, Planned},
    layout::{CHUNK_BYTES, Chunk, TAKEN_BACK},
    register_allocation::{
        FIRST, FLAGS, LEFT, LOW, RIGHT, RegisterAllocation, SECOND, STATE, Source,
    },
};

type Result<T> = std::result::Result<T, IcedError>;

/// Machine code and what it needs.
pub(in crate::eu) struct Assembled {
    pub(super) bytes: Vec<u8>,
    pub(super) constants: Box<[Chunk]>,
    /// Where the chunks are that it saves.
    pub(super) saved: Box<[u16]>,
}

impl Rounding {
    /// MXCSR: how to round, denormals are zero, exceptions masked, and all sticky flags set but the one
    /// that tells: a flag that is set for the first time costs more than a block.
    pub(super) fn control(self) -> u32 {
        let mode = match self {
            Self::TowardZero => 0x6000,
            Self::NearestEven => 0,
        };
        mode | 0x8000 | 0x0040 | 0x1F80 | 0x3F & !self.telling()
    }

    /// The sticky flag of results that the code cannot give: of an overflow or of an underflow.
    pub(super) fn telling(self) -> u32 {
        match self {
            Self::TowardZero => 1 << 3,
            Self::NearestEven => 1 << 4,
        }
    }
}

/// The active channels, and whether a value is none that the code works on.
pub(super) const ACTIVE: AsmRegister32 = r9d;
pub(super) const ALL_ACTIVE: AsmRegister64 = r9;
pub(super) const REFUSED: AsmRegister32 = r10d;
/// Steps that may be taken still.
pub(super) const STEPS: AsmRegister64 = r11;

/// An instruction whose last operand is in a register or in memory.
macro_rules! emit {
    ($self:ident.$instruction:ident($($operand:expr),*; $last:expr $(, $immediate:expr)?)) => {
        match $last {
            Source::Register(last) => {
                $self.registers.asm.$instruction($($operand,)* last $(, $immediate)?)
            }
            Source::Memory(last) => {
                $self.registers.asm.$instruction($($operand,)* last $(, $immediate)?)
            }
        }
    };
}
pub(super) use emit;

/// The machine code of operations that follow each other.
pub(super) fn assemble(planned: &[Planned], setting: Setting) -> Result<Assembled> {
    let floats = planned.iter().any(Planned::is_float);
    let flags = planned.iter().any(Planned::uses_flags);
    let refuses = planned.iter().any(Planned::may_be_refused);
    let mut segment = Segment::new(RegisterAllocation::new(refuses)?, setting);
    segment.begin(floats, flags)?;
    for op in planned {
        segment.operation(op)?;
    }
    segment.end(floats, flags, refuses)
}

/// The sources of an operation, and where the first of two is chosen.
#[derive(Clone, Copy)]
struct Sources {
    a: AsmRegisterYmm,
    b: Source,
    c: Source,
    chosen: Option<AsmRegisterYmm>,
}

pub(super) struct Segment {
    pub(super) registers: RegisterAllocation,
    pub(super) setting: Setting,
    /// Places of accumulators that hold no denormal.
    pub(super) normal: Vec<usize>,
    /// Floats are rounded to nearest for now, whatever the setting says.
    pub(super) to_nearest: bool,
    /// The sticky flag may tell of a result since it was last checked.
    pub(super) tells: bool,
}

impl Segment {
    pub(super) fn new(registers: RegisterAllocation, setting: Setting) -> Self {
        Self { registers, setting, normal: Vec::new(), to_nearest: false, tells: false }
    }

    /// Forgets what is known of the state, which all is in its place.
    pub(super) fn begin_again(&mut self) {
        self.registers.forget_all();
        self.normal.clear();
        self.tells = true;
    }

    pub(super) fn begin(&mut self, floats: bool, flags: bool) -> Result<()> {
        if floats {
            let rounding = self.registers.all(self.setting.rounding.control());
            let rounding = dword_ptr(rounding);
            let asm = &mut self.registers.asm;
            asm.stmxcsr(dword_ptr(rsp - 4))?;
            asm.ldmxcsr(rounding)?;
            asm.xor(REFUSED, REFUSED)?;
        }
        let asm = &mut self.registers.asm;
        if flags {
            asm.mov(FLAGS, qword_ptr(STATE + offset_of!(State, flag)))?;
        }
        match self.setting {
            Setting { open: true, .. } => Ok(()),
            // The caller gives them.
            Setting { rounding: Rounding::NearestEven, .. } => asm.mov(ACTIVE, ecx),
            Setting { rounding: Rounding::TowardZero, .. } => self.load_active(),
        }
    }

    /// The channels that are active in all thread masks.
    pub(super) fn load_active(&mut self) -> Result<()> {
        let (asm, mask) = (&mut self.registers.asm, offset_of!(State, mask));
        asm.movzx(ACTIVE, word_ptr(STATE + mask))?;
        for further in 1..4 {
            asm.and(r9w, word_ptr(STATE + mask + 2 * further))?;
        }
        Ok(())
    }

    /// The end of blocks with branches between them: gives the steps that are left.
    pub(super) fn end_graph(mut self, floats: bool) -> Result<Assembled> {
        let telling = self.setting.rounding.telling();
        let asm = &mut self.registers.asm;
        asm.mov(qword_ptr(STATE + offset_of!(State, flag)), FLAGS)?;
        asm.mov(rax, STEPS)?;
        if floats {
            let mut done = asm.create_label();
            asm.stmxcsr(dword_ptr(rsp - 8))?;
            asm.ldmxcsr(dword_ptr(rsp - 4))?;
            asm.mov(ecx, dword_ptr(rsp - 8))?;
            asm.and(ecx, telling.cast_signed())?;
            asm.or(ecx, REFUSED)?;
            asm.je(done)?;
            asm.mov(rax, TAKEN_BACK)?;
            asm.set_label(&mut done)?;
            let written = match self.setting.rounding {
                Rounding::TowardZero => WRITTEN_BY_BRANCHES,
                Rounding::NearestEven => WRITTEN_BY_LATER_BRANCHES,
            };
            for (at, bytes) in written {
                self.registers.note_stored(*at, *bytes);
            }
        }
        self.registers.asm.vzeroupper()?;
        self.registers.asm.ret()?;
        let saved = if floats { self.registers.stored().into() } else { Box::default() };
        let (mut asm, constants, _) = self.registers.finish();
        Ok(Assembled { bytes: asm.assemble(0)?, constants: constants.into(), saved })
    }

    /// The end of a segment.
    fn end(mut self, floats: bool, flags: bool, refuses: bool) -> Result<Assembled> {
        let mut refused = self.registers.asm.create_label();
        if refuses {
            self.registers.asm.stmxcsr(dword_ptr(rsp - 8))?;
        }
        if floats {
            self.registers.asm.ldmxcsr(dword_ptr(rsp - 4))?;
        }
        if refuses {
            let telling = self.setting.rounding.telling();
            let asm = &mut self.registers.asm;
            asm.mov(eax, dword_ptr(rsp - 8))?;
            asm.and(eax, telling.cast_signed())?;
            asm.or(eax, REFUSED)?;
            asm.jne(refused)?;
        }
        self.registers.write_all()?;
        let asm = &mut self.registers.asm;
        if flags {
            asm.mov(qword_ptr(STATE + offset_of!(State, flag)), FLAGS)?;
        }
        asm.xor(eax, eax)?;
        asm.vzeroupper()?;
        asm.ret()?;
        if refuses {
            asm.set_label(&mut refused)?;
            asm.mov(eax, 1)?;
            asm.vzeroupper()?;
            asm.ret()?;
        }
        let (mut asm, constants, saved) = self.registers.finish();
        let bytes = asm.assemble(0)?;
        Ok(Assembled { bytes, constants: constants.into(), saved: saved.into() })
    }

    pub(super) fn operation(&mut self, planned: &Planned) -> Result<()> {
        for &chunk in planned.order() {
            match planned.compares() {
                true => self.compare(planned, chunk)?,
                false => self.compute(planned, chunk)?,
            }
        }
        Ok(())
    }

    fn compute(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        let accumulates = planned.operation == LaneOperation::MultiplyAdd;
        if !planned.writes && !planned.updates_accumulator {
            return Ok(());
        }
        if !planned.is_float() {
            if accumulates && planned.writes {
                self.accumulated_words(planned, 0, LOW)?;
            }
            if planned.updates_accumulator {
                self.integer_accumulator(planned, chunk)?;
            }
            if !planned.writes {
                return Ok(());
            }
        }
        self.round_for(planned)?;
        let first = match planned.posted {
            Some(message) => Source::Register(self.post(planned, message.into(), chunk)?),
            None => self.source(planned, 0, chunk, FIRST)?,
        };
        let a = self.registers.in_register(first, FIRST)?;
        let b = match planned.source_count {
            1 => Source::Register(a),
            _ => self.source(planned, 1, chunk, SECOND)?,
        };
        let c = match planned.source_count {
            3 => self.source(planned, 2, chunk, RIGHT)?,
            _ => Source::Register(a),
        };
        if planned.is_float() && (planned.updates_accumulator || accumulates) {
            let b = self.registers.in_register(b, SECOND)?;
            self.float_accumulator(planned, chunk, a, b)?;
        }
        if !planned.writes {
            return Ok(());
        }
        let select = match planned.operation {
            LaneOperation::Select => planned.mask.predicate,
            _ => None,
        };
        let chosen = match select {
            // What is chosen for channels that are not active does not matter.
            Some(flag) => {
                let thread = planned.mask.reads_active(self.setting.open);
                Some(self.mask(planned, Some(flag), thread, chunk)?)
            }
            None => None,
        };
        let sources = Sources { a, b, c, chosen };
        if self.is_whole(planned) && !planned.changes_results() {
            let place = usize::from(planned.target) + CHUNK_BYTES * chunk;
            let target = self.registers.target(place)?;
            self.result(planned, target, sources)?;
            self.registers.written(place, self.may_have_any_nan(planned));
            return Ok(());
        }
        self.result(planned, FIRST, sources)?;
        if planned.changes_results() {
            match (planned.is_float(), planned.result.data_type) {
                (true, DataType::Hf) => self.halves_of(planned, FIRST)?,
                (true, _) => self.integers_of(planned.result, FIRST)?,
                (false, _) => self.clamp(planned.result, planned.element, FIRST)?,
            }
        }
        self.store(planned, chunk)
    }

    /// Whether a chunk is written as a whole.
    pub(super) fn is_whole(&self, planned: &Planned) -> bool {
        planned.channels == planned.width()
            && planned.writes_lanes()
            && !planned.is_masked(self.setting)
    }

    /// Writes what is in `FIRST` to the channels that are enabled.
    pub(super) fn store(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        if !planned.writes_lanes() {
            return self.store_elsewhere(planned, chunk);
        }
        let at = usize::from(planned.target) + CHUNK_BYTES * chunk;
        let place = at / CHUNK_BYTES * CHUNK_BYTES;
        if self.is_whole(planned) {
            let target = self.registers.target(place)?;
            self.registers.asm.vmovaps(target, FIRST)?;
            self.registers.written(place, self.may_have_any_nan(planned));
            return Ok(());
        }
        let kept = self.registers.kept(place)?;
        // Where others are made one later, these are too.
        let any_nan = self.may_have_any_nan(planned);
        let later = any_nan && self.registers.has_any_nan(place);
        if any_nan && !later {
            self.registers.make_nan_one(FIRST)?;
        } else if !any_nan {
            self.registers.make_nans_one(place, CHUNK_BYTES)?;
        }
        let whole = planned.channels == planned.width();
        if planned.is_masked(self.setting) {
            let flag = planned.mask.predicate.filter(|_| planned.mask.predicate_disables());
            let thread = planned.mask.reads_active(self.setting.open);
            let mut enabled = self.mask(planned, flag, thread, chunk)?;
            if !whole {
                let written = self.registers.constant(lanes_of(planned, at - place));
                self.registers.asm.vandps(LEFT, enabled, written)?;
                enabled = LEFT;
            }
            match planned.has_words() {
                true => self.registers.asm.vpblendvb(kept, kept, FIRST, enabled)?,
                false => self.registers.asm.vblendvps(kept, kept, FIRST, enabled)?,
            }
        } else if planned.has_words() {
            let written = self.registers.constant(lanes_of(planned, at - place));
            self.registers.asm.vmovups(LEFT, written)?;
            self.registers.asm.vpblendvb(kept, kept, FIRST, LEFT)?;
        } else {
            let lanes = lanes_of(planned, at - place).map(|lane| lane & 1);
            let lanes = (0..8).fold(0, |all, lane| all | lanes[lane] << lane);
            self.registers.asm.vpblendd(kept, kept, FIRST, lanes)?;
        }
        self.registers.written(place, later);
        Ok(())
    }

    /// The result of an operation. Its sources are not read any more once `to` is written.
    fn result(
        &mut self,
        planned: &Planned,
        to: AsmRegisterYmm,
        Sources { a, b, c, chosen }: Sources,
    ) -> Result<()> {
        use LaneOperation as K;
        let signed = planned.element == Element::D;
        if planned.operation == K::SelectByOrder {
            let b = self.registers.in_register(b, SECOND)?;
            return self.select_by_order(planned, to, a, b);
        }
        if planned.is_float() {
            match planned.operation {
                K::Move if planned.converts() => self.registers.asm.vmovaps(to, a)?,
                K::Move => {
                    // Flushes a denormal and makes a NaN quiet.
                    let one = self.registers.all(1f32.to_bits());
                    self.registers.asm.vmulps(to, a, one)?;
                }
                K::Add => emit!(self.vaddps(to, a; b))?,
                K::Multiply => emit!(self.vmulps(to, a; b))?,
                // `float_accumulator` left it there.
                K::MultiplyAdd => self.registers.asm.vmovaps(to, LOW)?,
                K::AddProduct => self.add_product(to, a, b, c)?,
                K::RoundUp => self.registers.asm.vroundps(to, a, UP)?,
                K::RoundDown => self.registers.asm.vroundps(to, a, DOWN)?,
                K::RoundEven => self.registers.asm.vroundps(to, a, EVEN)?,
                K::RoundTowardZero => self.registers.asm.vroundps(to, a, TOWARD_ZERO)?,
                K::Inverse => self.inverse(to, a)?,
                K::SquareRoot => self.registers.asm.vsqrtps(to, a)?,
                _ => {
                    self.registers.asm.vroundps(LEFT, a, DOWN)?;
                    self.registers.asm.vsubps(to, a, LEFT)?;
                    if self.setting.rounding == Rounding::NearestEven {
                        // The second operand is the result where one is not a number.
                        let most = self.registers.all(BELOW_ONE.to_bits());
                        self.registers.asm.vmovups(LEFT, most)?;
                        self.registers.asm.vminps(to, LEFT, to)?;
                    }
                }
            }
            return if planned.saturate { self.saturated(planned, to) } else { Ok(()) };
        }
        let words = planned.has_words();
        match planned.operation {
            K::Move => self.registers.asm.vmovaps(to, a),
            K::Select => match chosen {
                Some(chosen) => {
                    let b = self.registers.in_register(b, SECOND)?;
                    match words {
                        true => self.registers.asm.vpblendvb(to, b, a, chosen),
                        false => self.registers.asm.vblendvps(to, b, a, chosen),
                    }
                }
                // Without a predicate the first source is taken.
                None => self.registers.asm.vmovaps(to, a),
            },
            K::Not => {
                let ones = self.registers.all(u32::MAX);
                self.registers.asm.vpxor(to, a, ones)
            }
            K::And => emit!(self.vpand(to, a; b)),
            K::Or => emit!(self.vpor(to, a; b)),
            K::Xor => emit!(self.vpxor(to, a; b)),
            K::Add if words => emit!(self.vpaddw(to, a; b)),
            K::Add => emit!(self.vpaddd(to, a; b)),
            K::Multiply if words => emit!(self.vpmullw(to, a; b)),
            K::MultiplyAdd => {
                // The low words of the accumulator are there.
                emit!(self.vpmullw(LEFT, a; b))?;
                self.registers.asm.vpaddw(to, LEFT, LOW)
            }
            K::Multiply => emit!(self.vpmulld(to, a; b)),
            K::MultiplyLowHalf => {
                let low = self.registers.all(0xFFFF);
                self.registers.asm.vpand(LEFT, a, low)?;
                emit!(self.vpmulld(to, LEFT; b))
            }
            K::Average => self.average(planned, to, a, b),
            operation if words => {
                let count = planned.count().unwrap_or_default();
                let asm = &mut self.registers.asm;
                match operation {
                    K::ShiftLeft => asm.vpsllw(to, a, count),
                    // Copies of the sign come from above, in channels that are longer too.
                    _ if planned.element == Element::W => asm.vpsraw(to, a, count),
                    _ => asm.vpsrlw(to, a, count),
                }
            }
            _ => {
                let b = self.registers.in_register(b, SECOND)?;
                let counts = self.registers.all(31);
                self.registers.asm.vpand(RIGHT, b, counts)?;
                match planned.operation {
                    K::ShiftLeft => self.registers.asm.vpsllvd(to, a, RIGHT),
                    // The low half of 64 bits, into which copies of the sign come from above.
                    _ if signed => self.registers.asm.vpsravd(to, a, RIGHT),
                    _ => self.registers.asm.vpsrlvd(to, a, RIGHT),
                }
            }
        }
    }

    /// What both have, less half of what one has.
    pub(super) fn average(
        &mut self,
        planned: &Planned,
        to: AsmRegisterYmm,
        a: AsmRegisterYmm,
        b: Source,
    ) -> Result<()> {
        emit!(self.vpxor(RIGHT, a; b))?;
        emit!(self.vpor(LEFT, a; b))?;
        let asm = &mut self.registers.asm;
        match planned.element {
            Element::W => asm.vpsraw(RIGHT, RIGHT, 1)?,
            Element::Uw => asm.vpsrlw(RIGHT, RIGHT, 1)?,
            Element::D => asm.vpsrad(RIGHT, RIGHT, 1)?,
            _ => asm.vpsrld(RIGHT, RIGHT, 1)?,
        }
        match planned.has_words() {
            true => asm.vpsubw(to, LEFT, RIGHT),
            false => asm.vpsubd(to, LEFT, RIGHT),
        }
    }

    /// Clamped to [0, 1]; what is not a number becomes zero.
    fn saturated(&mut self, planned: &Planned, lanes: AsmRegisterYmm) -> Result<()> {
        let (zero, one) = (self.registers.all(0), self.registers.all(1f32.to_bits()));
        let asm = &mut self.registers.asm;
        match self.setting.rounding {
            Rounding::TowardZero if !planned.is_elementary() => {
                asm.vcmpps(LEFT, lanes, zero, GREATER_EQUAL)?;
                asm.vandps(lanes, lanes, LEFT)?;
            }
            // The second operand is the result where one is not a number, and of two zeros.
            _ => asm.vmaxps(lanes, lanes, zero)?,
        }
        asm.vminps(lanes, lanes, one)
    }
}

/// The lanes of a chunk that the channels of less than one are, from a byte of it on.
fn lanes_of(planned: &Planned, first: usize) -> [u32; 8] {
    let written = first..first + planned.channels * planned.element.bytes();
    std::array::from_fn(|lane| {
        let byte = |byte| if written.contains(&(4 * lane + byte)) { 0xFF } else { 0 };
        u32::from_le_bytes(std::array::from_fn(byte))
    })
}

/// What branches write of a state beside registers of lanes.
const WRITTEN_BY_BRANCHES: &[(usize, usize)] = &[
    (offset_of!(State, mask_stack), 32),
    (offset_of!(State, flag), 8),
    (offset_of!(State, mask), 8),
    (offset_of!(State, mask_stack_depth), 4),
    (offset_of!(State, ip), 4),
];

/// The same of Gen7 and later.
const WRITTEN_BY_LATER_BRANCHES: &[(usize, usize)] = &[
    (offset_of!(State, channel_ip), 128),
    (offset_of!(State, flag), 8),
    (offset_of!(State, ip), 4),
];

/// Of the immediate of `vroundps`: toward positive and negative infinity, to even, toward zero. Precision is
/// no exception.
const UP: u32 = 0b1010;
const DOWN: u32 = 0b1001;
const EVEN: u32 = 0b1000;
const TOWARD_ZERO: u32 = 0b1011;
/// The most that a fraction comes to.
const BELOW_ONE: f32 = 1.0 - f32::EPSILON / 2.0;
/// Of the immediate of `vcmpps`.
pub(super) const GREATER_EQUAL: u32 = 0x1D;
