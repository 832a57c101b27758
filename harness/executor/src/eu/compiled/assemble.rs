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
    layout::Chunk,
    places::{FIRST, LEFT, LOW, Mask, Places, RIGHT, SECOND, STATE, Source},
    plan::{CHANNELS, Planned, comparison},
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
const FLAGS: AsmRegister32 = r8d;
const ACTIVE: AsmRegister32 = r9d;
const REFUSED: AsmRegister32 = r10d;

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

/// The machine code of micro-ops that follow each other.
pub(super) fn assemble(planned: &[Planned], setting: Setting) -> Result<Assembled> {
    let floats = planned.iter().any(Planned::is_float);
    let flags = planned.iter().any(|op| op.compares() || op.mask.flag_read().is_some());
    let mut stretch = Stretch { places: Places::new(floats)?, setting, normal: Vec::new() };
    stretch.begin(floats, flags)?;
    for op in planned {
        stretch.micro_op(op)?;
    }
    stretch.end(floats, flags)
}

struct Stretch {
    places: Places,
    setting: Setting,
    /// Places of accumulators that hold no denormal.
    normal: Vec<usize>,
}

impl Stretch {
    fn begin(&mut self, floats: bool, flags: bool) -> Result<()> {
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
        if !self.setting.open {
            let mask = offset_of!(State, mask);
            asm.movzx(ACTIVE, word_ptr(STATE + mask))?;
            for further in 1..4 {
                asm.and(r9w, word_ptr(STATE + mask + 2 * further))?;
            }
        }
        Ok(())
    }

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

    fn micro_op(&mut self, planned: &Planned) -> Result<()> {
        for chunk in 0..planned.op.chunks() {
            match planned.compares() {
                true => self.compare(planned, chunk)?,
                false => self.compute(planned, chunk)?,
            }
        }
        Ok(())
    }

    /// A source's elements as they stand in the registers.
    fn elements(&mut self, planned: &Planned, index: usize, chunk: usize) -> Result<Source> {
        let view = &planned.op.sources[index];
        let at = usize::from(view.offset);
        Ok(match view.shape {
            Shape::Packed if planned.channels > 1 => {
                self.places.packed(at + 4 * CHANNELS * chunk, planned.channels)?
            }
            Shape::Packed | Shape::Splat => Source::Register(self.places.splat(at)?),
            Shape::Constant | Shape::Accumulator => {
                let lane = |lane| planned.constant(view, lane).unwrap_or_default();
                Source::Memory(self.places.constant(std::array::from_fn(lane)))
            }
        })
    }

