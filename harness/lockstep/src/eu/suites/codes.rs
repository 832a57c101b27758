//! The suite `eu-codes`: every value of every field of an instruction word that means something, and
//! every entry of every compaction table, in words made for it. What `eu-encoding` meets by luck comes
//! here in the first case.
//!
//! A case is all of the words, on registers of its own.

mod places;

use std::{collections::BTreeSet, sync::LazyLock};

use parallax_isa::{
    Device, Engine, Image, Model, Outcome, Reference as ReferenceEngine, Step,
    device::Generation,
    eu::{Case, Program, State, compaction},
    shared::SharedFunctions,
};
use parallax_reference::eu::Reference;

use self::places::{Place, places};
use super::encoding::{Encodings, STEPS, Word, is_settled};
use crate::{
    eu::{
        Eu,
        generate::{self, later},
    },
    random::SplitMix64,
    suite::{
        Finding,
        comparison::{Comparison, Counts, Mismatch},
    },
};

/// Words for each value of a field.
const WORDS: usize = 3;
/// Legal words that are tried for a value, and words in all: some values have no legal word, some no
/// effect.
const TRIES: [usize; 2] = [60, 4000];

fn pick(pool: &[u128], random: &mut SplitMix64) -> u128 {
    pool[random.below(pool.len() as u64) as usize]
}

/// The words of a device.
#[derive(Debug, Default)]
struct Words {
    all: Vec<Word>,
    /// Values, by place of the field, that have words which tell them from others.
    values: BTreeSet<(usize, u128)>,
    /// Registers on which they do.
    states: [Box<State>; 2],
}

/// What tells words apart: what they do by the reference.
struct Judge {
    device: Device,
    reference: Reference,
    states: [Box<State>; 2],
    /// Nothing says what the last word does.
    is_open: bool,
}

impl Judge {
    fn new(device: Device, states: [Box<State>; 2]) -> Self {
        Self { device, reference: Reference::new(), states, is_open: false }
    }

    /// What a word does: the state after it, or none if it does not decode.
    fn outcome(&mut self, word: u128, state: usize) -> Option<Box<State>> {
        let code = word.to_le_bytes().to_vec();
        let mut case = Case::new(self.device, code, self.states[state].clone(), STEPS);
        case.surroundings.shared_functions = SharedFunctions::Loopback;
        Model::load(&mut self.reference, &case).ok()?;
        let step = Model::step(&mut self.reference);
        self.is_open = matches!(step, Step::Finished(Outcome::Undefined(_)));
        Some(Box::new(*Model::state(&self.reference)))
    }

    /// Whether a word does something that is settled wholly, and another word something else, so that an
    /// engine that takes the one for the other is seen.
    fn tells_exactly(&mut self, one: u128, other: u128) -> bool {
        (0..self.states.len()).any(|state| {
            let Some(outcome) = self.outcome(one, state) else { return false };
            let is_exact = ReferenceEngine::is_exact(&self.reference) && !self.is_open;
            let other = self.outcome(other, state);
            is_exact && other.is_none_or(|other| other.image() != outcome.image())
        })
    }

    /// Whether two words do not do the same.
    fn tells(&mut self, one: u128, other: u128) -> bool {
        (0..self.states.len()).any(|state| {
            let [one, other] = [one, other].map(|word| self.outcome(word, state));
            one.as_ref().map(|state| state.image()) != other.as_ref().map(|state| state.image())
        })
    }
}

/// A word in which a field has a value, and in which it matters.
#[derive(Debug, Clone, Copy)]
struct Telling {
    /// The number of the field's place.
    place: usize,
    value: u128,
    word: u128,
}

impl Words {
    fn of(device: Device) -> Self {
        let mut random = SplitMix64::new(0x000C_0DE5);
        let (pool, states) = pool(device, &mut random);
        let mut judge = Judge::new(device, states);
        let telling = match kept(device) {
            Some(list) => listed(list).collect(),
            None => found(&mut judge, &pool, &mut random),
        };
        let mut words = Self::default();
        for Telling { place, value, word } in telling {
            words.all.push(word.to_le_bytes());
            words.values.insert((place, value));
        }
        words.all.extend(compact(device).map(u128::to_le_bytes));
        words.all.retain(|word| is_settled(device, word));
        words.states = judge.states;
        words
    }

