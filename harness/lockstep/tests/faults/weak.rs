//! Engines that declare what they do not have right: nothing of it is a divergence, and the rest is compared all the
//! same.

use parallax_isa::{
    Device, Engine, EngineError, Extent, LoadError, Step, Weaknesses,
    eu::{DataType, Instruction, Opcode, State, instruction::ConditionalModifier as Condition},
    r700::{self, Alu, Group, opcode::Kind},
};
use parallax_lockstep::{
    Verdict,
    eu::{Eu, generate},
    lockstep::lockstep,
    r700::{R700, generate as groups},
    random::SplitMix64,
};
use rstest::rstest;

use super::{
    eu::values::{changed, element},
    r700::Disturb,
};
use crate::fault_injection::{
    Fault, Faulty, Mutate,
    eu::{disturb, rewrite},
};

/// An engine with weaknesses.
struct Weak<M: Mutate>(Faulty<M>, Weaknesses);

impl<M: Mutate> Engine<M> for Weak<M> {
    fn name(&self) -> &str {
        "weak"
    }

    fn load(&mut self, case: &M::Case) -> Result<(), LoadError> {
        self.0.load(case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        self.0.step()
    }

    fn state(&self) -> Result<&M::State, EngineError> {
        self.0.state()
    }

    fn adopt(&mut self, extent: Extent, from: &M::State) -> Result<(), EngineError> {
        self.0.adopt(extent, from)
    }

    fn weaknesses(&self) -> Option<&Weaknesses> {
        Some(&self.1).filter(|weaknesses| !weaknesses.is_empty())
    }
}

/// Cases that are run.
const CASES: u64 = 1500;

/// What an engine with a fault and some weaknesses differs in.
fn found<M: Mutate>(
    fault: Fault<M>,
    weaknesses: Weaknesses,
    case: impl Fn(&[u8]) -> M::Case,
) -> Vec<String> {
    let (mut engine, mut reference) = (Weak(Faulty::new(fault), weaknesses), M::reference());
    let mut bytes = vec![0; generate::BYTES.max(groups::BYTES)];
    let cases = (0..CASES).filter_map(|seed| {
        SplitMix64::new(seed).fill(&mut bytes);
        match lockstep::<M>(&mut *reference, &mut engine, &case(&bytes)) {
            Verdict::Diverged(divergence) => Some(divergence.instruction),
            Verdict::Agreed(_) | Verdict::NotRun(_) => None,
        }
    });
    cases.collect()
}

/// A fault shows, and only where it is not declared.
fn shows_unless_declared<M: Mutate>(
    fault: Fault<M>,
    weaknesses: Weaknesses,
    case: impl Fn(&[u8]) -> M::Case,
) {
    assert!(!found(fault, Weaknesses::default(), &case).is_empty(), "it shows");
    let found = found(fault, weaknesses, &case);
    assert!(found.is_empty(), "{found:#?}");
}

fn named(name: &str) -> Weaknesses {
    Weaknesses::named([name]).expect("a weakness")
}

/// Gives the float results of an instruction another value.
fn floats(i: &Instruction, before: &State, after: &mut State, change: fn(u32) -> u32) {
    if i.destination.data_type == DataType::F
        && i.condition == Condition::None
        && !i.accumulator_write
    {
        for channel in 0..i.execution_size {
            changed(i, channel, before, after, |bits| u64::from(change(bits as u32)));
        }
    }
}

const FLUSHED: Fault<Eu> = disturb("denormal results flushed", |i, before, after| {
    floats(i, before, after, |bits| if bits & 0x7F80_0000 == 0 { bits & 1 << 31 } else { bits });
});
const PAYLOAD: Fault<Eu> = disturb("NaN with another payload", |i, before, after| {
    floats(i, before, after, |bits| if f32::from_bits(bits).is_nan() { bits ^ 0x15 } else { bits });
});
const COMPARED: Fault<Eu> =
    disturb("the lesser of a NaN and a number is the NaN", |i, before, after| {
        if i.opcode == Opcode::Sel
            && i.condition != Condition::None
            && i.destination.data_type == DataType::F
        {
            for channel in 0..i.execution_size {
                let sources = [0, 1].map(|index| element(i, index, channel, before));
                if sources.into_iter().flatten().any(|bits| f32::from_bits(bits as u32).is_nan()) {
                    changed(i, channel, before, after, |_| 0x7FC0_0000);
                }
            }
        }
    });
const CONVERTED: Fault<Eu> =
    disturb("floats out of range convert to 80000000h", |i, before, after| {
        if i.opcode == Opcode::Mov
            && [i.destination.data_type, i.sources[0].data_type()] == [DataType::D, DataType::F]
            && i.condition == Condition::None
        {
            for channel in 0..i.execution_size {
                let source = element(i, 0, channel, before).map(|bits| f32::from_bits(bits as u32));
                if source.is_some_and(|source| source.is_nan() || source.abs() >= 2_147_483_648.0) {
                    changed(i, channel, before, after, |_| 0x8000_0000);
                }
            }
        }
    });
const ROUGH: Fault<Eu> = disturb("products are off by one", |i, before, after| {
    if i.opcode == Opcode::Mul {
        floats(i, before, after, |bits| if bits & 0xFF == 0x55 { bits + 1 } else { bits });
    }
});

#[rstest]
#[case::denormals(FLUSHED, named("denormals"))]
#[case::payloads(PAYLOAD, named("nan-payloads"))]
#[case::comparisons(COMPARED, named("nan-comparisons"))]
#[case::conversions(CONVERTED, named("conversions"))]
#[case::approximations(
    ROUGH,
    Weaknesses { approximations: [("mul".to_owned(), 1)].into(), ..Weaknesses::default() }
)]
fn what_is_declared_is_no_divergence(#[case] fault: Fault<Eu>, #[case] weaknesses: Weaknesses) {
    shows_unless_declared(fault, weaknesses, |bytes| generate::straight_line(Device::Skl, bytes));
}

