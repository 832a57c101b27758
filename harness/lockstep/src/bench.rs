//! How fast the engines are, in ratios: each kernel is one program that the reference and the
//! executor run, and the same work as plain Rust over arrays.
//!
//! For surface formats the same work is copying the decoded texels; whoever runs the benchmark names
//! other decoders as peers.
//!
//! Plain Rust rounds to nearest and flushes nothing, so floats differ from G45's in the last bits;
//! integers and the floats of later generations are equal to the last bit, which tests check.

mod arithmetic;
mod branching;
mod extended_math;
mod media;
mod messages;
mod program;
mod r700;
mod sampler;
mod surface;

use std::{
    collections::HashSet,
    hint::black_box,
    time::{Duration, Instant},
};

use parallax_executor::eu::Executor;
use parallax_isa::{
    Device, LoadError, Model, Outcome, Step,
    eu::{Case, State},
    shared::memory::GRAPHICS_BYTES,
};
use parallax_reference::eu::Reference;

/// The general registers, as a native twin sees them.
pub type Registers = [[u8; 32]; 128];

/// The memory that messages reach, as a native twin sees it.
pub type Graphics = [u8; GRAPHICS_BYTES];

/// A program and its native twin.
pub struct Kernel {
    /// What it belongs to: the kind of machine.
    pub suite: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The program and what it starts from.
    pub case: Case,
    /// The same work on the same registers and memory; leaves its results where the program does.
    pub native: fn(&mut Registers, &mut Graphics),
    /// The registers that hold results, as a range.
    pub results: std::ops::Range<usize>,
    /// How native results are compared with the executor's.
    pub exactness: Exactness,
}

/// How a native twin's results agree with the program's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exactness {
    /// To the bit.
    Bits,
    /// As floats, to a relative error of one in ten thousand.
    Float,
}

/// Decodes a square surface of so many texels a row to pixels of four bytes; says why if it cannot.
pub type Decode = fn(&[u8], usize, &mut [u32]) -> Result<(), String>;

/// Another decoder of a compressed format, which the executor's is measured beside.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// Its name.
    pub name: &'static str,
    /// The format it decodes.
    pub format: &'static str,
    /// The decoder.
    pub decode: Decode,
}

/// The times of one kernel. All are of one run of the whole program.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelResult {
    /// What it belongs to.
    pub suite: String,
    /// Its name.
    pub name: String,
    /// The device the program is for.
    pub device: Device,
    /// Instructions one run executes; texels for surface formats.
    pub instructions: u64,
    /// Nanoseconds of the reference.
    pub reference_ns: f64,
    /// Nanoseconds of the executor.
    pub executor_ns: f64,
    /// Nanoseconds of the native twin; of copying the decoded texels for surface formats.
    pub native_ns: f64,
    /// The fastest of the peers that do the same work and its nanoseconds, if there are any.
    pub peer: Option<(String, f64)>,
}

impl KernelResult {
    /// How many times as fast as the reference the executor is.
    #[must_use]
    pub fn executor_vs_reference(&self) -> f64 {
        self.reference_ns / self.executor_ns
    }

    /// How many times as long as native code the executor takes.
    #[must_use]
    pub fn executor_vs_native(&self) -> f64 {
        self.executor_ns / self.native_ns
    }
}

/// Every kernel.
#[must_use]
pub fn kernels() -> Vec<Kernel> {
    let chains =
        [Device::G45, Device::Ivb, Device::Skl, Device::Dg1].into_iter().flat_map(|device| {
            [
                arithmetic::float_chain(device),
                arithmetic::word_chain(device),
                arithmetic::dword_chain(device),
            ]
        });
    let others = [
        arithmetic::conversion_chain(Device::G45),
        arithmetic::conversion_chain(Device::Skl),
        arithmetic::half_chain(Device::Skl),
        arithmetic::half_chain(Device::Dg1),
        extended_math::inverses(),
        extended_math::roots(),
        extended_math::logarithms(),
        extended_math::powers(),
        extended_math::sines(),
        messages::octword_reads(),
        messages::octword_writes(),
        sampler::bilinear(),
        sampler::loads(),
        sampler::shaded_pixels(),
        media::maximum_filter(),
        media::big_integer_compare(),
        media::idct(),
        branching::mandelbrot(8),
        branching::mandelbrot(16),
        branching::decision_tree(),
        branching::bubble_sort(),
    ];
    chains.chain(others).collect()
}