    /// The words of a device, found once.
    fn on(device: Device) -> &'static Self {
        static WORDS: [LazyLock<Words>; 7] = [
            LazyLock::new(|| Words::of(Device::Bw)),
            LazyLock::new(|| Words::of(Device::Cl)),
            LazyLock::new(|| Words::of(Device::Ctg)),
            LazyLock::new(|| Words::of(Device::G45)),
            LazyLock::new(|| Words::of(Device::Ivb)),
            LazyLock::new(|| Words::of(Device::Skl)),
            LazyLock::new(|| Words::of(Device::Dg1)),
        ];
        let place = Device::EU.iter().position(|known| *known == device);
        &WORDS[place.expect("a device with execution units")]
    }
}

/// Native words that were looked for once: on later generations that takes long. A line is the number of
/// a place, a value, a word.
fn kept(device: Device) -> Option<&'static str> {
    match device {
        Device::Ivb => Some(include_str!("codes/native-gen7.hex")),
        Device::Skl => Some(include_str!("codes/native-gen9.hex")),
        Device::Dg1 => Some(include_str!("codes/native-gen12.hex")),
        _ => None,
    }
}

/// The words of a list.
fn listed(list: &str) -> impl Iterator<Item = Telling> {
    list.lines().map(|line| {
        let number = |text: &str| u128::from_str_radix(text, 16).expect("the list holds numbers");
        let numbers: Vec<_> = line.split(' ').map(number).collect();
        Telling { place: numbers[0] as usize, value: numbers[1], word: numbers[2] }
    })
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
    // What the reference leaves open tells little: such words are taken where there are no others.
    let (mut found, mut open, mut legal) = (Vec::new(), Vec::new(), 0);
    if pool.is_empty() {
        return found;
    }
    for _ in 0..TRIES[1] {
        let word = place.put(pick(pool, random), value);
        if !is_settled(judge.device, &word.to_le_bytes()) {
            continue;
        }
        legal += 1;
        let neighbour = place.put(word, value ^ 1);
        if judge.tells_exactly(word, neighbour) {
            found.push(word);
        } else if open.len() < WORDS && judge.tells(word, neighbour) {
            open.push(word);
        }
        if found.len() == WORDS || legal == TRIES[0] {
            break;
        }
    }
    if found.is_empty() { open } else { found }
}

/// Compact words of a device: for each bit of each entry of each compaction table one in which it
/// matters, if there is any. They are rare, so that they were looked for once.
fn compact(device: Device) -> impl Iterator<Item = u128> {
    let words = match device {
        Device::Ivb => include_str!("codes/compact-gen7.hex"),
        Device::Skl => include_str!("codes/compact-gen9.hex"),
        Device::Dg1 => include_str!("codes/compact-gen12.hex"),
        _ if compaction::is_supported(device) => include_str!("codes/compact.hex"),
        _ => "",
    };
    words.lines().map(|word| u128::from_str_radix(word, 16).expect("the list holds words"))
}

/// The native word that a compact one of a device stands for, if there is one.
fn expanded(device: Device, compact: u64) -> Option<u128> {
    match device.execution_unit().ok()? {
        generation if generation > Generation::Gen45 => compaction::expand_on(generation, compact),
        _ => Some(compaction::expand(compact)),
    }
}

