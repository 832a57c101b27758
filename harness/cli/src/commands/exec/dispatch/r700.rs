//! Threads of RV770: a thread is a wavefront of 64 pixels.

use std::mem::offset_of;

use parallax_isa::{
    Device,
    eu::DataType,
    r700::{
        Case, State,
        case::ProgramType,
        state::{EXPORT_SLOTS, Lanes, PIXELS},
    },
};
use parallax_lockstep::r700::R700;

use super::{elements::Elements, machine::Dispatched};
use crate::r700::{
    registers,
    values::{ELEMENTS, Target, split_type},
};

/// A register of a payload, or one that gets numbers as floats or integers.
pub(crate) struct Place {
    target: Target,
    are_floats: bool,
}

impl Dispatched for R700 {
    type Target = Place;

    fn target(_: Device, name: &str) -> Result<Place, String> {
        Ok(Place { target: Target::parse(name)?, are_floats: false })
    }

    fn assign(case: &mut Case, place: &Place, values: &str) -> Result<(), String> {
        place.target.assign(case, values)
    }

    fn place(_: Device, name: &str) -> Result<Place, String> {
        let expected = || "expected an element and a type, as in R0.x:f or R0.x:d".to_owned();
        let (name, data_type) = name.split_once(':').ok_or_else(expected)?;
        let target = Target::parse(name)?;
        let are_floats = match data_type {
            "f" => true,
            "d" | "ud" => false,
            _ => return Err(expected()),
        };
        if target.is_element() { Ok(Place { target, are_floats }) } else { Err(expected()) }
    }

    fn assign_numbers(case: &mut Case, place: &Place, numbers: &[u32]) -> Result<(), String> {
        let lanes = place.target.lanes(case).expect("held when it was read");
        let word = |number: u32| if place.are_floats { (number as f32).to_bits() } else { number };
        lanes.iter_mut().zip(numbers).for_each(|(lane, number)| *lane = word(*number));
        Ok(())
    }

    fn elements(case: &Case, list: &str) -> Result<Vec<Elements>, String> {
        let items = list.split(',').map(|item| elements(case, item.trim()));
        Ok(items.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn channels(_: &Case) -> [usize; 2] {
        [PIXELS; 2]
    }

    fn enable(case: &mut Case, channels: usize) {
        let mask = u64::MAX >> (64 - channels);
        case.state.pixels.active &= mask;
        case.state.valid &= mask;
    }

    fn start_over(case: &mut Case, from: &Case) {
        *case.state = *from.state;
    }
}

/// Bytes of an element of a register: a word of each pixel.
const LANES: usize = size_of::<Lanes>();

/// What one name of a list means: a register, one of its elements, an export or a word of memory.
fn elements(case: &Case, item: &str) -> Result<Vec<Elements>, String> {
    let (name, data_type) = split_type(item)?;
    let of = |name: &str, start: usize, length: usize| {
        let range = start..start + length;
        let column = |pixel: usize| match data_type {
            Some(data_type) if length == LANES => format!("{name}[{pixel}]:{}", data_type.suffix()),
            Some(data_type) => format!("{name}:{}", data_type.suffix()),
            None => name.to_owned(),
        };
        let columns = if data_type.is_some() { length / 4 } else { 1 };
        let columns = (0..columns).map(column).collect();
        let suffix = |of: DataType| format!(":{}", of.suffix());
        let name = format!("{name}{}", data_type.map(suffix).unwrap_or_default());
        Elements { name, columns, room: range.end, range, step: 4, data_type, is_words: true }
    };
    let (whole, element) = match name.split_once('.') {
        Some((whole, element)) if !name.contains("..") => (whole, Some(element)),
        _ => (name, None),
    };
    let wanted: Vec<usize> = match element {
        None => (0..4).collect(),
        Some(element) => {
            let found = ELEMENTS.iter().position(|name| name.eq_ignore_ascii_case(element));
            vec![found.ok_or_else(|| format!("`{name}`: expected an element: x, y, z or w"))?]
        }
    };
    let lanes = |name: &str, start: usize| {
        let one = |n: &usize| of(&format!("{name}.{}", ELEMENTS[*n]), start + n * LANES, LANES);
        wanted.iter().map(one).collect::<Vec<_>>()
    };
    if let Some(start) = export(case, whole) {
        return Ok(lanes(&whole.to_ascii_uppercase(), start));
    }
    let registers = registers::parse_list(whole)?;
    let all = registers.iter().map(|register| {
        let place = register.bytes().expect("whole registers have a place");
        match registers::is_memory(register) {
            true => vec![of(&register.name(), place.start, place.len())],
            false => lanes(&register.name(), place.start),
        }
    });
    Ok(all.flatten().collect())
}

/// Where an export of that name starts in the image.
fn export(case: &Case, name: &str) -> Option<usize> {
    let is_pixel = case.program_type == ProgramType::Pixel;
    // Of pixels eight colours and the depth.
    let mut slots = 0..if is_pixel { 9 } else { EXPORT_SLOTS };
    let slot =
        slots.find(|slot| registers::export_name(*slot, is_pixel).eq_ignore_ascii_case(name));
    Some(offset_of!(State, exports) + 4 * LANES * slot?)
}
