//! Programs of an instruction or two that both engines are given, many operands at a time.

use std::mem::offset_of;

use parallax_isa::{
    Acceptance, Device, Expectation, Image as _, Machine, Model, Reference, Step,
    eu::{self, Eu},
    r700::{self, R700, state::PIXELS},
};

/// The operands of one operation; what it does not have is 0.
pub(super) type Operands = [u64; 3];

/// What the engines make of some operands.
pub(super) struct Answer {
    pub(super) reference: Vec<u64>,
    pub(super) executor: Vec<u64>,
    /// The reference accepts what the executor gives.
    pub(super) agrees: bool,
    /// The reference would accept anything.
    pub(super) is_open: bool,
}

/// A place of the state and how many bytes it has.
type Place = (usize, usize);

/// What execution units are asked.
pub(super) struct Units<'a> {
    pub(super) device: Device,
    /// Operands stand in r2 and r3, in m1 and m2; the first flag holds a result or r10 and those behind it.
    pub(super) program: &'a str,
    pub(super) control: u32,
    /// Registers of results; with none the result is the channel's bit of f0.0.
    pub(super) registers: usize,
    /// Bytes of an operand and of a result.
    pub(super) sizes: [usize; 2],
    /// How many operands it takes at once.
    pub(super) channels: usize,
}

impl<'a> Units<'a> {
    /// A program of eight channels with one result of four bytes each.
    pub(super) fn new(device: Device, program: &'a str) -> Self {
        Self { device, program, control: 0, registers: 1, sizes: [4; 2], channels: 8 }
    }

    pub(super) fn ask(&self, operands: &[Operands]) -> Vec<Option<Answer>> {
        let chunks = operands.chunks(self.channels);
        chunks.flat_map(|chunk| self.ask_at_once(chunk)).collect()
    }

    fn ask_at_once(&self, operands: &[Operands]) -> Vec<Option<Answer>> {
        let Ok(assembly) = eu::text::parse(self.device, self.program) else {
            return operands.iter().map(|_| None).collect();
        };
        let mut state = Box::new(eu::State::of(self.device));
        state.control[0] = self.control;
        for (channel, [a, b, _]) in operands.iter().enumerate() {
            let [size, _] = self.sizes;
            let bytes = size * channel..size * (channel + 1);
            for (bits, register) in [(a, 0), (b, 1)] {
                let bits = &bits.to_le_bytes()[..size];
                state.grf[2 + register][bytes.clone()].copy_from_slice(bits);
                state.mrf[1 + register][bytes.clone()].copy_from_slice(bits);
            }
        }
        let case = eu::Case::new(self.device, assembly.program.bytes().to_vec(), state, 10);
        let steps = self.program.lines().count();
        let of_channel = |channel: usize| {
            if self.registers == 0 {
                let flag = (offset_of!(eu::State, flag), 2);
                return Asked { numbers: vec![vec![flag]], mask: 1 << channel };
            }
            let [_, size] = self.sizes;
            let registers = (0..self.registers).map(|n| 32 * (10 + n) + size * channel);
            let numbers = registers.map(|byte| vec![(offset_of!(eu::State, grf) + byte, size)]);
            Asked { numbers: numbers.collect(), mask: u64::MAX }
        };
        let asked: Vec<_> = (0..operands.len()).map(of_channel).collect();
        let mut reference = parallax_reference::eu::Reference::new();
        let mut executor = parallax_executor::eu::Executor::new();
        ask::<Eu>(&mut reference, &mut executor, &case, steps, &asked)
    }
}

/// A group of R700 whose operands stand in R0.yx, R0.wz and R1.yx, low words first named, and whose
/// results are elements of R2: a list of the elements, low first, for each result.
pub(super) struct Group<'a> {
    pub(super) instructions: &'a str,
    pub(super) results: &'a [&'a [usize]],
}

