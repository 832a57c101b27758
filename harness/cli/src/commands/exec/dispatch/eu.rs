//! Threads of execution units.

use parallax_isa::{
    Device, Image,
    eu::{Case, DataType, State},
    image::{Part, Register},
};
use parallax_lockstep::eu::Eu;

use super::{elements::Elements, machine::Dispatched};
use crate::{
    channels::of_case,
    eu::{
        case,
        values::{Target, accumulator_float, channels, split_type},
    },
};

impl Dispatched for Eu {
    type Target = Target;

    fn target(device: Device, name: &str) -> Result<Target, String> {
        Target::parse(device, name)
    }

    fn assign(case: &mut Case, target: &Target, values: &str) -> Result<(), String> {
        target.assign(&mut case.state, case.device, values)
    }

    fn place(device: Device, name: &str) -> Result<Target, String> {
        let target = Target::parse(device, name)?;
        match target.data_type {
            None => Err(format!("say what type its numbers get, as in {name}:f or {name}:uw")),
            Some(_) => Ok(target),
        }
    }

    fn assign_numbers(case: &mut Case, target: &Target, numbers: &[u32]) -> Result<(), String> {
        let numbers: Vec<_> = numbers.iter().map(u32::to_string).collect();
        Self::assign(case, target, &numbers.join(","))
    }

    fn elements(case: &Case, list: &str) -> Result<Vec<Elements>, String> {
        let device = case.device;
        let mut all = Vec::new();
        for item in list.split(',') {
            let (names, data_type) = split_type(device, item)?;
            let registers = Register::parse_list(State::BANKS, device, names);
            for register in registers.map_err(|error| error.to_string())? {
                all.push(elements(device, &Target::of(register, data_type)?)?);
            }
        }
        Ok(all)
    }

    fn channels(case: &Case) -> [usize; 2] {
        of_case(case).map(|channels| channels as usize)
    }

    fn enable(case: &mut Case, channels: usize) {
        case::enable_first(case, channels);
    }

    fn start_over(case: &mut Case, from: &Case) {
        *case.state = *from.state;
    }
}

/// The elements of a register.
fn elements(device: Device, target: &Target) -> Result<Elements, String> {
    let Target { register, data_type, .. } = *target;
    let (name, mut range) = (register.name(), target.place());
    let suffix = |of: DataType| format!(":{}", of.suffix());
    let typed_name = format!("{name}{}", data_type.map(suffix).unwrap_or_default());
    target.check_channel(device)?;
    let step = target.step();
    let is_accumulator = register.bank.name == "acc";
    if is_accumulator
        && register.element.is_none()
        && let Some(of) = data_type
    {
        range.end = range.start + step * channels(device, of);
    }
    // Channels of accumulators hold integers in 64 bits.
    let data_type = data_type.map(|of| match is_accumulator {
        true if of.is_float() => accumulator_float(device, of),
        true => DataType::Q,
        false => of,
    });
    let columns = match data_type {
        Some(data_type) if range.len() < step => {
            return Err(format!("{name} is too small for :{}", data_type.suffix()));
        }
        Some(_) => {
            let is_one = register.element.is_some() || matches!(register.bank.part, Part::Whole);
            let number = |number: usize| if is_one { String::new() } else { format!(".{number}") };
            let suffix = &typed_name[name.len()..];
            let column = |n| format!("{name}{}{suffix}", number(n));
            (0..range.len() / step).map(column).collect()
        }
        None => vec![name],
    };
    let name = typed_name;
    let room = target.room(device).end;
    Ok(Elements { name, columns, range, room, step, data_type, is_words: false })
}
