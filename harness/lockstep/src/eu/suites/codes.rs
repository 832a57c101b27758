//! The suite `eu-codes`: every value of every field of an instruction word that means something, and
//! every entry of every compaction table, in words made for it. What `eu-encoding` meets by luck comes
//! here in the first case.
//!
//! A case is all of the words, on registers of its own.

#[cfg(test)]
mod places;
#[cfg(test)]
mod search;

use std::sync::LazyLock;

use parallax_isa::{
    Device, Engine,
    device::Generation,
    eu::{Program, Reads, State, compaction},
};

use super::encoding::{Encodings, Word, is_settled};
use crate::{
    eu::{
        Eu,
        generate::{self, later},
    },
    random::SplitMix64,
    suite::Finding,
    suites::comparison::{Comparison, Counts, Mismatch},
};

/// The words of a device.
#[derive(Debug)]
struct Words {
    all: Vec<Word>,
    /// Registers on which they do.
    states: [Box<State>; 2],
}

impl Words {
    fn of(device: Device) -> Self {
        let (_, states) = pool(device, &mut SplitMix64::new(SEED));
        let native = native(device).lines().filter_map(|line| line.split(' ').nth(2)).map(number);
        let all = native.chain(compact(device)).map(u128::to_le_bytes);
        Self { all: all.filter(|word| is_settled(device, word)).collect(), states }
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

/// Decides the words that are looked for, and the registers they run on.
const SEED: u64 = 0x000C_0DE5;

/// The native words of a device, which were looked for once (`codes/search.rs`): of `cl` those of `bw`,
/// of `ctg` those of `g45`, as far as they are legal there. A line is the number of a place, a value, a
/// word.
fn native(device: Device) -> &'static str {
    match device {
        Device::Ivb => include_str!("codes/native-gen7.hex"),
        Device::Skl => include_str!("codes/native-gen9.hex"),
        Device::Dg1 => include_str!("codes/native-gen12.hex"),
        Device::Bw | Device::Cl => include_str!("codes/native-gen4.hex"),
        _ => include_str!("codes/native-gen45.hex"),
    }
}

/// A number of a list.
fn number(text: &str) -> u128 {
    u128::from_str_radix(text, 16).expect("the lists hold numbers")
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
    words.lines().map(number)
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
    // What generators make of registers besides is no matter of the words that are kept.
    *state = State::of(device);
    if is_later {
        later::addresses::fill(random, device, &mut state);
        later::values::fill(random, device, &mut state);
    } else {
        generate::values::fill(random, &mut state);
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

impl<E: Engine<Eu> + Reads> Codes<E> {
    pub(super) fn new(device: Device, engine: E) -> Self {
        Self(Encodings::new(device, engine), Words::on(device))
    }
}

impl<E: Engine<Eu> + Reads> Comparison for Codes<E> {
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
    use parallax_reference::eu::Reference;
    use rstest::rstest;

    use super::{
        places::{Place, places},
        search::{Changed, tables, values},
        *,
    };
    use crate::lockstep::{Verdict, lockstep};

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
        let all = values(Device::G45);
        for (number, place) in places(Device::G45).iter().enumerate().skip(1) {
            let has = |value: &u128| all.contains(&(number, *value));
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
    #[case(Device::G45, 1)]
    #[case(Device::Ivb, 1)]
    #[case(Device::Skl, 2)]
    #[case(Device::Dg1, 3)]
    fn a_value_taken_for_another_is_noticed(#[case] device: Device, #[case] most: usize) {
        let mut missed = Vec::new();
        let values = values(device);
        for &(number, value) in &values {
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
        // On G45 besides: the type of a message's operand, of which the reference says nothing.
        // On later generations: what the manuals leave open, as brc and reserved functions.
        assert!(missed.len() <= most, "{} of {}: {missed:?}", missed.len(), values.len());
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
    #[case(Device::G45, &[62, 71, 21, 34, 81])]
    #[case(Device::Ivb, &[61, 102, 4, 29, 0])]
    #[case(Device::Skl, &[30, 9, 4, 2, 1, 2, 0])]
    #[case(Device::Dg1, &[114, 18, 0, 0, 0, 114, 48, 0])]
    fn a_wrong_bit_of_an_entry_is_noticed(#[case] device: Device, #[case] most: &[usize]) {
        let tables = tables(device);
        assert_eq!(tables.len(), most.len());
        let missed: Vec<_> = tables.iter().map(|table| missed_bits(device, table)).collect();
        let counts: Vec<_> = missed.iter().map(Vec::len).collect();
        let few = counts.iter().zip(most).all(|(count, most)| count <= most);
        assert!(few, "{counts:?}: {missed:?}");
    }
}
