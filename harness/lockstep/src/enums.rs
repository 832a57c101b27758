//! The suite `enums`: the enumerations of DG1 that belong to no instruction and no surface, as functions that
//! the reference and the executor have each for itself.

use parallax_executor::enums as executor;
use parallax_isa::{
    Device,
    enums::{Assembly, BarrierType, Code, Reserved, SimdMode, VERTICES, Words as _},
};
use parallax_reference::enums as reference;
use parallax_rules::enums::{Enumeration, observe};

use crate::{
    query::{Answers, Asked},
    random::SplitMix64,
};

/// Vertices of a topology as primitives.
type Primitives = fn(u8, u32) -> Result<Assembly, Reserved>;

/// The functions of an engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Functions {
    primitives: Primitives,
    elements: fn(u8, u32) -> Result<Vec<i32>, Reserved>,
    shortest: fn(u8) -> Result<[bool; 4], Reserved>,
    stages: fn(u8) -> Result<Vec<&'static str>, Reserved>,
    barrier: fn(u8) -> Result<BarrierType, Reserved>,
    fixed_function: fn(u8) -> Result<&'static str, Reserved>,
    simd_mode: fn(u8) -> Result<SimdMode, Reserved>,
}

const REFERENCE: Functions = Functions {
    primitives: reference::assemble,
    elements: reference::dpas_elements,
    shortest: reference::wrap_shortest,
    stages: reference::barrier_stages,
    barrier: reference::barrier_type,
    fixed_function: reference::fixed_function,
    simd_mode: reference::simd_mode,
};

const EXECUTOR: Functions = Functions {
    primitives: executor::primitives,
    elements: executor::unpacked,
    shortest: executor::shortest_components,
    stages: executor::stages_of_barrier,
    barrier: executor::type_of_barrier,
    fixed_function: executor::fixed_function_name,
    simd_mode: executor::sampler_mode,
};

/// Codes of topologies that are tried: six bits, and some above.
const TOPOLOGIES: u8 = 66;
/// The same of precisions.
const PRECISIONS: u8 = 9;

impl Asked for Code {
    const SUITE: &'static str = "enums";

    type Reference = ByReference;
    type Executor = ByExecutor;

    fn script(_: Device, seed: u64) -> Vec<Self> {
        let mut random = SplitMix64::new(seed);
        let mut vertices = || random.below(VERTICES.into()) as u32;
        let topologies = (0..TOPOLOGIES).map(|code| Self::Topology { code, vertices: vertices() });
        let topologies: Vec<_> = topologies.collect();
        let elements =
            (0..PRECISIONS).map(|code| Self::Elements { code, doubleword: random.next() as u32 });
        let kinds =
            [Self::WrapShortest, Self::Stages, Self::Barrier, Self::FixedFunction, Self::SimdMode];
        let codes = (0..=u8::MAX).flat_map(|code| kinds.map(|kind| kind(code)));
        topologies.into_iter().chain(elements).chain(codes).collect()
    }
}

impl Functions {
    /// The words of an answer.
    fn words(&self, code: Code) -> Vec<u32> {
        match code {
            Code::Topology { code, vertices } => (self.primitives)(code, vertices).words(),
            Code::Elements { code, doubleword } => (self.elements)(code, doubleword).words(),
            Code::WrapShortest(mask) => (self.shortest)(mask).words(),
            Code::Stages(mask) => (self.stages)(mask).words(),
            Code::Barrier(code) => (self.barrier)(code).words(),
            Code::FixedFunction(id) => (self.fixed_function)(id).words(),
            Code::SimdMode(code) => (self.simd_mode)(code).words(),
        }
    }
}

/// The functions of the reference, of which rules are counted.
pub(crate) struct ByReference;

impl Answers<Code> for ByReference {
    const NAME: &'static str = "reference";

    fn new(_: Device) -> Self {
        Self
    }

    fn answer(&mut self, code: &Code) -> Option<Vec<u32>> {
        let (of, number) = match *code {
            Code::Topology { code, .. } => (Enumeration::Topology, code),
            Code::Elements { code, .. } => (Enumeration::Precision, code),
            Code::WrapShortest(mask) => (Enumeration::WrapShortest, mask),
            Code::Stages(mask) => (Enumeration::Stages, mask),
            Code::Barrier(code) => (Enumeration::BarrierType, code),
            Code::FixedFunction(id) => (Enumeration::FixedFunction, id),
            Code::SimdMode(code) => (Enumeration::SimdMode, code),
        };
        observe(of, number);
        Some(REFERENCE.words(*code))
    }
}

