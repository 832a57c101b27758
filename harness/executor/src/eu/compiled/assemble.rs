//! From micro-ops to machine code.
//!
//! Floats are computed as their kernels compute them, with rounding toward zero and denormals taken for
//! zero, which MXCSR is set to for the stretch. Truncation makes the largest number of what overflows,
//! where the result is infinite: the sticky overflow flag tells, and the stretch takes back what it did.

use std::mem::offset_of;

use iced_x86::{Register, code_asm::*};
use parallax_isa::eu::State;

use super::{
    Setting,
    layout::{CHUNK_BYTES, Chunk, TAKEN_BACK},
    places::{FIRST, LEFT, LOW, Mask, Places, RIGHT, SECOND, STATE, Source},
    plan::{CHANNELS, Planned},
};
use crate::eu::{
    kernel::element::{Element, KernelOperation},
    micro_op::Shape,
};

type Result<T> = std::result::Result<T, IcedError>;

/// Machine code and what it needs.
pub(super) struct Assembled {
    pub(super) bytes: Vec<u8>,
    pub(super) constants: Box<[Chunk]>,
    /// Where the chunks are that it saves.
    pub(super) saved: Box<[u16]>,
}

/// Toward zero, denormals are zero, exceptions masked, and all sticky flags set but that of an overflow:
/// a flag that is set for the first time costs more than a block.
const ROUNDING: u32 = 0x6000 | 0x8000 | 0x0040 | 0x1F80 | 0x3F & !OVERFLOW;
const OVERFLOW: u32 = 1 << 3;

/// `f0.0` and `f0.1`, the active channels, and whether a value is none that the code works on.
pub(super) const FLAGS: AsmRegister32 = r8d;
pub(super) const ACTIVE: AsmRegister32 = r9d;
pub(super) const REFUSED: AsmRegister32 = r10d;
/// Steps that may be taken still.
pub(super) const STEPS: AsmRegister64 = r11;

/// An instruction whose last operand is in a register or in memory.
macro_rules! emit {
    ($self:ident.$instruction:ident($($operand:expr),*; $last:expr $(, $immediate:expr)?)) => {
        match $last {
            Source::Register(last) => {
                $self.places.asm.$instruction($($operand,)* last $(, $immediate)?)
            }
            Source::Memory(last) => {
                $self.places.asm.$instruction($($operand,)* last $(, $immediate)?)
            }
        }
    };
}
pub(super) use emit;

/// The machine code of micro-ops that follow each other.
pub(super) fn assemble(planned: &[Planned], setting: Setting) -> Result<Assembled> {
    let floats = planned.iter().any(Planned::is_float);
    let flags = planned.iter().any(|op| op.compares() || op.mask.flag_read().is_some());
    let mut stretch = Stretch::new(Places::new(floats)?, setting);
    stretch.begin(floats, flags)?;
    for op in planned {
        stretch.micro_op(op)?;
    }
    stretch.end(floats, flags)
}

pub(super) struct Stretch {
    pub(super) places: Places,
    pub(super) setting: Setting,
    /// Places of accumulators that hold no denormal.
    pub(super) normal: Vec<usize>,
}

impl Stretch {
    pub(super) fn new(places: Places, setting: Setting) -> Self {
        Self { places, setting, normal: Vec::new() }
    }

    /// Forgets what is known of the state, which all is in its place.
    pub(super) fn begin_again(&mut self) {
        self.places.forget_all();
        self.normal.clear();
    }

    pub(super) fn begin(&mut self, floats: bool, flags: bool) -> Result<()> {
        if floats {
            let rounding = self.places.all(ROUNDING);
            let rounding = dword_ptr(rounding);
            let asm = &mut self.places.asm;
            asm.stmxcsr(dword_ptr(rsp - 4))?;
            asm.ldmxcsr(rounding)?;
            asm.xor(REFUSED, REFUSED)?;
        }
        let asm = &mut self.places.asm;
        if flags {
            asm.mov(FLAGS, dword_ptr(STATE + offset_of!(State, flag)))?;
        }
        if self.setting.open { Ok(()) } else { self.load_active() }
    }

