//! Accumulators, which sums and products leave behind: 64 bits a channel.

use iced_x86::code_asm::*;

use super::{
    assemble::{REFUSED, Stretch, xmm},
    description::{Planned, Shape},
    places::{FIRST, LEFT, LOW, RIGHT, SECOND},
};
use crate::eu::kernel::element::{Element, KernelOperation};

type Result<T> = std::result::Result<T, IcedError>;

impl Stretch {
    /// The two places of an accumulator's chunk.
    fn accumulator(planned: &Planned, chunk: usize) -> [usize; 2] {
        let first = usize::from(planned.accumulators[chunk]);
        [first, first + 32]
    }

    /// The 64 bits of a sum of integers.
    pub(super) fn integer_accumulator(&mut self, planned: &Planned, chunk: usize) -> Result<()> {
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
                let view = &planned.sources[index];
                if view.negate && view.shape != Shape::Constant {
                    asm.vpxor(LOW, LOW, LOW)?;
                    asm.vpsubq(to, LOW, to)?;
                }
            }
            self.places.asm.vpaddq(target, LEFT, RIGHT)?;
            self.places.written(at, false);
            self.normal.retain(|place| *place != at);
        }
        Ok(())
    }

    /// Sums and products as an accumulator has them, which `mac` makes its result of, in `LOW`.
    pub(super) fn float_accumulator(
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
                self.places.written(at, false);
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
}
