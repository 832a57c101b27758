//! Registers and exports as printed.

use parallax_isa::r700::{
    State,
    state::{EXPORT_SLOTS, Register},
};
use serde_json::{Map, Value};

/// The registers that a list names: `R0,R4..R7`.
pub(super) fn parse_list(list: &str) -> Result<Vec<usize>, String> {
    let number = |name: &str| {
        let number = name.trim().strip_prefix(['R', 'r']).and_then(|n| n.parse::<usize>().ok());
        number
            .filter(|number| *number < 128)
            .ok_or_else(|| format!("`{name}` is not a register: expected R0 to R127"))
    };
    let mut registers = Vec::new();
    for part in list.split(',') {
        match part.split_once("..") {
            Some((first, last)) => registers.extend(number(first)?..=number(last)?),
            None => registers.push(number(part)?),
        }
    }
    Ok(registers)
}

/// Name of an export slot in a pixel program or in another one.
pub(super) fn export_name(slot: usize, pixel_program: bool) -> String {
    match (pixel_program, slot) {
        (true, 8) => "PIXZ".to_owned(),
        (true, _) => format!("PIX{slot}"),
        (false, 0..4) => format!("POS{slot}"),
        (false, _) => format!("PARAM{}", slot - 4),
    }
}

/// The slots that were exported to.
pub(super) fn exported(state: &State) -> impl Iterator<Item = usize> {
    let exported = state.exported;
    (0..EXPORT_SLOTS).filter(move |slot| exported >> slot & 1 == 1)
}

/// A register in the JSON interface: for each element the words of the 64 pixels.
pub(super) fn json(register: &Register) -> Value {
    let lanes = |lanes: &[u32; 64]| {
        Value::from(lanes.iter().map(|word| format!("{word:08x}")).collect::<Vec<_>>())
    };
    let elements = ["x", "y", "z", "w"].into_iter().zip(register);
    Value::Object(
        elements.map(|(name, values)| (name.to_owned(), lanes(values))).collect::<Map<_, _>>(),
    )
}

/// A register for people: one line if all pixels have the same, else a line for each run of pixels.
pub(super) fn text(name: &str, register: &Register) -> String {
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
        let floats = words.map(|word| format!("{:?}", f32::from_bits(word))).join(" ");
        text += &format!("{name}{pixels}: {hex}  ({floats})\n");
        first = last + 1;
    }
    text
}