    /// The channels that are active in all thread masks.
    pub(super) fn load_active(&mut self) -> Result<()> {
        let (asm, mask) = (&mut self.places.asm, offset_of!(State, mask));
        asm.movzx(ACTIVE, word_ptr(STATE + mask))?;
        for further in 1..4 {
            asm.and(r9w, word_ptr(STATE + mask + 2 * further))?;
        }
        Ok(())
    }

    /// The end of blocks with branches between them: gives the steps that are left.
    pub(super) fn end_graph(mut self, floats: bool) -> Result<Assembled> {
        let asm = &mut self.places.asm;
        asm.mov(dword_ptr(STATE + offset_of!(State, flag)), FLAGS)?;
        asm.mov(rax, STEPS)?;
        if floats {
            let mut done = asm.create_label();
            asm.stmxcsr(dword_ptr(rsp - 8))?;
            asm.ldmxcsr(dword_ptr(rsp - 4))?;
            asm.mov(ecx, dword_ptr(rsp - 8))?;
            asm.and(ecx, OVERFLOW)?;
            asm.or(ecx, REFUSED)?;
            asm.je(done)?;
            asm.mov(rax, TAKEN_BACK)?;
            asm.set_label(&mut done)?;
            for (at, bytes) in WRITTEN_BY_BRANCHES {
                self.places.note_stored(at, bytes);
            }
        }
        self.places.asm.vzeroupper()?;
        self.places.asm.ret()?;
        let saved = if floats { self.places.stored().into() } else { Box::default() };
        let (mut asm, constants, _) = self.places.finish();
        Ok(Assembled { bytes: asm.assemble(0)?, constants: constants.into(), saved })
    }

    /// The end of a stretch.
    fn end(mut self, floats: bool, flags: bool) -> Result<Assembled> {
        let mut refused = self.places.asm.create_label();
        if floats {
            let asm = &mut self.places.asm;
            asm.stmxcsr(dword_ptr(rsp - 8))?;
            asm.ldmxcsr(dword_ptr(rsp - 4))?;
            asm.mov(eax, dword_ptr(rsp - 8))?;
            asm.and(eax, OVERFLOW)?;
            asm.or(eax, REFUSED)?;
            asm.jne(refused)?;
        }
        self.places.write_all()?;
        let asm = &mut self.places.asm;
        if flags {
            asm.mov(dword_ptr(STATE + offset_of!(State, flag)), FLAGS)?;
        }
        asm.xor(eax, eax)?;
        asm.vzeroupper()?;
        asm.ret()?;
        if floats {
            asm.set_label(&mut refused)?;
            asm.mov(eax, 1)?;
            asm.vzeroupper()?;
            asm.ret()?;
        }
        let (mut asm, constants, saved) = self.places.finish();
        let bytes = asm.assemble(0)?;
        Ok(Assembled { bytes, constants: constants.into(), saved: saved.into() })
    }

    pub(super) fn micro_op(&mut self, planned: &Planned) -> Result<()> {
        for chunk in 0..planned.chunks {
            match planned.compares() {
                true => self.compare(planned, chunk)?,
                false => self.compute(planned, chunk)?,
            }
        }
        Ok(())
    }

    /// A source's elements as they stand in the registers.
    pub(super) fn elements(
        &mut self,
        planned: &Planned,
        index: usize,
        chunk: usize,
    ) -> Result<Source> {
        let view = &planned.op.sources[index];
        let at = usize::from(view.offset);
        Ok(match view.shape {
            Shape::Packed if planned.channels == planned.width() => {
                self.places.packed(at + CHUNK_BYTES * chunk)?
            }
            Shape::Packed if planned.channels > 1 => {
                let scratch = if index == 0 { FIRST } else { SECOND };
                self.places.part(at, planned.channels, scratch)?
            }
            Shape::Packed | Shape::Splat if planned.has_words() => {
                Source::Register(self.places.splat_word(at)?)
            }
            Shape::Packed | Shape::Splat => Source::Register(self.places.splat(at)?),
            Shape::Constant | Shape::Accumulator => {
                let element = |lane| planned.constant(view, lane).unwrap_or_default();
                let only_first = planned.channels == 1;
                let lane = |lane| match planned.has_words() {
                    true => element(2 * lane) & 0xFFFF | element(2 * lane + 1) << 16,
                    false => element(if only_first { 0 } else { lane }),
                };
                Source::Memory(self.places.constant(std::array::from_fn(lane)))
            }
        })
    }

