//! Registers and exports as printed.

use parallax_isa::r700::{
    State,
    state::{EXPORT_SLOTS, GPR_COUNT, LOCAL_DWORDS, MEMORY_DWORDS, Register},
};
use serde_json::{Map, Value};

/// What can be printed by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A general register: `R4`.
    Register(usize),
    /// A dword of memory: `MEM16`.
    Memory(usize),
    /// A dword of the local data share: `LDS1024` is the first of bank 1.
    Local(usize),
}

impl Place {
    fn parse(name: &str) -> Result<Self, String> {
        let upper = name.trim().to_ascii_uppercase();
        let number = |prefix: &str, count: usize| {
            let number = upper.strip_prefix(prefix).and_then(|n| n.parse::<usize>().ok());
            number.filter(|number| *number < count)
        };
        let place = number("MEM", MEMORY_DWORDS)
            .map(Self::Memory)
            .or_else(|| number("LDS", LOCAL_DWORDS).map(Self::Local))
            .or_else(|| number("R", GPR_COUNT).map(Self::Register));
        if let Some(place) = place {
            return Ok(place);
        }
        let (memory, local) = (MEMORY_DWORDS - 1, LOCAL_DWORDS - 1);
        Err(format!(
            "`{name}` is not a register: expected R0 to R127, MEM0 to MEM{memory} or LDS0 to LDS{local}"
        ))
    }

    /// The places from this to another of the same kind.
    fn to(self, last: Self) -> Option<Vec<Self>> {
        Some(match (self, last) {
            (Self::Register(first), Self::Register(last)) => {
                (first..=last).map(Self::Register).collect()
            }
            (Self::Memory(first), Self::Memory(last)) => (first..=last).map(Self::Memory).collect(),
            (Self::Local(first), Self::Local(last)) => (first..=last).map(Self::Local).collect(),
            _ => return None,
        })
    }

    /// Its name.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Register(number) => format!("R{number}"),
            Self::Memory(number) => format!("MEM{number}"),
            Self::Local(number) => format!("LDS{number}"),
        }
    }

    /// The dword of memory it is, if it is one.
    pub(crate) fn word(self, state: &State) -> Option<u32> {
        match self {
            Self::Register(_) => None,
            Self::Memory(number) => Some(state.memory[number]),
            Self::Local(number) => Some(state.local[number]),
        }
    }
}

/// The places that a list names: `R0,R4..R7,MEM0..MEM15`.
pub(crate) fn parse_list(list: &str) -> Result<Vec<Place>, String> {
    let mut places = Vec::new();
    for part in list.split(',') {
        match part.split_once("..") {
            Some((first, last)) => {
                let range = Place::parse(first)?.to(Place::parse(last)?);
                places.extend(range.ok_or_else(|| format!("`{part}` is not a range"))?);
            }
            None => places.push(Place::parse(part)?),
        }
    }
    Ok(places)
}

/// The registers, memory and masks that are not as at the start of a program without settings: names
/// and hex digits.
pub(crate) fn changed(state: &State) -> Vec<(String, String)> {
    let initial = State::new();
    let mut changed = Vec::new();
    let elements = ["x", "y", "z", "w"];
    for (number, (register, usual)) in state.gpr.iter().zip(&initial.gpr).enumerate() {
        for (element, (lanes, usual)) in elements.iter().zip(register.iter().zip(usual)) {
            if lanes != usual {
                changed.push((format!("R{number}.{element}"), words(lanes)));
            }
        }
    }
    let memory = [("MEM", &state.memory, &initial.memory), ("LDS", &state.local, &initial.local)];
    for (name, dwords, usual) in memory {
        for (number, (word, usual)) in dwords.iter().zip(usual).enumerate() {
            if word != usual {
                changed.push((format!("{name}{number}"), format!("{word:08x}")));
            }
        }
    }
    let masks = [
        ("active", state.pixels.active, initial.pixels.active),
        ("valid", state.valid, initial.valid),
    ];
    for (name, mask, usual) in masks {
        if mask != usual {
            changed.push((name.to_owned(), format!("{mask:016x}")));
        }
    }
    changed
}

/// The words of all pixels; one if they have the same.
fn words(lanes: &[u32; 64]) -> String {
    if lanes.iter().all(|word| *word == lanes[0]) {
        return format!("{:08x}", lanes[0]);
    }
    lanes.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>().join(" ")
}

/// Dwords of memory for people: those named, or without a list those that are not zero.
pub(crate) fn memory_text(state: &State, dump: &[Place]) -> String {
    let all = || {
        let memory = (0..MEMORY_DWORDS).map(Place::Memory);
        memory.chain((0..LOCAL_DWORDS).map(Place::Local))
    };
    let shown: Vec<Place> = if dump.is_empty() {
        all().filter(|place| place.word(state) != Some(0)).collect()
    } else {
        dump.to_vec()
    };
    let line = |place: &Place| {
        let word = place.word(state)?;
        Some(format!("{}: {word:08x}  ({})\n", place.name(), number(word)))
    };
    shown.iter().filter_map(line).collect()
}

/// Name of an export slot in a pixel program or in another one.
pub(crate) fn export_name(slot: usize, pixel_program: bool) -> String {
    match (pixel_program, slot) {
        (true, 8) => "PIXZ".to_owned(),
        (true, _) => format!("PIX{slot}"),
        (false, 0..4) => format!("POS{slot}"),
        (false, _) => format!("PARAM{}", slot - 4),
    }
}

/// The slots that were exported to.
pub(crate) fn exported(state: &State) -> impl Iterator<Item = usize> {
    let exported = state.exported;
    (0..EXPORT_SLOTS).filter(move |slot| exported >> slot & 1 == 1)
}

/// A register in the JSON interface: for each element the words of the 64 pixels.
pub(crate) fn json(register: &Register) -> Value {
    let lanes = |lanes: &[u32; 64]| {
        Value::from(lanes.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>())
    };
    let elements = ["x", "y", "z", "w"].into_iter().zip(register);
    Value::Object(
        elements.map(|(name, values)| (name.to_owned(), lanes(values))).collect::<Map<_, _>>(),
    )
}

/// A word as the number it is more likely meant to be: what would be a denormal or an odd NaN is an
/// integer.
fn number(word: u32) -> String {
    match word {
        1..=0x007F_FFFF | 0xFFC0_0001.. => format!("{}", word.cast_signed()),
        _ => format!("{:?}", f32::from_bits(word)),
    }
}

/// A register for people: one line if all pixels have the same, else a line for each run of pixels.
pub(crate) fn text(name: &str, register: &Register) -> String {
    let of = |pixel: usize| [0, 1, 2, 3].map(|element: usize| register[element][pixel]);
    let mut text = String::new();
    let mut first = 0;
    while first < 64 {
        let words = of(first);
        let last = (first..64).take_while(|pixel| of(*pixel) == words).last().unwrap_or(first);
        let pixels = match (first, last) {
            (0, 63) => String::new(),
            (first, last) if first == last => format!(" [{first}]"),
            (first, last) => format!(" [{first}..{last}]"),
        };
        let hex = words.map(|word| format!("{word:08x}")).join(" ");
        let numbers = words.map(number).join(" ");
        text += &format!("{name}{pixels}: {hex}  ({numbers})\n");
        first = last + 1;
    }
    text
}
