//! Where the words of `eu-codes` come from: they are looked for once, among words of generated programs,
//! and kept as lists. The reference says what tells a word from another.

use std::collections::BTreeSet;

use parallax_isa::{
    Device, Engine, EngineError, Extent, LoadError, Outcome, Step,
    eu::{Case, Reading},
    shared::SharedFunctions,
};
use parallax_reference::eu::Reference;
use rstest::rstest;

use super::{
    places::{Place, places},
    *,
};
use crate::{
    eu::suites::encoding::STEPS,
    lockstep::{Difference, Verdict, lockstep},
};

/// Words for each value of a field.
const WORDS: usize = 3;
/// Legal words that are tried for a value, and words in all: some values have no legal word, some no
/// effect.
const TRIES: [usize; 2] = [400, 12000];

/// A word in which a field has a value, and in which it matters.
#[derive(Debug, Clone, Copy)]
struct Telling {
    /// The number of the field's place.
    place: usize,
    value: u128,
    word: u128,
}

/// The native words of a device that are legal there.
fn listed(device: Device) -> impl Iterator<Item = Telling> {
    let words = native(device).lines().map(|line| {
        let numbers: Vec<_> = line.split(' ').map(number).collect();
        Telling { place: numbers[0] as usize, value: numbers[1], word: numbers[2] }
    });
    words.filter(move |telling| is_settled(device, &telling.word.to_le_bytes()))
}

/// Values, by place of the field, that have words which tell them from others.
pub(super) fn values(device: Device) -> BTreeSet<(usize, u128)> {
    listed(device).map(|telling| (telling.place, telling.value)).collect()
}

/// An engine that takes every instruction for another one.
pub(super) struct Changed<E, F>(pub(super) E, pub(super) F);

impl<E: Engine<Eu>, F: Fn(u128) -> u128> Engine<Eu> for Changed<E, F> {
    fn name(&self) -> &str {
        "changed"
    }

    fn load(&mut self, case: &Case) -> Result<(), LoadError> {
        let mut case = case.clone();
        let word = self.1(case.program.iter().rev().fold(0, |w, b| w << 8 | u128::from(*b)));
        let length = case.program.len();
        case.program.copy_from_slice(&word.to_le_bytes()[..length]);
        self.0.load(&case)
    }

    fn step(&mut self) -> Result<Step, EngineError> {
        self.0.step()
    }

    fn state(&self) -> Result<&State, EngineError> {
        self.0.state()
    }

    fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
        self.0.adopt(extent, from)
    }
}

impl<E: Reads, F: Fn(u128) -> u128> Reads for Changed<E, F> {
    fn reading(&self, device: Device, code: &[u8]) -> Option<Result<Reading, String>> {
        let word = self.1(code.iter().rev().fold(0, |w, b| w << 8 | u128::from(*b)));
        self.0.reading(device, &word.to_le_bytes()[..code.len()])
    }
}

/// What tells words apart: the reference beside one that takes the one for the other.
struct Judge {
    device: Device,
    reference: Reference,
    states: [Box<State>; 2],
}

impl Judge {
    fn new(device: Device, states: [Box<State>; 2]) -> Self {
        Self { device, reference: Reference::new(), states }
    }

    /// Whether an engine that takes a word for another is seen.
    fn tells(&mut self, one: u128, other: u128) -> bool {
        let Self { device, reference, states } = self;
        states.iter().any(|state| {
            let code = one.to_le_bytes().to_vec();
            let mut case = Case::new(*device, code, state.clone(), STEPS);
            case.surroundings.shared_functions = SharedFunctions::Loopback;
            let mut wrong = Changed(Reference::new(), |_| other);
            match lockstep::<Eu>(reference, &mut wrong, &case) {
                // An engine need not say what is undefined: it may do for the other word what this one does.
                Verdict::Diverged(found) => !matches!(
                    found.difference,
                    Difference::Flow { actual: Step::Finished(Outcome::Undefined(_)), .. }
                ),
                _ => false,
            }
        })
    }
}

/// Looks for words for every value of every field.
fn found(judge: &mut Judge, pool: &[u128], random: &mut SplitMix64) -> Vec<Telling> {
    let (device, mut all) = (judge.device, Vec::new());
    for (number, place) in places(device).iter().enumerate() {
        let pool: Vec<_> = pool.iter().copied().filter(|word| place.is_in(device, *word)).collect();
        for value in 0..=place.largest() {
            let words = words_of_value(judge, &pool, random, (place, value));
            all.extend(words.into_iter().map(|word| Telling { place: number, value, word }));
        }
    }
    all
}

/// Words in which a field has a value, and in which it matters.
fn words_of_value(
    judge: &mut Judge,
    pool: &[u128],
    random: &mut SplitMix64,
    (place, value): (&Place, u128),
) -> Vec<u128> {
    let (mut found, mut legal) = (Vec::new(), 0);
    if pool.is_empty() {
        return found;
    }
    for _ in 0..TRIES[1] {
        let word = place.put(random.pick(pool), value);
        if !is_settled(judge.device, &word.to_le_bytes()) {
            continue;
        }
        legal += 1;
        if judge.tells(word, place.put(word, value ^ 1)) {
            found.push(word);
        }
        if found.len() == WORDS || legal == TRIES[0] {
            break;
        }
    }
    found
}