/// The functions of the executor.
pub(crate) struct ByExecutor;

impl Answers<Code> for ByExecutor {
    const NAME: &'static str = "executor";

    fn new(_: Device) -> Self {
        Self
    }

    fn answer(&mut self, code: &Code) -> Option<Vec<u32>> {
        Some(EXECUTOR.words(*code))
    }
}

#[cfg(test)]
mod tests {
    use parallax_isa::{
        enums::{Shape, Stipple},
        query::Query as _,
    };

    use super::*;
    use crate::{query::suite, suite::Suite as _};

    /// Whether an engine is found to be wrong within a few cases, and by which query.
    fn found(engine: Functions) -> Option<String> {
        let mut codes = (0..20).flat_map(|seed| Code::script(Device::Dg1, seed));
        let wrong = codes.find(|code| engine.words(*code) != REFERENCE.words(*code));
        wrong.map(|code| code.name().to_owned())
    }

    #[test]
    fn both_engines_agree() {
        assert_eq!(found(EXECUTOR), None);
        assert_eq!(found(REFERENCE), None);
        let suite = suite::<Code>(Device::Dg1);
        let mut worker = suite.worker();
        for seed in 0..20 {
            let ran = worker.run(seed);
            assert!(ran.diverged.is_none() && ran.comparisons > 1000, "seed {seed}: {ran:?}");
        }
    }

    /// The executor's primitives, changed.
    fn changed(
        code: u8,
        vertices: u32,
        change: impl FnOnce(&mut Assembly),
    ) -> Result<Assembly, Reserved> {
        let mut assembly = executor::primitives(code, vertices)?;
        change(&mut assembly);
        Ok(assembly)
    }

    /// The code of a topology, and what is wrong with it.
    type Fault = (u8, fn(&mut Assembly));
    const TOPOLOGY_FAULTS: &[Fault] = &[
        (0x01, |all| all.primitives.truncate(3)),
        (0x02, |all| all.primitives.iter_mut().for_each(|line| line.vertices.reverse())),
        (0x03, |all| drop(all.primitives.pop())),
        (0x03, |all| all.stipple = Stipple::Continued),
        (0x04, |all| all.primitives.iter_mut().for_each(|one| one.vertices.swap(1, 2))),
        (0x05, |all| all.primitives.iter_mut().skip(1).step_by(2).for_each(turn)),
        (0x06, |all| all.primitives.iter_mut().for_each(|one| one.vertices[0] = 1)),
        (0x07, |all| all.primitives.iter_mut().for_each(|one| one.vertices.swap(2, 3))),
        (0x08, |all| all.primitives.iter_mut().for_each(|one| one.vertices.swap(2, 3))),
        (0x09, |all| all.primitives.iter_mut().for_each(|one| one.adjacent.clear())),
        (0x0A, |all| all.primitives.iter_mut().for_each(|one| one.adjacent.reverse())),
        (0x0B, |all| all.primitives.iter_mut().for_each(|one| one.adjacent.rotate_left(1))),
        (0x0C, |all| all.primitives.iter_mut().skip(1).for_each(|one| one.adjacent.swap(0, 2))),
        (0x0C, |all| all.primitives.iter_mut().take(1).for_each(|one| one.adjacent[0] = 0)),
        (0x0D, |all| all.primitives.iter_mut().take(1).for_each(turn)),
        (0x0E, |all| (0..).zip(&mut all.primitives).for_each(|(n, one)| one.object = n)),
        (0x0F, |all| all.primitives.iter_mut().for_each(|one| one.shape = Shape::Triangle)),
        (0x10, |all| drop(all.primitives.pop())),
        (0x11, |all| all.back_facing = false),
        (0x12, |all| all.stipple = Stipple::Restarted),
        (0x13, |all| all.back_facing = false),
        (0x14, |all| all.back_facing = false),
        (0x14, |all| all.stipple = Stipple::Restarted),
        (0x16, |all| all.stipple = Stipple::Restarted),
        (0x20, |all| all.primitives.truncate(1)),
        (0x2B, |all| all.primitives.iter_mut().for_each(|one| one.vertices.truncate(1))),
        (0x3F, |all| all.primitives.clear()),
    ];

    fn turn(triangle: &mut parallax_isa::enums::Primitive) {
        triangle.vertices.swap(1, 2);
    }