    /// A source with its modifiers.
    pub(super) fn source(
        &mut self,
        planned: &Planned,
        index: usize,
        chunk: usize,
        scratch: AsmRegisterYmm,
    ) -> Result<Source> {
        let view = &planned.op.sources[index];
        let mut source = self.elements(planned, index, chunk)?;
        if view.shape == Shape::Constant {
            return Ok(source);
        }
        let float = planned.is_float();
        if view.absolute && (float || matches!(planned.element, Element::D | Element::W)) {
            if float {
                let from = self.places.in_register(source, scratch)?;
                let magnitude = self.places.all(0x7FFF_FFFF);
                self.places.asm.vandps(scratch, from, magnitude)?;
            } else if planned.has_words() {
                emit!(self.vpabsw(scratch; source))?;
            } else {
                emit!(self.vpabsd(scratch; source))?;
            }
            source = Source::Register(scratch);
        }
        if view.negate {
            if float {
                let from = self.places.in_register(source, scratch)?;
                let sign = self.places.all(0x8000_0000);
                self.places.asm.vxorps(scratch, from, sign)?;
            } else {
                self.places.asm.vpxor(LOW, LOW, LOW)?;
                match planned.has_words() {
                    true => emit!(self.vpsubw(scratch, LOW; source))?,
                    false => emit!(self.vpsubd(scratch, LOW; source))?,
                }
            }
            source = Source::Register(scratch);
        }
        Ok(source)
    }

    fn compute(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        let op = planned.op;
        let accumulates = planned.operation == KernelOperation::MultiplyAdd;
        if !op.writes && !planned.updates_accumulator {
            return Ok(());
        }
        if planned.updates_accumulator && !planned.is_float() {
            self.integer_accumulator(planned, chunk)?;
        }
        let first = self.source(planned, 0, chunk, FIRST)?;
        let a = self.places.in_register(first, FIRST)?;
        let b = match planned.sources {
            1 => Source::Register(a),
            _ => self.source(planned, 1, chunk, SECOND)?,
        };
        if planned.is_float() && (planned.updates_accumulator || accumulates) {
            let b = self.places.in_register(b, SECOND)?;
            self.float_accumulator(planned, chunk, a, b)?;
        }
        if !op.writes {
            return Ok(());
        }
        let select = match planned.operation {
            KernelOperation::Select => planned.mask.flag_read(),
            _ => None,
        };
        let chosen = match select {
            // What is chosen for channels that are not active does not matter.
            Some(flag) => {
                let thread = planned.mask.reads_thread_masks(self.setting.open);
                Some(self.mask(planned, Some(flag), thread, chunk)?)
            }
            None => None,
        };
        let at = usize::from(op.target) + CHUNK_BYTES * chunk;
        let place = at / CHUNK_BYTES * CHUNK_BYTES;
        let whole = planned.channels == planned.width();
        let masked = planned.is_masked(self.setting);
        if whole && !masked {
            let target = self.places.target(place)?;
            self.result(planned, target, a, b, chosen)?;
            self.places.written(place);
            return Ok(());
        }
        self.result(planned, FIRST, a, b, chosen)?;
        if masked {
            let flag = planned.mask.flag_read().filter(|_| planned.mask.predicate_disables());
            let thread = planned.mask.reads_thread_masks(self.setting.open);
            let mut enabled = self.mask(planned, flag, thread, chunk)?;
            if !whole {
                let lanes = lanes_of(planned, at - place);
                let every = |lane| if lanes >> lane & 1 == 1 { u32::MAX } else { 0 };
                let written = self.places.constant(std::array::from_fn(every));
                self.places.asm.vandps(LEFT, enabled, written)?;
                enabled = LEFT;
            }
            let kept = self.places.kept(place)?;
            match planned.has_words() {
                true => self.places.asm.vpblendvb(kept, kept, FIRST, enabled)?,
                false => self.places.asm.vblendvps(kept, kept, FIRST, enabled)?,
            }
        } else {
            let lanes = lanes_of(planned, at - place);
            let kept = self.places.kept(place)?;
            self.places.asm.vpblendd(kept, kept, FIRST, lanes)?;
        }
        self.places.written(place);
        Ok(())
    }

