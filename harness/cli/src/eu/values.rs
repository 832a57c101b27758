//! `--set`: values for registers.

use std::ops::Range;

use half::f16;
use parallax_isa::{
    Device, Image,
    device::Generation,
    eu::{
        DataType, State,
        codes::{self, TypeField},
    },
    image::{Bank, Register},
};

use crate::output::brief;

/// How `--set` is written, for the help text.
pub(crate) const HELP: &str = "\
REGISTER=HEX sets a whole register to bytes in memory order, two hex digits each, byte 0 first \
(64 digits for r and m registers, and for the rows of memory, mem and slm, of Gen7 and later).

REGISTER=VALUE,VALUE,… sets elements from the first one on and may run over into the following \
registers; elements that get no value keep theirs. Values are integers (7, -3, 0x1f), floats (1.0, \
2.5f) or 32-bit words of exactly eight hex digits (40900000,41900000); each takes four bytes in r \
and m registers.

REGISTER:TYPE=VALUE,… gives the element type: ub, b, uw, w, ud, d or f, from Gen7 on df, from Gen8 \
on uq, q and hf (r2:f=1,2,3, r3.4:uw=0x10); 0x values are bit patterns. A subregister number counts elements of the type.

Accumulator channels are 64 bits: integers sign-extended, floats as binary64 (acc0:f=1.5).";

/// Carries out one `--set` on a state.
pub(crate) fn set(state: &mut State, device: Device, assignment: &str) -> Result<(), String> {
    assign(state, device, assignment)
        .map_err(|message| format!("--set {}: {message}", brief(assignment)))
}

fn assign(state: &mut State, device: Device, assignment: &str) -> Result<(), String> {
    let (target, values) = assignment
        .split_once('=')
        .ok_or("expected REGISTER=VALUES, as in r2:f=1,2,3 or r2=<64 hex digits>")?;
    Target::parse(device, target)?.assign(state, device, values)
}

/// A register or an element, and the type of what is there if one is given: `r2.4:f`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    pub(crate) register: Register,
    pub(crate) data_type: Option<DataType>,
    /// Bytes of an element.
    pub(crate) element: usize,
}

impl Target {
    /// Reads what stands before the equals sign of `--set`.
    pub(crate) fn parse(device: Device, text: &str) -> Result<Self, String> {
        let (name, data_type) = split_type(device, text)?;
        let register = Register::parse(State::BANKS, device, name);
        Self::of(register.map_err(|error| error.to_string())?, data_type)
    }

    /// A register with a type.
    pub(crate) fn of(register: Register, data_type: Option<DataType>) -> Result<Self, String> {
        let element = match data_type {
            Some(data_type) if register.bank.name != "acc" => data_type.size(),
            _ => register.bank.element,
        };
        register.place(element).map_err(|error| error.to_string())?;
        Ok(Self { register, data_type, element })
    }

    /// Its bytes in the image of the state.
    pub(crate) fn place(&self) -> Range<usize> {
        self.register.place(self.element).expect("held when it was read")
    }

    /// The bytes in the image from it on to the end of the last register of its kind.
    pub(crate) fn room(&self, device: Device) -> Range<usize> {
        let bank = self.register.bank;
        let [count, size] = bank.size_on(device);
        self.place().start..bank.offset + (count - 1) * bank.bytes + size
    }

    /// Gives it what stands behind the equals sign.
    pub(crate) fn assign(
        &self,
        state: &mut State,
        device: Device,
        values: &str,
    ) -> Result<(), String> {
        let Self { register, data_type, element } = self;
        let is_bytes = data_type.is_none() && !values.contains([',', '.', '-']);
        let place = self.place();
        let bytes = if is_bytes {
            whole(values.trim(), register, place.len())?
        } else {
            list(values, register.bank, *data_type)?
        };
        let room = self.room(device).len();
        if bytes.len() > room {
            return Err(format!(
                "{} values of {element} bytes are too many: from {} on there is room for {}",
                bytes.len() / element,
                register.name(),
                room / element
            ));
        }
        state.image_mut()[place.start..place.start + bytes.len()].copy_from_slice(&bytes);
        stored(state, device)
    }
}

/// A name and the type behind its colon, if there is one.
pub(crate) fn split_type(device: Device, text: &str) -> Result<(&str, Option<DataType>), String> {
    Ok(match text.split_once(':') {
        Some((name, suffix)) => (name.trim(), Some(type_of(suffix, device)?)),
        None => (text.trim(), None),
    })
}

/// The element type of a suffix.
fn type_of(suffix: &str, device: Device) -> Result<DataType, String> {
    let generation = device.generation().unwrap_or(Generation::Gen45);
    let exists = |of: &DataType| codes::has_type(generation, TypeField::Register, *of);
    let found = DataType::of_suffix(&suffix.to_ascii_lowercase()).filter(exists);
    found.ok_or_else(|| {
        if suffix.contains("..") {
            return "the type stands behind a range, as in r4..r6:f".to_owned();
        }
        let more = match generation {
            Generation::Gen4 | Generation::Gen45 => " and f",
            Generation::Gen7 => ", f and df",
            _ => ", uq, q, hf, f and df",
        };
        format!("`{suffix}` is no type; the types are ub, b, uw, w, ud, d{more}")
    })
}

