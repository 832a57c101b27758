//! `--set`: values for registers.

use std::ops::Range;

use parallax_isa::{
    Device, Image,
    device::Generation,
    eu::{
        DataType, State,
        codes::{self, TypeField},
    },
    image::Register,
};

use crate::{
    assignment::{Untyped, integer, is_hex, items, typed},
    output::brief,
};

/// Carries out one `--set` on a state.
pub(crate) fn set(state: &mut State, device: Device, assignment: &str) -> Result<(), String> {
    assign(state, device, assignment)
        .map_err(|message| format!("--set {}: {message}", brief(assignment)))
}

fn assign(state: &mut State, device: Device, assignment: &str) -> Result<(), String> {
    let (target, values) = parts(device, assignment)?;
    target.assign(state, device, values)
}

/// What stands before and behind the equals sign of `--set`.
fn parts(device: Device, assignment: &str) -> Result<(Target, &str), String> {
    let (target, values) = assignment
        .split_once('=')
        .ok_or("expected REGISTER=VALUES, as in r2:f=1,2,3 or r2=<64 hex digits>")?;
    Ok((Target::parse(device, target)?, values))
}

/// The first of some registers that one `--set` changes.
pub(crate) fn changed<'r>(
    device: Device,
    assignment: &str,
    registers: &'r [String],
) -> Result<Option<&'r String>, String> {
    let (target, values) = parts(device, assignment)?;
    let Writes { places, step, .. } = target.writes(device, values)?;
    for register in registers {
        let register_place = Target::parse(device, register)?.place();
        let is_in =
            |place: &usize| *place < register_place.end && register_place.start < place + step;
        if places.iter().any(is_in) {
            return Ok(Some(register));
        }
    }
    Ok(None)
}

/// Values of the same size, and where they go in the image.
struct Writes {
    places: Vec<usize>,
    step: usize,
    bytes: Vec<u8>,
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
        let Writes { places, step, bytes } = self.writes(device, values)?;
        for (place, bytes) in places.into_iter().zip(bytes.chunks(step)) {
            state.image_mut()[place..place + step].copy_from_slice(bytes);
        }
        stored(state, device)
    }

    /// What stands behind the equals sign.
    fn writes(&self, device: Device, values: &str) -> Result<Writes, String> {
        let items = items(values);
        if let [digits] = items.as_slice()
            && let Some(bytes) = self.whole(digits)?
        {
            let (places, step) = (vec![self.place().start], bytes.len());
            return Ok(Writes { places, step, bytes });
        }
        let step = self.step();
        let bytes = self.bytes(device, &items)?;
        self.check_channel(device)?;
        let mut places = self.places(device);
        if bytes.len() / step > places.len() {
            return Err(format!(
                "{} values of {step} bytes are too many: from {} on there is room for {}",
                bytes.len() / step,
                self.register.name(),
                places.len()
            ));
        }
        places.truncate(bytes.len() / step);
        Ok(Writes { places, step, bytes })
    }

    /// Bytes from an element to the next.
    pub(crate) fn step(&self) -> usize {
        if self.is_accumulator() { self.register.bank.element } else { self.element }
    }

    fn is_accumulator(&self) -> bool {
        self.register.bank.name == "acc"
    }

    /// Refuses an accumulator channel that there is none of for its type.
    pub(crate) fn check_channel(&self, device: Device) -> Result<(), String> {
        match (self.data_type, self.register.element) {
            (Some(of), Some(channel))
                if self.is_accumulator() && channel >= channels(device, of) =>
            {
                Err(format!(
                    "there is no {}: it has {} channels of :{}",
                    self.register.name(),
                    channels(device, of),
                    of.suffix()
                ))
            }
            _ => Ok(()),
        }
    }

    /// Where in the image its elements lie, from the first on to the end of the last register of its kind.
    fn places(&self, device: Device) -> Vec<usize> {
        let room = self.room(device);
        let step = self.step();
        let bank = self.register.bank;
        // An accumulator of Gen7 and later has fewer channels of some types than of others.
        let of_register = match self.data_type {
            Some(of) if self.is_accumulator() => channels(device, of),
            _ => bank.bytes / step,
        };
        let is_channel = |place: &usize| (place - bank.offset) % bank.bytes / step < of_register;
        room.clone()
            .step_by(step)
            .filter(is_channel)
            .filter(|place| place + step <= room.end)
            .collect()
    }

    /// The bytes of all of a register, in memory order, if that is what hexadecimal digits are.
    fn whole(&self, digits: &str) -> Result<Option<Vec<u8>>, String> {
        let Self { register, data_type, .. } = self;
        let hex = digits.strip_prefix("0x").unwrap_or(digits);
        // Longer than any number.
        let is_meant = is_hex(hex) && hex.len() > 16;
        if data_type.is_some() || register.element.is_some() || !is_hex(hex) {
            return Ok(None);
        }
        if hex.len() != 2 * register.bytes {
            let name = register.name();
            return match is_meant {
                true => Err(format!(
                    "{name} has {} bytes and takes {} hex digits, not {}; a number takes a type, as in {name}:ud=1",
                    register.bytes,
                    2 * register.bytes,
                    hex.len()
                )),
                false => Ok(None),
            };
        }
        // With 0x it is a number where an element has room for it.
        if hex.len() < digits.len() && integer(digits, register.bank.element).is_ok() {
            return Ok(None);
        }
        let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("two hex digits");
        Ok(Some((0..hex.len()).step_by(2).map(byte).collect()))
    }

    /// The bytes of values.
    fn bytes(&self, device: Device, items: &[&str]) -> Result<Vec<u8>, String> {
        let bank = self.register.bank;
        if self.is_accumulator() {
            let channels: Result<Vec<_>, _> =
                items.iter().map(|item| channel(device, item, self.data_type)).collect();
            return Ok(channels?.concat());
        }
        if let Some(data_type) = self.data_type {
            let values: Result<Vec<_>, _> =
                items.iter().map(|item| typed(item, data_type)).collect();
            return Ok(values?.concat());
        }
        let is_plain = bank.element == 4;
        let holds_words = ["r", "m", "mem", "slm", "gmem", "urb", "other"].contains(&bank.name);
        let untyped = Untyped {
            element: bank.element,
            float: is_plain.then_some(DataType::F),
            words: is_plain && holds_words,
            run_together: false,
        };
        untyped.bytes(items, &self.register.name())
    }
}