/// Native words of generated programs, and registers of one.
fn pool(device: Device, random: &mut SplitMix64) -> (Vec<u128>, [Box<State>; 2]) {
    let mut bytes = vec![0; generate::BYTES];
    let (mut pool, mut state) = (Vec::new(), Box::new(State::of(device)));
    for _ in 0..200 {
        random.fill(&mut bytes);
        let case = generate::straight_line(device, &bytes);
        state = case.state;
        let Ok(program) = Program::decode(device, &case.program) else { continue };
        for number in 0..program.instructions().len() {
            let code = program.bytes_of(number);
            let native = code.first_chunk().map(|code| u128::from_le_bytes(*code));
            let compact = || code.first_chunk().map(|code| u64::from_le_bytes(*code));
            pool.extend(native.or_else(|| expanded(device, compact()?)));
        }
    }
    // Flags and masks of which neither all nor no bits are set, in no group of channels; and those with
    // the other channels.
    let is_later = Device::LATER.contains(&device);
    if is_later {
        // What generators make of registers besides is no matter of the words that are kept.
        *state = State::of(device);
        later::addresses::fill(random, device, &mut state);
        later::values::fill(random, device, &mut state);
    }
    let flags = [0x59A6, 0xA3C5, 0xC9B4, 0x6E27];
    let flags = if is_later { &flags } else { &flags[..2] };
    let mut other = state.clone();
    for (number, flag) in flags.iter().enumerate() {
        (state.flag[number], other.flag[number]) = (*flag, !flag);
    }
    if is_later {
        (state.status[2], state.status[3]) = (0x9A5C_6DBB, 0xDBE5_6DBF);
        (other.status[2], other.status[3]) = (!0x9A5C_6DBB, !0x8A4C_6DBB);
    } else {
        state.mask = [0x6DBB, 0xFFFF, 0xFFFF, 0xFFFF];
        other.mask = [!0x6DBB, 0xFFFF, 0xFFFF, 0xFFFF];
    }
    (pool, [state, other])
}