/// Bytes in memory order for all of a register.
fn whole(digits: &str, register: &Register, size: usize) -> Result<Vec<u8>, String> {
    let name = register.name();
    let hex = digits.strip_prefix("0x").unwrap_or(digits);
    if let Some(stray) = hex.chars().find(|c| !c.is_ascii_hexdigit()) {
        return Err(format!(
            "`{stray}` is no hex digit; {name} takes {} of them, or a list as in {name}:d=1,2,3",
            2 * size
        ));
    }
    if hex.len() != 2 * size {
        return Err(format!(
            "{name} has {size} bytes and takes {} hex digits, not {}; a number needs a \
             type, as in {name}:{}={}",
            2 * size,
            hex.len(),
            match register.bank.element {
                1 => "ub",
                2 => "uw",
                _ => "ud",
            },
            if digits.is_empty() || digits.len() > 10 { "1" } else { digits }
        ));
    }
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("two hex digits");
    Ok((0..hex.len()).step_by(2).map(byte).collect())
}

/// The bytes of a list of values.
fn list(values: &str, bank: &Bank, data_type: Option<DataType>) -> Result<Vec<u8>, String> {
    let items: Vec<&str> = values.split(',').map(str::trim).collect();
    let is_word = |item: &str| item.len() == 8 && item.chars().all(|c| c.is_ascii_hexdigit());
    let words = data_type.is_none()
        && matches!(bank.name, "r" | "m" | "mem" | "slm" | "gmem" | "urb" | "other")
        && items.iter().any(|item| is_word(item));
    if words && let Some(other) = items.iter().find(|item| !is_word(item)) {
        return Err(format!(
            "`{other}` stands beside words of eight hex digits; give all values as such words, or \
             a type as in r2:ud=0x40900000,1"
        ));
    }
    let mut bytes = Vec::new();
    for item in items {
        bytes.extend(match (bank.name, data_type) {
            ("acc", data_type) => channel(item, data_type)?.to_le_bytes().to_vec(),
            (_, Some(data_type)) => typed(item, data_type)?,
            _ if words => {
                u32::from_str_radix(item, 16).expect("eight digits").to_le_bytes().to_vec()
            }
            _ if item.contains('.') || item.ends_with('f') && !item.starts_with("0x") => {
                typed(item, DataType::F)?
            }
            _ => integer(item, bank.element)?,
        });
    }
    Ok(bytes)
}

/// One accumulator channel.
fn channel(item: &str, data_type: Option<DataType>) -> Result<u64, String> {
    let float = data_type == Some(DataType::F) || data_type.is_none() && item.contains('.');
    match float && !item.starts_with("0x") {
        true => item
            .trim_end_matches('f')
            .parse()
            .map(f64::to_bits)
            .map_err(|_| format!("`{item}` is no number")),
        false => Ok(u64::from_le_bytes(
            integer(item, 8)?.try_into().expect("eight bytes were asked for"),
        )),
    }
}

/// One value of a type.
fn typed(item: &str, data_type: DataType) -> Result<Vec<u8>, String> {
    if !data_type.is_float() || item.starts_with("0x") {
        let bytes = integer(item, data_type.size())?;
        if item.starts_with('-') && !data_type.is_signed_integer() {
            return Err(format!("{item} is negative, :{} is unsigned", data_type.suffix()));
        }
        return Ok(bytes);
    }
    // "inf" ends in f, "1.0f" in a suffix.
    let digits = if item.ends_with("inf") { item } else { item.trim_end_matches('f') };
    let wide: f64 = digits.parse().map_err(|_| format!("`{item}` is no number"))?;
    if data_type == DataType::Hf {
        let value = f16::from_f64(wide);
        if value.is_infinite() && !item.contains("inf") {
            return Err(format!("{item} is beyond the largest half float, 65504"));
        }
        return Ok(value.to_le_bytes().to_vec());
    }
    if data_type == DataType::Df {
        return Ok(wide.to_le_bytes().to_vec());
    }
    let value: f32 = digits.parse().map_err(|_| format!("`{item}` is no number"))?;
    if value.is_infinite() && !item.contains("inf") {
        return Err(format!("{item} is beyond the largest float, 3.4028235e38"));
    }
    Ok(value.to_le_bytes().to_vec())
}

/// An integer as `size` bytes; positive ones may use all bits.
fn integer(item: &str, size: usize) -> Result<Vec<u8>, String> {
    let parsed = match item.strip_prefix("0x") {
        Some(hex) if !hex.starts_with(['+', '-']) => i128::from_str_radix(hex, 16),
        Some(_) => return Err(format!("`{item}` is no number")),
        None => item.parse(),
    };
    let value = parsed.map_err(|_| format!("`{item}` is no number"))?;
    let bits = 8 * size;
    if value < -(1 << (bits - 1)) || value >= 1 << bits {
        return Err(format!("{item} does not fit into {bits} bits"));
    }
    Ok(value.to_le_bytes()[..size].to_vec())
}

