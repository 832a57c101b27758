//! The suite `enums`: the enumerations of DG1 that belong to no instruction and no surface, as functions that
//! the reference and the executor have each for itself.

use std::fmt::Debug;

use parallax_executor::enums as executor;
use parallax_isa::{
    Device,
    enums::{Assembly, BarrierType, Reserved, SimdMode},
};
use parallax_reference::enums as reference;
use parallax_rules::enums::{Enumeration, observe};
use parallax_spec::coverage;

use crate::{
    random::SplitMix64,
    suite::{
        Suite,
        comparison::{Comparison, ComparisonSuite, Counts, Mismatch},
    },
};

/// Vertices of a topology as primitives.
type Primitives = fn(u8, u32) -> Result<Assembly, Reserved>;

/// The functions of an engine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answers {
    primitives: Primitives,
    elements: fn(u8, u32) -> Result<Vec<i32>, Reserved>,
    shortest: fn(u8) -> Result<[bool; 4], Reserved>,
    stages: fn(u8) -> Result<Vec<&'static str>, Reserved>,
    barrier: fn(u8) -> Result<BarrierType, Reserved>,
    fixed_function: fn(u8) -> Result<&'static str, Reserved>,
    simd_mode: fn(u8) -> Result<SimdMode, Reserved>,
}

const REFERENCE: Answers = Answers {
    primitives: reference::assemble,
    elements: reference::dpas_elements,
    shortest: reference::wrap_shortest,
    stages: reference::barrier_stages,
    barrier: reference::barrier_type,
    fixed_function: reference::fixed_function,
    simd_mode: reference::simd_mode,
};

const EXECUTOR: Answers = Answers {
    primitives: executor::primitives,
    elements: executor::unpacked,
    shortest: executor::shortest_components,
    stages: executor::stages_of_barrier,
    barrier: executor::type_of_barrier,
    fixed_function: executor::fixed_function_name,
    simd_mode: executor::sampler_mode,
};

/// Most vertices of a topology: three of the largest patches and some left over.
const VERTICES: u64 = 100;
/// Codes of topologies that are tried: six bits, and some above.
const TOPOLOGIES: u64 = 66;

/// The suite on a device.
pub(crate) fn suite(device: Device) -> impl Suite {
    ComparisonSuite::new("enums", device, |_| Enumerations(EXECUTOR))
}

/// An engine beside the reference.
struct Enumerations(Answers);

impl Comparison for Enumerations {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        let mut random = SplitMix64::new(seed);
        for code in 0..TOPOLOGIES as u8 {
            let vertices = random.below(VERTICES) as u32;
            let [expected, actual] =
                [REFERENCE, self.0].map(|engine| (engine.primitives)(code, vertices));
            observe(Enumeration::Topology, code);
            same(
                "topology",
                &format!("{code:#x} of {vertices} vertices"),
                &expected,
                &actual,
                counts,
            )?;
        }
        for precision in 0..9 {
            let doubleword = random.next() as u32;
            let [expected, actual] =
                [REFERENCE, self.0].map(|engine| (engine.elements)(precision, doubleword));
            observe(Enumeration::Precision, precision);
            same(
                "elements",
                &format!("{precision:#x} {doubleword:#x}"),
                &expected,
                &actual,
                counts,
            )?;
        }
        for code in 0..=u8::MAX {
            self.code(code, counts)?;
        }
        Ok(())
    }
}

impl Enumerations {
    /// Compares what a code of each of the others stands for.
    fn code(&self, code: u8, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        let [expected, actual] = [REFERENCE, self.0];
        let call = format!("{code:#x}");
        observe(Enumeration::WrapShortest, code);
        same("wrap-shortest", &call, &(expected.shortest)(code), &(actual.shortest)(code), counts)?;
        observe(Enumeration::Stages, code);
        same("stages", &call, &(expected.stages)(code), &(actual.stages)(code), counts)?;
        observe(Enumeration::BarrierType, code);
        same("barrier", &call, &(expected.barrier)(code), &(actual.barrier)(code), counts)?;
        let functions = [expected, actual].map(|engine| (engine.fixed_function)(code));
        observe(Enumeration::FixedFunction, code);
        same("fixed-function", &call, &functions[0], &functions[1], counts)?;
        observe(Enumeration::SimdMode, code);
        same("simd-mode", &call, &(expected.simd_mode)(code), &(actual.simd_mode)(code), counts)
    }
}