/// Whatever an engine declares, what is not of these classes is compared.
#[test]
fn the_rest_is_compared() {
    let fault =
        rewrite("xor taken for or", |i| (i.opcode == Opcode::Xor).then(|| i.opcode = Opcode::Or));
    let names = Weaknesses::NAMES.map(|(name, _)| name);
    let weaknesses = Weaknesses::named(names).expect("weaknesses");
    let case = |bytes: &[u8]| generate::straight_line(Device::Skl, bytes);
    let all = found(fault, Weaknesses::default(), case).len();
    assert!(2 * found(fault, weaknesses, case).len() > all, "{all}");
}

/// Changes the float results of a group in the registers.
fn results(group: &Group, before: &r700::State, after: &mut r700::State, change: fn(u32) -> u32) {
    for alu in &group.instructions {
        let is_float = alu.opcode().is_some_and(|opcode| opcode.row().result == Kind::F32);
        if !is_float || !alu.write_mask() || alu.dst_rel() != 0 {
            continue;
        }
        let (register, lane) = (alu.dst_gpr() as usize, alu.dst_elem() as usize);
        let writes_it =
            |other: &&Alu| (other.dst_gpr(), other.dst_elem()) == (alu.dst_gpr(), alu.dst_elem());
        if group.instructions.iter().filter(writes_it).count() > 1 {
            continue;
        }
        for pixel in 0..64 {
            let old = before.gpr[register][lane][pixel];
            let new = &mut after.gpr[register][lane][pixel];
            if *new != old {
                *new = change(*new);
            }
        }
    }
}

const R700_PAYLOAD: Fault<R700> = Fault::disturb(
    "NaN with another payload",
    Disturb::Group(|group, before, after| {
        results(group, before, after, |bits| {
            if f32::from_bits(bits).is_nan() { bits ^ 0x15 } else { bits }
        });
    }),
);

#[test]
fn what_is_declared_of_r700_is_no_divergence() {
    let case = |bytes: &[u8]| groups::groups(Device::Rv770, bytes);
    shows_unless_declared(R700_PAYLOAD, named("nan-payloads"), case);
}