    /// A source with its modifiers.
    fn source(
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
        if view.absolute && (float || planned.element == Element::D) {
            if float {
                let from = self.places.in_register(source, scratch)?;
                let magnitude = self.places.all(0x7FFF_FFFF);
                self.places.asm.vandps(scratch, from, magnitude)?;
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
                emit!(self.vpsubd(scratch, LOW; source))?;
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
            Some(flag) => Some(self.mask(Some(flag), false, chunk)?),
            None => None,
        };
        let at = usize::from(op.target) + 4 * CHANNELS * chunk;
        let place = at / 32 * 32;
        if planned.is_masked(self.setting) {
            let flag = planned.mask.flag_read().filter(|_| planned.mask.predicate_disables());
            let thread = planned.mask.reads_thread_masks(self.setting.open);
            self.result(planned, FIRST, a, b, chosen)?;
            let enabled = self.mask(flag, thread, chunk)?;
            let kept = self.places.kept(place)?;
            self.places.asm.vblendvps(kept, kept, FIRST, enabled)?;
        } else if planned.channels == CHANNELS {
            let target = self.places.target(place)?;
            self.result(planned, target, a, b, chosen)?;
        } else {
            self.result(planned, FIRST, a, b, chosen)?;
            let lanes = ((1u32 << planned.channels) - 1) << ((at - place) / 4);
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
        match planned.operation {
            K::Move => self.places.asm.vmovaps(to, a),
            K::Select => match chosen {
                Some(chosen) => {
                    let b = self.places.in_register(b, SECOND)?;
                    self.places.asm.vblendvps(to, b, a, chosen)
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
            K::Add => emit!(self.vpaddd(to, a; b)),
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
                match signed {
                    true => self.places.asm.vpsrad(RIGHT, RIGHT, 1)?,
                    false => self.places.asm.vpsrld(RIGHT, RIGHT, 1)?,
                }
                self.places.asm.vpsubd(to, LEFT, RIGHT)
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

    /// The two places of an accumulator's chunk.
    fn accumulator(planned: &Planned, chunk: usize) -> [usize; 2] {
        let (register, channel) = planned.op.accumulator_chunk(chunk);
        let first = offset_of!(State, accumulator) + 128 * register + 8 * channel;
        [first, first + 32]
    }

    /// The 64 bits of a sum of integers.
    fn integer_accumulator(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        let a = self.elements(planned, 0, chunk)?;
        let a = self.places.in_register(a, FIRST)?;
        let b = self.elements(planned, 1, chunk)?;
        let b = self.places.in_register(b, SECOND)?;
        for (half, at) in Self::accumulator(planned, chunk).into_iter().enumerate() {
            let target = self.places.target(at)?;
            for (index, from, to) in [(0, a, LEFT), (1, b, RIGHT)] {
                let asm = &mut self.places.asm;
                asm.vextracti128(xmm(LOW), from, half as u32)?;
                match planned.element {
                    Element::D => asm.vpmovsxdq(to, xmm(LOW))?,
                    _ => asm.vpmovzxdq(to, xmm(LOW))?,
                }
                let view = &planned.op.sources[index];
                if view.negate && view.shape != Shape::Constant {
                    asm.vpxor(LOW, LOW, LOW)?;
                    asm.vpsubq(to, LOW, to)?;
                }
            }
            self.places.asm.vpaddq(target, LEFT, RIGHT)?;
            self.places.written(at);
            self.normal.retain(|place| *place != at);
        }
        Ok(())
    }

    /// Sums and products as an accumulator has them, which `mac` makes its result of, in `LOW`.
    fn float_accumulator(
        &mut self,
        planned: &Planned,
        chunk: usize,
        a: AsmRegisterYmm,
        b: AsmRegisterYmm,
    ) -> Result<()> {
        let accumulates = planned.operation == KernelOperation::MultiplyAdd;
        for (half, at) in Self::accumulator(planned, chunk).into_iter().enumerate() {
            let place = match accumulates {
                true => self.places.kept(at)?,
                false => self.places.target(at)?,
            };
            if accumulates {
                self.refuse_denormals(at, place)?;
            }
            let asm = &mut self.places.asm;
            asm.vextractf128(xmm(LEFT), a, half as u32)?;
            asm.vcvtps2pd(LEFT, xmm(LEFT))?;
            asm.vextractf128(xmm(RIGHT), b, half as u32)?;
            asm.vcvtps2pd(RIGHT, xmm(RIGHT))?;
            let to = if planned.updates_accumulator { place } else { LEFT };
            match planned.operation {
                KernelOperation::Add => asm.vaddpd(to, LEFT, RIGHT)?,
                KernelOperation::Multiply => asm.vmulpd(to, LEFT, RIGHT)?,
                _ => {
                    asm.vmulpd(LEFT, LEFT, RIGHT)?;
                    asm.vaddpd(to, LEFT, place)?;
                }
            }
            if accumulates && half == 0 {
                asm.vcvtpd2ps(xmm(LOW), to)?;
            } else if accumulates {
                asm.vcvtpd2ps(xmm(LEFT), to)?;
                asm.vinsertf128(LOW, LOW, xmm(LEFT), 1)?;
            }
            if planned.updates_accumulator {
                self.places.written(at);
                if !self.normal.contains(&at) {
                    self.normal.push(at);
                }
            }
        }
        Ok(())
    }

    /// Notes an accumulator channel that is a denormal, which would be taken for zero here.
    fn refuse_denormals(&mut self, at: usize, channels: AsmRegisterYmm) -> Result<()> {
        if self.normal.contains(&at) {
            return Ok(());
        }
        self.normal.push(at);
        let zero = self.places.all(0);
        let exponents: [u32; 8] =
            std::array::from_fn(|half| if half % 2 == 1 { 0x7FF0_0000 } else { 0 });
        let exponents = self.places.constant(exponents);
        let asm = &mut self.places.asm;
        asm.vpand(LEFT, channels, exponents)?;
        asm.vpcmpeqq(LEFT, LEFT, zero)?;
        asm.vpsllq(RIGHT, channels, 1)?;
        asm.vpcmpeqq(RIGHT, RIGHT, zero)?;
        asm.vpandn(LEFT, RIGHT, LEFT)?;
        asm.vmovmskpd(eax, LEFT)?;
        asm.or(REFUSED, eax)
    }

    /// A comparison, whose results are flags.
    fn compare(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
        let a = self.source(planned, 0, chunk, FIRST)?;
        let a = self.places.in_register(a, FIRST)?;
        let b = self.source(planned, 1, chunk, SECOND)?;
        let Some(condition) = comparison(planned.condition) else { return Ok(()) };
        let every = (1u32 << planned.channels) - 1;
        if planned.is_float() {
            emit!(self.vcmpps(LEFT, a; b, float_predicate(condition)))?;
            self.places.asm.vmovmskps(eax, LEFT)?;
        } else {
            let b = self.places.in_register(b, SECOND)?;
            self.compare_integers(planned, condition, a, b)?;
        }
        self.places.asm.and(eax, every)?;
        let flag = planned.mask.flag_written();
        let (first, shift) = (8 * chunk as u32, 16 * u32::from(flag));
        let read = planned.mask.flag_read();
        let thread = planned.mask.reads_thread_masks(self.setting.open);
        if thread || read.is_some() {
            self.channels(ecx, read, thread)?;
            let asm = &mut self.places.asm;
            asm.and(ecx, every << first)?;
            if first > 0 {
                asm.shl(eax, first)?;
            }
            asm.and(eax, ecx)?;
            if shift > 0 {
                asm.shl(ecx, shift)?;
            }
            asm.not(ecx)?;
            asm.and(FLAGS, ecx)?;
            if shift > 0 {
                asm.shl(eax, shift)?;
            }
        } else {
            let asm = &mut self.places.asm;
            asm.and(FLAGS, (!(every << (first + shift))).cast_signed())?;
            if first + shift > 0 {
                asm.shl(eax, first + shift)?;
            }
        }
        self.places.asm.or(FLAGS, eax)?;
        self.places.forget_flag(flag);
        Ok(())
    }

    /// The channels for which a condition holds between integers, in `eax`.
    fn compare_integers(
        &mut self,
        planned: &Planned,
        condition: [bool; 3],
        a: AsmRegisterYmm,
        b: AsmRegisterYmm,
    ) -> Result<()> {
        let [greater, equal, less] = condition;
        let (mut a, mut b) = (a, b);
        if planned.element == Element::Ud && greater != less {
            let sign = self.places.all(0x8000_0000);
            self.places.asm.vpxor(FIRST, a, sign)?;
            self.places.asm.vpxor(SECOND, b, sign)?;
            (a, b) = (FIRST, SECOND);
        }
        let asm = &mut self.places.asm;
        // What holds, or what does not where equal ones are to be with greater or less ones.
        let inverted = match (greater, equal, less) {
            (false, true, false) => asm.vpcmpeqd(LEFT, a, b).map(|()| false),
            (true, false, true) => asm.vpcmpeqd(LEFT, a, b).map(|()| true),
            (true, false, false) => asm.vpcmpgtd(LEFT, a, b).map(|()| false),
            (true, true, _) => asm.vpcmpgtd(LEFT, b, a).map(|()| true),
            (false, false, _) => asm.vpcmpgtd(LEFT, b, a).map(|()| false),
            (false, true, true) => asm.vpcmpgtd(LEFT, a, b).map(|()| true),
        }?;
        asm.vmovmskps(eax, LEFT)?;
        if inverted {
            asm.xor(eax, 0xFF)?;
        }
        Ok(())
    }

    /// The channels that a predicate and the thread masks enable, a bit each.
    fn channels(
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

    /// The same as a vector for the channels of a chunk.
    fn mask(
        &mut self,
        flag: Option<(u8, bool)>,
        thread: bool,
        chunk: usize,
    ) -> Result<AsmRegisterYmm> {
        let bits = self.places.constant(std::array::from_fn(|channel| 1 << channel));
        let mask = Mask { flag, thread, channel: (CHANNELS * chunk) as u8 };
        if let Some(register) = self.places.mask_held(mask) {
            return Ok(register);
        }
        self.channels(eax, flag, thread)?;
        let register = self.places.mask(mask)?;
        let asm = &mut self.places.asm;
        if chunk > 0 {
            asm.shr(eax, (CHANNELS * chunk) as u32)?;
        }
        asm.vmovd(xmm(register), eax)?;
        asm.vpbroadcastd(register, xmm(register))?;
        asm.vpand(register, register, bits)?;
        asm.vpcmpeqd(register, register, bits)?;
        Ok(register)
    }
}

/// Toward negative infinity, of the immediate of `vroundps`; precision is no exception.
const DOWN: u32 = 0b1001;
/// Of the immediate of `vcmpps`.
const GREATER_EQUAL: u32 = 0x1D;

/// The predicate of `vcmpps`; what is not a number is equal to nothing.
fn float_predicate(condition: [bool; 3]) -> u32 {
    match condition {
        [true, true, _] => GREATER_EQUAL,
        [true, false, true] => 0x04,
        [true, false, false] => 0x1E,
        [false, true, false] => 0x00,
        [false, true, true] => 0x12,
        [false, false, _] => 0x11,
    }
}

/// The lower half of a vector register.
fn xmm(register: AsmRegisterYmm) -> AsmRegisterXmm {
    const LOWER: [AsmRegisterXmm; 16] = [
        xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13,
        xmm14, xmm15,
    ];
    LOWER[(Register::from(register) as usize - Register::YMM0 as usize) & 15]
}