/// Compares two answers; which code is refused has to be the same, not with which words.
fn same<T: PartialEq + Debug>(
    what: &str,
    call: &str,
    expected: &Result<T, Reserved>,
    actual: &Result<T, Reserved>,
    counts: &mut Counts,
) -> Result<(), Box<Mismatch>> {
    counts.instructions += 1;
    counts.comparisons += 1;
    let is_same = match (expected, actual) {
        (Ok(expected), Ok(actual)) => expected == actual,
        (Err(_), Err(_)) => true,
        _ => false,
    };
    if is_same {
        coverage::settle(coverage::Weight::Exact);
        return Ok(());
    }
    let call = format!("{what} {call}");
    let [expected, actual] = [format!("{expected:?}"), format!("{actual:?}")];
    Err(Box::new(Mismatch {
        kind: what.to_owned(),
        location: "result".to_owned(),
        text: format!("{call}\n  expected {expected}\n  actual   {actual}"),
        instruction: call,
        expected,
        actual,
    }))
}

#[cfg(test)]
mod tests {
    use parallax_isa::enums::{Shape, Stipple};

    use super::*;

    /// Whether an engine is found to be wrong within a few cases, and by which function.
    fn found(engine: Answers) -> Option<String> {
        let mut enumerations = Enumerations(engine);
        let mut cases = (0..20).map(|seed| enumerations.compare(seed, &mut Counts::default()));
        cases.find_map(Result::err).map(|mismatch| mismatch.kind)
    }

    #[test]
    fn both_engines_agree() {
        assert_eq!(found(EXECUTOR), None);
        assert_eq!(found(REFERENCE), None);
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
            let kind = found(Answers { primitives, ..EXECUTOR });
            assert_eq!(kind.as_deref(), Some("topology"), "{code:#x}");
        }
    }

    /// Engines that are wrong in another function, and what is found.
    #[test]
    fn wrong_codes_are_found() {
        let faults: &[(&str, Answers)] = &[
            (
                "topology",
                Answers { primitives: |code, n| executor::primitives(code & 0x3F, n), ..EXECUTOR },
            ),
            (
                "topology",
                Answers { primitives: |code, n| executor::primitives(code.max(1), n), ..EXECUTOR },
            ),
            (
                "elements",
                Answers { elements: |code, bits| executor::unpacked(code & 3, bits), ..EXECUTOR },
            ),
            (
                "elements",
                Answers { elements: |code, bits| executor::unpacked(code | 4, bits), ..EXECUTOR },
            ),
            (
                "elements",
                Answers {
                    elements: |code, bits| executor::unpacked(code, bits.reverse_bits()),
                    ..EXECUTOR
                },
            ),
            (
                "elements",
                Answers {
                    elements: |code, bits| executor::unpacked(code, bits.swap_bytes()),
                    ..EXECUTOR
                },
            ),
            (
                "wrap-shortest",
                Answers { shortest: |mask| executor::shortest_components(mask & 0xF), ..EXECUTOR },
            ),
            (
                "wrap-shortest",
                Answers {
                    shortest: |mask| {
                        executor::shortest_components(mask).map(|[x, y, z, w]| [w, z, y, x])
                    },
                    ..EXECUTOR
                },
            ),
            (
                "stages",
                Answers { stages: |mask| executor::stages_of_barrier(mask & 0x7F), ..EXECUTOR },
            ),
            (
                "stages",
                Answers { stages: |mask| executor::stages_of_barrier(mask & !0x20), ..EXECUTOR },
            ),
            (
                "barrier",
                Answers { barrier: |code| executor::type_of_barrier(code ^ 1), ..EXECUTOR },
            ),
            (
                "barrier",
                Answers { barrier: |code| executor::type_of_barrier(code & 3), ..EXECUTOR },
            ),
            (
                "fixed-function",
                Answers {
                    fixed_function: |id| executor::fixed_function_name(id & 0xF),
                    ..EXECUTOR
                },
            ),
            (
                "fixed-function",
                Answers {
                    fixed_function: |id| {
                        executor::fixed_function_name(if id == 8 { 7 } else { id })
                    },
                    ..EXECUTOR
                },
            ),
            (
                "simd-mode",
                Answers { simd_mode: |code| executor::sampler_mode(code & 7), ..EXECUTOR },
            ),
            (
                "simd-mode",
                Answers {
                    simd_mode: |code| executor::sampler_mode(if code == 4 { 2 } else { code }),
                    ..EXECUTOR
                },
            ),
            (
                "simd-mode",
                Answers {
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