/// Refuses bits that the machine does not store.
fn stored(state: &State, device: Device) -> Result<(), String> {
    if device.generation() > Some(Generation::Gen7) {
        return Ok(());
    }
    let wide = (2..8).find(|&n| state.address[n] > 0x0FFF);
    match wide {
        Some(n) => Err(format!("a0.{n} stores 12 bits, {:#x} does not fit", state.address[n])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn after(assignment: &str) -> Result<State, String> {
        let mut state = State::new();
        set(&mut state, Device::G45, assignment).map(|()| state)
    }

    fn words(register: &[u8; 32]) -> [u32; 8] {
        bytemuck::cast(*register)
    }

    #[test]
    fn hex_digits_are_bytes_in_memory_order() {
        let digits: String = (0..32).map(|n| format!("{n:02x}")).collect();
        for prefix in ["", "0x"] {
            let state = after(&format!("r2={prefix}{digits}")).expect("valid");
            assert_eq!(state.grf[2], std::array::from_fn(|n| n as u8));
        }
        assert_eq!(after("f0=12345678").expect("valid").flag[..2], [0x3412, 0x7856]);
        assert_eq!(after("f0.1=1234").expect("valid").flag[..2], [0, 0x3412]);
    }

    #[rstest]
    #[case("r2=1.0f,2.0f", [0x3F80_0000, 0x4000_0000, 0, 0, 0, 0, 0, 0])]
    #[case("r2:f=1,-inf,nan", [0x3F80_0000, 0xFF80_0000, 0x7FC0_0000, 0, 0, 0, 0, 0])]
    #[case("r2:ud=1,0x10", [1, 16, 0, 0, 0, 0, 0, 0])]
    #[case("r2=40900000,41900000", [0x4090_0000, 0x4190_0000, 0, 0, 0, 0, 0, 0])]
    #[case("r2:uw=1,2,0xffff", [0x0002_0001, 0xFFFF, 0, 0, 0, 0, 0, 0])]
    #[case("r2=-1,2", [0xFFFF_FFFF, 2, 0, 0, 0, 0, 0, 0])]
    #[case("r2:b=-128,255", [0xFF80, 0, 0, 0, 0, 0, 0, 0])]
    #[case("r2.3:f=0x7fc00001", [0, 0, 0, 0x7FC0_0001, 0, 0, 0, 0])]
    #[case("r2:d=5", [5, 0, 0, 0, 0, 0, 0, 0])]
    fn lists_set_elements(#[case] assignment: &str, #[case] expected: [u32; 8]) {
        assert_eq!(words(&after(assignment).expect("valid").grf[2]), expected);
    }

    #[test]
    fn lists_run_over_registers() {
        let list: Vec<String> = (0..32).map(|n| format!("{n:08x}")).collect();
        let state = after(&format!("r2={}", list.join(","))).expect("valid");
        for (n, register) in state.grf[2..6].iter().enumerate() {
            assert_eq!(words(register), std::array::from_fn(|word| (n * 8 + word) as u32));
        }
    }

    #[rstest]
    #[case("r2:hf=1.5,-0,inf,1e-8", [0x3E00, 0x8000, 0x7C00, 0])]
    // Halfway between two: the even one.
    #[case("r2:hf=2049,2051,65519,0x7e01", [0x6800, 0x6802, 0x7BFF, 0x7E01])]
    fn half_floats_are_numbers(#[case] assignment: &str, #[case] expected: [u16; 4]) {
        let mut state = State::new();
        set(&mut state, Device::Skl, assignment).expect("valid");
        assert_eq!(bytemuck::cast::<_, [u16; 16]>(state.grf[2])[..4], expected);
        let beyond = set(&mut state, Device::Skl, "r2:hf=65520").expect_err("too large");
        assert_eq!(beyond, "--set r2:hf=65520: 65520 is beyond the largest half float, 65504");
    }

    #[test]
    fn accumulator_channels_are_64_bits() {
        assert_eq!(after("acc0:f=1.5,2").expect("valid").accumulator[0][1], 2f64.to_bits());
        assert_eq!(after("acc1=-1,7").expect("valid").accumulator[1][..2], [u64::MAX, 7]);
    }

    #[test]
    fn mistakes_are_named() {
        let mistakes = [
            "r2",
            "r2=",
            "r2=00",
            "r2=0x5",
            "r2=hello",
            "r128=00",
            "q1=00",
            "r2:q=1",
            "r2:vf=1",
            "r2:ub=256",
            "r2:b=-129",
            "r2:ud=-1",
            "r2:f=1e39",
            "r2:f=one",
            "r2=1,,2",
            "r2=12345678,1",
            "r2.8:f=1",
            "m15:ud=1,2,3,4,5,6,7,8,9",
            "a0:uw=0,0,0x1000",
            "r2:ud=0x-5",
            "f0:uw=1,2,3",
        ];
        let messages = mistakes.map(|mistake| after(mistake).expect_err(mistake)).join("\n");
        insta::assert_snapshot!(messages);
    }
}