/// Channels of a type that an accumulator has: of Gen7 and later eight of F, four of DF, and sixteen of HF.
pub(crate) fn channels(device: Device, data_type: DataType) -> usize {
    match data_type {
        DataType::F if !Device::GEN4.contains(&device) => 8,
        DataType::Df => 4,
        _ => 16,
    }
}

/// How a device holds floats of a type in the 64 bits of an accumulator channel.
pub(crate) fn accumulator_float(device: Device, data_type: DataType) -> DataType {
    if Device::GEN4.contains(&device) { DataType::Df } else { data_type }
}

/// One accumulator channel.
fn channel(device: Device, item: &str, data_type: Option<DataType>) -> Result<Vec<u8>, String> {
    let float = match data_type {
        Some(of) => Some(of).filter(|of| of.is_float()),
        None => item.contains('.').then_some(DataType::F),
    };
    let Some(float) = float else { return integer(item, 8) };
    let mut bytes = typed(item, accumulator_float(device, float))?;
    bytes.resize(8, 0);
    Ok(bytes)
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
        assert_eq!(after("f0.1=0x1234").expect("valid").flag[..2], [0, 0x1234]);
        assert_eq!(after("ip=0x00000010").expect("valid").ip, 16, "a number");
    }

    #[rstest]
    #[case("r2=1.0f,2.0f", [0x3F80_0000, 0x4000_0000, 0, 0, 0, 0, 0, 0])]
    #[case("r2:f=1,-inf,nan", [0x3F80_0000, 0xFF80_0000, 0x7FC0_0000, 0, 0, 0, 0, 0])]
    #[case("r2:ud=1,0x10", [1, 16, 0, 0, 0, 0, 0, 0])]
    #[case("r2=0x40900000,0x41900000", [0x4090_0000, 0x4190_0000, 0, 0, 0, 0, 0, 0])]
    #[case("r2=40900000,4190000a", [0x4090_0000, 0x4190_000A, 0, 0, 0, 0, 0, 0])]
    #[case("r2=1,2", [1, 2, 0, 0, 0, 0, 0, 0])]
    #[case("r2=1", [1, 0, 0, 0, 0, 0, 0, 0])]
    #[case("r2.1=1.5", [0, 0x3FC0_0000, 0, 0, 0, 0, 0, 0])]
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

    /// The reference reads what was set: a format of another width would be no value of the channel to it.
    #[rstest]
    #[case(Device::G45, "acc0:f=1.5", 0, 1.5_f64.to_bits())]
    #[case(Device::Ivb, "acc0:f=1.5", 0, 0x3FC0_0000)]
    #[case(Device::Skl, "acc0=1.5", 0, 0x3FC0_0000)]
    #[case(Device::Skl, "acc0:hf=1.5", 0, 0x3E00)]
    #[case(Device::Skl, "acc0:df=1.5", 0, 1.5_f64.to_bits())]
    #[case(Device::Dg1, "acc0:f=0,0,0,0,0,0,0,0,1.5", 16, 0x3FC0_0000)]
    #[case(Device::Dg1, "acc2.7:f=0x3fc00000", 39, 0x3FC0_0000)]
    fn accumulators_hold_floats_as_the_device_does(
        #[case] device: Device,
        #[case] assignment: &str,
        #[case] channel: usize,
        #[case] bits: u64,
    ) {
        let mut state = State::new();
        set(&mut state, device, assignment).expect("valid");
        let channels = state.accumulator.as_flattened();
        assert_eq!(channels[channel], bits);
        assert_eq!(channels.iter().filter(|bits| **bits != 0).count(), 1);
        let beyond = set(&mut state, Device::Dg1, "acc0.8:f=1").expect_err("no such channel");
        assert!(beyond.contains("there is no acc0.8: it has 8 channels of :f"), "{beyond}");
    }

    #[test]
    fn mistakes_are_named() {
        let mistakes = [
            "r2",
            "r2=",
            "r2=0123456789abcdef01",
            "r2=0d",
            "r2=40900000",
            "f0.1=00ff",
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
            "acc1.15=1,2",
        ];
        let messages = mistakes.map(|mistake| after(mistake).expect_err(mistake)).join("\n");
        insta::assert_snapshot!(messages);
    }
}