/// The tables of a device: what a word has of each, and the bits of the native word that its entries
/// hold, without those that have no effect.
pub(super) fn tables(device: Device) -> Vec<(Place, Vec<u32>)> {
    let generation = device.execution_unit().expect("it has execution units");
    // Thread control and dependency control.
    let without = match generation {
        Generation::Gen12 => &[32][..],
        _ if generation < Generation::Gen8 => &[10, 11, 14, 15],
        _ => &[9, 10, 14, 15],
    };
    let layouts = compaction::layouts(generation).into_iter().flatten();
    let tables = layouts.flat_map(|layout| layout.tables).map(|table| {
        let bits = table.native.iter().flat_map(|run| u32::from(run.low)..=run.high.into());
        (Place::of(table.index), bits.filter(|bit| !without.contains(bit)).collect())
    });
    tables.collect()
}

/// Compact words with an entry of a table: one for each bit of the entry that matters in any.
fn words_of_entry(
    judge: &mut Judge,
    (pool, opcodes): (&[u128], &[u128]),
    random: &mut SplitMix64,
    tables: &[(Place, Vec<u32>)],
    (table, index): (usize, u128),
) -> (Vec<u128>, Vec<u32>) {
    let mut open = tables[table].1.clone();
    let (mut found, mut legal) = (Vec::new(), 0);
    for _ in 0..300_000 {
        let mut word = random.pick(pool);
        // A table each from other words, and opcode and registers at random.
        for (place, _) in tables {
            if random.below(3) == 0 {
                word = place.put(word, u128::from(random.next()) & place.largest());
            }
        }
        let ahead = u128::from(random.below(1 << 24)) << 40;
        word = word & !0x7F & !(0xFF_FFFF << 40) | random.pick(opcodes) | ahead;
        word = tables[table].0.put(word, index);
        if !is_settled(judge.device, &word.to_le_bytes()) {
            continue;
        }
        let Some(native) = expanded(judge.device, word as u64) else { continue };
        let before = open.len();
        open.retain(|bit| !judge.tells(native, native ^ 1 << bit));
        legal += 1;
        if open.len() < before {
            found.push(word);
        }
        if open.is_empty() || legal == 3000 {
            break;
        }
    }
    (found, open)
}

/// Makes the list of native words of a device anew.
#[rstest]
#[ignore = "takes a minute; run it when fields change"]
#[case(Device::Bw, "native-gen4")]
#[ignore = "takes a minute; run it when fields change"]
#[case(Device::G45, "native-gen45")]
#[ignore = "takes a minute; run it when fields change"]
#[case(Device::Ivb, "native-gen7")]
#[ignore = "takes a minute; run it when fields change"]
#[case(Device::Skl, "native-gen9")]
#[ignore = "takes a minute; run it when fields change"]
#[case(Device::Dg1, "native-gen12")]
fn native_words_are_found(#[case] device: Device, #[case] file: &str) {
    let mut random = SplitMix64::new(SEED);
    let (pool, states) = pool(device, &mut random);
    let mut judge = Judge::new(device, states);
    let words = found(&mut judge, &pool, &mut random);
    let line = |telling: &Telling| {
        format!("{:x} {:x} {:032x}\n", telling.place, telling.value, telling.word)
    };
    let text: String = words.iter().map(line).collect();
    std::fs::write(format!("src/eu/suites/codes/{file}.hex"), text).expect("written");
}

/// Makes the list of compact words of a device anew.
#[rstest]
#[ignore = "takes minutes; run it when the compaction tables change"]
#[case(Device::G45, "compact")]
#[ignore = "takes minutes; run it when the compaction tables change"]
#[case(Device::Ivb, "compact-gen7")]
#[ignore = "takes minutes; run it when the compaction tables change"]
#[case(Device::Skl, "compact-gen9")]
#[ignore = "takes minutes; run it when the compaction tables change"]
#[case(Device::Dg1, "compact-gen12")]
fn compact_words_are_found(#[case] device: Device, #[case] file: &str) {
    let mut random = SplitMix64::new(1);
    let (pool, states) = pool(device, &mut random);
    let mut judge = Judge::new(device, states);
    let compacted = |word: &u128| match device.execution_unit().ok()? {
        generation if generation > Generation::Gen45 => {
            compaction::compacted_on(generation, *word).ok()
        }
        _ => compaction::compacted(*word).ok(),
    };
    // What does nothing tells no entries apart.
    let idle = |opcode: &u128| matches!(opcode, 0 | 0x7D | 0x7E);
    let opcodes: BTreeSet<_> = pool.iter().map(|word| word & 0x7F).collect();
    let opcodes: Vec<_> = opcodes.into_iter().filter(|opcode| !idle(opcode)).collect();
    let pool: Vec<_> = pool.iter().filter_map(compacted).map(u128::from).collect();
    let (tables, mut text) = (tables(device), String::new());
    for (number, (place, _)) in tables.iter().enumerate() {
        for index in 0..=place.largest() {
            let (words, open) = words_of_entry(
                &mut judge,
                (&pool, &opcodes),
                &mut random,
                &tables,
                (number, index),
            );
            println!("{number} {index}: {} words, without effect {open:?}", words.len());
            words.iter().for_each(|word| text += &format!("{word:016x}\n"));
            let path = format!("src/eu/suites/codes/{file}.hex");
            std::fs::write(path, &text).expect("written");
        }
    }
}

/// What is listed has the value in the field, and differs from its neighbour.
#[rstest]
fn listed_words_tell_values_apart(
    #[values(Device::Bw, Device::G45, Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
) {
    let (_, states) = pool(device, &mut SplitMix64::new(SEED));
    let mut judge = Judge::new(device, states);
    for Telling { place, value, word } in listed(device) {
        let place = &places(device)[place];
        assert_eq!(place.get(word), value, "{place:?} {word:032x}");
        assert!(judge.tells(word, place.put(word, value ^ 1)), "{place:?} {value} {word:032x}");
    }
}