/// Measures the kernels whose suite or name contains `filter`, and the peers that do the same.
///
/// # Errors
/// If an engine refuses a kernel's program.
pub fn run(filter: Option<&str>, peers: &[Peer]) -> Result<Vec<KernelResult>, LoadError> {
    let wanted = |kernel: &Kernel| {
        filter.is_none_or(|word| kernel.name.contains(word) || kernel.suite.contains(word))
    };
    let programs: Result<Vec<_>, _> =
        kernels().iter().filter(|kernel| wanted(kernel)).map(measure).collect();
    Ok(programs?.into_iter().chain(r700::run(filter)?).chain(surface::run(filter, peers)).collect())
}

/// The names of all kernels.
pub fn names() -> impl Iterator<Item = &'static str> {
    // Some are measured on several devices.
    let mut seen = HashSet::new();
    let programs = kernels().into_iter().map(|kernel| kernel.name);
    programs.filter(move |name| seen.insert(*name)).chain(r700::names()).chain(surface::names())
}

fn measure(kernel: &Kernel) -> Result<KernelResult, LoadError> {
    let mut executor = Executor::new();
    executor.load(&kernel.case)?;
    let mut reference = Reference::new();
    reference.load(&kernel.case)?;
    let mut instructions = 0;
    while reference.step() == Step::Continue {
        instructions += 1;
    }
    let reference_ns = time(1, || {
        // Loading is a small part of what the reference takes for a program of this length.
        if reference.load(&kernel.case).is_ok() {
            while reference.step() == Step::Continue {}
        }
    });
    let executor_ns = time(64, || {
        executor.restart();
        black_box(executor.run());
    });
    let (start, memory) = (&kernel.case.state.grf, &kernel.case.state.memory.graphics);
    let (mut registers, mut graphics) = (*start, Box::new(*memory));
    let reaches_memory = kernel.case.surroundings.shared_functions.environment().is_some();
    let native_ns = time(64, || {
        registers = *start;
        if reaches_memory {
            *graphics = *memory;
        }
        (kernel.native)(black_box(&mut registers), black_box(&mut graphics));
    });
    Ok(KernelResult {
        suite: kernel.suite.to_owned(),
        name: kernel.name.to_owned(),
        device: kernel.case.device,
        instructions,
        reference_ns,
        executor_ns,
        native_ns,
        peer: None,
    })
}

/// Nanoseconds of one call: the best of several batches, which disturbances only lengthen.
fn time(batch: u32, mut work: impl FnMut()) -> f64 {
    const BUDGET: Duration = Duration::from_millis(150);
    let begin = Instant::now();
    let mut best = Duration::MAX;
    while begin.elapsed() < BUDGET {
        let start = Instant::now();
        for _ in 0..batch {
            work();
        }
        best = best.min(start.elapsed());
    }
    best.as_secs_f64() * 1e9 / f64::from(batch)
}

/// A kernel's program on the executor: how it ends and the state it leaves.
///
/// # Errors
/// If the program does not decode.
pub fn execute(kernel: &Kernel) -> Result<(Outcome, State), LoadError> {
    let mut executor = Executor::new();
    executor.load(&kernel.case)?;
    Ok((executor.run(), *executor.state()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(registers: &[[u8; 32]]) -> Vec<u32> {
        let bytes = registers.as_flattened().chunks_exact(4);
        bytes.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect()
    }

    #[test]
    fn native_twins_do_the_same_work() {
        for kernel in kernels() {
            let (outcome, state) = execute(&kernel).expect("kernels decode");
            assert_eq!(outcome, Outcome::Halted, "{}", kernel.name);
            let mut registers = kernel.case.state.grf;
            (kernel.native)(&mut registers, &mut { kernel.case.state.memory.graphics });
            let native = words(&registers[kernel.results.clone()]);
            let executed = words(&state.grf[kernel.results.clone()]);
            assert_ne!(native, words(&kernel.case.state.grf[kernel.results.clone()]));
            for (index, (expected, actual)) in native.iter().zip(&executed).enumerate() {
                let close = match kernel.exactness {
                    Exactness::Bits => expected == actual,
                    Exactness::Float => {
                        let [e, a] = [expected, actual].map(|bits| f32::from_bits(*bits));
                        (e - a).abs() <= 1e-4 * e.abs()
                    }
                };
                assert!(
                    close,
                    "{}: word {index}: {actual:08x}, native {expected:08x}",
                    kernel.name
                );
            }
        }
    }

    #[test]
    fn both_engines_run_the_kernels_alike() {
        for kernel in kernels() {
            let (outcome, state) = execute(&kernel).expect("kernels decode");
            let mut reference = Reference::new();
            reference.load(&kernel.case).expect("kernels are legal");
            let end = loop {
                if let Step::Finished(end) = reference.step() {
                    break end;
                }
            };
            assert_eq!(outcome, end, "{}", kernel.name);
            assert_eq!(state.grf, reference.state().grf, "{}", kernel.name);
        }
    }
}