    /// The result of an operation. Its sources are not read any more once `to` is written.
    fn result(
        &mut self,
        planned: &Planned,
        to: AsmRegisterYmm,
        a: AsmRegisterYmm,
        b: Source,
        chosen: Option<AsmRegisterYmm>,
    ) -> Result<()> {
        use KernelOperation as K;
        let signed = planned.element == Element::D;
        if planned.is_float() {
            match planned.operation {
                K::Move => {
                    // Flushes a denormal and makes a NaN quiet.
                    let one = self.places.all(1f32.to_bits());
                    self.places.asm.vmulps(to, a, one)?;
                }
                K::Add => emit!(self.vaddps(to, a; b))?,
                K::Multiply => emit!(self.vmulps(to, a; b))?,
                // `float_accumulator` left it there.
                K::MultiplyAdd => self.places.asm.vmovaps(to, LOW)?,
                K::RoundDown => self.places.asm.vroundps(to, a, DOWN)?,
                _ => {
                    self.places.asm.vroundps(LEFT, a, DOWN)?;
                    self.places.asm.vsubps(to, a, LEFT)?;
                }
            }
            return if planned.saturate { self.saturated(to) } else { Ok(()) };
        }
        let words = planned.has_words();
        match planned.operation {
            K::Move => self.places.asm.vmovaps(to, a),
            K::Select => match chosen {
                Some(chosen) => {
                    let b = self.places.in_register(b, SECOND)?;
                    match words {
                        true => self.places.asm.vpblendvb(to, b, a, chosen),
                        false => self.places.asm.vblendvps(to, b, a, chosen),
                    }
                }
                // Without a predicate the first source is taken.
                None => self.places.asm.vmovaps(to, a),
            },
            K::Not => {
                let ones = self.places.all(u32::MAX);
                self.places.asm.vpxor(to, a, ones)
            }
            K::And => emit!(self.vpand(to, a; b)),
            K::Or => emit!(self.vpor(to, a; b)),
            K::Xor => emit!(self.vpxor(to, a; b)),
            K::Add if words => emit!(self.vpaddw(to, a; b)),
            K::Add => emit!(self.vpaddd(to, a; b)),
            K::Multiply if words => emit!(self.vpmullw(to, a; b)),
            K::Multiply => emit!(self.vpmulld(to, a; b)),
            K::MultiplyLowHalf => {
                let low = self.places.all(0xFFFF);
                self.places.asm.vpand(LEFT, a, low)?;
                emit!(self.vpmulld(to, LEFT; b))
            }
            K::Average => {
                // What both have, less half of what one has.
                emit!(self.vpxor(RIGHT, a; b))?;
                emit!(self.vpor(LEFT, a; b))?;
                let asm = &mut self.places.asm;
                match planned.element {
                    Element::W => asm.vpsraw(RIGHT, RIGHT, 1)?,
                    Element::Uw => asm.vpsrlw(RIGHT, RIGHT, 1)?,
                    Element::D => asm.vpsrad(RIGHT, RIGHT, 1)?,
                    _ => asm.vpsrld(RIGHT, RIGHT, 1)?,
                }
                match words {
                    true => asm.vpsubw(to, LEFT, RIGHT),
                    false => asm.vpsubd(to, LEFT, RIGHT),
                }
            }
            operation if words => {
                let count = planned.count().unwrap_or_default();
                let asm = &mut self.places.asm;
                match operation {
                    K::ShiftLeft => asm.vpsllw(to, a, count),
                    _ if planned.element == Element::W => asm.vpsraw(to, a, count),
                    _ => asm.vpsrlw(to, a, count),
                }
            }
            _ => {
                let b = self.places.in_register(b, SECOND)?;
                let counts = self.places.all(31);
                self.places.asm.vpand(RIGHT, b, counts)?;
                match planned.operation {
                    K::ShiftLeft => self.places.asm.vpsllvd(to, a, RIGHT),
                    // The low half of 64 bits, into which copies of the sign come from above.
                    _ if signed => self.places.asm.vpsravd(to, a, RIGHT),
                    _ => self.places.asm.vpsrlvd(to, a, RIGHT),
                }
            }
        }
    }

