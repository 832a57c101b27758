//! Registers and exports as printed.

use parallax_isa::{
    Device, Extent, Image,
    image::Register,
    r700::{
        State,
        state::{EXPORT_SLOTS, Register as Lanes},
    },
};
use serde_json::{Map, Value};

use super::values::ELEMENTS;

/// The registers and dwords of memory that a list names: `R0,R4..R7,MEM0..MEM15`.
pub(crate) fn parse_list(list: &str) -> Result<Vec<Register>, String> {
    let registers = Register::parse_list(State::BANKS, Device::Rv770, list);
    let registers = registers.map_err(|error| error.to_string())?;
    let shown = |register: &&Register| {
        register.element.is_none() && matches!(register.bank.name, "R" | "MEM" | "LDS")
    };
    match registers.iter().find(|register| !shown(register)) {
        Some(other) => {
            Err(format!("`{}` cannot be shown: name whole registers, MEM or LDS", other.name()))
        }
        None => Ok(registers),
    }
}

/// Whether something is a dword of memory.
pub(crate) fn is_memory(register: &Register) -> bool {
    register.bank.bytes == 4
}

/// A dword of memory.
pub(crate) fn word(register: &Register, state: &State) -> u32 {
    let place = register.bytes().expect("whole registers have a place");
    Extent::whole(place.start, place.len()).read(state.image()) as u32
}

/// Dwords of memory for people: those named, or without a list those that are not zero.
pub(crate) fn memory_text(state: &State, dump: Option<&[Register]>) -> String {
    let shown: Vec<Register> = match dump {
        Some(dump) => dump.iter().filter(|register| is_memory(register)).copied().collect(),
        None => {
            let memory = Register::all(State::BANKS, Device::Rv770)
                .filter(|register| matches!(register.bank.name, "MEM" | "LDS"));
            memory.filter(|register| word(register, state) != 0).collect()
        }
    };
    let line = |register: &Register| {
        let word = word(register, state);
        format!("{}: {word:08x}  ({})\n", register.name(), number(word))
    };
    shown.iter().map(line).collect()
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
pub(crate) fn json(register: &Lanes) -> Value {
    let lanes = |lanes: &[u32; 64]| {
        Value::from(lanes.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>())
    };
    let elements = ELEMENTS.into_iter().zip(register);
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
pub(crate) fn text(name: &str, register: &Lanes) -> String {
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