    #[test]
    fn wrong_topologies_are_found() {
        // A function has no surroundings: each fault is a function of its own by its number.
        fn with_fault<const N: usize>(code: u8, vertices: u32) -> Result<Assembly, Reserved> {
            let (meant, change) = TOPOLOGY_FAULTS[N];
            changed(code, vertices, |assembly| {
                if code == meant {
                    change(assembly);
                }
            })
        }
        macro_rules! faults {
            ($($number:literal)+) => { [$(with_fault::<$number>),+] };
        }
        let faults: [Primitives; 27] =
            faults!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26);
        assert_eq!(faults.len(), TOPOLOGY_FAULTS.len());
        for (primitives, (code, _)) in faults.into_iter().zip(TOPOLOGY_FAULTS) {
            let kind = found(Functions { primitives, ..EXECUTOR });
            assert_eq!(kind.as_deref(), Some("topology"), "{code:#x}");
        }
    }

    /// Engines that are wrong in another function, and what is found.
    #[test]
    fn wrong_codes_are_found() {
        let faults: &[(&str, Functions)] = &[
            (
                "topology",
                Functions {
                    primitives: |code, n| executor::primitives(code & 0x3F, n),
                    ..EXECUTOR
                },
            ),
            (
                "topology",
                Functions {
                    primitives: |code, n| executor::primitives(code.max(1), n),
                    ..EXECUTOR
                },
            ),
            (
                "elements",
                Functions { elements: |code, bits| executor::unpacked(code & 3, bits), ..EXECUTOR },
            ),
            (
                "elements",
                Functions { elements: |code, bits| executor::unpacked(code | 4, bits), ..EXECUTOR },
            ),
            (
                "elements",
                Functions {
                    elements: |code, bits| executor::unpacked(code, bits.reverse_bits()),
                    ..EXECUTOR
                },
            ),
            (
                "elements",
                Functions {
                    elements: |code, bits| executor::unpacked(code, bits.swap_bytes()),
                    ..EXECUTOR
                },
            ),
            (
                "wrap-shortest",
                Functions {
                    shortest: |mask| executor::shortest_components(mask & 0xF),
                    ..EXECUTOR
                },
            ),
            (
                "wrap-shortest",
                Functions {
                    shortest: |mask| {
                        executor::shortest_components(mask).map(|[x, y, z, w]| [w, z, y, x])
                    },
                    ..EXECUTOR
                },
            ),
            (
                "stages",
                Functions { stages: |mask| executor::stages_of_barrier(mask & 0x7F), ..EXECUTOR },
            ),
            (
                "stages",
                Functions { stages: |mask| executor::stages_of_barrier(mask & !0x20), ..EXECUTOR },
            ),
            (
                "barrier",
                Functions { barrier: |code| executor::type_of_barrier(code ^ 1), ..EXECUTOR },
            ),
            (
                "barrier",
                Functions { barrier: |code| executor::type_of_barrier(code & 3), ..EXECUTOR },
            ),
            (
                "fixed-function",
                Functions {
                    fixed_function: |id| executor::fixed_function_name(id & 0xF),
                    ..EXECUTOR
                },
            ),
            (
                "fixed-function",
                Functions {
                    fixed_function: |id| {
                        executor::fixed_function_name(if id == 8 { 7 } else { id })
                    },
                    ..EXECUTOR
                },
            ),
            (
                "simd-mode",
                Functions { simd_mode: |code| executor::sampler_mode(code & 7), ..EXECUTOR },
            ),
            (
                "simd-mode",
                Functions {
                    simd_mode: |code| executor::sampler_mode(if code == 4 { 2 } else { code }),
                    ..EXECUTOR
                },
            ),
            (
                "simd-mode",
                Functions {
                    simd_mode: |code| executor::sampler_mode(if code == 5 { 1 } else { code }),
                    ..EXECUTOR
                },
            ),
        ];
        for (number, (kind, engine)) in faults.iter().enumerate() {
            assert_eq!(found(*engine).as_deref(), Some(*kind), "fault {number}");
        }
    }

    /// Strips as they are drawn in books on graphics.
    #[test]
    fn strips_wind_one_way() {
        let corners = |code| {
            let all = executor::primitives(code, 5).expect("a topology").primitives;
            all.into_iter().map(|one| one.vertices).collect::<Vec<_>>()
        };
        assert_eq!(corners(0x05), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        assert_eq!(corners(0x0D), [[0, 2, 1], [1, 2, 3], [2, 4, 3]]);
        assert_eq!(corners(0x06), [[0, 1, 2], [0, 2, 3], [0, 3, 4]]);
    }
}