    /// Clamped to [0, 1]; what is not a number becomes zero.
    fn saturated(&mut self, lanes: AsmRegisterYmm) -> Result<()> {
        let (zero, one) = (self.places.all(0), self.places.all(1f32.to_bits()));
        let asm = &mut self.places.asm;
        asm.vcmpps(LEFT, lanes, zero, GREATER_EQUAL)?;
        asm.vandps(lanes, lanes, LEFT)?;
        asm.vminps(lanes, lanes, one)
    }

    /// The channels that a predicate and the thread masks enable, a bit each.
    pub(super) fn channels(
        &mut self,
        to: AsmRegister32,
        flag: Option<(u8, bool)>,
        thread: bool,
    ) -> Result<()> {
        let asm = &mut self.places.asm;
        let Some((number, inverse)) = flag else { return asm.mov(to, ACTIVE) };
        asm.mov(to, FLAGS)?;
        if number > 0 {
            asm.shr(to, 16)?;
        }
        if inverse {
            asm.not(to)?;
        }
        if thread {
            asm.and(to, ACTIVE)?;
        }
        Ok(())
    }

    /// What the vector mask of a chunk is known by.
    pub(super) fn held(
        planned: &Planned,
        flag: Option<(u8, bool)>,
        thread: bool,
        chunk: usize,
    ) -> Mask {
        let lanes = planned.channels as u8;
        Mask { flag, thread, channel: (CHANNELS * chunk) as u8, lanes }
    }

    /// The same channels as a vector for those of a chunk.
    pub(super) fn mask(
        &mut self,
        planned: &Planned,
        flag: Option<(u8, bool)>,
        thread: bool,
        chunk: usize,
    ) -> Result<AsmRegisterYmm> {
        let mask = Self::held(planned, flag, thread, chunk);
        if let Some(register) = self.places.mask_held(mask) {
            return Ok(register);
        }
        let words = planned.has_words();
        let bits = match planned.channels {
            1 => self.places.all(1),
            _ if words => self.places.constant(std::array::from_fn(|pair| 0x2_0001 << (2 * pair))),
            _ => self.places.constant(std::array::from_fn(|channel| 1 << channel)),
        };
        self.channels(eax, flag, thread)?;
        let register = self.places.mask(mask)?;
        let asm = &mut self.places.asm;
        if chunk > 0 {
            asm.shr(eax, (CHANNELS * chunk) as u32)?;
        }
        asm.vmovd(xmm(register), eax)?;
        if words {
            asm.vpbroadcastw(register, xmm(register))?;
            asm.vpand(register, register, bits)?;
            asm.vpcmpeqw(register, register, bits)?;
        } else {
            asm.vpbroadcastd(register, xmm(register))?;
            asm.vpand(register, register, bits)?;
            asm.vpcmpeqd(register, register, bits)?;
        }
        Ok(register)
    }
}

/// The doublewords of a chunk that the channels of less than one are, from a byte of it on.
fn lanes_of(planned: &Planned, first: usize) -> u32 {
    ((1 << planned.channels) - 1) << (first / 4)
}

/// What branches write of a state beside registers of lanes.
const WRITTEN_BY_BRANCHES: [(usize, usize); 5] = [
    (offset_of!(State, mask_stack), 32),
    (offset_of!(State, flag), 4),
    (offset_of!(State, mask), 8),
    (offset_of!(State, mask_stack_depth), 4),
    (offset_of!(State, ip), 4),
];

/// Toward negative infinity, of the immediate of `vroundps`; precision is no exception.
const DOWN: u32 = 0b1001;
/// Of the immediate of `vcmpps`.
pub(super) const GREATER_EQUAL: u32 = 0x1D;

/// The lower half of a vector register.
pub(super) fn xmm(register: AsmRegisterYmm) -> AsmRegisterXmm {
    const LOWER: [AsmRegisterXmm; 16] = [
        xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13,
        xmm14, xmm15,
    ];
    LOWER[(Register::from(register) as usize - Register::YMM0 as usize) & 15]
}