impl Group<'_> {
    pub(super) fn ask(&self, operands: &[Operands]) -> Vec<Option<Answer>> {
        operands.chunks(PIXELS).flat_map(|chunk| self.ask_all_pixels(chunk)).collect()
    }

    fn ask_all_pixels(&self, operands: &[Operands]) -> Vec<Option<Answer>> {
        let text = format!(
            "00 ALU:\n0 {}\n1 x: MOV ____.x, 0.0\n01 NOP: END_OF_PROGRAM",
            self.instructions
        );
        let Ok(program) = r700::text::parse(&text) else {
            return operands.iter().map(|_| None).collect();
        };
        let mut case = r700::Case::new(program.encode());
        for (pixel, [a, b, c]) in operands.iter().enumerate() {
            let gpr = &mut case.state.gpr;
            for (register, element, value) in [(0, 0, a), (0, 2, b), (1, 0, c)] {
                gpr[register][element][pixel] = (value >> 32) as u32;
                gpr[register][element + 1][pixel] = *value as u32;
            }
        }
        let place = |element: usize, pixel: usize| -> Place {
            let element = (4 * 2 + element) * size_of::<[u32; PIXELS]>();
            (offset_of!(r700::State, gpr) + element + 4 * pixel, 4)
        };
        let pixel = |pixel: usize| {
            let results = self.results.iter();
            let words = results.map(|elements| elements.iter().map(|e| place(*e, pixel)).collect());
            Asked { numbers: words.collect(), mask: u64::MAX }
        };
        let asked: Vec<_> = (0..operands.len()).map(pixel).collect();
        let mut reference = parallax_reference::r700::Reference::new();
        let mut executor = parallax_executor::r700::Executor::new();
        ask::<R700>(&mut reference, &mut executor, &case, 2, &asked)
    }
}

/// Where a result is: numbers, each in words of the state, the low ones first, and which bits of those
/// count.
struct Asked {
    numbers: Vec<Vec<Place>>,
    mask: u64,
}

impl Asked {
    fn read(&self, image: &[u8]) -> Vec<u64> {
        let number = |places: &Vec<Place>| {
            let words = places.iter().rev();
            let bits = words.fold(0, |high: u64, place| {
                high.unbounded_shl(8 * place.1 as u32) | word(image, *place)
            });
            (bits & self.mask) >> self.mask.trailing_zeros()
        };
        self.numbers.iter().map(number).collect()
    }

    /// All words.
    fn places(&self) -> impl Iterator<Item = Place> {
        self.numbers.iter().flatten().copied()
    }
}

fn word(image: &[u8], (offset, bytes): Place) -> u64 {
    let mut word = [0; 8];
    word[..bytes].copy_from_slice(&image[offset..offset + bytes]);
    u64::from_le_bytes(word)
}

/// Whether an expectation is about some of the bits of a word that count.
fn concerns(expectation: &Expectation, (offset, bytes): Place, mask: u64) -> bool {
    let extent = expectation.extent;
    let (from, range) = (extent.offset as usize, offset..offset + bytes);
    range.contains(&from) && extent.mask << (8 * (from - offset)) & mask != 0
}

/// Takes some steps on both engines and looks at the results.
fn ask<M: Machine>(
    reference: &mut (impl Model<Machine = M> + Reference<M>),
    executor: &mut impl Model<Machine = M>,
    case: &M::Case,
    steps: usize,
    asked: &[Asked],
) -> Vec<Option<Answer>> {
    let ran = [run(reference, case, steps), run(executor, case, steps)];
    let answer = |asked: &Asked| {
        if ran != [true; 2] {
            return None;
        }
        let images = [Model::state(reference).image(), Model::state(executor).image()];
        let [expected, actual] = images.map(|image| asked.read(image));
        let about = |place: Place| {
            let all = reference.expectations().iter();
            all.filter(move |expectation| concerns(expectation, place, asked.mask))
        };
        let is_accepted = |place: Place| {
            let [a, b] = images.map(|image| word(image, place) & asked.mask);
            a == b
                || about(place).any(|Expectation { extent, acceptance }| {
                    let [a, b] = images.map(|image| extent.read(image));
                    acceptance.accepts(a, b)
                })
        };
        let is_undefined = |place: Place| {
            about(place).any(|expectation| expectation.acceptance == Acceptance::Undefined)
        };
        Some(Answer {
            agrees: expected == actual || asked.places().all(is_accepted),
            is_open: asked.places().all(is_undefined),
            reference: expected,
            executor: actual,
        })
    };
    asked.iter().map(answer).collect()
}

/// Takes some steps of a case; whether all were taken.
fn run<M: Model>(engine: &mut M, case: &<M::Machine as Machine>::Case, steps: usize) -> bool {
    Model::load(engine, case).is_ok() && (0..steps).all(|_| Model::step(engine) == Step::Continue)
}