/// The words of one device, and an engine that decodes them.
pub(super) struct Codes<E>(Encodings<E>, &'static Words);

impl<E: Engine<Eu>> Codes<E> {
    pub(super) fn new(device: Device, engine: E) -> Self {
        Self(Encodings::new(device, engine), Words::on(device))
    }
}

impl<E: Engine<Eu>> Comparison for Codes<E> {
    fn compare(&mut self, seed: u64, counts: &mut Counts) -> Result<(), Box<Mismatch>> {
        let Self(encodings, words) = self;
        // On the registers that tell values apart, and on others.
        let states = words.states.iter().map(|state| Some(&**state));
        for state in states.chain([None]) {
            encodings.start(seed, state);
            words.all.iter().try_for_each(|word| encodings.word(word, true, counts))?;
        }
        Ok(())
    }

    fn minimized(&mut self) -> Option<Finding> {
        self.0.minimized()
    }
}

#[cfg(test)]
mod tests {
    use parallax_executor::eu::Executor;
    use parallax_isa::{EngineError, Extent, LoadError, Step};
    use rstest::rstest;

    use super::*;
    use crate::lockstep::{Verdict, lockstep};

    /// The executor, with every instruction changed before it sees it.
    struct Changed<F>(Executor, F);

    impl<F: Fn(u128) -> u128> Engine<Eu> for Changed<F> {
        fn name(&self) -> &str {
            "changed"
        }

        fn load(&mut self, case: &Case) -> Result<(), LoadError> {
            let mut case = case.clone();
            let word = self.1(case.program.iter().rev().fold(0, |w, b| w << 8 | u128::from(*b)));
            let length = case.program.len();
            case.program.copy_from_slice(&word.to_le_bytes()[..length]);
            Engine::load(&mut self.0, &case)
        }

        fn step(&mut self) -> Result<Step, EngineError> {
            Engine::step(&mut self.0)
        }

        fn state(&self) -> Result<&State, EngineError> {
            Engine::state(&self.0)
        }

        fn adopt(&mut self, extent: Extent, from: &State) -> Result<(), EngineError> {
            Engine::adopt(&mut self.0, extent, from)
        }
    }

    /// Reserved values, and those that have no effect, have no words; every other one has some.
    #[test]
    fn every_value_has_words() {
        let without: [(u32, &[u128]); 11] = [
            (12, &[3]),
            (14, &[1, 3]),
            (16, &[12, 13, 14, 15]),
            (21, &[6, 7]),
            // Where a message has a register, 10 and 11 are meant.
            (24, &[12, 13, 14, 15]),
            (32, &[3]),
            (34, &[6]),
            // Message registers cannot be read.
            (37, &[2]),
            (42, &[2]),
            // A destination of stride 0 has few legal uses.
            (61, &[0]),
            (82, &[5, 6, 7]),
        ];
        let strides = (85, [7, 8, 9, 10, 11, 12, 13, 14]);
        for (number, place) in places(Device::G45).iter().enumerate().skip(1) {
            let has = |value: &u128| Words::on(Device::G45).values.contains(&(number, *value));
            let known = without.iter().find(|(low, _)| *low == place.lowest());
            let known = known.map(|(_, values)| *values);
            let known = if place.lowest() == strides.0 { Some(&strides.1[..]) } else { known };
            // The second mask control does nothing by itself.
            let known = if place.lowest() == 28 { Some(&[0, 1][..]) } else { known };
            let known = known.unwrap_or_default();
            let values = 0..=place.largest();
            let missing: Vec<_> = values.filter(|v| !has(v) && !known.contains(v)).collect();
            assert_eq!(missing, [], "{place:?}");
        }
    }

    /// An executor that takes a value for its neighbour is found in the first case.
    #[rstest]
    #[case(Device::G45, 2)]
    #[case(Device::Ivb, 5)]
    #[case(Device::Skl, 16)]
    #[case(Device::Dg1, 16)]
    fn a_value_taken_for_another_is_noticed(#[case] device: Device, #[case] most: usize) {
        let mut missed = Vec::new();
        let words = Words::on(device);
        for &(number, value) in &words.values {
            let place = &places(device)[number];
            let change = |word: u128| match word >> 29 & 1 {
                0 if place.is_in(device, word) && place.get(word) == value => {
                    place.put(word, value ^ 1)
                }
                _ => word,
            };
            let mut codes = Codes::new(device, Changed(Executor::new(), change));
            if codes.compare(1, &mut Counts::default()).is_ok() {
                missed.push((place.lowest(), value));
            }
        }
        // Thread switches have no effect, and what sums in the accumulator come to may be open.
        missed.retain(|(low, value)| *low != 14 && !(*low == 0 && *value > 80));
        // On G45 besides: type and stride 0 of a message's operands, of which the reference says nothing.
        // On later generations: what the manuals leave open, as brc and reserved functions.
        assert!(missed.len() <= most, "{} of {}: {missed:?}", missed.len(), words.values.len());
    }

    /// The tables of a device: what a word has of each, and the bits of the native word that its entries
    /// hold, without those that have no effect.
    fn tables(device: Device) -> Vec<(Place, Vec<u32>)> {
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
        pool: &[u128],
        random: &mut SplitMix64,
        tables: &[(Place, Vec<u32>)],
        (table, index): (usize, u128),
    ) -> (Vec<u128>, Vec<u32>) {
        let mut open = tables[table].1.clone();
        let (mut found, mut legal) = (Vec::new(), 0);
        for _ in 0..300_000 {
            let mut word = pick(pool, random);
            // A table each from other words, and registers at random.
            for (place, _) in tables {
                if random.below(3) == 0 {
                    word = place.put(word, u128::from(random.next()) & place.largest());
                }
            }
            let ahead = u128::from(random.below(1 << 24)) << 40;
            word = word & !0x7F & !(0xFF_FFFF << 40) | pick(pool, random) & 0x7F | ahead;
            word = tables[table].0.put(word, index);
            if !is_settled(judge.device, &word.to_le_bytes()) {
                continue;
            }
            let Some(native) = expanded(judge.device, word as u64) else { continue };
            let before = open.len();
            open.retain(|bit| !judge.tells_exactly(native, native ^ 1 << bit));
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
    #[case(Device::Ivb, "native-gen7")]
    #[ignore = "takes a minute; run it when fields change"]
    #[case(Device::Skl, "native-gen9")]
    #[ignore = "takes a minute; run it when fields change"]
    #[case(Device::Dg1, "native-gen12")]
    fn native_words_are_found(#[case] device: Device, #[case] file: &str) {
        let mut random = SplitMix64::new(0x000C_0DE5);
        let (pool, states) = pool(device, &mut random);
        let mut judge = Judge::new(device, states);
        let words = found(&mut judge, &pool, &mut random);
        let line = |telling: &Telling| {
            format!("{:x} {:x} {:032x}\n", telling.place, telling.value, telling.word)
        };
        let text: String = words.iter().map(line).collect();
        std::fs::write(format!("src/eu/suites/codes/{file}.hex"), text).expect("written");
    }

    /// Of later generations: what is listed is settled, has the value in the field, and differs from
    /// its neighbour.
    #[rstest]
    fn listed_words_tell_values_apart(
        #[values(Device::Ivb, Device::Skl, Device::Dg1)] device: Device,
    ) {
        let (_, states) = pool(device, &mut SplitMix64::new(0x000C_0DE5));
        let mut judge = Judge::new(device, states);
        for Telling { place, value, word } in listed(kept(device).expect("a list")) {
            let place = &places(device)[place];
            assert_eq!(place.get(word), value, "{place:?} {word:032x}");
            assert!(is_settled(device, &word.to_le_bytes()), "{place:?} {word:032x}");
            assert!(judge.tells(word, place.put(word, value ^ 1)), "{place:?} {value} {word:032x}");
        }
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
        let pool = pool.iter().filter_map(compacted);
        // What does nothing tells no entries apart.
        let idle = |word: &u128| matches!(word & 0x7F, 0 | 0x7D | 0x7E);
        let pool: Vec<_> = pool.map(u128::from).filter(|word| !idle(word)).collect();
        let (tables, mut text) = (tables(device), String::new());
        for (number, (place, _)) in tables.iter().enumerate() {
            for index in 0..=place.largest() {
                let (words, open) =
                    words_of_entry(&mut judge, &pool, &mut random, &tables, (number, index));
                println!("{number} {index}: {} words, without effect {open:?}", words.len());
                words.iter().for_each(|word| text += &format!("{word:016x}\n"));
                let path = format!("src/eu/suites/codes/{file}.hex");
                std::fs::write(path, &text).expect("written");
            }
        }
    }

    /// The bits of the entries of a table in which a mistake is not noticed.
    fn missed_bits(device: Device, (place, held): &(Place, Vec<u32>)) -> Vec<(u128, u32)> {
        let mut encodings = Encodings::new(device, Executor::new());
        let mut reference = Reference::new();
        let mut missed = Vec::new();
        let words = Words::on(device);
        for index in 0..=place.largest() {
            for &bit in held {
                let mut shows = |native: u128, state: &State| {
                    encodings.start(0, Some(state));
                    let case = encodings.case(native.to_le_bytes().to_vec());
                    let mut changed = Changed(Executor::new(), |word: u128| word ^ 1 << bit);
                    let verdict = lockstep::<Eu>(&mut reference, &mut changed, &case);
                    !matches!(verdict, Verdict::Agreed(_))
                };
                let with_entry = compact(device).filter(|word| place.get(*word) == index);
                let natives = with_entry.filter_map(|word| expanded(device, word as u64));
                let noticed = natives
                    .flat_map(|word| words.states.iter().map(move |state| (word, state)))
                    .any(|(word, state)| shows(word, state));
                if !noticed {
                    missed.push((index, bit));
                }
            }
        }
        missed
    }

    /// A wrong bit in any entry of a compaction table shows in the first case, if it has an effect.
    ///
    /// Of some entries no legal word was found, or none in which a bit matters; `eu-encoding` meets them
    /// seldom. The executor's own tests hold each entry of its tables against the model's.
    #[rstest]
    #[case(Device::G45, &[120, 350, 140, 60, 300])]
    #[case(Device::Ivb, &[75, 99, 8, 62, 0])]
    #[case(Device::Skl, &[46, 6, 3, 13, 0, 2, 0])]
    #[case(Device::Dg1, &[114, 21, 0, 0, 0, 114, 47, 0])]
    fn a_wrong_bit_of_an_entry_is_noticed(#[case] device: Device, #[case] most: &[usize]) {
        let tables = tables(device);
        assert_eq!(tables.len(), most.len());
        let missed: Vec<_> = tables.iter().map(|table| missed_bits(device, table)).collect();
        let counts: Vec<_> = missed.iter().map(Vec::len).collect();
        let few = counts.iter().zip(most).all(|(count, most)| count <= most);
        assert!(few, "{counts:?}: {missed:?}");
    }
}
